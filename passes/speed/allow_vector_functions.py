"""`allow-vector-functions`: functions of mathematics in loops that LLVM makes vectors of may be approximated."""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import ComplexType, Float32Type, Float64Type, FloatAttr, IntegerAttr, UnitAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.order_of_sums import keeps_order
from irtensor.dialects.loop.loop import NARROW_VECTORS, ForOp, LoadOp, StoreOp, WhileOp
from irtensor.dialects.support.is_inside import innermost_around
from irtensor.passes.llvm.support.compile_effort import can_be_vectors, is_settled
from irtensor.passes.loop.support.scalar_emitter import Emit
from irtensor.passes.speed.mask_remainders import split_remainder
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option

VECTOR_FUNCTIONS = (
    *(math_dialect.ExpOp, math_dialect.Exp2Op, math_dialect.ExpM1Op, math_dialect.PowFOp, math_dialect.CbrtOp),
    *(math_dialect.LogOp, math_dialect.Log1pOp, math_dialect.Log2Op, math_dialect.Log10Op, math_dialect.ErfOp),
    *(math_dialect.SinOp, math_dialect.CosOp, math_dialect.TanOp, math_dialect.AsinOp, math_dialect.AcosOp),
    *(math_dialect.AtanOp, math_dialect.Atan2Op, math_dialect.SinhOp, math_dialect.CoshOp, math_dialect.TanhOp),
    *(math_dialect.AsinhOp, math_dialect.AcoshOp, math_dialect.AtanhOp),
)
# They take several times as long where an argument is zero, as it is in lanes that a mask turns off. At a pole, the
# value is known.
_POLE_AT_ZERO = frozenset((math_dialect.LogOp, math_dialect.Log2Op, math_dialect.Log10Op))
_SLOW_AT_ZERO = frozenset((math_dialect.AcoshOp, math_dialect.PowFOp))
_APPROXIMATE = FastMathFlagsAttr((FastMathFlag.APPROX_FUNC,))
_ONE = IntegerAttr(1, i64)
_AS_MANY_AS_THERE_ARE = IntegerAttr(0, i64)
# Powers that LLVM computes by a product, a quotient or a root.
_PLAIN_EXPONENTS = (-1.0, -0.5, 0.0, 0.5, 1.0, 2.0)


@dataclass(frozen=True)
class AllowVectorFunctionsPass(TensorPass):
    """Let LLVM compute functions such as `exp` for several iterations of an innermost loop by one call.

    A library has a function for vectors beside the one for numbers, whose results are a few units in the last place
    off. The flag `afn` of an operation permits the replacement. One vector at a time is enough, as the
    calls take nearly all of the time. What whole vectors leave of a loop over elements one after the other is a masked
    vector, where the processor has masks. A logarithm of zero is known, and not computed, as that would take long.

    Before: `for %i = %a to %b { %e = math.exp %x[%i] : f32; ... }`
    After:  `for %i = 0 to %length & -16 { %e = math.exp %x[%a + %i] fastmath<afn> : f32; ... };
            for %i = 0 to %length & 15 attributes {mask = 0} { %e = math.exp ... fastmath<afn> : f32; ... }`
    What keeps the order of its sums is left as it is. So are functions that are called elsewhere as well, say in a loop
    with branches, which LLVM does not vectorise: a value shall not depend on the loop. Loops over complex numbers stay
    as they are, too. A function with such a loop inside another one is marked: rows may be short, and most lanes of the
    widest vectors would be empty. Elsewhere the widest ones take half the time of others.
    """

    name = "allow-vector-functions"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "lower-algebra-to-arith": "only upstream functions are recognised",
        "list-busy-iterations": "loops have all that is in them then",
    }
    before = {
        "prefetch-gathers": "a loop that prefetches does not become vectors",
        "hint-loops": "one vector at a time is a hint as well",
    }

    width: int = option("The lanes of the widest vectors.", 16, choices=(2, 4, 8, 16, 32, 64))

    def on_function(self, function: FuncOp) -> None:
        if not keeps_order(function):
            loops = _loops_with_calls(function)
            if any(innermost_around(loop, ForOp, WhileOp) is not None for loop in loops):
                function.attributes[NARROW_VECTORS] = UnitAttr()
            for loop, calls in loops.items():
                self._rewrite(loop, calls)

    def _rewrite(self, loop: ForOp, calls: list[Operation]) -> None:
        for call in calls:
            call.properties["fastmath"] = _APPROXIMATE
            if type(call) in _POLE_AT_ZERO:
                _avoid_pole(call, loop.body.block)
        if loop.attributes:
            return
        if _is_contiguous(loop) and not any(type(call) in _SLOW_AT_ZERO for call in calls):
            split_remainder(loop, self.width).attributes["mask"] = _AS_MANY_AS_THERE_ARE
        else:
            loop.attributes["interleave"] = _ONE


def _loops_with_calls(function: FuncOp) -> dict[ForOp, list[Operation]]:
    """The loops that become vectors and call functions, with these calls.

    Where a merge ends depends on the number of threads. So that values do not, a function is approximated in all loops
    or in none.
    """
    found: dict[ForOp, list[Operation]] = {}
    others: set[type[Operation]] = set()
    for call in operations_in(function, *VECTOR_FUNCTIONS):
        if not is_vector_function(call):
            continue
        loop = call.parent_op()
        if isinstance(loop, ForOp) and (loop in found or _becomes_vectors(loop)):
            found.setdefault(loop, []).append(call)
        else:
            others.add(type(call))
    return {loop: calls for loop, calls in found.items() if not any(type(call) in others for call in calls)}


def _becomes_vectors(loop: ForOp) -> bool:
    """Whether LLVM may make vectors of a loop that has to do with real numbers alone.

    Complex functions are several real ones each, whose errors would add up.
    """
    if is_settled(loop) or not can_be_vectors(loop):
        return False
    return not any(isinstance(result.type, ComplexType) for op in loop.body.block.ops for result in op.results)


def _avoid_pole(call: Operation, block: Block) -> None:
    """Replace an argument zero of a logarithm, whose value there is minus infinity."""
    before, (argument,), (result,) = Emit(block, call), call.operands, call.results
    is_zero = before.compare("eq", argument, before.constant(0.0, argument.type))
    call.operands[0] = before.select(is_zero, before.constant(1.0, argument.type), argument)
    following = call.next_op
    assert following is not None
    after = Emit(block, following)
    limit = after.constant(-math.inf, result.type)
    value = after.select(is_zero, limit, result)
    result.replace_uses_with_if(value, lambda use: use.operation is not value.owner)


def _is_contiguous(loop: ForOp) -> bool:
    """Whether iterations read and write elements one after the other, which is cheap with masks."""
    for op in loop.body.block.ops:
        if isinstance(op, LoadOp) and _stride(op.index, loop) not in (0, 1):
            return False
        if isinstance(op, StoreOp) and _stride(op.index, loop) != 1:
            return False
    return True


def _stride(index: SSAValue, loop: ForOp) -> int | None:
    """How far an index moves from one iteration to the next, if that is simple."""
    if index is loop.induction:
        return 1
    owner = index.owner
    if not isinstance(owner, Operation) or owner.parent is not loop.body.block:
        return 0
    if not isinstance(owner, arith.AddiOp):
        return None
    parts = [_stride(operand, loop) for operand in owner.operands]
    return None if None in parts else sum(part for part in parts if part is not None)


def is_vector_function(op: Operation) -> bool:
    """Whether an operation is a function that a library may have for vectors, without flags of its own."""
    if type(op) not in VECTOR_FUNCTIONS or not isinstance(op.results[0].type, Float32Type | Float64Type):
        return False
    flags = op.properties.get("fastmath")
    if isinstance(flags, FastMathFlagsAttr) and flags.data:
        return False
    return type(op) is not math_dialect.PowFOp or _number(op.operands[1].owner) not in _PLAIN_EXPONENTS


def _number(owner: object) -> float | None:
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, FloatAttr):
        return owner.value.value.data
    return None
