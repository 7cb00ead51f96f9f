"""Index arithmetic as polynomials, which are equal only if two computations give the same number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.support.emit import Emitter

# The factors of a product, in an order that is the same wherever they are multiplied.
_Product = tuple[SSAValue, ...]
# An expression of more products than this stays one value.
_MOST_PRODUCTS = 32


@dataclass(frozen=True)
class Polynomial:
    """How often each product of values is in a sum; the empty product stands for the number 1."""

    counts: dict[_Product, int]

    @staticmethod
    def of(value: SSAValue) -> Polynomial:
        """The polynomial of the values that an index is computed from."""
        found = _expanded(value)
        return found if found is not None and len(found.counts) <= _MOST_PRODUCTS else Polynomial({(value,): 1})

    @staticmethod
    def number(number: int) -> Polynomial:
        """A number that is known."""
        return _sum([((), number)])

    def __add__(self, other: Polynomial) -> Polynomial:
        return _sum([*self.counts.items(), *other.counts.items()])

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + Polynomial.number(-1) * other

    def __mul__(self, other: Polynomial) -> Polynomial:
        return _sum(
            (tuple(sorted(one + more, key=id)), count * times)
            for one, count in self.counts.items()
            for more, times in other.counts.items()
        )

    def split(self, value: SSAValue) -> tuple[Polynomial, Polynomial]:
        """What a value is multiplied with, and the rest. The value is in the first one as well if it is squared."""
        factor: dict[_Product, int] = {}
        rest: dict[_Product, int] = {}
        for product, count in self.counts.items():
            if value in product:
                position = product.index(value)
                factor[product[:position] + product[position + 1 :]] = count
            else:
                rest[product] = count
        return Polynomial(factor), Polynomial(rest)

    def compute(self, emit: Emitter, value: Callable[[SSAValue], SSAValue]) -> SSAValue:
        """Compute it from the operands that `value` gives: added terms first, then subtracted ones."""

        def times(product: _Product, count: int) -> SSAValue:
            return reduce(emit.mul, [*map(value, product), emit.index(count)])

        added = sorted((item for item in self.counts.items() if item[1] > 0), key=lambda item: not item[0])
        total = reduce(emit.add, [times(*item) for item in added]) if added else emit.index(0)
        return reduce(emit.sub, [times(product, -count) for product, count in self.counts.items() if count < 0], total)

    def values(self) -> Iterator[SSAValue]:
        """The values that it is computed from."""
        for product in self.counts:
            yield from product


def _sum(products: Iterable[tuple[_Product, int]]) -> Polynomial:
    counts: dict[_Product, int] = {}
    for product, count in products:
        counts[product] = counts.get(product, 0) + count
    return Polynomial({product: count for product, count in counts.items() if count})


def _expanded(value: SSAValue) -> Polynomial | None:
    known = constant_index(value)
    if known is not None:
        return Polynomial.number(known)
    owner = value.owner
    if not isinstance(owner, arith.AddiOp | arith.SubiOp | arith.MuliOp):
        return None
    first, second = (Polynomial.of(operand) for operand in owner.operands)
    if isinstance(owner, arith.MuliOp):
        return first * second
    return first + second if isinstance(owner, arith.AddiOp) else first - second
