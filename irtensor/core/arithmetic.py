"""The arithmetic in which operators are defined: a definition says once what constants give and which code computes it.

A definition takes the arithmetic, then the arguments: `lambda by, a: by.div(by.constant(1, a), a)`. On constants
(`constant_arithmetic`) it gives a number, in kernels (`passes/loop/support/code_arithmetic.py`) the operations that
compute it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from irtensor.core.element_values import Scalar, convert, is_complex, is_float, is_unsigned

INTEGER, UNSIGNED, FLOAT, COMPLEX, BOOL = "integer", "unsigned", "float", "complex", "bool"
KINDS = (INTEGER, UNSIGNED, FLOAT, COMPLEX, BOOL)
Definition = Callable[..., Any]
# Of constants: takes the element type of the last argument, then the arguments.
Rule = Callable[..., Scalar]


class Arithmetic(Protocol):
    """What definitions compute with. Operators are methods, by the kind of number of their last argument."""

    @property
    def exactly(self) -> Arithmetic:
        """The same without leave to regroup or to contract."""
        ...

    def __getattr__(self, name: str) -> Callable[..., Any]: ...

    def apply(self, name: str, *arguments: Any) -> Any:
        """An operator whose name is not an identifier in Python: `by.apply("and", a, b)`."""
        ...

    def upstream(self, op: Upstream, *arguments: Any) -> Any: ...

    def constant(self, number: Scalar, like: Any) -> Any:
        """A number of the type of a value; infinity is what it converts to."""
        ...

    def truth(self, value: bool) -> Any: ...

    def compare(self, name: str, a: Any, b: Any) -> Any:
        """One of eq, ne, lt, le, gt and ge, not of complex numbers."""
        ...

    def select(self, condition: Any, a: Any, b: Any) -> Any: ...

    def width(self, like: Any) -> int:
        """How many bits an integer has that is of the type of a value."""
        ...

    def parts(self, number: Any) -> tuple[Any, Any]:
        """The real and the imaginary part."""
        ...

    def join(self, real: Any, imaginary: Any) -> Any: ...

    def known(self, value: Any) -> Scalar | None:
        """The integer or complex number that a value always is; None for others."""
        ...

    def repeated_product(self, first: Any, base: Any, count: Any) -> Any:
        """`first` multiplied by `count` integers `base`; `first` if the count is not positive."""
        ...


@dataclass(frozen=True)
class Upstream:
    """A definition that is one operation of an upstream dialect, with what it gives for constants.

    Its result has the type of the first argument, or is the `part` of a complex number or a `bool`.
    """

    op: str
    value: Rule
    result: str = "same"

    def __call__(self, by: Arithmetic, *arguments: Any) -> Any:
        return by.upstream(self, *arguments)


@dataclass(frozen=True)
class Always:
    """A definition that gives one number, whatever the arguments are."""

    number: Scalar

    def __call__(self, by: Arithmetic, *arguments: Any) -> Any:
        return by.truth(self.number) if isinstance(self.number, bool) else by.constant(self.number, arguments[0])


def unchanged(by: Arithmetic, *arguments: Any) -> Any:
    """The definition that gives the first argument."""
    return arguments[0]


def everywhere(definition: Definition) -> dict[str, Definition]:
    """One definition for all kinds of numbers."""
    return dict.fromkeys(KINDS, definition)


def converted(compute: Callable[..., Scalar]) -> Rule:
    """Arithmetic that is rounded, or wraps around, once: + - * and / of doubles, rounded, are those of singles."""
    return lambda element, *arguments: convert(compute(*arguments), element)


def kind_of(element: str) -> str:
    """Which arithmetic an element type follows."""
    if is_float(element):
        return FLOAT
    if is_complex(element):
        return COMPLEX
    if is_unsigned(element):
        return UNSIGNED
    return BOOL if element == "i1" else INTEGER


def part_of(element: str) -> str:
    """The type of the parts of a complex number."""
    return element[len("complex<") : -1]
