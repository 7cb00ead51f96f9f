"""Which values are equal everywhere: those of equal numbers."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from xdsl.ir import Block, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.index_notation.index_notation import ReduceOp
from irtensor.passes.analysis.chains import chain_of


@dataclass
class Values:
    """Numbers for values: equal ones for values that are equal everywhere.

    With `regroups`, what an associative operator combines may be combined in another order, as of factors, which may
    round otherwise.
    """

    numbers: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    known: dict[tuple[SSAValue, ...], int] = field(default_factory=dict[tuple[SSAValue, ...], int])
    regroups: bool = False

    def number_of(self, value: SSAValue, bound: tuple[SSAValue, ...] = ()) -> int:
        """The number of a value; `bound` are index variables whose names make no difference, only their order."""
        key = (value, *bound)
        if key not in self.known:
            self.known[key] = self.numbers.setdefault(self._described(value, bound), len(self.numbers))
        return self.known[key]

    def _described(self, value: SSAValue, bound: tuple[SSAValue, ...]) -> Hashable:
        op = value.owner
        if value in bound:
            return "bound", bound.index(value)
        if isinstance(op, ReduceOp):
            its = (*bound, *op.indices)
            condition = None if op.condition is None else self.number_of(op.condition, its)
            return op.operator, repr(op.attributes), len(op.indices), self.number_of(op.value, its), condition
        if isinstance(op, Block) or op.regions or len(op.results) != 1:
            return value
        chain = chain_of(op) if self.regroups and isinstance(op, ApplyOp) else None
        if chain is not None:
            factors = sorted((self.number_of(one.value, bound), one.divides) for one in chain.factors)
            return "chain", chain.name, chain.root.exact, value.type, *factors
        operands = [self.number_of(operand, bound) for operand in op.operands]
        if isinstance(op, ApplyOp) and find_operator(op.operator, op).commutative:
            operands.sort()
        return op.name, repr(op.properties), repr(op.attributes), value.type, *operands
