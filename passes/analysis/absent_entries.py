"""What a value is where some of the entries that it is computed from are not stored."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from irtensor.dialects.algebra import ApplyOp, CastOp, ConstantOp, element_name, operator_of
from irtensor.dialects.concrete_index import AccessOp
from irtensor.dialects.operators import Constant, Scalar, convert, fold
from irtensor.dialects.storage import fill_of


def value_without(value: SSAValue, is_absent: Callable[[AccessOp], bool]) -> Scalar | None:
    """What a value is if the accesses that `is_absent` tells find nothing; None if that depends on anything else."""
    match op := value.owner:
        case ConstantOp():
            return op.scalar
        case AccessOp():
            return fill_of(op.tensor.type) if is_absent(op) else None
        case CastOp():
            inner = value_without(op.operand, is_absent)
            return None if inner is None else convert(inner, element_name(value.type))
        case ApplyOp():
            arguments = [value_without(argument, is_absent) for argument in op.arguments]
            if all(argument is None for argument in arguments):
                return None
            result = fold(operator_of(op), arguments, [element_name(argument.type) for argument in op.arguments])
            return result.value if isinstance(result, Constant) else None
        case _:
            return None
