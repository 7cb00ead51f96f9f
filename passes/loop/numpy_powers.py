"""Powers of integers and of complex numbers with NumPy's results."""

from __future__ import annotations

import math

from xdsl.dialects import arith
from xdsl.dialects import complex as complex_dialect
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from irtensor.dialects.loop import CellOp, ConditionOp, GetOp, IfOp, SetOp, WhileOp
from irtensor.dialects.repeated_squaring import FIRST_BY_LOGARITHM, product_of_equals
from irtensor.passes.loop.scalar_emitter import Emit, Flags, constant_complex, constant_integer


def power_complex(emit: Emit, a: SSAValue, b: SSAValue, flags: Flags) -> SSAValue:
    """A product or a root where NumPy's is one, which a logarithm is less exact than; nothing to 0 is 1."""
    exponent, zero, one = constant_complex(b), emit.constant(0, a.type), emit.constant(1, a.type)
    if exponent == 0:
        return one
    if exponent == 0.5:
        return emit.float(complex_dialect.SqrtOp, (a,), flags)
    count = constant_integer(b)
    if count is not None and abs(count) < FIRST_BY_LOGARITHM:
        power = product_of_equals(
            a, abs(count), lambda left, right: emit.float(complex_dialect.MulOp, (left, right), flags)
        )
        if count > 0:
            return power
        power = emit.float(complex_dialect.DivOp, (one, power), flags)
    else:
        power = emit.float(complex_dialect.PowOp, (a, b), flags)
    unknown = emit.constant(complex(math.nan, math.nan), a.type)
    real = emit.parts(b)[0]
    of_zero = emit.select(emit.compare("gt", real, emit.constant(0.0, real.type)), zero, unknown)
    power = emit.select(emit.value(complex_dialect.EqualOp, (a, zero), i1), of_zero, power)
    return emit.select(emit.value(complex_dialect.EqualOp, (b, zero), i1), one, power)


def power_integers(emit: Emit, a: SSAValue, b: SSAValue, flags: Flags) -> SSAValue:
    """Repeated squaring with wraparound; a negative exponent gives the integer part of the exact result."""
    exponent = constant_integer(b)
    if exponent == 0:
        return emit.constant(1, a.type)
    if exponent is not None and exponent > 0:
        return product_of_equals(a, exponent, lambda left, right: emit.integer(arith.MuliOp, left, right))
    type = a.type
    zero, one, minus_one = (emit.constant(number, type) for number in (0, 1, -1))
    negative = emit.compare("lt", b, zero)
    is_odd = emit.compare("eq", emit.integer(arith.AndIOp, b, one), one)
    unit = emit.select(emit.compare("eq", a, one), one, zero)
    small = emit.select(emit.compare("eq", a, minus_one), emit.select(is_odd, minus_one, one), unit)
    result, base, rest = (_cell(emit, value) for value in (emit.select(negative, small, one), a, b))
    loop = WhileOp.of()
    emit.add(loop)
    head = Emit(loop.condition.block, None)
    more = head.compare("gt", _get(head, rest), zero)
    head.add(ConditionOp.of(more))
    body = Emit(loop.body.block, None)
    remaining, factor = _get(body, rest), _get(body, base)
    odd = body.compare("eq", body.integer(arith.AndIOp, remaining, one), one)
    branch = IfOp.of(odd)
    body.add(branch)
    inner = Emit(branch.then.block, None)
    inner.add(SetOp.of(inner.integer(arith.MuliOp, _get(inner, result), factor), result))
    body.add(SetOp.of(body.integer(arith.MuliOp, factor, factor), base))
    body.add(SetOp.of(body.integer(arith.ShRSIOp, remaining, one), rest))
    return _get(emit, result)


def _cell(emit: Emit, value: SSAValue) -> SSAValue:
    cell = CellOp.of(value)
    emit.add(cell)
    return cell.cell


def _get(emit: Emit, cell: SSAValue) -> SSAValue:
    get = GetOp.of(cell)
    emit.add(get)
    return get.value
