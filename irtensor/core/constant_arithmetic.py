"""What operators compute on constants: to the bit what compiled code computes in the element type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from irtensor.core.arithmetic import Definition, Upstream, kind_of, part_of
from irtensor.core.element_values import Scalar, bits_of, convert, is_complex
from irtensor.core.repeated_squaring import product_of_equals

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


class Defined(Protocol):
    """What has a definition for each kind of number: an operator."""

    @property
    def definitions(self) -> Mapping[str, Definition]: ...


@dataclass(frozen=True)
class ConstantArithmetic:
    """Arithmetic of constants of one element type, of its parts and of truth values.

    Integers wrap around, and floats are rounded, after each step, as registers are.
    """

    element: str
    operators: Mapping[str, Defined]

    @property
    def exactly(self) -> ConstantArithmetic:
        return self

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self.operators:
            raise AttributeError(name)
        return partial(self.apply, name)

    def apply(self, name: str, *arguments: Any) -> Any:
        return self.operators[name].definitions[kind_of(self._type(arguments[-1]))](self, *arguments)

    def upstream(self, op: Upstream, *arguments: Any) -> Any:
        return op.value(self._type(arguments[-1]), *arguments)

    def constant(self, number: Scalar, like: Any) -> Any:
        return convert(number, self._type(like))

    def truth(self, value: bool) -> bool:
        return value

    def compare(self, name: str, a: Any, b: Any) -> bool:
        return _ORDERS[name](a, b)

    def select(self, condition: bool, a: Any, b: Any) -> Any:
        return a if condition else b

    def width(self, like: Any) -> int:
        return bits_of(self._type(like))

    def parts(self, number: complex) -> tuple[float, float]:
        return number.real, number.imag

    def join(self, real: float, imaginary: float) -> complex:
        return complex(real, imaginary)

    def known(self, value: Any) -> Scalar | None:
        return value

    def repeated_product(self, first: int, base: int, count: int) -> int:
        return self.mul(first, product_of_equals(base, count, self.mul)) if count > 0 else first

    def _type(self, value: Any) -> str:
        """The element type of a value: numbers of one element type are of one type of Python's."""
        if isinstance(value, bool):
            return "i1"
        return part_of(self.element) if isinstance(value, float) and is_complex(self.element) else self.element
