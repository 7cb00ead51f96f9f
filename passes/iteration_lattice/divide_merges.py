"""`divide-merges`: a parallel loop that merges lists becomes a loop over windows, of about equal work each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from xdsl.dialects.builtin import IndexType, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import CoiterateOp, PlaceOp, UnfurlOp
from irtensor.dialects.loop.loop import ForOp, PartsOp
from irtensor.dialects.storage.storage import FiberType, ResultOp, format_of
from irtensor.dialects.support.create_operation import (
    copy_of,
    create_block,
    create_operation,
    create_region,
    insert_operation,
)
from irtensor.dialects.support.is_inside import is_inside
from irtensor.levels.level_codes import level_code, numbered_level
from irtensor.passes.analysis.races import PARALLEL, WINDOWS, unmark
from irtensor.passes.iteration_lattice.lower_thunk import fiber_bounds
from irtensor.passes.iteration_lattice.support.coiteration import nests_of
from irtensor.passes.iteration_lattice.support.updates import written_tensor
from irtensor.passes.iteration_lattice.unfurl import acts_without, tensor_of
from irtensor.passes.level_formats.interface import CompactLevel, Fiber
from irtensor.passes.support.balance import balanced_bounds
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass
from irtensor.passes.support.step_costs import ITERATIONS


class DivideMergesPass(TensorPass):
    """Divide a loop that is marked parallel and iterates over several lists, or over one and the gaps in it.

    Before: `coiterate full %lo to %hi over (unfurl %A), (unfurl %B) { body } {parallel = ..}`
    After:  `%parts = loop.parts %work; loop.for %part = 0 to %parts {parallel = ..} { ...;
            coiterate window %first to %last over (unfurl %A), (unfurl %B) { body } }`
    The work before a coordinate is the number of entries that all operands store before it, in all levels: a search in
    each list, and then positions. Where a part begins is found by bisection of the coordinates, so that no part begins
    among entries of the same coordinate; how many parts are worth it depends on loops along extents inside as well.
    Loops that become loops over positions or over all coordinates are left as they are, to be divided when they are
    loops, and so are those over lists in no order.
    """

    name = "divide-merges"
    accepts = ("iteration_lattice.coiterate",)
    leaves = ("iteration_lattice", "iteration_lattice.coiterate", "storage", "loop")
    before = {"lower-looplets": "merges are rewritten into loops there, one after the other"}

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, CoiterateOp):
            needs_windows = loop.attributes.pop(WINDOWS, None) is not None
            is_parallel = PARALLEL in loop.attributes
            if loop.full is None or not (is_parallel or _is_counted(loop)):
                continue
            if _merges(loop, even_one=needs_windows or not is_parallel):
                _divide(loop)
            elif needs_windows:
                unmark(loop)


def _is_counted(loop: CoiterateOp) -> bool:
    """Whether it is an outermost loop that appends to a result whose entries are counted before, by a first run."""
    if not isinstance(loop.parent_op(), FuncOp):
        return False
    written = [written_tensor(place.fiber) for place in operations_in(loop, PlaceOp)]
    results = [tensor.owner for tensor in written if tensor is not None]
    return any(isinstance(result, ResultOp) and result.counted is not None for result in results)


def _merges(loop: CoiterateOp, even_one: bool) -> bool:
    """Whether a loop follows lists that are in order, and visits not just the entries of one of them (`even_one`)."""
    lists: list[int] = []
    for number, nest in enumerate(loop.nests):
        if not isinstance(nest.owner, UnfurlOp) or tensor_of(nest.owner.fiber) is None:
            return False
        if fiber_bounds(nest.owner.fiber, Emitter(create_block())) is None:
            return False
        level = nest.owner.level_format
        if not level.access.inserts:
            lists.append(number)
            if level.pieces != "entries":
                return False
        if not level.ordered:
            return False
    return len(lists) > 1 or (len(lists) == 1 and (even_one or acts_without(loop, lists)))


def _divide(loop: CoiterateOp) -> None:
    nests = list(dict.fromkeys(nest for _, nest in nests_of(loop, UnfurlOp)))
    before, inside = Emitter(create_block()), Emitter(create_block((IndexType(),)))
    part = inside.block.args[0]
    part.name_hint = "part"
    parts, bounds = before.index(1), (loop.lo, loop.hi)
    if PARALLEL in loop.attributes:
        parts, bounds = _windows(loop, nests, part, before, inside)
    around = create_operation(
        ForOp, (before.index(0), parts), regions=(create_region(inside.block),), attributes=loop.attributes
    )
    around.location = loop.location
    before.insert(around)
    move_before(before.block, loop)
    inside.take((*_of_its_own(nests, loop), loop))
    loop.operands[0], loop.operands[1] = bounds
    loop.full, loop.window = None, UnitAttr()
    unmark(loop)


def _of_its_own(nests: Sequence[UnfurlOp], loop: CoiterateOp) -> Iterator[UnfurlOp]:
    """Nests that nothing but a loop uses: copies where something does."""
    for nest in nests:
        if all(use.operation is loop for use in nest.result.uses):
            yield nest
        else:
            copy = copy_of(nest)
            copy.result.name_hint = nest.result.name_hint
            insert_operation(copy, loop)
            for number, operand in enumerate(loop.operands):
                if operand is nest.result:
                    loop.operands[number] = copy.result
            yield copy


def _windows(
    loop: CoiterateOp, nests: Sequence[UnfurlOp], part: SSAValue, before: Emitter, inside: Emitter
) -> tuple[SSAValue, tuple[SSAValue, SSAValue]]:
    """Emit the number of parts before the loop over them, and inside of it where a part begins and ends."""
    fibers = [fiber for nest in nests if (fiber := _counted(nest, before)) is not None]
    ends = [numbered_level(fiber).children(before, fiber) for fiber in fibers]
    lowest, highest = (_entries_before(fibers, positions, before) for positions in zip(*ends, strict=True))
    total = before.sub(highest, lowest)
    coordinates = before.index(0)
    for begin, end in ends:
        coordinates = before.add(coordinates, before.sub(end, begin))
    for_each_coordinate, for_each_entry = _iterations_along_extents(loop, {fiber.tensor for fiber in fibers}, before)
    work = before.add(before.mul(coordinates, for_each_coordinate), before.mul(total, for_each_entry))
    parts = before.insert(PartsOp.of(work)).parts
    parts.name_hint = "parts"

    def entries(coordinate: SSAValue, emit: Emitter) -> SSAValue:
        positions = [numbered_level(fiber).first_from(emit, fiber, coordinate) for fiber in fibers]
        return emit.sub(_entries_before(fibers, positions, emit), lowest)

    return parts, balanced_bounds((loop.lo, loop.hi), part, parts, total, entries, inside)


def _iterations_along_extents(
    loop: CoiterateOp, counted: Collection[SSAValue], emit: Emitter
) -> tuple[SSAValue, SSAValue]:
    """Emit how many iterations loops along extents have for each coordinate, and for each entry, itself included.

    Loops whose coordinates are entries of the `counted` tensors do not count.
    """
    lengths: dict[Operation, SSAValue] = {}
    outer, deeper = [emit.index(0)], [emit.index(1)]
    for inner in operations_in(loop.body, CoiterateOp):
        if not _is_along_extent(inner, counted) or any(is_inside(bound, loop) for bound in (inner.lo, inner.hi)):
            continue
        around = _loop_around(inner)
        rounded = emit.add(emit.sub(inner.hi, inner.lo), emit.index(ITERATIONS.lanes - 1))
        lengths[inner] = emit.mul(
            lengths.get(around, emit.index(1)), emit.divide(rounded, emit.index(ITERATIONS.lanes))
        )
        while around in lengths:
            around = _loop_around(around)
        (outer if around is loop else deeper).append(lengths[inner])
    return emit.max(*outer), emit.max(*deeper)


def _loop_around(op: Operation) -> Operation:
    around = op.parent_op()
    while not isinstance(around, CoiterateOp):
        assert around is not None
        around = around.parent_op()
    return around


def _is_along_extent(loop: CoiterateOp, counted: Collection[SSAValue]) -> bool:
    return loop.full is not None and all(
        isinstance(nest.owner, UnfurlOp)
        and nest.owner.level_format.pattern.full
        and tensor_of(nest.owner.fiber) not in counted
        for nest in loop.nests
    )


def _counted(nest: UnfurlOp, emit: Emitter) -> Fiber | None:
    """The fiber of a nest, if positions tell how many entries it has before a coordinate."""
    bounds, tensor = fiber_bounds(nest.fiber, emit), tensor_of(nest.fiber)
    if bounds is None or tensor is None or not nest.level_format.properties.numbers_entries:
        return None
    assert isinstance(nest.fiber.type, FiberType)
    return Fiber(tensor, nest.fiber.type.level.data, *bounds)


def _entries_before(fibers: Sequence[Fiber], positions: Sequence[SSAValue], emit: Emitter) -> SSAValue:
    """How many entries come before positions of fibers, in all levels, or what their number is always off by."""
    total = emit.index(0)
    for fiber, position in zip(fibers, positions, strict=True):
        total = emit.add(total, position)
        for number in range(fiber.level + 1, len(format_of(fiber.type).levels)):
            below = Fiber(fiber.tensor, number, fiber.begin, position)
            code = level_code(below.format.name)
            if not isinstance(code, CompactLevel):
                break
            position = code.children(emit, below)[1]
            total = emit.add(total, position)
    return total
