"""Libraries of peers that are compiled for this machine, kept in the temporary folder for the next time."""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# A program with its arguments; files are those that a library is made by way of.
Command = Sequence[Any]


def built_library(key: str, source: str, commands: Callable[[Path], Sequence[Command]]) -> ctypes.CDLL:
    """What the commands make of a source, loaded. `commands` gives them for the path of what they make, without its
    suffix: the source has none, the library ends in `.so`. `key` says what else it depends on."""
    folder = Path(tempfile.gettempdir()) / f"irtensor-peers-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / hashlib.sha256(f"{key}{source}".encode()).hexdigest()[:24]
    library = path.with_suffix(".so")
    if not library.exists():
        path.write_text(source, encoding="utf-8")
        for command in commands(path):
            subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))
