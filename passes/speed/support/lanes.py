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


class Masks:
    """Comparisons of lanes in a row of operations: what they may be used for is to choose between as wide numbers."""

    def __init__(self) -> None:
        self._widths: dict[SSAValue, int] = {}

    def makes(self, op: Operation) -> bool:
        """Whether an operation compares numbers such that lanes can be; the result is a mask from then on."""
        if not can_compare(op) or (width := bits(op.operands[0])) <= 1:
            return False
        self._widths[op.results[0]] = width
        return True

    def allow(self, op: Operation) -> bool:
        """Whether an operation uses no mask, or chooses by one."""
        used = [one for one in op.operands if one in self._widths]
        return not used or (
            isinstance(op, arith.SelectOp) and used == [op.cond] and self._widths[op.cond] == bits(op.result)
        )


def comparison_for(op: Operation, operand: SSAValue, vectors: Container[SSAValue]) -> Operation | None:
    """The comparison of numbers that all lanes share by which an operation chooses, if it is as good between vectors.

    Vectors that are compared are a mask, which takes fewer instructions than one that is made of a single condition.
    """
    if not isinstance(op, arith.SelectOp) or operand is not op.cond or operand in vectors:
        return None
    if isinstance(op.rhs.owner, arith.ConstantOp):
        return None  # zeros are chosen by the bits of a single condition
    made = operand.owner
    is_as_wide = isinstance(made, Operation) and can_compare(made) and bits(made.operands[0]) == bits(op.result) > 1
    return made if isinstance(made, Operation) and is_as_wide else None


def shared_condition(op: Operation, vectors: Container[SSAValue]) -> SSAValue | None:
    """The condition of an operation that all lanes share: it chooses between whole vectors, as xDSL's arith has it."""
    if not isinstance(op, arith.SelectOp) or op.cond in vectors or comparison_for(op, op.cond, vectors) is not None:
        return None
    return op.cond


def bits(value: SSAValue) -> int:
    """The bits of a number; 0 for an index, and others that have no such number."""
    return value.type.bitwidth if isinstance(value.type, FixedBitwidthType) else 0


def vector_of_operation(op: Operation, operands: Sequence[SSAValue], lanes: int, emit: Emitter) -> SSAValue:
    """The result of an operation on vectors. Those that are compared are a mask, with which others are chosen."""
    if can_compare(op):
        return compared(op, operands, emit)
    if isinstance(op, arith.SelectOp) and isinstance(type := operands[0].type, VectorType) and type.element_type != i1:
        mask, a, b = operands
        return chosen(mask, a, b, emit)
    # Booleans from memory choose as they are.
    return emit.insert(in_lanes(op, operands, lanes)).results[0]


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
