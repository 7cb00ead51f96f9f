"""What docs/generate.py writes into the page of all public names: signatures, docstrings and their examples."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterator
from itertools import groupby
from types import ModuleType
from typing import Any

import irtensor as it
from irtensor.compiler.kernel.notation_kernel import NotationKernel
from irtensor.core.tensor_format import TensorFormat

# What the package itself uses of its public classes.
INTERNAL = {
    "arguments",
    "from_narrow",
    "has_indices",
    "made_of",
    "memory",
    "operators",
    "plain",
    "replace_storage",
    "wraps",
}
# What else users meet, which functions make.
MADE = {"Kernel": NotationKernel}
LINE = 100
# The directive of an example for its test: the output is abridged, or a GPU is needed.
_DIRECTIVE = re.compile(r"  # doctest: \+\w+$")


def reference(what: str) -> str:
    """A table of the constants of a kind, or the section about a name."""
    if what == "formats":
        rows = [f"| `{name}` | `{format}` |" for name, format in _constants(TensorFormat)]
        return "\n".join(["| name | levels |", "| --- | --- |", *rows]) + "\n"
    if what == "semirings":
        rows = [f"| `{name}` | `{s.addition}` | `{s.multiplication}` |" for name, s in _constants(it.Semiring)]
        return "\n".join(["| name | addition | multiplication |", "| --- | --- | --- |", *rows]) + "\n"
    value = MADE[what] if what in MADE else getattr(it, what)
    lines = [f"### `{what}`", "", *_section(what, value)]
    for name, member in members(value):
        lines += ["", f"#### `{what}.{name}`", "", *_section(name, member)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def members(kind: Any) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class, those that make an object first; none of an exception."""
    if not inspect.isclass(kind) or issubclass(kind, Exception):
        return
    for name in sorted(dir(kind), key=lambda name: (not name.startswith("from_"), name.lower())):
        member = inspect.getattr_static(kind, name)
        member = member.__func__ if isinstance(member, staticmethod) else member
        if name[0] != "_" and name not in INTERNAL and (inspect.isfunction(member) or isinstance(member, property)):
            yield name, member


def _constants(kind: type) -> Iterator[tuple[str, Any]]:
    for name in it.__all__:
        if isinstance(value := getattr(it, name), kind):
            yield name, value


def _section(name: str, value: Any) -> Iterator[str]:
    """How it is called, and the docstring, whose examples become blocks."""
    if inspect.isfunction(value) or value is it.Semiring:
        yield from ("```text", call_of(name, value), "```", "")
    for is_example, lines in groupby(_lines(inspect.getdoc(value) or ""), key=lambda line: line[0]):
        text = "\n".join(_DIRECTIVE.sub("", line) for _, line in lines).strip("\n")
        yield from ("", "```pycon", text, "```", "") if is_example else (text,)
    if isinstance(value, ModuleType):
        names = (f"`{name}`" for name, function in sorted(vars(value).items()) if _offers(value, name, function))
        yield from ("", f"Functions: {', '.join(names)}.")


def _lines(text: str) -> Iterator[tuple[bool, str]]:
    """The lines of a docstring, and whether each belongs to an example, which an empty line ends."""
    in_example = False
    for line in text.splitlines():
        in_example = line.startswith(">>>") or (in_example and bool(line))
        yield in_example, line


def _offers(module: ModuleType, name: str, value: Any) -> bool:
    """Whether it is a function that the module makes."""
    made = inspect.isfunction(value) and value.__module__ == module.__name__
    return name[0] != "_" and (made or isinstance(value, functools.partial))


def call_of(name: str, value: Any) -> str:
    """Its parameters with their defaults, one per line where a line is too long."""
    signature = inspect.signature(value)
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    line = name + str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    if len(line) <= LINE:
        return line
    inside = line[len(name) + 1 : -1].replace(", ", ",\n    ")
    return f"{name}(\n    {inside},\n)"
