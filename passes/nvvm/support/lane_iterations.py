"""How many iterations the threads of a team share, if arguments of the function say it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue

from irtensor.dialects.loop.loop import ForOp, LoadOp
from irtensor.dialects.support.constant_index import constant_index

# Attribute of a function: the numbers of its arguments that say how many iterations lanes share. An extent says it
# itself; positions say it by the mean length of their segments.
LANE_ITERATIONS = "lane_iterations"


def note_lane_iterations(function: FuncOp, loops: Sequence[ForOp]) -> None:
    """Note which arguments say how many iterations these loops have; nothing if one has another number of them."""
    found: dict[int, None] = {}
    for loop in loops:
        argument = _argument_of(loop.lower, loop.upper)
        if argument is not None and argument.block is function.body.block:
            found[argument.index] = None
        elif known_iterations(loop) is None:
            return
    if found:
        function.attributes[LANE_ITERATIONS] = DenseArrayBase.from_list(i64, list(found))


def noted_lane_iterations(function: FuncOp) -> tuple[int, ...]:
    """The numbers of arguments that were noted, in order of the loops."""
    noted = function.attributes.get(LANE_ITERATIONS)
    return tuple(int(number) for number in noted.get_values()) if isinstance(noted, DenseArrayBase) else ()


def known_iterations(loop: ForOp) -> int | None:
    """How many iterations a loop has whose bounds are constants."""
    lower, upper = constant_index(loop.lower), constant_index(loop.upper)
    return None if lower is None or upper is None else upper - lower


def _argument_of(lower: SSAValue, upper: SSAValue) -> BlockArgument | None:
    """The extent of a loop that begins at 0, or the positions that have both of its bounds.

    Of merged dimensions it is the last one: there are at least as many iterations.
    """
    if constant_index(lower) == 0:
        while isinstance(upper.owner, arith.MuliOp):
            upper = upper.owner.rhs
        if isinstance(upper, BlockArgument):
            return upper
    first, last = _loaded_from(lower), _loaded_from(upper)
    return first if isinstance(first, BlockArgument) and first is last else None


def _loaded_from(value: SSAValue) -> SSAValue | None:
    """The buffer that an index is read from."""
    read = value.owner.input.owner if isinstance(value.owner, arith.IndexCastOp) else value.owner
    return read.buffer if isinstance(read, LoadOp) else None
