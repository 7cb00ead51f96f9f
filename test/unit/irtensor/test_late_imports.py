"""What functions import is in the groups of late_imports: imported at once, under the lock that forks wait for."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from irtensor import late_imports

ROOT = Path(__file__).parents[3]
# Loaded by front doors and by whatever compiles; what is in another group is loaded by the function that needs it.
DOORS = ("calls", "einsum", "tensors", "expressions", "compiling", "searching")


def sources() -> Iterator[Path]:
    for package in ("irtensor", "passes", "dialects"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.resolve() == path and "reference" not in path.parts:
                yield path


def imports_of(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def groups_of(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "load_for":
            (group,) = node.args
            if isinstance(group, ast.Constant):
                yield str(group.value)


def late_imports_of(path: Path) -> Iterator[tuple[str, str, set[str]]]:
    """Name of a function, of a module that it imports, and the groups that it loads before."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            groups = {*groups_of(node)}
            for name in imports_of(node):
                yield node.name, name, groups


def loaded_by(several: list[tuple[str, ...]]) -> list[set[str]]:
    """All modules that there are once some groups are loaded, in a process for each."""
    code = "import sys; from irtensor.late_imports import load_for; [*map(load_for, sys.argv[1:])]; print(*sys.modules)"
    programs = [
        subprocess.Popen([sys.executable, "-c", code, *groups], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for groups in several
    ]
    return [set(program.communicate()[0].split()) for program in programs]


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
    used = {group for path in sources() for group in groups_of(ast.parse(path.read_text(encoding="utf-8")))}
    assert set(late_imports._MODULES) - used - {"einsum"} == set()
