"""`hint-loops`: tells LLVM which loops are not worth unrolling, which it cannot know without their lengths."""

from __future__ import annotations

from math import inf

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop import ForOp, IfOp, LoadOp, StoreOp, WhileOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.windows import known_distance
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass

_ONE = IntegerAttr(1, i64)
# As many vectors LLVM takes at once by itself.
_MOST_VECTORS = 4
# Of a loop of fewer iterations LLVM makes vectors only if it needs no comparison before.
_LEAST_TO_COMPARE = 16
_CONTROL = frozenset((ForOp, WhileOp, IfOp))


class HintLoopsPass(TensorPass):
    """Keep LLVM from copying bodies with loops in them, and from taking many vectors at once along short segments.

    A segment is short as a rule: with one vector per iteration a row of ten entries is done in vectors, with LLVM's
    four it is left to the scalar loop behind. Copies of bodies with loops in them only double the compile time.

    Before: `%end = loop.load %pos[...]; loop.for %p = %begin to %end { ... }`
    After:  `%end = loop.load %pos[...]; loop.for %p = %begin to %end attributes {interleave = 1} { ... }`
    """

    name = "hint-loops"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"mask-remainders": "a loop that has a hint is not split any more"}

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            if loop.attributes:
                _fit_vectors(loop)
                continue
            if any(type(inner) in _CONTROL for inner in loop.body.block.ops):
                loop.attributes["unroll"] = _ONE
            elif _is_read(loop.upper):
                loop.attributes["interleave"] = _ONE


def _fit_vectors(loop: ForOp) -> None:
    """Let a loop of a few iterations, in which vectors are asked for, take no more of them at once than there are.

    LLVM would write out the iterations of one whose number it knows before it makes vectors, which it makes of loops.
    Where it cannot, which it would say for each such loop on the standard error, vectors are not asked for.
    """
    width = loop.attributes.get("vectorize")
    if not isinstance(width, IntegerAttr) or width.value.data == 1 or "unroll" in loop.attributes:
        return
    most = known_distance(loop.lower, loop.upper).most
    if (most < _LEAST_TO_COMPARE and _has_open_strides(loop)) or _stores_conditional_sums(loop):
        del loop.attributes["vectorize"]
        return
    if most < inf:
        loop.attributes["unroll"] = _ONE
        loop.attributes["interleave"] = IntegerAttr(max(1, min(int(most) // width.value.data, _MOST_VECTORS)), i64)


def _has_open_strides(loop: ForOp) -> bool:
    """Whether the distance of what iterations access is known at run time only: LLVM compares it with 1 first."""
    products = [
        op for op in operations_in(loop.body.block, arith.MuliOp) if any(is_inside(o, loop) for o in op.operands)
    ]
    return any(constant_index(one) is None for op in products for one in op.operands if not is_inside(one, loop))


def _stores_conditional_sums(loop: ForOp) -> bool:
    """Whether some iterations store into one element, which LLVM sums in vectors where each does."""
    stores = operations_in(loop.body.block, StoreOp)
    return any(store.parent_op() is not loop and not is_inside(store.index, loop) for store in stores)


def _is_read(bound: SSAValue) -> bool:
    """Whether a loop ends where a segment does, or before: at the end of a part of one."""
    owner = bound.owner
    if isinstance(owner, arith.MinSIOp):
        return any(map(_is_read, owner.operands))
    if isinstance(owner, arith.IndexCastOp):
        owner = owner.input.owner
    return isinstance(owner, LoadOp)
