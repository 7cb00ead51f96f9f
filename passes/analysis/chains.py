"""Chains: what an associative and commutative operator combines, however the operations are nested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.operators import Operator
from irtensor.dialects.algebra.algebra import ApplyOp, find_operator, operator_of
from irtensor.dialects.support.create_operation import create_operation
from irtensor.passes.support.insertion import Insertion


@dataclass(frozen=True, eq=False)
class Factor:
    """A multiplier or divisor; a term if the operator adds."""

    value: SSAValue
    operator: Attribute
    """What combines it with the factors before it."""
    divides: bool


class Chain:
    """The factors of a product from left to right, and the operations that combine them as they are written."""

    def __init__(self, product: Operator, name: Attribute, root: ApplyOp) -> None:
        self.product, self.name, self.root = product, name, root
        self.factors: list[Factor] = []
        self.operations: list[ApplyOp] = []
        self.products: list[list[Factor]] = []
        """The factors of each operation."""
        self._take_parts(root)

    def _take(self, value: SSAValue, operator: Attribute, *, divides: bool) -> list[Factor]:
        op = value.owner
        if not divides and isinstance(op, ApplyOp) and self._is_part(op):
            return self._take_parts(op)
        factor = Factor(value, operator, divides)
        self.factors.append(factor)
        return [factor]

    def _take_parts(self, op: ApplyOp) -> list[Factor]:
        first, second = op.arguments
        left = self._take(first, self.name, divides=False)
        right = self._take(second, op.operator, divides=operator_of(op).name != self.product.name)
        taken = [*left, *right]
        self.operations.append(op)
        self.products.append(taken)
        return taken

    def _is_part(self, op: ApplyOp) -> bool:
        """Whether an operation combines more factors, and nothing else uses what it gives."""
        operator = operator_of(op)
        return (
            op.exact == self.root.exact
            and op.parent is self.root.parent
            and (operator.name == self.product.name or operator.undoes == self.product.name)
            and op.result.has_one_use()
        )

    def combined(self, factors: Sequence[Factor], emit: Insertion) -> SSAValue:
        """What the first of some factors that is multiplied becomes, combined with all others in their order."""
        first = next(factor for factor in factors if not factor.divides)
        value = first.value
        for factor in factors:
            if factor is not first:
                properties = {**self.root.properties, "operator": factor.operator}
                op = create_operation(ApplyOp, (value, factor.value), (value.type,), properties)
                op.location = self.root.location
                value = emit.insert(op)
        return value

    def replace(self, value: SSAValue) -> None:
        """Use another value for what the chain combines, and remove its operations."""
        self.root.result.replace_all_uses_with(value)
        for op in reversed(self.operations):
            Rewriter.erase_op(op)


def chain_of(root: ApplyOp) -> Chain | None:
    """The chain that an operation ends, None if its operator makes none."""
    applied = operator_of(root)
    if applied.arity != 2:
        return None
    name = root.operator if applied.undoes is None else StringAttr(applied.undoes)
    product = find_operator(name, root)
    return Chain(product, name, root) if product.associative and product.commutative else None
