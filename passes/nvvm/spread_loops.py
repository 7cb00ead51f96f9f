"""`spread-loops`: a loop whose iterations may run at the same time is divided among the units of a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.diagnostics import AskedBy, UserError
from irtensor.core.schedule_words import BLOCK, TEAMS, WARP, team_for
from irtensor.dialects.loop.loop import (
    CellOp,
    CopyOp,
    FillOp,
    ForOp,
    IfOp,
    IndexMapOp,
    IndexSetOp,
    LoadOp,
    ParallelOp,
    PartOfOp,
    ScratchOp,
    StoreOp,
    UnitsAttr,
)
from irtensor.dialects.loop.loop_parallel import OF_THE_HOST, CountedOp, parallel_loop_around
from irtensor.dialects.support.create_operation import clone_operation
from irtensor.dialects.support.is_inside import replace_inside
from irtensor.passes.analysis.races import OVER, PARALLEL, TEAM, WINDOWS, unmark
from irtensor.passes.llvm.support.byte_patterns import has_pattern
from irtensor.passes.loop.support.division import is_divided
from irtensor.passes.loop.support.memory_roots import roots_of
from irtensor.passes.loop.support.parallel_state import state_of
from irtensor.passes.loop.support.shared_between_iterations import Shared
from irtensor.passes.nvvm.support.column_sums import share_columns
from irtensor.passes.nvvm.support.combine_atomically import combine_atomically
from irtensor.passes.nvvm.support.lane_iterations import known_iterations, note_lane_iterations
from irtensor.passes.nvvm.support.lane_loops import LaneLoop, lane_loops
from irtensor.passes.nvvm.support.lane_nests import LaneNest
from irtensor.passes.nvvm.support.on_units import Strided, on_units
from irtensor.passes.nvvm.support.teams import BlockSums, Team
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import everything_in, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, option

# What parts of a loop have for themselves.
_OWN_MEMORY = (ScratchOp, IndexSetOp, IndexMapOp, PartOfOp)


@dataclass(frozen=True)
class SpreadLoopsPass(TensorPass):
    """Divide a loop marked `parallel` among threads, or among teams of lanes that share loops inside of it.

    Before: `loop.for %i = 0 to %n attributes {parallel} { ...; loop.for %p = %lo to %hi { body } }`
    After:  `loop.parallel %b = 0 to %blocks on blocks(128) { loop.parallel %g = 0 to 4 on teams(32) {
             %i = 4 * %b + %g; loop.if %i < %n { ...; loop.parallel %l = 0 to 32 on lanes {
             loop.for %q = 0 to (%hi - %lo - %l + 31) / 32 { body of %p = %lo + %l + 32 * %q } } } } }`
    What an innermost loop sums up, each lane sums up for itself, and `loop.reduce` combines. A loop that adds to the
    same elements in each iteration of the loops around it moves out of them: lanes go through these alone, each for
    some elements at once that it has in registers, and store them at the end. A loop around others is shared instead of
    them where its lanes touch less memory together. Iterations without a loop that lanes can share are for a thread
    each. The attribute `team` of a loop says how many threads share an iteration. Where none does, the function's
    attribute `lane_iterations` has the numbers of the arguments that say how many iterations a team shares: a caller
    that knows them may ask for teams of another size. A loop that needs memory for each part, or appends, is left to
    the passes that divide loops into parts, and so is one that combines numbers of more than one word. A loop that
    needs memory for each part has no `team` of several threads: these would share none. Source: design of Senanayake et
    al. 2020, section 6, for the mapping to warps.
    """

    name = "spread-loops"
    accepts = ("loop",)
    leaves = ("loop", "algebra")
    before = {
        "divide-parallel-loops": "a loop that is spread over a device is not divided into parts",
        "lower-private": "elements that are combined atomically need no copies",
        "lower-algebra-to-arith": "sums are recognised by the operators that they are made of",
    }
    team: int = option(
        "How many threads share an iteration whose loop does not say it; 0 is a warp, 128 is a whole block.",
        0,
        choices=TEAMS,
    )
    deterministic: bool = option("Whether floating-point numbers are not combined as threads come.", False)

    def on_function(self, function: FuncOp) -> None:
        loops: list[CountedOp] = []
        for loop in operations_in(function, ForOp):
            if PARALLEL in loop.attributes and _is_made_apart(loop, self.deterministic):
                unmark(loop)
                loops.append(loop)
        for loop in operations_in(function, ParallelOp):
            if loop.on is None and _is_apart_already(loop, self.deterministic):
                loops.append(loop)
        _spread_all(function, loops, self.team)
        _spread_host_fills(function)


def _is_apart_already(loop: ParallelOp, deterministic: bool) -> bool:
    """Whether parts of a loop need nothing for themselves."""
    if operations_in(loop, *_OWN_MEMORY) or _needs_host(loop):
        return False
    return combine_atomically(loop, deterministic)


def _is_made_apart(loop: ForOp, deterministic: bool) -> bool:
    """Let iterations of a marked loop have nothing to do with each other, if they need no memory for that."""
    if WINDOWS in loop.attributes or is_divided(loop) or _needs_host(loop):
        return False
    if parallel_loop_around(loop) is not None or operations_in(loop, ParallelOp):
        return False
    try:
        state = state_of(loop)
    except Shared:
        return False
    if state.setup:
        _check_team(loop, state.setup)
    if state.setup or state.reductions or not combine_atomically(loop, deterministic):
        return False
    for cell in state.cells:
        _move_inside(cell, loop)
    return True


def _check_team(loop: ForOp, memory: Sequence[Operation]) -> None:
    """Refuse a team that a schedule asks for where each thread has memory of its own: nothing would share it.

    Raises UserError [unsupported-workspace].
    """
    asked = loop.attributes.get(TEAM)
    if not isinstance(asked, IntegerAttr) or asked.value.data == 1:
        return
    over = loop.attributes.get(OVER)
    name = over.data if isinstance(over, StringAttr) else loop.induction.name_hint or "?"
    workspaces = dict.fromkeys(hint for op in memory for result in op.results if (hint := result.name_hint))
    what = f"'{next(iter(workspaces))}'" if workspaces else "a workspace"
    message = f"the loop over {name} cannot be for teams of {asked.value.data} threads: {what} is filled and read in "
    message += "each iteration, and threads of a team share no workspace"
    help = "omit team=, so that a thread has iterations with a workspace of its own, or omit the workspace"
    raise UserError("unsupported-workspace", message, op=loop, help=help, asked_by=AskedBy(("parallelize",), name))


def _needs_host(loop: CountedOp) -> bool:
    return any(op.name in OF_THE_HOST for op in everything_in(loop))


def _spread_all(function: FuncOp, loops: list[CountedOp], team: int) -> None:
    shared = {loop: lane_loops(loop.body.block) for loop in loops}
    of_any_size = [inner for loop, inner in shared.items() if inner is not None and TEAM not in loop.attributes]
    if not team:
        note_lane_iterations(function, [one.loop for inner in of_any_size for one in inner])
    for loop, inner in shared.items():
        asked = loop.attributes.pop(TEAM, None)
        size = asked.value.data if isinstance(asked, IntegerAttr) else team or _usual_team(inner or [])
        _spread(loop, inner, size)


def _usual_team(inner: Sequence[LaneLoop | LaneNest]) -> int:
    """A warp, or fewer threads where no loop has so many iterations."""
    iterations = [known_iterations(one.loop) for one in inner]
    known = [number for number in iterations if number is not None]
    return team_for(max(known)) if known and len(known) == len(iterations) else WARP


def _spread(loop: CountedOp, inner: list[LaneLoop | LaneNest] | None, size: int) -> None:
    if inner is None or size == 1:
        _on_threads(loop)
    elif size == BLOCK:
        _on_block(loop, inner)
    else:
        _on_teams(loop, inner, size)


def _move_inside(cell: CellOp, loop: ForOp) -> None:
    """Let each iteration have a cell of its own, which it sets before it reads it."""
    emit = Emitter(Block())
    own = emit.insert(clone_operation(cell, {}))
    own.cell.name_hint = cell.cell.name_hint
    replace_inside(loop, cell.cell, own.cell)
    first = loop.body.block.first_op
    assert first is not None
    move_before(emit.block, first)


class _Blocks:
    """A loop on blocks in place of a counted loop, with so many of its iterations for each block."""

    def __init__(self, lower: SSAValue, upper: SSAValue, each: int, location: Any) -> None:
        self.before = Emitter(Block())
        count = self.before.divide_up(self.before.sub(upper, lower), each)
        self.loop = on_units(self.before, count, UnitsAttr.of("blocks", BLOCK))
        self.loop.location = location
        self.emit = Emitter(self.loop.body.block)
        self.first = self.emit.add(lower, self.emit.mul(self.loop.induction, self.emit.index(each)))
        self.upper = upper

    def guarded(self, units: ParallelOp) -> tuple[SSAValue, Emitter]:
        """The iteration of a unit of the block, and what appends to code that runs only if there is that iteration."""
        emit = Emitter(units.body.block)
        index = emit.add(self.first, units.induction)
        branch = emit.insert(IfOp.of(emit.compare("slt", index, self.upper)))
        return index, Emitter(branch.then.block)


def _on_threads(loop: CountedOp) -> None:
    blocks = _Blocks(loop.lower, loop.upper, BLOCK, loop.location)
    threads = _units(blocks, "threads", BLOCK)
    index, emit = blocks.guarded(threads)
    _move_body(loop, index, emit)
    _replace(loop, blocks)


def _on_teams(loop: CountedOp, inner: list[LaneLoop | LaneNest], size: int) -> None:
    _share(loop, inner, Team(size))
    blocks = _Blocks(loop.lower, loop.upper, BLOCK // size, loop.location)
    index, emit = blocks.guarded(_units(blocks, "teams", BLOCK // size, size))
    _move_body(loop, index, emit)
    _replace(loop, blocks)


def _on_block(loop: CountedOp, inner: list[LaneLoop | LaneNest]) -> None:
    sums = BlockSums(BLOCK)
    _share(loop, inner, Team(BLOCK, sums))
    blocks = _Blocks(loop.lower, loop.upper, 1, loop.location)
    for shared in sums.shared:
        blocks.emit.insert(shared)
    _move_body(loop, blocks.first, blocks.emit)
    _replace(loop, blocks)


def _share(loop: CountedOp, inner: list[LaneLoop | LaneNest], team: Team) -> None:
    """Let a team share loops of an iteration, its fills and its copies."""
    for one in inner:
        if isinstance(one, LaneNest):
            share_columns(one, team)
        else:
            team.share(one)
    for fill in operations_in(loop, FillOp):
        _share_fill(fill, team)
    for copy in operations_in(loop, CopyOp):
        if _is_apart(copy):
            _share_copy(copy, team)


def _units(blocks: _Blocks, word: str, count: int, size: int = 0) -> ParallelOp:
    return on_units(blocks.emit, blocks.emit.index(count), UnitsAttr.of(word, size))


def _move_body(loop: CountedOp, index: SSAValue, emit: Emitter) -> None:
    index.name_hint = loop.induction.name_hint
    loop.induction.replace_all_uses_with(index)
    emit.take(operations_of(loop.body.block))


def _replace(op: Operation, blocks: _Blocks) -> None:
    move_before(blocks.before.block, op)
    Rewriter.erase_op(op)


# Fills and copies.


def _share_fill(fill: FillOp, team: Team) -> None:
    around = Emitter(Block())
    shared = team.loop(around)
    shared.location = fill.location
    strided = Strided(fill.lower, fill.upper, shared.induction, team.size, Emitter(shared.body.block))
    strided.emit.insert(StoreOp.of(fill.value, fill.buffer, strided.index))
    move_before(around.block, fill)
    Rewriter.erase_op(fill)


def _is_apart(copy: CopyOp) -> bool:
    return not set(roots_of(copy.source)) & set(roots_of(copy.target))


def _share_copy(copy: CopyOp, team: Team) -> None:
    around = Emitter(Block())
    shared = team.loop(around)
    shared.location = copy.location
    emit = Emitter(shared.body.block)
    strided = Strided(emit.index(0), copy.count, shared.induction, team.size, emit)
    _copy_element(copy, strided.index, strided.emit)
    move_before(around.block, copy)
    Rewriter.erase_op(copy)


def _copy_element(copy: CopyOp, number: SSAValue, emit: Emitter) -> None:
    source, target = emit.add(copy.source_index, number), emit.add(copy.target_index, number)
    emit.insert(StoreOp.of(emit.insert(LoadOp.of(copy.source, source)).value, copy.target, target))


def _spread_host_fills(function: FuncOp) -> None:
    """Copies at the top of a function, and fills that need a kernel: an element for each thread."""
    for op in list(function.body.block.ops):
        if isinstance(op, FillOp) and not has_pattern(op.value):
            blocks = _Blocks(op.lower, op.upper, BLOCK, op.location)
            index, emit = blocks.guarded(_units(blocks, "threads", BLOCK))
            emit.insert(StoreOp.of(op.value, op.buffer, index))
            _replace(op, blocks)
        elif isinstance(op, CopyOp) and _is_apart(op):
            emit = Emitter(Block())
            zero = emit.index(0)
            move_before(emit.block, op)
            blocks = _Blocks(zero, op.count, BLOCK, op.location)
            number, emit = blocks.guarded(_units(blocks, "threads", BLOCK))
            _copy_element(op, number, emit)
            _replace(op, blocks)
