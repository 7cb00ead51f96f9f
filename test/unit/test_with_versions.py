"""The environments of the oldest and the newest libraries: which versions they are made with."""

import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "test"))
from with_versions import PACKAGES, oldest_versions  # noqa: E402


def test_oldest_versions_are_the_lower_bounds():
    assert oldest_versions(["xdsl>=0.71,<0.76", "numpy>=2.0", "llvmlite>=0.45,<0.51"]) == [
        "xdsl==0.71",
        "llvmlite==0.45",
    ]


def test_a_package_without_a_lower_bound_is_not_passed_over():
    with pytest.raises(KeyError, match="llvmlite"):
        oldest_versions(["xdsl>=0.71", "llvmlite"])


def test_the_project_bounds_each_package_on_both_sides():
    requirements = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert [text.split(">=")[0] for text in requirements if "," in text] == list(PACKAGES)
    assert len(oldest_versions(requirements)) == len(PACKAGES)
