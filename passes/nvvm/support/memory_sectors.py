"""How much memory the lanes of a team touch when each of them has an iteration of a loop."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ComplexType, FixedBitwidthType
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.dialects.loop.loop import AtomicOp, CellOp, ForOp, GetOp, LoadOp, StoreOp
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.loop.loop_units import WARP
from irtensor.dialects.support.is_inside import innermost_around
from irtensor.passes.loop.support.consecutive_indices import is_consecutive
from irtensor.passes.nvvm.support.lane_iterations import known_iterations
from irtensor.passes.support.emit import is_successor
from irtensor.passes.support.operations_in import everything_in

# A GPU reads and writes memory in sectors of so many bytes.
_SECTOR = 32


def sectors_of_lanes(loop: ForOp) -> float:
    """How many sectors of memory a warp touches on the average of what its innermost loops do in an iteration.

    All lanes at one element touch one sector, at neighbours so many as these take, and else one each. So do lanes that
    change one element atomically. Where a loop is known to have fewer iterations than there are lanes, those without
    one count as well.
    """
    varying = _varying(loop)
    accesses = (op for block in _innermost(loop) for op in block.ops if isinstance(op, LoadOp | StoreOp | AtomicOp))
    touched = sum(_sectors(op, loop, varying) for op in accesses)
    return touched * max(1.0, WARP / max(1, _extent(loop)))


def _innermost(loop: ForOp) -> Iterable[Block]:
    """The blocks of a loop's innermost loops, or the loop's own, with those of conditions in them."""
    loops = [op for op in everything_in(loop) if isinstance(op, ForOp)]
    around = {op for one in loops if (op := innermost_around(one, ForOp)) is not None}
    for one in loops:
        if one not in around:
            yield from (block for op in everything_in(one) for region in op.regions for block in region.blocks)


def _extent(loop: ForOp) -> int:
    """How many iterations a loop has; a warp's if that is not known."""
    known = known_iterations(loop)
    if known is not None:
        return known
    return 1 if is_successor(loop.upper, loop.lower) else WARP


def _varying(loop: ForOp) -> set[SSAValue]:
    """The values in a loop that may be others in another iteration."""
    found: set[SSAValue] = {loop.induction}
    for op in everything_in(loop.body):
        own_cell = isinstance(op, GetOp) and isinstance(op.cell.owner, CellOp) and loop.is_ancestor(op.cell.owner)
        if own_cell or any(operand in found for operand in op.operands):
            found.update(op.results)
            found.update(argument for region in op.regions for block in region.blocks for argument in block.args)
    return found


def _sectors(op: LoadOp | StoreOp | AtomicOp, loop: ForOp, varying: set[SSAValue]) -> float:
    if op.index not in varying:
        # What changes atomically does so for one lane after the other.
        return WARP if isinstance(op, AtomicOp) else 1
    element: Attribute = held_type(op.buffer)
    return _bytes(element) * WARP / _SECTOR if is_consecutive(op.index, loop, varying.__contains__) else WARP


def _bytes(element: Attribute) -> float:
    if isinstance(element, ComplexType):
        return 2 * _bytes(element.element_type)
    # Element numbers and positions are as wide as a machine word.
    return max(8, element.bitwidth) / 8 if isinstance(element, FixedBitwidthType) else 8
