"""Scalar operators of `algebra` in upstream arith, math and complex operations, with NumPy's results."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects import complex as complex_dialect
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.operators import convert
from irtensor.dialects.scalar_types import element_name
from irtensor.passes.loop.complex_functions import COMPLEX_FUNCTIONS
from irtensor.passes.loop.numpy_division import (
    floor_divide_floats,
    floor_divide_integers,
    modulo_floats,
    modulo_integers,
)
from irtensor.passes.loop.numpy_powers import power_complex, power_integers
from irtensor.passes.loop.scalar_emitter import BOOL, COMPARISONS, COMPLEX, FLOAT, INTEGER, NO_FLAGS, Emit, Flags

_ROUNDINGS: dict[str, type[Operation]] = {
    "floor": math_dialect.FloorOp,
    "ceil": math_dialect.CeilOp,
    "trunc": math_dialect.TruncOp,
    "round": math_dialect.RoundEvenOp,
}
_FUNCTIONS: dict[str, type[Operation]] = {
    "sqrt": math_dialect.SqrtOp,
    "cbrt": math_dialect.CbrtOp,
    "exp": math_dialect.ExpOp,
    "expm1": math_dialect.ExpM1Op,
    "log": math_dialect.LogOp,
    "log1p": math_dialect.Log1pOp,
    "log2": math_dialect.Log2Op,
    "log10": math_dialect.Log10Op,
    "sin": math_dialect.SinOp,
    "cos": math_dialect.CosOp,
    "tan": math_dialect.TanOp,
    "asin": math_dialect.AsinOp,
    "acos": math_dialect.AcosOp,
    "atan": math_dialect.AtanOp,
    "sinh": math_dialect.SinhOp,
    "cosh": math_dialect.CoshOp,
    "tanh": math_dialect.TanhOp,
    "asinh": math_dialect.AsinhOp,
    "acosh": math_dialect.AcoshOp,
    "atanh": math_dialect.AtanhOp,
    "erf": math_dialect.ErfOp,
    "atan2": math_dialect.Atan2Op,
    "copysign": math_dialect.CopySignOp,
}

# Takes the emitter, the lowered arguments and the fast-math flags.
Rule = Callable[..., SSAValue]


def _integer_rule(op: type[Operation]) -> Rule:
    return lambda emit, a, b, flags: emit.integer(op, a, b)


def _float_rule(op: type[Operation]) -> Rule:
    return lambda emit, *arguments: emit.float(op, arguments[:-1], arguments[-1])


def _sign_of_float(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
    zero, one, minus_one = (emit.constant(number, a.type) for number in (0.0, 1.0, -1.0))
    at_zero = emit.select(emit.compare("eq", a, zero), zero, a)
    negative = emit.select(emit.compare("lt", a, zero), minus_one, at_zero)
    return emit.select(emit.compare("gt", a, zero), one, negative)


def _sign_of_integer(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
    zero, one, minus_one = (emit.constant(number, a.type) for number in (0, 1, -1))
    negative = emit.select(emit.compare("lt", a, zero), minus_one, zero)
    return emit.select(emit.compare("gt", a, zero), one, negative)


def _sign_of_complex(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
    """z / |z|, and 0 at 0, as NumPy 2; of an infinite number the sign of its infinite part, NaN if both parts are."""
    magnitude = emit.value(complex_dialect.AbsOp, (a,), a.type.element_type, fastmath=NO_FLAGS)  # pyright: ignore
    zero, infinite, unknown = (emit.constant(number, magnitude.type) for number in (0.0, math.inf, math.nan))
    parts = emit.parts(a)
    ratios = [emit.float(arith.DivfOp, (part, magnitude), NO_FLAGS) for part in parts]
    real, imaginary = (emit.compare("eq", emit.float(math_dialect.AbsFOp, (p,), NO_FLAGS), infinite) for p in parts)
    both = emit.integer(arith.AndIOp, real, imaginary)
    one = emit.constant(1.0, magnitude.type)
    signs = [emit.float(math_dialect.CopySignOp, (one, part), NO_FLAGS) for part in parts]
    limits = (
        emit.select(both, unknown, emit.select(real, signs[0], zero)),
        emit.select(both, unknown, emit.select(real, zero, signs[1])),
    )
    is_zero, is_infinite = (emit.compare("eq", magnitude, limit) for limit in (zero, infinite))
    chosen = [emit.select(is_infinite, limit, ratio) for limit, ratio in zip(limits, ratios, strict=True)]
    return emit.join(*(emit.select(is_zero, zero, part) for part in chosen))


def _complex_rule(op: type[Operation]) -> Rule:
    return lambda emit, *arguments: emit.float(op, arguments[:-1], arguments[-1])


def _compare_complex(name: str) -> Rule:
    """Lexicographic order, real parts first; a NaN imaginary part compares false, as in NumPy."""

    def rule(emit: Emit, a: SSAValue, b: SSAValue, flags: Flags) -> SSAValue:
        (a_real, a_imaginary), (b_real, b_imaginary) = emit.parts(a), emit.parts(b)
        strict = {"le": "lt", "ge": "gt"}.get(name, name)
        numbers = (emit.compare("eq", part, part) for part in (a_imaginary, b_imaginary))
        first = emit.integer(arith.AndIOp, emit.compare(strict, a_real, b_real), emit.integer(arith.AndIOp, *numbers))
        tie = emit.integer(
            arith.AndIOp, emit.compare("eq", a_real, b_real), emit.compare(name, a_imaginary, b_imaginary)
        )
        return emit.integer(arith.OrIOp, first, tie)

    return rule


def _extreme_complex(name: str) -> Rule:
    order = _compare_complex(name)

    def rule(emit: Emit, a: SSAValue, b: SSAValue, flags: Flags) -> SSAValue:
        keep = emit.integer(arith.OrIOp, order(emit, a, b, flags), _is_nan_complex(emit, a, flags))
        return emit.select(keep, a, b)

    return rule


def _is_nan_complex(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
    real, imaginary = emit.parts(a)
    return emit.integer(arith.OrIOp, emit.compare("ne", real, real), emit.compare("ne", imaginary, imaginary))


def _reciprocal_integer(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
    """1 / a truncated: a itself for 1 and -1, otherwise 0, but of 0 what infinity converts to, as in NumPy."""
    one, minus_one, zero = (emit.constant(number, a.type) for number in (1, -1, 0))
    infinite = emit.constant(convert(math.inf, element_name(a.type)), a.type)
    unit = emit.integer(arith.OrIOp, emit.compare("eq", a, one), emit.compare("eq", a, minus_one))
    return emit.select(unit, a, emit.select(emit.compare("eq", a, zero), infinite, zero))


def _complement(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
    return emit.integer(arith.XOrIOp, a, emit.constant(-1, a.type))


def _first(emit: Emit, *arguments: Any) -> SSAValue:
    return arguments[0]


def _is_infinite(emit: Emit, a: SSAValue, name: str = "eq") -> SSAValue:
    """Whether a float is infinite; with "lt" whether it is finite."""
    return emit.compare(name, emit.float(math_dialect.AbsFOp, (a,), NO_FLAGS), emit.constant(math.inf, a.type))


def _of_parts(join: type[Operation], name: str) -> Rule:
    def rule(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
        return emit.integer(join, *(_is_infinite(emit, part, name) for part in emit.parts(a)))

    return rule


def _heaviside(emit: Emit, a: SSAValue, b: SSAValue, flags: Flags) -> SSAValue:
    """0 below 0, 1 above, `b` at 0; NaN of NaN."""
    zero, one = (emit.constant(number, a.type) for number in (0.0, 1.0))
    beside = emit.select(emit.compare("lt", a, zero), zero, one)
    number = emit.select(emit.compare("eq", a, zero), b, beside)
    return emit.select(emit.compare("ne", a, a), a, number)


def _sigmoid(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
    one = emit.constant(1.0, a.type)
    power = emit.float(math_dialect.ExpOp, (emit.float(arith.NegfOp, (a,), flags),), flags)
    return emit.float(arith.DivfOp, (one, emit.float(arith.AddfOp, (one, power), flags)), flags)


def _cube(times: Rule) -> Rule:
    return lambda emit, a, flags: times(emit, times(emit, a, a, flags), a, flags)


def _comparison(name: str) -> Rule:
    return lambda emit, a, b, flags: emit.compare(name, a, b)


def _rules() -> dict[str, dict[str, Rule]]:
    identity: dict[str, Rule] = {kind: _first for kind in (INTEGER, FLOAT, COMPLEX, BOOL)}
    both_bits = {INTEGER: _integer_rule(arith.AndIOp), BOOL: _integer_rule(arith.AndIOp)}
    any_bit = {INTEGER: _integer_rule(arith.OrIOp), BOOL: _integer_rule(arith.OrIOp)}
    table: dict[str, dict[str, Rule]] = {
        "add": {
            INTEGER: _integer_rule(arith.AddiOp),
            BOOL: any_bit[BOOL],
            FLOAT: _float_rule(arith.AddfOp),
            COMPLEX: _complex_rule(complex_dialect.AddOp),
        },
        "sub": {
            INTEGER: _integer_rule(arith.SubiOp),
            BOOL: _integer_rule(arith.XOrIOp),
            FLOAT: _float_rule(arith.SubfOp),
            COMPLEX: _complex_rule(complex_dialect.SubOp),
        },
        "mul": {
            INTEGER: _integer_rule(arith.MuliOp),
            BOOL: both_bits[BOOL],
            FLOAT: _float_rule(arith.MulfOp),
            COMPLEX: _complex_rule(complex_dialect.MulOp),
        },
        "div": {FLOAT: _float_rule(arith.DivfOp), COMPLEX: _complex_rule(complex_dialect.DivOp)},
        "floordiv": {INTEGER: floor_divide_integers, FLOAT: floor_divide_floats},
        "mod": {INTEGER: modulo_integers, FLOAT: modulo_floats},
        "pow": {
            INTEGER: power_integers,
            FLOAT: _float_rule(math_dialect.PowFOp),
            COMPLEX: power_complex,
        },
        "min": {
            INTEGER: _integer_rule(arith.MinSIOp),
            BOOL: both_bits[BOOL],
            FLOAT: _float_rule(arith.MinimumfOp),
            COMPLEX: _extreme_complex("le"),
        },
        "max": {
            INTEGER: _integer_rule(arith.MaxSIOp),
            BOOL: any_bit[BOOL],
            FLOAT: _float_rule(arith.MaximumfOp),
            COMPLEX: _extreme_complex("ge"),
        },
        "and": both_bits,
        "or": any_bit,
        "xor": {INTEGER: _integer_rule(arith.XOrIOp), BOOL: _integer_rule(arith.XOrIOp)},
        "first": identity,
        "identity": identity,
        "second": {kind: lambda emit, a, b, flags: b for kind in identity},
        "neg": {
            INTEGER: lambda emit, a, flags: emit.integer(arith.SubiOp, emit.constant(0, a.type), a),
            FLOAT: _float_rule(arith.NegfOp),
            COMPLEX: _complex_rule(complex_dialect.NegOp),
        },
        "abs": {
            INTEGER: lambda emit, a, flags: emit.value(math_dialect.AbsIOp, (a,), a.type),
            BOOL: _first,
            FLOAT: _float_rule(math_dialect.AbsFOp),
            COMPLEX: lambda emit, a, flags: emit.value(
                complex_dialect.AbsOp, (a,), a.type.element_type, fastmath=flags
            ),
        },
        "real": {**identity, COMPLEX: lambda emit, a, flags: emit.parts(a)[0]},
        "imag": {
            **{kind: lambda emit, a, flags: emit.constant(0, a.type) for kind in identity},
            COMPLEX: lambda emit, a, flags: emit.parts(a)[1],
        },
        "conj": {**identity, COMPLEX: _complex_rule(complex_dialect.ConjOp)},
        "complex": {FLOAT: lambda emit, a, b, flags: emit.join(a, b)},
        "angle": {
            FLOAT: lambda emit, a, flags: emit.float(math_dialect.Atan2Op, (emit.constant(0.0, a.type), a), flags),
            COMPLEX: lambda emit, a, flags: emit.float(math_dialect.Atan2Op, emit.parts(a)[::-1], flags),
        },
        "not": {INTEGER: _complement, BOOL: _complement},
        "stored": {kind: lambda emit, a, flags: emit.constant(True, i1) for kind in identity},
        "isnan": {
            INTEGER: lambda emit, a, flags: emit.constant(0, i1),
            BOOL: lambda emit, a, flags: emit.constant(0, i1),
            FLOAT: lambda emit, a, flags: emit.compare("ne", a, a),
            COMPLEX: _is_nan_complex,
        },
        "square": {
            INTEGER: lambda emit, a, flags: emit.integer(arith.MuliOp, a, a),
            BOOL: _first,
            FLOAT: lambda emit, a, flags: emit.float(arith.MulfOp, (a, a), flags),
            COMPLEX: lambda emit, a, flags: emit.float(complex_dialect.MulOp, (a, a), flags),
        },
        "reciprocal": {
            INTEGER: _reciprocal_integer,
            FLOAT: lambda emit, a, flags: emit.float(arith.DivfOp, (emit.constant(1, a.type), a), flags),
            COMPLEX: lambda emit, a, flags: emit.float(complex_dialect.DivOp, (emit.constant(1, a.type), a), flags),
        },
        "sign": {INTEGER: _sign_of_integer, FLOAT: _sign_of_float, COMPLEX: _sign_of_complex},
        **{name: {INTEGER: _first, BOOL: _first, FLOAT: _float_rule(op)} for name, op in _ROUNDINGS.items()},
        **{name: {FLOAT: _float_rule(op)} for name, op in _FUNCTIONS.items()},
        "isinf": {
            **{kind: lambda emit, a, flags: emit.constant(0, i1) for kind in (INTEGER, BOOL)},
            FLOAT: lambda emit, a, flags: _is_infinite(emit, a),
            COMPLEX: _of_parts(arith.OrIOp, "eq"),
        },
        "isfinite": {
            **{kind: lambda emit, a, flags: emit.constant(1, i1) for kind in (INTEGER, BOOL)},
            FLOAT: lambda emit, a, flags: _is_infinite(emit, a, "lt"),
            COMPLEX: _of_parts(arith.AndIOp, "lt"),
        },
        "heaviside": {FLOAT: _heaviside},
        "sigmoid": {FLOAT: _sigmoid},
    }
    table["cube"] = {kind: _cube(times) for kind, times in table["mul"].items()}
    for name, rule in COMPLEX_FUNCTIONS.items():
        table[name][COMPLEX] = rule
    for name in COMPARISONS:
        plain = _comparison(name)
        table[name] = {INTEGER: plain, BOOL: plain, FLOAT: plain, COMPLEX: _compare_complex(name)}
    table["eq"][COMPLEX] = lambda emit, a, b, flags: emit.value(complex_dialect.EqualOp, (a, b), i1)
    table["ne"][COMPLEX] = lambda emit, a, b, flags: emit.value(complex_dialect.NotEqualOp, (a, b), i1)
    return table


RULES: dict[str, dict[str, Rule]] = _rules()
