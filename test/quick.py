"""make quick: tests of what changed, nearest first, for at most a minute; what there was no time for is printed.

    python test/quick.py              what differs from the last commit; the last commit itself where nothing does
    python test/quick.py --since REV  what differs from a revision

A test is as near to a file as there are imports between them. Tests that are equally near take turns.
"""

import argparse
import ast
import itertools
import json
import re
import subprocess
import sys
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from irtensor import PUBLIC_NAMES
from irtensor.passes import PASSES

ROOT = Path(__file__).parents[1]
SOURCES = ("dialects", "passes", "irtensor", "tools", "test", "benchmarks", "docs")
# Files of lit and of pytest that are run, and seconds from the start until no case of pytest is started any more.
LIT_FILES, PYTEST_FILES, SECONDS = 60, 40, 44


def changed_files(since: str | None) -> list[str]:
    """Paths below the root; new files as well."""
    differing = ["git", "diff", "--name-only", "--no-renames"]
    if since is not None:
        return lines_of([*differing, since])
    found = lines_of([*differing, "HEAD"]) + lines_of(["git", "ls-files", "--others", "--exclude-standard"])
    return found or lines_of([*differing, "HEAD~1"])


def lines_of(command: list[str]) -> list[str]:
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(result.stderr.strip())
    return result.stdout.splitlines()


def python_files() -> Iterator[str]:
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            # The links in irtensor/ show files a second time.
            if "__pycache__" not in path.parts and path.resolve() == path:
                yield path.relative_to(ROOT).as_posix()


def module_of(path: str) -> str:
    """The name under which a file is imported; tests and scripts find each other by the file's own name."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    match parts[0]:
        case "irtensor":
            return ".".join(parts)
        case "dialects" | "passes" | "tools":
            return ".".join(("irtensor", *parts))
        case _:
            return parts[-1]


def imported(path: str) -> set[str]:
    """Every module, and every name of a module, that a file imports or gets by name from a table."""
    text = (ROOT / path).read_text(encoding="utf-8")
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    # What the package and the passes import when it is asked for.
    found.update(PUBLIC_NAMES[name] for name in re.findall(r"\bit\.(\w+)", text) if name in PUBLIC_NAMES)
    if path == "passes/pipelines.py":
        found.update(f"irtensor.passes.{module}" for _, module, _ in PASSES)
    return found


@cache
def importers() -> Mapping[str, list[str]]:
    """The files that import a file, by its path."""
    paths = {module_of(path): path for path in python_files()}
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths.values():
        for module in imported(path):
            if module in paths:
                found[paths[module]].append(path)
    return found


def distances(changed: Iterable[str]) -> dict[str, int]:
    """How many imports there are between a file and the nearest changed one."""
    found = dict.fromkeys(changed, 0)
    pending = deque(found)
    while pending:
        path = pending.popleft()
        for importer in importers().get(path, ()):
            if importer not in found:
                found[importer] = found[path] + 1
                pending.append(importer)
    return found


def is_test(path: str) -> bool:
    return path.startswith("test/") and path.rpartition("/")[2].startswith("test_")


def nearest_tests(near: Mapping[str, int]) -> list[list[str]]:
    """Files of tests by distance; first those that changed, or are named after what did."""
    names = {f"test_{path.rpartition('/')[2]}" for path, distance in near.items() if distance == 0}
    found = {path: near[path] for path in near if is_test(path)}
    found |= {path: 0 for path in python_files() if path.rpartition("/")[2] in names}
    # The rules of the repository are about every file.
    found |= {"test/unit/test_repository_rules.py": 0}
    # Collecting more of them takes the time in which their cases could run.
    nearest = sorted(found, key=lambda path: (found[path], path))[:PYTEST_FILES]
    by_distance = itertools.groupby(nearest, key=lambda path: found[path])
    return [list(paths) for _, paths in by_distance]


def nearest_lit_tests(near: Mapping[str, int]) -> list[str]:
    """Files of lit: those that changed, and those of the nearest passes, dialects and tools."""
    found: dict[str, int] = {}
    for path, distance in near.items():
        folder, _, name = path.removesuffix(".py").rpartition("/")
        match folder.split("/")[0]:
            case "test" if path.endswith(".mlir"):
                tests = [path]
            case "passes":
                command = name.replace("_", "-")
                tests = lit_files("test/passes", f"{command}.mlir", f"{command}-rejected.mlir")
            case "dialects":
                tests = lit_files(f"test/dialects/{name}", "*.mlir")
            case "tools":
                tests = lit_files("test/tools", "*.mlir")
            case _:
                tests = []
        for test in tests:
            found[test] = min(distance, found.get(test, distance))
    return sorted(found, key=lambda path: (found[path], path))[:LIT_FILES]


def lit_files(folder: str, *patterns: str) -> list[str]:
    found = [path for pattern in patterns for path in (ROOT / folder).rglob(pattern)]
    return [path.relative_to(ROOT).as_posix() for path in found]


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--since", metavar="REV", help="what differs from this revision; by default, the last commit")
    parser.add_argument("--jobs", default="2", metavar="N", help="processes that run tests")
    options = parser.parse_args()
    started = time.monotonic()
    changed = changed_files(options.since)
    near = distances(changed)
    lit, groups = nearest_lit_tests(near), nearest_tests(near)
    tests = list(itertools.chain.from_iterable(groups))
    print(f"{len(changed)} changed files, {len(lit)} files of lit and {len(tests)} of pytest are near", flush=True)
    failed = False
    if lit:
        failed |= run(str(Path(sys.executable).parent / "lit"), "-sv", f"--workers={options.jobs}", *lit)
    left = max(5, SECONDS - (time.monotonic() - started))
    command = ["-m", "pytest", "--quiet", f"--numprocesses={options.jobs}", "--dist=load", "--maxschedchunk=1"]
    failed |= run(*command, f"--groups={json.dumps(groups)}", f"--seconds={left:.0f}", *tests)
    print(f"{time.monotonic() - started:.0f} s")
    return int(failed)


def run(*command: str) -> bool:
    return bool(subprocess.run([sys.executable, *command], cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    sys.exit(main())
