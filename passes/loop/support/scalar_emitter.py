"""Adds upstream scalar operations at one insertion point, and knows which arithmetic an element type follows."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects import complex as complex_dialect
from xdsl.dialects.builtin import AnyFloat, ComplexType, Float32Type, Float64Type, IntegerAttr, i1, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.arithmetic import BOOL, COMPLEX, FLOAT, INTEGER, UNSIGNED
from irtensor.dialects.algebra.scalar_types import constant_attribute, is_unsigned
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.expect import expect

Flags = arith.FastMathFlagsAttr
NO_FLAGS = Flags("none")
NO_OVERFLOW = arith.IntegerOverflowAttr("none")
_INTEGER_ORDER = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5}
_FLOAT_ORDER = {"eq": 1, "ne": 13, "lt": 4, "le": 5, "gt": 2, "ge": 3}
# Of truth values, and of integers without a sign.
_UNSIGNED_ORDER = {"eq": 0, "ne": 1, "lt": 6, "le": 7, "gt": 8, "ge": 9}


def kind_of(type: Attribute) -> str:
    """Which arithmetic an element type follows."""
    if isinstance(type, AnyFloat):
        return FLOAT
    if isinstance(type, ComplexType):
        return COMPLEX
    if is_unsigned(type):
        return UNSIGNED
    return BOOL if type == i1 else INTEGER


class Emit:
    """Adds operations at one insertion point."""

    def __init__(self, block: Block, before: Operation | None) -> None:
        self.block = block
        self.before = before

    def add(self, op: Operation) -> None:
        if self.before is None:
            self.block.add_op(op)
        else:
            self.block.insert_op_before(op, self.before)

    def value(
        self, op: type[Operation], operands: Sequence[SSAValue], result: Attribute, **properties: Attribute
    ) -> SSAValue:
        created = create_operation(op, operands, (result,), properties)
        self.add(created)
        return created.results[0]

    def constant(self, value: complex | float | int, type: Attribute) -> SSAValue:
        if not isinstance(type, ComplexType | AnyFloat):
            value = bool(value) if type == i1 else int(value.real)
        op = complex_dialect.ConstantOp if isinstance(type, ComplexType) else arith.ConstantOp
        return self.value(op, (), type, value=constant_attribute(value, type))

    def integer(self, op: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        if op in (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.ShLIOp):
            return self.value(op, (a, b), a.type, overflowFlags=NO_OVERFLOW)
        return self.value(op, (a, b), a.type)

    def float(self, op: type[Operation], operands: Sequence[SSAValue], flags: Flags) -> SSAValue:
        return self.value(op, operands, operands[0].type, fastmath=flags)

    def compare(self, name: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """One of eq, ne, lt, le, gt, ge on integers, bools or floats."""
        kind = kind_of(a.type)
        if kind == FLOAT:
            predicate = IntegerAttr(_FLOAT_ORDER[name], i64)
            return self.value(arith.CmpfOp, (a, b), i1, predicate=predicate, fastmath=NO_FLAGS)
        predicate = (_UNSIGNED_ORDER if kind in (BOOL, UNSIGNED) else _INTEGER_ORDER)[name]
        return self.value(arith.CmpiOp, (a, b), i1, predicate=IntegerAttr(predicate, i64))

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.value(arith.SelectOp, (condition, a, b), a.type)

    def parts(self, value: SSAValue) -> tuple[SSAValue, SSAValue]:
        part = expect(value.type, ComplexType).element_type
        return (
            self.value(complex_dialect.ReOp, (value,), part, fastmath=NO_FLAGS),
            self.value(complex_dialect.ImOp, (value,), part, fastmath=NO_FLAGS),
        )

    def join(self, real: SSAValue, imaginary: SSAValue) -> SSAValue:
        part = real.type
        assert isinstance(part, Float32Type | Float64Type)
        return self.value(complex_dialect.CreateOp, (real, imaginary), ComplexType(part))


def constant_complex(value: SSAValue) -> complex | None:
    """The complex number that a constant of such a type is."""
    match value.owner:
        case complex_dialect.ConstantOp(value=parts):
            real, imaginary = (float(part.value.data) for part in parts)
            return complex(real, imaginary)
        case _:
            return None


def constant_integer(value: SSAValue) -> int | None:
    """The integer that a constant is, itself or as a complex number."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case _:
            number = constant_complex(value)
            is_whole = number is not None and number.imag == 0 and number.real.is_integer()
            return int(number.real) if number is not None and is_whole else None
