"""What a statement computes where some of its operands have no entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from irtensor.dialects.algebra import ApplyOp, CastOp, ConstantOp, operator_of
from irtensor.dialects.concrete_index import AccessOp, AssignOp, ForallOp
from irtensor.dialects.is_inside import is_inside
from irtensor.dialects.operators import Scalar, convert, fold_to_value
from irtensor.dialects.scalar_types import element_name
from irtensor.dialects.storage import fill_of
from irtensor.passes.analysis.iteration_graph import accesses_in
from irtensor.passes.analysis.named_values import value_read


def stores_out_of(loop: ForallOp) -> list[AssignOp]:
    """The assignments of a loop's body but those to temporaries inside it."""
    stores = [access for access in accesses_in(loop.body.block) if isinstance(access, AssignOp)]
    return [store for store in stores if not is_inside(store.tensor, loop)]


def value_without(value: SSAValue, is_absent: Callable[[AccessOp], bool]) -> Scalar | None:
    """The value of an expression where some accesses give the fill values of their tensors, if that decides it."""
    match op := value.owner:
        case AccessOp():
            if is_absent(op):
                return fill_of(op.tensor.type)
            named = value_read(op)
            return None if named is None else value_without(named, is_absent)
        case ConstantOp():
            return op.scalar
        case CastOp():
            inner = value_without(op.operand, is_absent)
            return None if inner is None else convert(inner, element_name(value.type))
        case ApplyOp():
            return value_applied(op, [value_without(argument, is_absent) for argument in op.arguments])
        case _:
            return None


def value_applied(op: ApplyOp, arguments: Sequence[Scalar | None]) -> Scalar | None:
    """The value of an application of which some arguments are known (None: only at run time), if these decide it."""
    elements = [element_name(argument.type) for argument in op.arguments]
    literals = [number for number, argument in enumerate(op.arguments) if isinstance(argument.owner, ConstantOp)]
    return fold_to_value(operator_of(op), arguments, elements, literals)
