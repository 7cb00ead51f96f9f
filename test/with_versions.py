"""make test-oldest, make test-newest: lit and pytest with the oldest or the newest xDSL and llvmlite that are accepted.

    python test/with_versions.py oldest [--jobs N] [arguments of pytest]

The bounds are those of pyproject.toml. Each of the two has an environment of its own, build/versions/oldest and
build/versions/newest, which the next run brings up to date.
"""

import argparse
import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The packages whose interfaces differ from version to version.
PACKAGES = ("xdsl", "llvmlite")
PRINT_VERSIONS = """
import sys
from importlib.metadata import version
print(", ".join(f"{name} {version(name)}" for name in sys.argv[1:]))
"""


def oldest_versions(requirements: list[str]) -> list[str]:
    """What fixes each of the packages to the lower bound that a project's requirements give it."""
    found = [re.match(r"([\w-]+)>=([\w.]+)", text) for text in requirements]
    bounds = {match[1]: match[2] for match in found if match is not None}
    return [f"{name}=={bounds[name]}" for name in PACKAGES]


def environment(which: str) -> Path:
    """The folder of the environment's programs; the environment has the packages in the versions that are asked for."""
    folder = ROOT / "build" / "versions" / which
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, symlinks=True, with_pip=True)
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    wanted = oldest_versions(project["dependencies"]) if which == "oldest" else ["--upgrade", *PACKAGES]
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", f"{ROOT}[dev]", *wanted)
    return python.parent


def run(*command: str | Path) -> None:
    # A PYTHONPATH may have other versions of what the environment has.
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    result = subprocess.run(command, cwd=ROOT, env=kept, check=False)
    if result.returncode != 0:
        raise SystemExit(result.returncode)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=("oldest", "newest"))
    parser.add_argument("--jobs", default=str(os.cpu_count() or 2))
    options, arguments = parser.parse_known_args()
    programs = environment(options.which)
    run(programs / "python", "-c", PRINT_VERSIONS, *PACKAGES, "numba", "numpy", "scipy")
    run(programs / "lit", "-s", f"--workers={options.jobs}", "test")
    parallel = ("--numprocesses", options.jobs, "--dist", "worksteal")
    run(programs / "python", "-m", "pytest", "--quiet", *parallel, *arguments)


if __name__ == "__main__":
    sys.exit(main())
