"""Functions of complex numbers with NumPy's results: upstream operations, and what is made of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects import complex as complex_dialect
from xdsl.dialects import math as math_dialect
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.complex_inverses import Inverse, inverses
from irtensor.passes.loop.scalar_emitter import NO_FLAGS, Emit, Flags

Rule = Callable[[Emit, SSAValue, Flags], SSAValue]


def _upstream(op: type[Operation]) -> Rule:
    return lambda emit, a, flags: emit.float(op, (a,), flags)


def _logarithm(base: float) -> Rule:
    def rule(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
        parts = emit.parts(emit.float(complex_dialect.LogOp, (a,), flags))
        factor = emit.constant(1 / math.log(base), parts[0].type)
        return emit.join(*(emit.float(arith.MulfOp, (part, factor), NO_FLAGS) for part in parts))

    return rule


def _log1p(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
    real, imaginary = emit.parts(a)
    real = emit.float(arith.AddfOp, (real, emit.constant(1.0, real.type)), NO_FLAGS)
    magnitude = emit.value(complex_dialect.AbsOp, (emit.join(real, imaginary),), real.type, fastmath=NO_FLAGS)
    angle = emit.float(math_dialect.Atan2Op, (imaginary, real), NO_FLAGS)
    return emit.join(emit.float(math_dialect.LogOp, (magnitude,), NO_FLAGS), angle)


def _expm1(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
    """exp(a) - 1 without the cancellation of its real part near 0."""
    real, imaginary = emit.parts(a)
    half, two = (emit.constant(number, real.type) for number in (0.5, 2.0))

    def apply(op: type[Operation], *operands: SSAValue) -> SSAValue:
        return emit.float(op, operands, NO_FLAGS)

    sine = apply(math_dialect.SinOp, apply(arith.MulfOp, imaginary, half))
    grown = apply(arith.MulfOp, apply(math_dialect.ExpM1Op, real), apply(math_dialect.CosOp, imaginary))
    lost = apply(arith.MulfOp, apply(arith.MulfOp, two, sine), sine)
    turned = apply(arith.MulfOp, apply(math_dialect.ExpOp, real), apply(math_dialect.SinOp, imaginary))
    return emit.join(apply(arith.SubfOp, grown, lost), turned)


def _turned(emit: Emit, a: SSAValue) -> SSAValue:
    """-1j * a."""
    real, imaginary = emit.parts(a)
    return emit.join(imaginary, emit.float(arith.NegfOp, (real,), NO_FLAGS))


def _sinh(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
    """1j * sin(-1j * a), which is how the sine of complex numbers is defined."""
    real, imaginary = emit.parts(emit.float(complex_dialect.SinOp, (_turned(emit, a),), flags))
    return emit.join(emit.float(arith.NegfOp, (imaginary,), NO_FLAGS), real)


def _cosh(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
    return emit.float(complex_dialect.CosOp, (_turned(emit, a),), flags)


def _round(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
    return emit.join(*(emit.float(math_dialect.RoundEvenOp, (part,), NO_FLAGS) for part in emit.parts(a)))


_OF_PARTS: dict[str, type[Operation]] = {
    "add": arith.AddfOp,
    "sub": arith.SubfOp,
    "mul": arith.MulfOp,
    "div": arith.DivfOp,
    "neg": arith.NegfOp,
    "abs": math_dialect.AbsFOp,
    "copysign": math_dialect.CopySignOp,
    "atan2": math_dialect.Atan2Op,
    "asinh": math_dialect.AsinhOp,
    "log1p": math_dialect.Log1pOp,
}


@dataclass(frozen=True)
class _Parts:
    """Arithmetic of parts of one type, as operations."""

    emit: Emit
    type: Attribute

    def constant(self, value: float) -> SSAValue:
        return self.emit.constant(value, self.type)

    def apply(self, name: str, *operands: SSAValue) -> SSAValue:
        return self.emit.float(_OF_PARTS[name], operands, NO_FLAGS)

    def sqrt(self, real: SSAValue, imaginary: SSAValue) -> tuple[SSAValue, SSAValue]:
        real, imaginary = self.emit.parts(
            self.emit.float(complex_dialect.SqrtOp, (self.emit.join(real, imaginary),), NO_FLAGS)
        )
        return real, imaginary


def _inverse(compute: Inverse[SSAValue]) -> Rule:
    def rule(emit: Emit, a: SSAValue, flags: Flags) -> SSAValue:
        real, imaginary = emit.parts(a)
        return emit.join(*compute(_Parts(emit, real.type), real, imaginary))

    return rule


COMPLEX_FUNCTIONS: dict[str, Rule] = {
    **{name: _inverse(compute) for name, compute in inverses().items()},
    "sqrt": _upstream(complex_dialect.SqrtOp),
    "exp": _upstream(complex_dialect.ExpOp),
    "expm1": _expm1,
    "log": _upstream(complex_dialect.LogOp),
    "log1p": _log1p,
    "log2": _logarithm(2),
    "log10": _logarithm(10),
    "sin": _upstream(complex_dialect.SinOp),
    "cos": _upstream(complex_dialect.CosOp),
    "tan": _upstream(complex_dialect.TanOp),
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _upstream(complex_dialect.TanhOp),
    "round": _round,
}
