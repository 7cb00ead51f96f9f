"""`multiply-powers`: powers of floats with small whole exponents are products."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import Float32Type, FloatAttr, f64
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from irtensor.core.repeated_squaring import product_of_equals
from irtensor.dialects.algebra.order_of_sums import keeps_order
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.loop.support.scalar_conversion import convert
from irtensor.passes.loop.support.scalar_emitter import NO_FLAGS, Emit
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option

# LLVM computes squares and lower powers.
_LEAST = 3


@dataclass(frozen=True)
class MultiplyPowersPass(TensorPass):
    """Compute powers with small whole exponents by repeated squaring, which takes a few instructions.

    Each product of doubles may be half a unit in the last place off, so five factors are within the 4 units that
    functions of vectors may be off. Single numbers are multiplied as doubles and rounded once, which is more exact than
    the function. A reciprocal of them is as well; one of doubles could overflow on the way.

    Before: `%y = math.powf %x, 3.0 : f64`
    After:  `%s = arith.mulf %x, %x : f64; %y = arith.mulf %s, %x : f64`
    What keeps the order of its sums is left as it is, as it calls the functions of the C library.
    """

    name = "multiply-powers"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"lower-algebra-to-arith": "only upstream functions are recognised"}
    before = {"allow-vector-functions": "a loop over products calls no functions"}

    doubles: int = option("The largest exponent of doubles.", 5)
    singles: int = option("The largest exponent of single numbers, with either sign.", 64)

    def on_function(self, function: FuncOp) -> None:
        if not keeps_order(function):
            for power in operations_in(function, math_dialect.PowFOp):
                self._rewrite(power)

    def _rewrite(self, power: math_dialect.PowFOp) -> None:
        exponent, base, type = _whole(power.rhs), power.lhs, power.result.type
        is_single = isinstance(type, Float32Type)
        least = -self.singles if is_single else _LEAST
        if exponent is None or abs(exponent) < _LEAST - (exponent < 0):
            return
        if not least <= exponent <= (self.singles if is_single else self.doubles):
            return
        assert power.parent is not None
        emit = Emit(power.parent, power)
        product = product_of_equals(
            convert(emit, base, f64), abs(exponent), lambda a, b: emit.float(arith.MulfOp, (a, b), NO_FLAGS)
        )
        if exponent < 0:
            product = emit.float(arith.DivfOp, (emit.constant(1.0, f64), product), NO_FLAGS)
        power.result.replace_all_uses_with(convert(emit, product, type))
        erase_operation(power)


def _whole(value: SSAValue) -> int | None:
    """The whole number that a constant is."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, FloatAttr):
        return None
    number = owner.value.value.data
    return int(number) if number.is_integer() else None
