"""The module itself: its names and its version, and that it is an ordinary one."""

import sys
import tomllib
from importlib import import_module
from pathlib import Path
from types import ModuleType

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


def test_the_module_is_an_ordinary_one():
    """Libraries that send code to other processes know how to name it."""
    assert type(it) is ModuleType
    for name, module in it.PUBLIC_NAMES.items():
        import_module(module)
        assert getattr(it, name) is getattr(sys.modules[module], name)
