"""What functions import is in the groups of late_imports: imported at once, under the lock that forks wait for."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from irtensor import late_imports

ROOT = Path(__file__).parents[3]
# Loaded by front doors and by whatever compiles; what is in another group is loaded by the function that needs it.
DOORS = ("calls", "einsum", "tensors", "expressions", "compiling", "searching")


def sources() -> Iterator[Path]:
    for package in ("irtensor", "passes", "dialects"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.resolve() == path and "reference" not in path.parts:
                yield path


def imports_of(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def groups_of(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "load_for":
            (group,) = node.args
            if isinstance(group, ast.Constant):
                yield str(group.value)


def late_imports_of(path: Path) -> Iterator[tuple[str, str, set[str]]]:
    """Name of a function, of a module that it imports, and the groups that it loads before."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = [*ast.walk(node)]
            groups = {*groups_of(inside)}
            for name in imports_of(inside):
                yield node.name, name, groups


# Starts a process for each argument, and shows the modules that there are once its groups are loaded.
LOAD = """
import os, sys
from irtensor.late_imports import load_for
for groups in sys.argv[1:]:
    if os.fork() == 0:
        [*map(load_for, groups.split(","))]
        print(*sys.modules, flush=True)
        os._exit(0)
    assert os.wait()[1] == 0
"""


def loaded_by(several: list[tuple[str, ...]]) -> list[set[str]]:
    """All modules that there are once some groups are loaded, in a process for each."""
    # A process with threads must not fork, and BLAS has some unless it is told otherwise.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", LOAD, *map(",".join, several)]
    shown = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment, check=True).stdout
    return [set(line.split()) for line in shown.splitlines()]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_every_function_imports_from_the_groups():
    others = [group for group in late_imports._MODULES if group not in DOORS]
    by_doors, *by_others = loaded_by([DOORS, *[(group,) for group in others]])
    by_group: dict[str, set[str]] = dict(zip(others, by_others, strict=True))
    found = [
        f"{path.relative_to(ROOT)}: {function} imports {name}"
        for path in sources()
        for function, name, groups in late_imports_of(path)
        if name not in by_doors and not any(name in by_group[group] for group in groups - {*DOORS})
    ]
    assert not found, "\n".join(found)


def test_groups_are_loaded_by_somebody():
    texts = [path.read_text(encoding="utf-8") for path in sources()]
    used = {group for text in texts if "load_for(" in text for group in groups_of(ast.walk(ast.parse(text)))}
    assert set(late_imports._MODULES) - used - {"einsum"} == set()
