"""Numbers of f16 and bf16: read to f32, and rounded to the nearest even one, by integers as on any processor."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import BFloat16Type, Float16Type, bf16, f32, i16, i32
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.passes.loop.support.scalar_emitter import NO_FLAGS, Emit

STORED_FLOATS = (Float16Type, BFloat16Type)
_SIGN, _INFINITE = 1 << 31, 255 << 23
# Exponents of f32 are so much larger than those of f16, whose significand lacks so many bits.
_BIAS, _CUT = 127 - 15, 23 - 10


class _Words:
    """Arithmetic of 32 bits: of integers without a sign, and of floats as such integers."""

    def __init__(self, emit: Emit) -> None:
        self.emit = emit

    def number(self, value: int) -> SSAValue:
        return self.emit.constant(value - (1 << 32) if value >= _SIGN else value, i32)

    def _both(self, op: type[Operation], a: SSAValue, b: int | SSAValue) -> SSAValue:
        return self.emit.integer(op, a, self.number(b) if isinstance(b, int) else b)

    def both(self, a: SSAValue, b: int) -> SSAValue:
        return self._both(arith.AndIOp, a, b)

    def either(self, a: SSAValue, b: int | SSAValue) -> SSAValue:
        return self._both(arith.OrIOp, a, b)

    def add(self, a: SSAValue, b: int | SSAValue) -> SSAValue:
        return self._both(arith.AddiOp, a, b)

    def left(self, a: SSAValue, distance: int) -> SSAValue:
        return self._both(arith.ShLIOp, a, distance)

    def right(self, a: SSAValue, distance: int) -> SSAValue:
        return self._both(arith.ShRUIOp, a, distance)

    def compare(self, name: str, a: SSAValue, b: int) -> SSAValue:
        """Of numbers below 2**31."""
        return self.emit.compare(name, a, self.number(b))

    def float(self, a: SSAValue) -> SSAValue:
        return self.emit.value(arith.BitcastOp, (a,), f32)

    def bits(self, a: SSAValue) -> SSAValue:
        return self.emit.value(arith.BitcastOp, (a,), i32)

    def float_add(self, a: SSAValue, number: int, op: type[Operation] = arith.AddfOp) -> SSAValue:
        """The bits of the sum of two floats that are given by theirs, or of their difference."""
        return self.bits(self.emit.float(op, (self.float(a), self.float(self.number(number))), NO_FLAGS))


def read_stored(emit: Emit, value: SSAValue) -> SSAValue:
    """A number of f16 or bf16 as f32, which is exact."""
    words = _Words(emit)
    stored = emit.value(arith.ExtUIOp, (emit.value(arith.BitcastOp, (value,), i16),), i32)
    if value.type == bf16:
        return words.float(words.left(stored, 16))
    moved = words.left(words.both(stored, 0x7FFF), _CUT)
    # Infinity and NaN have the largest exponent of either type.
    is_finite = words.compare("lt", moved, 31 << 23)
    normal = words.add(moved, emit.select(is_finite, words.number(_BIAS << 23), words.number((255 - 31) << 23)))
    # Numbers without an exponent are multiples of the least one.
    small = words.float_add(words.add(moved, (_BIAS + 1) << 23), (_BIAS + 1) << 23, arith.SubfOp)
    magnitude = emit.select(words.compare("lt", moved, 1 << 23), small, normal)
    return words.float(words.either(magnitude, words.left(words.both(stored, 0x8000), 16)))


def write_stored(emit: Emit, value: SSAValue, target: Attribute) -> SSAValue:
    """The nearest number of f16 or bf16 of one of f32; of two the even one, and infinity beyond the largest."""
    words = _Words(emit)
    bits = words.bits(value)
    sign, magnitude = words.both(bits, _SIGN), words.both(bits, _SIGN - 1)
    is_nan = words.compare("gt", magnitude, _INFINITE)
    if target == bf16:
        last = words.both(words.right(magnitude, 16), 1)
        rounded = words.right(words.add(words.add(magnitude, 0x7FFF), last), 16)
        stored = emit.select(is_nan, words.number(0x7FC0), rounded)
    else:
        last = words.both(words.right(magnitude, _CUT), 1)
        rounded = words.add(words.add(magnitude, (1 << (_CUT - 1)) - 1), last)
        normal = words.right(words.add(rounded, (1 << 32) - (_BIAS << 23)), _CUT)
        # The sum with a number whose last bit is the least of f16 is rounded there.
        unit = (_BIAS + 1 + _CUT) << 23
        small = words.add(words.float_add(magnitude, unit), (1 << 32) - unit)
        finite = emit.select(words.compare("lt", magnitude, (_BIAS + 1) << 23), small, normal)
        special = emit.select(is_nan, words.number(0x7E00), words.number(0x7C00))
        stored = emit.select(words.compare("lt", magnitude, (_BIAS + 31) << 23), finite, special)
    whole = words.either(stored, words.right(sign, 16))
    return emit.value(arith.BitcastOp, (emit.value(arith.TruncIOp, (whole,), i16),), target)


def round_to_odd(emit: Emit, value: SSAValue) -> SSAValue:
    """A number of f64 toward zero in f32, with its last bit set where it is not exact.

    Rounded again, to fewer bits, it gives the same as the number itself.
    """
    words = _Words(emit)
    rounded = emit.value(arith.TruncFOp, (value,), f32)
    back = emit.value(arith.ExtFOp, (rounded,), value.type)
    size, exact = (emit.float(math_dialect.AbsFOp, (number,), NO_FLAGS) for number in (back, value))
    is_larger, is_smaller = emit.compare("gt", size, exact), emit.compare("lt", size, exact)
    zero, one, minus_one = words.number(0), words.number(1), words.number((1 << 32) - 1)
    bits = words.add(words.bits(rounded), emit.select(is_larger, minus_one, zero))
    inexact = emit.value(arith.OrIOp, (is_larger, is_smaller), is_larger.type)
    return words.float(words.either(bits, emit.select(inexact, one, zero)))
