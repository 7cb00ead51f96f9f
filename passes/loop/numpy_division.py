"""Division and remainder with NumPy's results; none of them traps."""

from __future__ import annotations

from xdsl.dialects import arith, llvm
from xdsl.dialects import math as math_dialect
from xdsl.ir import SSAValue

from irtensor.passes.loop.scalar_emitter import NO_FLAGS, Emit, Flags, constant_integer


def _safe_divisor(emit: Emit, b: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """A divisor that cannot trap, and whether the given one is 0 or -1 (where the quotient may overflow)."""
    is_zero = emit.compare("eq", b, emit.constant(0, b.type))
    is_minus_one = emit.compare("eq", b, emit.constant(-1, b.type))
    special = emit.integer(arith.OrIOp, is_zero, is_minus_one)
    return emit.select(special, emit.constant(1, b.type), b), is_zero, is_minus_one


def floor_divide_integers(emit: Emit, a: SSAValue, b: SSAValue, flags: Flags) -> SSAValue:
    """Rounds toward minus infinity; 0 for a zero divisor, as NumPy."""
    if constant_integer(b) not in (None, 0, -1):
        return emit.integer(arith.FloorDivSIOp, a, b)
    divisor, is_zero, is_minus_one = _safe_divisor(emit, b)
    zero = emit.constant(0, a.type)
    quotient = emit.integer(arith.FloorDivSIOp, a, divisor)
    quotient = emit.select(is_minus_one, emit.integer(arith.SubiOp, zero, a), quotient)
    return emit.select(is_zero, zero, quotient)


def modulo_integers(emit: Emit, a: SSAValue, b: SSAValue, flags: Flags) -> SSAValue:
    """The remainder with the divisor's sign; 0 for a zero divisor, as NumPy."""
    divisor = b
    if constant_integer(b) in (None, 0, -1):
        # Every number divided by 1 leaves 0, which is the answer for 0 and -1 as well.
        divisor, _, _ = _safe_divisor(emit, b)
    zero = emit.constant(0, a.type)
    remainder = emit.integer(arith.RemSIOp, a, divisor)
    inexact = emit.compare("ne", remainder, zero)
    differs = emit.compare("lt", emit.integer(arith.XOrIOp, remainder, divisor), zero)
    corrected = emit.integer(arith.AddiOp, remainder, divisor)
    return emit.select(emit.integer(arith.AndIOp, inexact, differs), corrected, remainder)


def _float_remainder(emit: Emit, a: SSAValue, b: SSAValue) -> SSAValue:
    """The exact remainder with the sign of `a`; upstream arith in xDSL has no such operation."""
    return emit.value(llvm.FRemOp, (a, b), a.type, fastmathFlags=llvm.FastMathAttr(None))


def modulo_floats(emit: Emit, a: SSAValue, b: SSAValue, flags: Flags) -> SSAValue:
    """The remainder with the divisor's sign; a zero remainder takes that sign as well, as NumPy's npy_divmod."""
    zero = emit.constant(0.0, a.type)
    remainder = _float_remainder(emit, a, b)
    corrected = emit.select(
        _signs_differ(emit, remainder, b), emit.float(arith.AddfOp, (remainder, b), NO_FLAGS), remainder
    )
    signed_zero = emit.float(math_dialect.CopySignOp, (zero, b), NO_FLAGS)
    vanishes = emit.compare("eq", remainder, zero)
    return emit.select(vanishes, signed_zero, corrected)


def _signs_differ(emit: Emit, remainder: SSAValue, b: SSAValue) -> SSAValue:
    zero = emit.constant(0.0, b.type)
    negative = (emit.compare("lt", value, zero) for value in (remainder, b))
    return emit.integer(arith.XOrIOp, *negative)


def floor_divide_floats(emit: Emit, a: SSAValue, b: SSAValue, flags: Flags) -> SSAValue:
    """Floor of the exact quotient, as NumPy's npy_floor_divide: from the remainder, not from the rounded quotient."""
    type = a.type
    zero, one, half = (emit.constant(number, type) for number in (0.0, 1.0, 0.5))
    plain = emit.float(arith.DivfOp, (a, b), NO_FLAGS)
    remainder = _float_remainder(emit, a, b)
    quotient = emit.float(arith.DivfOp, (emit.float(arith.SubfOp, (a, remainder), NO_FLAGS), b), NO_FLAGS)
    inexact = emit.compare("ne", remainder, zero)
    lower = emit.integer(arith.AndIOp, inexact, _signs_differ(emit, remainder, b))
    quotient = emit.select(lower, emit.float(arith.SubfOp, (quotient, one), NO_FLAGS), quotient)
    floor = emit.float(math_dialect.FloorOp, (quotient,), NO_FLAGS)
    excess = emit.compare("gt", emit.float(arith.SubfOp, (quotient, floor), NO_FLAGS), half)
    floor = emit.select(excess, emit.float(arith.AddfOp, (floor, one), NO_FLAGS), floor)
    signed_zero = emit.float(math_dialect.CopySignOp, (zero, plain), NO_FLAGS)
    result = emit.select(emit.compare("eq", quotient, zero), signed_zero, floor)
    return emit.select(emit.compare("eq", b, zero), plain, result)
