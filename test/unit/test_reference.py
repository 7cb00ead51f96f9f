"""The public names: each is documented, with an example that runs."""

import doctest
import inspect
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import irtensor as it

ROOT = Path(__file__).parents[2]
reference_page = import_module("docs.reference_page")
DESCRIBED = {name: getattr(it, name) for name in it.__all__} | reference_page.MADE
# Functions and classes; values such as CSR have the docstring of their class.
DOCUMENTED = {
    name: value
    for name, value in DESCRIBED.items()
    if (callable(value) and not isinstance(value, it.Semiring)) or inspect.ismodule(value)
}
# A defect is no example.
WITHOUT_EXAMPLE = {"InternalError"}


def documented():
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    return re.findall(r"^### `(\w+)`", page, re.MULTILINE), re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)


def test_every_public_name_is_documented():
    sections, constants = documented()
    assert sorted(sections) == sorted(DOCUMENTED)
    assert sorted([*sections, *constants]) == sorted(DESCRIBED)


def examples():
    yield "irtensor", it
    for name, value in DOCUMENTED.items():
        yield name, value
        for member, inner in reference_page.members(value):
            yield f"{name}.{member}", inner


@pytest.mark.parametrize("name, value", [pytest.param(*pair, id=pair[0]) for pair in examples()])
def test_docstring(name, value, tmp_path, monkeypatch):
    """There is one, and its examples give what they say."""
    text = inspect.getdoc(value)
    assert text
    example = doctest.DocTestParser().get_doctest(text, {"it": it, "np": np}, name, None, 0)
    assert "." in name or name in WITHOUT_EXAMPLE or example.examples
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    assert not doctest.DocTestRunner().run(example, out=said.append).failed, "".join(said)


@pytest.mark.parametrize("name", sorted(DOCUMENTED))
def test_errors_of_docstrings_exist(name):
    """Names of errors in brackets are those of the page about errors."""
    errors = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    for slug in re.findall(r"\[([a-z]+(?:-[a-z]+)+)\]", inspect.getdoc(DOCUMENTED[name]) or ""):
        assert f"### `{slug}`" in errors
