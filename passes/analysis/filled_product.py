"""Why a product has a value where its sparse operands store nothing: the factor that is not zero there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.operators import Scalar
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, find_operator
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp
from irtensor.passes.analysis.lattice_points import acts_without, known_without


class FilledFactor(NamedTuple):
    """A factor of sparse operands alone, what it is where none of them is stored, and an access to one of them.

    `zero` there would leave nothing to be done.
    """

    value: SSAValue
    element: Scalar
    access: AccessOp
    zero: Scalar


def filled_factor(body: Block, sparse: Collection[SSAValue]) -> FilledFactor | None:
    """The factor of some product in `body` but for which nothing would happen where no sparse operand is stored."""
    known = known_without(body, sparse)
    stores = [op for op in body.walk() if isinstance(op, AssignOp)]
    for factor in (found for store in stores for found in _factors(store.value, known, sparse)):
        if not acts_without(body, sparse, {factor.value: factor.zero}):
            return factor
    return None


def _factors(
    value: SSAValue, known: Mapping[SSAValue, Scalar | None], sparse: Collection[SSAValue]
) -> Iterator[FilledFactor]:
    """Factors that are known where no sparse operand is stored, in products that some value of theirs decides."""
    op = value.owner
    if isinstance(op, CastOp):
        yield from _factors(op.operand, known, sparse)
    if not isinstance(op, ApplyOp):
        return
    for argument in op.arguments:
        element = known.get(argument)
        if element is None:
            yield from _factors(argument, known, sparse)
        elif (access := _access(argument, sparse)) is not None:
            yield from (FilledFactor(argument, element, access, zero) for zero in _annihilators(op, argument))


def _annihilators(op: ApplyOp, argument: SSAValue) -> tuple[Scalar, ...]:
    """The values of an argument that alone decide what the operator gives."""
    operator, element = find_operator(op.operator, op), element_name(argument.type)
    if len(op.arguments) != 2:
        return ()
    is_left = op.arguments[0] is argument
    return operator.left_annihilator(element) if is_left else operator.right_annihilator(element)


def _access(value: SSAValue, sparse: Collection[SSAValue]) -> AccessOp | None:
    """An access to a sparse operand that a value is computed from."""
    op = value.owner
    if isinstance(op, AccessOp):
        return op if op.tensor in sparse else None
    if not isinstance(op, Operation):
        return None
    return next((found for operand in op.operands if (found := _access(operand, sparse)) is not None), None)
