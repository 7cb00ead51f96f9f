"""The code in README.md and docs/: how the blocks of a page are found and run, and what they print.

The Python of a page runs block by block in one namespace, its commands run in the same folder. A `text` block right
below is what a block prints, warnings and an error at last; `...` stands for anything there. An MLIR block that is a
whole module is parsed and verified; one whose first line is `// name.mlir` is a file for commands. A block that cannot
run has a comment above it, `<!-- not run: the reason -->`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any
from unittest import mock

from irtensor.core.diagnostics import UserError
from irtensor.errors import DenseResultWarning

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^( *)```(?P<language>[\w-]*)\n(?P<text>.*?)^\1```$", re.MULTILINE | re.DOTALL)
_NOT_RUN = re.compile(r"<!-- not run: \S[^>]*-->\s*$")
_GENERATED = re.compile(r"<!-- generated: .*?<!-- end -->", re.DOTALL)
_ALIAS = re.compile(r"^#\w+ = .*$", re.MULTILINE)
_FILE = re.compile(r"// (\S+\.mlir)\n")
_MODULE = re.compile(r"^ *(builtin\.module|func\.func|llvm\.func)\b", re.MULTILINE)
_TOOLS = {
    "irtensor-opt": "irtensor.tools.irtensor_opt",
    "irtensor-run": "irtensor.tools.irtensor_run",
    "irtensor-cache": "irtensor.tools.irtensor_cache",
    "irtensor-autoschedule": "irtensor.tools.irtensor_autoschedule",
    "xdsl-opt": "xdsl.tools.xdsl_opt",
}


@dataclass(frozen=True)
class Block:
    """A fenced block: `start` and `end` are where its text stands in the page."""

    language: str
    text: str
    start: int
    end: int
    line: int
    is_run: bool
    is_generated: bool
    follows: bool  # Nothing but empty lines is between it and the block before.


@dataclass(frozen=True)
class Shown:
    """An output that a page shows, from `start` to `end`, and the real output."""

    line: int
    start: int
    end: int
    text: str
    printed: str

    @property
    def is_right(self) -> bool:
        pattern = ".*".join(map(re.escape, self.text.rstrip().split("...")))
        return re.fullmatch(pattern, self.printed, re.DOTALL) is not None


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page."""
    generated = [match.span() for match in _GENERATED.finditer(page)]
    found: list[Block] = []
    before = 0
    for match in _BLOCK.finditer(page):
        between = page[before : match.start()]
        block = Block(
            match["language"],
            match["text"],
            *match.span("text"),
            line=page.count("\n", 0, match.start("text")) + 1,
            is_run=_NOT_RUN.search(between) is None,
            is_generated=any(start < match.start() < end for start, end in generated),
            follows=before > 0 and not between.strip(),
        )
        found.append(block)
        before = match.end()
    return found


def run_page(page: str, name: str, folder: Path) -> Iterator[Shown]:
    """Run the code of a page in an empty folder: what it shows of outputs. Code that fails is an exception."""
    (folder / "docs").symlink_to(ROOT / "docs")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    aliases: list[str] = []
    found = blocks(page)
    # Two threads, whatever machine this is.
    with contextlib.chdir(folder), mock.patch.dict(os.environ, IRTENSOR_NUM_THREADS="2"):
        for block, after in zip_longest(found, found[1:]):
            shown = after if after is not None and after.follows and after.language == "text" else None
            if not block.is_run:
                continue
            if block.language == "python":
                printed = _run_python(block, name, namespace, may_fail=shown is not None)
                if shown is not None:
                    yield Shown(shown.line, shown.start, shown.end, shown.text, printed.rstrip())
            elif block.language == "console" and not block.is_generated:
                yield from _run_commands(block, shown)
            elif block.language == "mlir":
                _check_mlir(block, name, aliases)


def with_outputs(page: str, name: str, folder: Path) -> str:
    """A page that shows what its code prints."""
    for shown in reversed(list(run_page(page, name, folder))):
        if not shown.is_right:
            page = f"{page[: shown.start]}{shown.printed}\n{page[shown.end :]}"
    return page


def _run_python(block: Block, name: str, namespace: dict[str, Any], *, may_fail: bool) -> str:
    """What a block prints, and the warnings and the error of irtensor's that it ends with."""
    # Lines are numbered as in the page.
    code = compile("\n" * (block.line - 1) + block.text, name, "exec", dont_inherit=True)
    with contextlib.redirect_stdout(io.StringIO()) as output, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DenseResultWarning)
        try:
            exec(code, namespace)
        except UserError as error:
            if not may_fail:
                raise
            print(f"irtensor.UserError: {error}")
    said = (f"irtensor.{warning.category.__name__}: {warning.message}\n" for warning in caught)
    return output.getvalue() + "".join(said)


def _run_commands(block: Block, shown: Block | None) -> Iterator[Shown]:
    """Run the lines that begin with a prompt; other lines are the output of the one before, and so is `shown`."""
    commands = list(re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE))
    for number, command in enumerate(commands):
        last = number == len(commands) - 1
        printed, failed = _run_command(command[1])
        assert not failed or command[2].strip() or (last and shown), f"{command[1]}\n{printed}"
        if command[2].strip():
            first = block.line + block.text.count("\n", 0, command.start(2))
            start, end = (block.start + place for place in command.span(2))
            yield Shown(first, start, end, command[2], printed)
        elif shown is not None and last:
            yield Shown(shown.line, shown.start, shown.end, shown.text, printed)


def _run_command(line: str) -> tuple[str, bool]:
    """What a tool prints, and whether it fails. It is loaded into this process."""
    program, *arguments = shlex.split(line, comments=True)
    assert program in _TOOLS, f"a test cannot run '{program}': say `<!-- not run: why -->` above the block"
    tool = import_module(_TOOLS[program])
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        with mock.patch.object(sys, "argv", [program, *arguments]):
            status = tool.main()
    return output.getvalue().rstrip(), bool(status)


def _check_mlir(block: Block, name: str, aliases: list[str]) -> None:
    """Verify a whole module, which may use the aliases of earlier ones; keep it where it has a name."""
    if (file := _FILE.match(block.text)) is not None:
        Path(file[1]).write_text(block.text, encoding="utf-8")
    if _MODULE.search(block.text) is None:
        return
    own = _ALIAS.findall(block.text)
    defined = {alias.partition(" ")[0] for alias in own}
    lent = [alias for alias in aliases if alias.partition(" ")[0] not in defined]
    aliases[:] = [*lent, *own]
    path = Path("block.mlir")
    path.write_text("\n".join([*lent, block.text]), encoding="utf-8")
    printed, failed = _run_command(f"irtensor-opt {path}")
    assert not failed, f"{name}:{block.line}: {printed}"
