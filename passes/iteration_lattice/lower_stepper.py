"""`lower-stepper`: a product of lists of stored entries becomes a walk over one, or a merge of several."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    IfOp,
    PlaceOp,
    RunOp,
    SequenceOp,
    SpikeOp,
    StepperOp,
    WalkOp,
    yielded,
)
from irtensor.dialects.storage.storage import FiberType
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.analysis.races import unmark
from irtensor.passes.iteration_lattice.support.coiteration import (
    UNIT,
    emit_coiterate,
    has_windows,
    inline_region,
    known_gap,
    nests_of,
    probe_with,
    replace,
    rewrite_all,
    waits_for_others,
)
from irtensor.passes.iteration_lattice.support.counted_loops import check_counted
from irtensor.passes.iteration_lattice.support.cutting import ends_explicitly
from irtensor.passes.iteration_lattice.support.list_order import check_order
from irtensor.passes.iteration_lattice.support.merging import Merge
from irtensor.passes.iteration_lattice.support.revisiting import may_revisit
from irtensor.passes.iteration_lattice.support.seeking import position_behind, seek_all
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.pass_base import TensorPass, option

_index = IndexType()


@dataclass(frozen=True)
class LowerStepperPass(TensorPass):
    """Visit the chunks of steppers in order of coordinate.

    Before: `coiterate %lo to %stop over (stepper %q to %end ... chunk { spike %gap, %v }) { body }`
    After:  `walk %begin to %end { (%p): coiterate unit over (run %v) { body } }` for a single stepper,
            `merge cursors %q, %r ... cases [[0, 1], [0], [1]] { ... }` for several.
    Where the range may end before a single stepper, and nothing happens in gaps, the last position is searched before.
    The cases of a merge are the combinations of aligned chunks that do anything.
    """

    name = "lower-stepper"
    accepts = ("iteration_lattice.coiterate",)
    leaves = ("iteration_lattice", "iteration_lattice.coiterate", "storage", "algebra", "loop")
    max_cases: int = option("The most cases of a merge that get a body each.", 7)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_all(op, lambda coiterate: lower_stepper(coiterate, self.max_cases))


def lower_stepper(op: CoiterateOp, max_cases: int = 7) -> bool:
    """Lower one coiterate over steppers and lookups; at most `max_cases` bodies, else one that selects payloads."""
    steppers = nests_of(op, StepperOp)
    if not steppers or op.unit is not None or waits_for_others(op, StepperOp):
        return False
    block = create_block()
    emit = Emitter(block)
    if ends_explicitly(op, emit):
        move_before(block, op)
        return True
    seek_all(op, emit)
    is_live = op.live is not None and [n.data for n in op.live.data] == [steppers[0][0]]
    if len(steppers) == 1 and (is_live or op.live is None):
        number, stepper = steppers[0]
        gap = known_gap(stepper.chunk)
        gaps_matter = gap is None or probe_with(op, _replaced(op, number, gap)).effect
        repeats = not gaps_matter and not has_windows(op) and may_revisit(op.body.block, op.body.block.args[1 + number])
        is_counted = is_live or not (gaps_matter or stepper.nonordered or stepper.holes)
        if is_counted and (stepper.nonunique is None or repeats):
            if gaps_matter:
                check_counted(op, [stepper])
            check_order(stepper, gaps_matter or _appends(op.body.block, op.body.block.args[0]))
            last = stepper.end if is_live else position_behind(stepper, op.hi, emit)
            _emit_walk(op, number, stepper, last, gaps_matter, emit)
            if not is_live:
                emit.set(last, stepper.cursor)
            replace(op, block)
            return True
    for _, stepper in steppers:
        check_order(stepper, True)
    Merge(op, steppers, max_cases).emit(emit)
    replace(op, block)
    return True


def _replaced(op: CoiterateOp, number: int, nest: SSAValue) -> list[SSAValue]:
    return [*op.nests[:number], nest, *op.nests[number + 1 :]]


def _appends(block: Block, coordinate: SSAValue) -> bool:
    """Whether entries of a result are appended in the order of a coordinate's loop, but not to a nonordered level."""
    for op in block.ops:
        if isinstance(op, PlaceOp) and isinstance(op.fiber.type, FiberType):
            level = op.fiber.type.level_format
            if not level.access.inserts:
                if level.ordered or op.coordinate is not coordinate:
                    return True
                continue
        if any(_appends(region.block, coordinate) for region in op.regions):
            return True
    return False


def _skips_gaps(op: CoiterateOp, number: int, stepper: StepperOp) -> bool:
    """Whether chunks begin with gaps in which nothing happens, so that where each chunk begins does not matter."""
    chunk = yielded(stepper.chunk)[0].owner
    if not isinstance(chunk, SequenceOp) or chunk.inside is None or len(chunk.nests) != 2:
        return False
    gap = chunk.nests[0].owner
    return isinstance(gap, RunOp) and not probe_with(op, _replaced(op, number, gap.payload)).effect


def _emit_walk(
    op: CoiterateOp, number: int, stepper: StepperOp, past: SSAValue, gaps_matter: bool, emit: Emitter
) -> None:
    begin, tags = emit.get(stepper.cursor), dict(op.attributes)
    skips = _skips_gaps(op, number, stepper)
    running = emit.cell(op.lo) if gaps_matter and not skips else None
    body = create_block((_index,), ("p",))
    inner = Emitter(body)
    position = body.args[0]
    last = stepper.result.has_one_use()
    end = inline_region(stepper.load, (position,), inner, last=last and stepper.holes is None)[0]
    if stepper.holes is not None:
        stored = inner.compare("sgt", end, inner.index(0))
        inner = Emitter(inner.insert(IfOp.of(stored, create_region(), create_region())).then.block)
        # Loads at a coordinate may be moved to where the coordinate is known: that is one only here.
        end = inline_region(stepper.load, (position,), inner, last=last)[0]
    chunk = inline_region(stepper.chunk, (position, inner.add(position, inner.index(1))), inner, last=last)[0]
    if skips:
        # The loop over chunks is marked for both.
        unmark(op)
        assert isinstance(chunk.owner, SequenceOp)
        (first,), nest = chunk.owner.ends, chunk.owner.nests[1]
        # The first chunk may begin before the range.
        first = first if constant_index(op.lo) == 0 else inner.max(op.lo, first)
        emit_coiterate(inner, op.body.block, first, end, _replaced(op, number, nest), last=True)
    elif running is not None:
        emit_coiterate(inner, op.body.block, inner.get(running), end, _replaced(op, number, chunk), last=True)
        inner.set(end, running)
    else:
        spike = chunk.owner
        assert isinstance(spike, SpikeOp)
        at = inner.sub(end, inner.index(1))
        emit_coiterate(inner, op.body.block, at, end, _replaced(op, number, spike.tail), UNIT, last=True)
    walk = emit.insert(WalkOp.of(begin, past, create_region(body)))
    walk.attributes.update(tags)
    walk.location = op.location
