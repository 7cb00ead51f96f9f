"""The module itself: its names, its version, and that it travels by name."""

import copy
import pickle
import tomllib
from pathlib import Path

import irtensor as it

ROOT = Path(__file__).parents[3]


def test_the_names_of_the_package():
    assert set(it.__all__) == set(it.PUBLIC_NAMES)
    assert {"Tensor", "einsum", "compile", "CSR"} <= set(it.__all__)
    namespace: dict[str, object] = {}
    exec("from irtensor import *", namespace)
    assert namespace["einsum"] is it.einsum and namespace["Tensor"] is it.Tensor


def test_the_version_is_written_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"] and "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "irtensor.__version__"}
    assert all(part.isdecimal() for part in it.__version__.split("."))


def test_the_module_is_pickled_and_copied_by_name():
    assert pickle.loads(pickle.dumps(it)) is it
    assert copy.copy(it) is it and copy.deepcopy(it) is it
