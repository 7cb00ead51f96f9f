"""How much work a function has for LLVM: to vectorise, to move out of loops, or little; less costs less, at no loss."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerAttr, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from irtensor.dialects.algebra.order_of_sums import approximates
from irtensor.dialects.loop.loop import (
    SEARCH,
    STRIPS,
    CellOp,
    CellType,
    DataOp,
    ForOp,
    GetOp,
    LoadOp,
    SetOp,
    StoreOp,
    WhileOp,
)
from irtensor.passes.support.operations_in import everything_in, operations_of

_MOVES = frozenset((LoadOp, StoreOp, GetOp, SetOp, CellOp, DataOp))
_COMPUTES = ("arith.", "math.", "complex.", "vector.")


def effort_for(function: FuncOp) -> str:
    """How much LLVM should do for a function: "full" with its vectoriser, "scalar" with its loop passes, or "light".

    In a function that merges, counted loops finish what the merge left over: there only sums of floats gain from
    vectors, loops along an extent, and those that call functions with a vector version. Loops whose hints forbid
    vectors hold vectors already, and of others that insert into a set, say, LLVM cannot make any; out of both it moves
    what they load again and again, to behind the test whether the loop runs at all. Of loops in vectors without such
    hints there is a scalar rest, in which a short segment is all of the work: the code around them is made shorter.
    """
    control = [op for op in everything_in(function.body) if op.regions]
    merges = any(isinstance(op, WhileOp) and not ({SEARCH, STRIPS} & op.attributes.keys()) for op in control)
    loops = [op for op in control if isinstance(op, ForOp)]
    innermost = [loop for loop in loops if not any([op.regions for op in operations_of(loop.body.block)])]
    settled = [loop for loop in innermost if is_settled(loop) or not can_be_vectors(loop)]
    if any(loop not in settled and (not merges or _gains(loop)) for loop in innermost):
        return "full"
    gains = any(_repeats_loads(loop) or (_holds_vectors(loop) and not is_settled(loop)) for loop in settled)
    return "scalar" if gains else "light"


def is_settled(loop: ForOp) -> bool:
    """Whether a loop has a hint to leave it as it is."""
    hint = loop.attributes.get("vectorize")
    return isinstance(hint, IntegerAttr) and hint.value.data == 1


def can_be_vectors(loop: ForOp) -> bool:
    """Whether a loop only computes and moves single elements.

    LLVM makes no vectors of calls, prefetches and branches, nor of values that are vectors.
    """
    return not _holds_vectors(loop) and all(
        [type(op) in _MOVES or op.name.startswith(_COMPUTES) for op in operations_of(loop.body.block)]
    )


def _holds_vectors(loop: ForOp) -> bool:
    return any([type(one.type) is VectorType for op in operations_of(loop.body.block) for one in op.results])


def _repeats_loads(loop: ForOp) -> bool:
    """Whether a loop loads the same element in every iteration."""
    # By identity: the hash of a value is a function in Python.
    varying = {id(loop.induction)}
    for op in operations_of(loop.body.block):
        if type(op) is GetOp or any([id(operand) in varying for operand in op.operands]):
            varying.update([id(result) for result in op.results])
        elif type(op) is LoadOp:
            return True
    return False


def _gains(loop: ForOp) -> bool:
    """Whether a loop gains from vectors where others finish what a merge left over."""
    return _is_long(loop) or _sums_floats(loop) or approximates(loop.body.block)


def _is_long(loop: ForOp) -> bool:
    """Whether a loop runs along an extent, or does nothing that depends on its iteration."""
    return isinstance(loop.upper.owner, Block) or not any(isinstance(op, LoadOp) for op in loop.body.block.ops)


def _sums_floats(loop: ForOp) -> bool:
    for op in loop.body.block.ops:
        if isinstance(op, SetOp) and isinstance(op.cell.type, CellType):
            if isinstance(op.cell.type.element, Float32Type | Float64Type):
                return True
    return False
