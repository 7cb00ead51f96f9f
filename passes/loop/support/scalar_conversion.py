"""Conversion of a scalar to another element type with NumPy's results."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import ComplexType, IndexType, IntegerType, f32, f64, i1, i32, i64
from xdsl.ir import Attribute, SSAValue

from irtensor.core.arithmetic import FLOAT, INTEGER, UNSIGNED
from irtensor.dialects.algebra.scalar_types import ELEMENT_TYPES, is_unsigned
from irtensor.passes.loop.support.scalar_emitter import NO_FLAGS, Emit, kind_of
from irtensor.passes.loop.support.stored_floats import STORED_FLOATS, read_stored, round_to_odd, write_stored


def convert(emit: Emit, value: SSAValue, target: Attribute) -> SSAValue:
    """A scalar as another element type, as NumPy's astype converts it; a coordinate as an integer of its width."""
    source = value.type
    if source == target:
        return value
    if isinstance(source, STORED_FLOATS):
        return convert(emit, read_stored(emit, value), target)
    if isinstance(target, STORED_FLOATS):
        return write_stored(emit, _narrowed(emit, value), target)
    return _convert_computed(emit, value, target)


def _convert_computed(emit: Emit, value: SSAValue, target: Attribute) -> SSAValue:
    """The same of types that are computed in."""
    source = value.type
    if isinstance(source, ComplexType):
        return _convert_complex(emit, value, target)
    if isinstance(target, ComplexType):
        real = convert(emit, value, target.element_type)
        return emit.join(real, emit.constant(0.0, target.element_type))
    if target == i1:
        return emit.compare("ne", value, emit.constant(0, source))
    if kind_of(target) == FLOAT:
        return _convert_to_float(emit, value, target)
    if kind_of(source) == FLOAT:
        return _convert_to_integer(emit, value, target)
    if source == i1:
        return emit.value(arith.ExtUIOp, (value,), target)
    if isinstance(source, IndexType):
        return emit.value(arith.IndexCastOp, (value,), target)
    assert isinstance(source, IntegerType) and isinstance(target, IntegerType)
    if source.width == target.width:
        # The bits are the same, and the types are those of the same registers in the end.
        return emit.value(arith.BitcastOp, (value,), target)
    widened = arith.ExtUIOp if is_unsigned(source) else arith.ExtSIOp
    widens = source.width.data < target.width.data
    return emit.value(widened if widens else arith.TruncIOp, (value,), target)


def _narrowed(emit: Emit, value: SSAValue) -> SSAValue:
    """A number in f32, as it is rounded further: of f64 with the last bit set where others are cut off."""
    if isinstance(value.type, ComplexType):
        value = emit.parts(value)[0]
    if value.type == f32 or value.type == i1:
        return convert(emit, value, f32)
    return round_to_odd(emit, convert(emit, value, f64))


def _convert_complex(emit: Emit, value: SSAValue, target: Attribute) -> SSAValue:
    real, imaginary = emit.parts(value)
    if isinstance(target, ComplexType):
        part = target.element_type
        return emit.join(convert(emit, real, part), convert(emit, imaginary, part))
    if target == i1:
        return emit.integer(arith.OrIOp, convert(emit, real, i1), convert(emit, imaginary, i1))
    return convert(emit, real, target)


def _convert_to_float(emit: Emit, value: SSAValue, target: Attribute) -> SSAValue:
    if value.type == i1 or kind_of(value.type) == UNSIGNED:
        return emit.value(arith.UIToFPOp, (value,), target)
    if kind_of(value.type) == INTEGER:
        return emit.value(arith.SIToFPOp, (value,), target)
    return emit.value(arith.TruncFOp if target == f32 else arith.ExtFOp, (value,), target)


def _convert_to_integer(emit: Emit, value: SSAValue, target: Attribute) -> SSAValue:
    """The integer part; of NaN and of numbers out of range the least integer, as NumPy on x86 gives.

    LLVM leaves these undefined. Narrow integers wrap around from i32, as the conversions of C compilers do.
    """
    assert isinstance(target, IntegerType)
    if target == ELEMENT_TYPES["ui64"]:
        return _convert_to_widest(emit, value, target)
    wide = i64 if is_unsigned(target) and target.width.data == 32 else i32
    whole = target if target.width.data > 32 else wide
    least = -(1 << (whole.width.data - 1))
    magnitude = emit.float(math_dialect.AbsFOp, (value,), NO_FLAGS)
    # A number that truncates to the least integer is not below the limit, but gets the same result.
    fits = emit.compare("lt", magnitude, emit.constant(float(-least), value.type))
    number = emit.select(fits, emit.value(arith.FPToSIOp, (value,), whole), emit.constant(least, whole))
    return number if whole == target else emit.value(arith.TruncIOp, (number,), target)


def _convert_to_widest(emit: Emit, value: SSAValue, target: Attribute) -> SSAValue:
    """An unsigned integer of 64 bits: from 2**63 on that much less is converted, and added again."""
    half = float(1 << 63)
    is_large = emit.compare("ge", value, emit.constant(half, value.type))
    less = emit.float(arith.SubfOp, (value, emit.constant(half, value.type)), NO_FLAGS)
    number = _convert_to_integer(emit, emit.select(is_large, less, value), i64)
    added = emit.select(is_large, emit.constant(-(1 << 63), i64), emit.constant(0, i64))
    return emit.value(arith.BitcastOp, (emit.integer(arith.AddiOp, number, added),), target)
