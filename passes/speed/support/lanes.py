"""Operations on all lanes of vectors, in the place of operations on numbers."""

from __future__ import annotations

from collections.abc import Container, Sequence

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import FixedBitwidthType, FloatAttr, IntegerAttr, IntegerType, VectorType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.llvm.llvm_extra import INTEGER_CONVERSIONS
from irtensor.dialects.loop.loop_types import vector_of
from irtensor.dialects.support.create_operation import create_operation
from irtensor.passes.support.emit import Emitter

# Predicates of comparisons, as arith and llvm number them.
_UNORDERED_OR_OTHER = 13
_OTHER = IntegerAttr(1, i64)


def shared_condition(op: Operation, vectors: Container[SSAValue]) -> SSAValue | None:
    """The condition of an operation that all lanes share: it chooses between whole vectors, as xDSL's arith has it."""
    return op.operands[0] if isinstance(op, arith.SelectOp) and op.operands[0] not in vectors else None


def in_lanes(op: Operation, operands: Sequence[SSAValue], lanes: int) -> Operation:
    """What an operation is for vectors."""
    # xDSL's arith converts integers as scalars only.
    conversion = INTEGER_CONVERSIONS.get(type(op))
    op_type, properties = (type(op), op.properties) if conversion is None else (conversion, {})
    return create_operation(op_type, operands, (vector_of(op.results[0].type, lanes),), properties)


def can_compare(op: Operation) -> bool:
    """Whether an operation compares numbers such that lanes can be: integers, or a float with zero for being other."""
    if isinstance(op, arith.CmpiOp):
        return isinstance(op.lhs.type, IntegerType)
    if not isinstance(op, arith.CmpfOp) or op.predicate.value.data != _UNORDERED_OR_OTHER:
        return False
    zero = op.rhs.owner.properties["value"] if isinstance(op.rhs.owner, arith.ConstantOp) else None
    return isinstance(zero, FloatAttr) and zero.value.data == 0.0 and isinstance(op.lhs.type, FixedBitwidthType)


def compared(op: Operation, operands: Sequence[SSAValue], emit: Emitter) -> SSAValue:
    """The lanes of vectors where a comparison holds, as integers all of whose bits are set."""
    a, b = operands
    predicate: Attribute = op.properties["predicate"]
    if isinstance(op, arith.CmpfOp):
        # Shifted by the sign, both zeros are 0. xDSL's arith has no vectors of conditions.
        a = _bits(a, emit)
        a = emit.insert(create_operation(arith.AddiOp, (a, a), (a.type,))).result
        b = emit.insert(create_operation(arith.XOrIOp, (a, a), (a.type,))).result
        predicate = _OTHER
    assert isinstance(a.type, VectorType)
    holds = create_operation(llvm.ICmpOp, (a, b), (VectorType(i1, a.type.shape),), {"predicate": predicate})
    return emit.insert(create_operation(llvm.SExtOp, (emit.insert(holds).res,), (a.type,))).res


def chosen(mask: SSAValue, a: SSAValue, b: SSAValue, emit: Emitter) -> SSAValue:
    """Lanes of one vector where bits of a mask are set, and of another one elsewhere."""
    one, other = _bits(a, emit), _bits(b, emit)
    change = emit.insert(create_operation(arith.XOrIOp, (one, other), (one.type,))).result
    change = emit.insert(create_operation(arith.AndIOp, (change, mask), (one.type,))).result
    value = emit.insert(create_operation(arith.XOrIOp, (other, change), (one.type,))).result
    return value if value.type == a.type else emit.insert(create_operation(arith.BitcastOp, (value,), (a.type,))).result


def _bits(value: SSAValue, emit: Emitter) -> SSAValue:
    type = value.type
    assert isinstance(type, VectorType)
    element = type.element_type
    if isinstance(element, IntegerType):
        return value
    assert isinstance(element, FixedBitwidthType)
    bits = VectorType(IntegerType(element.bitwidth), type.shape)
    return emit.insert(create_operation(arith.BitcastOp, (value,), (bits,))).result
