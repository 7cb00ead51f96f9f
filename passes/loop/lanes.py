"""Operations on all lanes of vectors, in the place of operations on numbers."""

from __future__ import annotations

from collections.abc import Container, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.create_operation import create_operation
from irtensor.dialects.llvm_extra import INTEGER_CONVERSIONS
from irtensor.dialects.loop_types import vector_of


def shared_condition(op: Operation, vectors: Container[SSAValue]) -> SSAValue | None:
    """The condition of an operation that all lanes share: it chooses between whole vectors, as xDSL's arith has it."""
    return op.operands[0] if isinstance(op, arith.SelectOp) and op.operands[0] not in vectors else None


def in_lanes(op: Operation, operands: Sequence[SSAValue], lanes: int) -> Operation:
    """What an operation is for vectors."""
    # xDSL's arith converts integers as scalars only.
    conversion = INTEGER_CONVERSIONS.get(type(op))
    kind, properties = (type(op), op.properties) if conversion is None else (conversion, {})
    return create_operation(kind, operands, (vector_of(op.results[0].type, lanes),), properties)
