"""Loops whose iterations the threads of a team may share, and which of them they do share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.algebra import find_operator
from irtensor.dialects.loop.loop import (
    AppendOp,
    AtomicOp,
    CellOp,
    CloseOp,
    ConditionOp,
    CopyOp,
    CounterOp,
    CountOp,
    DataOp,
    FillOp,
    ForOp,
    GetOp,
    IfOp,
    LoadOp,
    SearchOp,
    SetOp,
    StoreOp,
    ViewOp,
    WhileOp,
    YieldOp,
)
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.cleanup.hoist_invariants import hoist_in
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.loop.support.consecutive_indices import is_consecutive
from irtensor.passes.loop.support.memory_roots import roots_of
from irtensor.passes.loop.support.parallel_state import Reduction, reduction_of
from irtensor.passes.loop.support.shared_between_iterations import Shared
from irtensor.passes.nvvm.support.lane_nests import LaneNest, lane_nests
from irtensor.passes.nvvm.support.memory_sectors import sectors_of_lanes
from irtensor.passes.support.operations_in import OpTypes, everything_in

# What all lanes of a team may do alike, or one of them for all.
_EITHER = (LoadOp, StoreOp, CellOp, GetOp, SetOp, IfOp, ViewOp, AtomicOp, YieldOp, SearchOp, DataOp)
_IN_LANES = OpTypes(*_EITHER, ForOp, WhileOp, ConditionOp)
_ALIKE = OpTypes(*_EITHER, FillOp, CopyOp, CounterOp, CountOp, AppendOp, CloseOp)


@dataclass
class LaneLoop:
    """A loop whose iterations are independent, but for cells that each of them combines with something."""

    loop: ForOp
    reductions: list[Reduction] = field(default_factory=list[Reduction])


def lane_loops(body: Block) -> list[LaneLoop | LaneNest] | None:
    """Loops in the body of an iteration that lanes can share, if they can share all work and do the code between alike.

    Of loops in each other, it is the one whose lanes touch the least memory together: neighbours beside each other read
    and write neighbouring elements. Nests that lanes go through alone are shared as nests. None where a loop is
    for one thread, or there is none.
    """
    if not all(_ALIKE[type(op)] or _IN_LANES[type(op)] or is_pure(op) for op in everything_in(body)):
        return None
    # What the index of an element is added up from is then outside of the loop.
    hoist_in(body)
    nests = {one.nest.root: one for one in lane_nests(body)}
    found = _in_block(body, nests)
    return found.loops or None if found is not None else None


@dataclass
class _Choice:
    """Loops that lanes share, and how many sectors of memory they touch at a time."""

    loops: list[LaneLoop | LaneNest]
    sectors: float


def _in_block(block: Block, nests: Mapping[Operation, LaneNest]) -> _Choice | None:
    """What lanes share of a block; None if they cannot share it."""
    found = _Choice([], 0)
    for op in block.ops:
        if isinstance(op, ForOp) or op in nests:
            parts = [_of_loop(op, nests)]
        elif _ALIKE[type(op)] or is_pure(op):
            parts = [_in_block(inner, nests) for region in op.regions for inner in region.blocks]
        else:
            return None
        for part in parts:
            if part is None:
                return None
            found.loops += part.loops
            found.sectors += part.sectors
    return found


def _of_loop(loop: Operation, nests: Mapping[Operation, LaneNest]) -> _Choice | None:
    """A loop as a nest, or what lanes share in it, or the loop itself if it has none inside or that is better."""
    if loop in nests:
        return _Choice([nests[loop]], sum(sectors_of_lanes(row.loop) for row in nests[loop].nest.rows))
    assert isinstance(loop, ForOp)
    inside = _in_block(loop.body.block, nests)
    if inside is not None and not inside.loops:
        inside = None
    lanes = _lane_loop(loop)
    if lanes is None:
        return inside
    itself = _Choice([lanes], sectors_of_lanes(loop))
    return itself if inside is None or itself.sectors < inside.sectors else inside


def _lane_loop(loop: ForOp) -> LaneLoop | None:
    operations = everything_in(loop.body)
    if not all(_IN_LANES[type(op)] or is_pure(op) for op in operations) or _meet(operations, loop):
        return None
    found = LaneLoop(loop)
    for cell, uses in _changed_cells(operations, loop).items():
        reduction = _reduction(cell, uses)
        if reduction is None:
            return None
        found.reductions.append(reduction)
    return found


def _meet(operations: list[Operation], loop: ForOp) -> bool:
    """Whether an iteration may touch an element that another one writes, other than both atomically."""
    touched: dict[SSAValue, set[tuple[SSAValue, SSAValue]]] = {}
    written: set[SSAValue] = set()
    atomic: set[SSAValue] = set()
    for op in operations:
        if isinstance(op, StoreOp) and is_inside(op.buffer, loop):
            return True
        if isinstance(op, LoadOp | StoreOp):
            for root in roots_of(op.buffer):
                # Views of one buffer may have the same element at different indices.
                touched.setdefault(root, set()).add((op.buffer, op.index))
            written.update(roots_of(op.buffer) if isinstance(op, StoreOp) else ())
        elif isinstance(op, AtomicOp):
            atomic.update(roots_of(op.buffer))
    if atomic & touched.keys():
        return True
    return any(len(touched[root]) > 1 or not is_consecutive(next(iter(touched[root]))[1], loop) for root in written)


def _changed_cells(operations: list[Operation], loop: ForOp) -> dict[CellOp, list[Operation]]:
    """The cells of the code around that a loop sets, with all that it does with them."""
    found: dict[CellOp, list[Operation]] = {}
    for op in operations:
        if isinstance(op, GetOp | SetOp) and not is_inside(op.cell, loop):
            owner = op.cell.owner
            assert isinstance(owner, CellOp)
            found.setdefault(owner, []).append(op)
    return {cell: uses for cell, uses in found.items() if any(isinstance(op, SetOp) for op in uses)}


def _reduction(cell: CellOp, uses: list[Operation]) -> Reduction | None:
    """What the iterations of a loop do with a cell of the code around, if it is only to combine it with values."""
    sets, gets = [op for op in uses if isinstance(op, SetOp)], [op for op in uses if isinstance(op, GetOp)]
    try:
        found = reduction_of(cell, sets, gets)
    except Shared:
        return None
    if found is None:
        return None
    operator = found.operator
    assert isinstance(operator, StringAttr | SymbolRefAttr)
    return found if find_operator(operator, found.example).commutative else None
