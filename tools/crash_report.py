"""Writes the file with which an internal error can be run again."""

from __future__ import annotations

import hashlib
import platform
import shlex
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

import irtensor
from irtensor.tools.versions import version_of


def write_reproducer(arguments: Sequence[str], text: str, error: BaseException) -> tuple[str, str]:
    """Write `irtensor-crash-<hash>.mlir` here, or in the temporary folder if this one is not writable.

    The first line is the command that fails, the input follows, the traceback stands below it as comments.
    Returns the file's path and its contents. Equal failures go to one file.
    """
    command = shlex.join(arguments)
    digest = hashlib.sha256(f"{command}\n{text}".encode()).hexdigest()[:12]
    name = f"irtensor-crash-{digest}.mlir"
    trace = "".join(traceback.format_exception(error))
    contents = "\n".join(
        [
            f"// {command} {name}",
            f"// irtensor {irtensor.__version__}, xdsl {version_of('xdsl')}, Python {platform.python_version()}",
            text.strip("\n"),
            *(f"// {line}".rstrip() for line in trace.splitlines()),
            "",
        ]
    )
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        path = folder / name
        try:
            path.write_text(contents, encoding="utf-8")
        except OSError:
            continue
        return (name if folder == Path.cwd() else str(path)), contents
    return "(no writable folder)", contents
