"""Workflows, hooks, templates and CITATION.cff: all that they name exists. No runner has tried the workflows."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import irtensor

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Folders that commands make.
MADE = {"dist", "build"}
# An action is pinned to its major version; the last one has a branch for that.
PINNED = re.compile(r"[\w.-]+/[\w.-]+@(v\d+|release/v\d+)")


def parsed(path: Path) -> Any:
    return YAML(typ="safe").load(path.read_text(encoding="utf-8"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def missing_in(command: str) -> Iterator[str]:
    """What a command of a shell names and the repository does not have: targets, files, programs, options of pytest."""
    # What GitHub and the shell fill in counts as one word.
    words = shlex.split(re.sub(r"\$\{\{.*?\}\}|\$\(.*?\)", "0", command))
    if words[0] == "make":
        targets = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        yield from (f"make {target}" for target in targets if target not in TARGETS)
        return
    for word in words:
        if word.startswith(".venv/bin/"):
            if word.removeprefix(".venv/bin/") not in installed():
                yield word
        elif word.startswith("--soak"):
            if f'"{word}"' not in (ROOT / "test" / "conftest.py").read_text(encoding="utf-8"):
                yield word
        elif is_path(word) and word.split("/")[0] not in MADE and not (ROOT / word).exists():
            yield word


def is_path(word: str) -> bool:
    return bool(re.fullmatch(r"[\w.-]+(/[\w.*-]+)+|[\w-]+\.(py|toml|yml|md|cff)", word))


def installed() -> set[str]:
    """Programs of .venv: Python, irtensor's own, and those of the packages that tests need."""
    wanted = {re.split(r"[^\w.-]", requirement)[0] for requirement in PROJECT["optional-dependencies"]["dev"]}
    return {"python", *PROJECT["scripts"], *wanted}


def steps(workflow: Any) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize(
    "command, missing",
    [
        ("make --keep-going lint types", []),
        ("make PYTHON=python3.12 lint tipes", ["make tipes"]),
        (".venv/bin/python test/wheel_smoke.py dist/*.whl", []),
        (".venv/bin/python test/wheel_smok.py", ["test/wheel_smok.py"]),
        (".venv/bin/ruf check .", [".venv/bin/ruf"]),
        ("python -m pytest -m soak --soak-hours 2 --soak-seed ${{ github.run_number }}", ["--soak-hours"]),
        ("cat missing.toml pyproject.toml", ["missing.toml"]),
    ],
)
def test_missing_things_are_found(command, missing):
    assert list(missing_in(command)) == missing


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_commands_of_workflows_exist(path):
    found = [line for step in steps(parsed(path)) for line in step.get("run", "").splitlines() if line.strip()]
    assert found
    assert not [missing for command in found for missing in missing_in(command)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_files_that_actions_take_exist(path):
    given = [step.get("with", {}) for step in steps(parsed(path))]
    files = [settings["cache-dependency-path"] for settings in given if "cache-dependency-path" in settings]
    files += [settings["path"] for settings in given if "path" in settings]
    assert not [file for file in files if file.split("/")[0] not in MADE and not (ROOT / file).exists()]


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_workflows_may_do_little(path):
    workflow = parsed(path)
    assert workflow["permissions"] == {"contents": "read"} and "group" in workflow["concurrency"]
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())
    assert not [step["uses"] for step in steps(workflow) if "uses" in step and not PINNED.fullmatch(step["uses"])]
    more = {
        job: workflow["jobs"][job]["permissions"] for job in workflow["jobs"] if "permissions" in workflow["jobs"][job]
    }
    assert more == ({"publish": {"id-token": "write"}} if path.stem == "wheels" else {})


def test_nothing_is_published_by_accident():
    publish = parsed(ROOT / ".github" / "workflows" / "wheels.yml")["jobs"]["publish"]
    assert "refs/tags/v" in publish["if"] and "vars.MAY_PUBLISH == 'yes'" in publish["if"]
    assert publish["environment"] == "pypi" and publish["needs"] == "build"


def test_all_versions_of_python_are_tested():
    matrix = parsed(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]["cases"]["strategy"]["matrix"]
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert matrix["python"][0] == oldest
    others = {entry["python"] for entry in matrix["include"]}
    assert others == {oldest, matrix["python"][-1]}


def test_hooks_run_what_exists():
    hooks = [hook for repository in parsed(ROOT / ".pre-commit-config.yaml")["repos"] for hook in repository["hooks"]]
    assert {hook["language"] for hook in hooks} == {"system"}
    assert not [missing for hook in hooks for missing in missing_in(hook["entry"])]


def test_the_citation_has_the_version():
    citation = parsed(ROOT / "CITATION.cff")
    assert str(citation["version"]) == irtensor.__version__
    assert citation["license"] == PROJECT["license"] and citation["abstract"] == PROJECT["description"]


def test_the_changelog_has_the_version():
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == irtensor.__version__ and len(headings) == len(set(headings))


def test_targets_that_make_lists_exist():
    helped = re.findall(r'^\t@echo "make (\S+)', (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert not set(helped) - TARGETS
