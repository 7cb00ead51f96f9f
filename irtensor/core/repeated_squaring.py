"""Products of equal factors, in the order in which NumPy multiplies them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")

# NumPy takes a logarithm for complex powers from here on.
FIRST_BY_LOGARITHM = 100


def product_of_equals(factor: _T, count: int, multiply: Callable[[_T, _T], _T]) -> _T:
    """The product of `count` equal factors, one or more, by repeated squaring."""
    product: _T | None = None
    while True:
        if count & 1:
            product = factor if product is None else multiply(factor, product)
        count >>= 1
        if product is not None and not count:
            return product
        factor = multiply(factor, factor)
