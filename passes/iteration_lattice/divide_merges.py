"""`divide-merges`: a parallel loop that merges lists becomes a loop over windows, of about equal work each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Block, SSAValue

from irtensor.dialects.iteration_lattice import CoiterateOp, UnfurlOp
from irtensor.dialects.loop import ForOp, PartsOp
from irtensor.dialects.storage import FiberType, format_of
from irtensor.passes.analysis.races import PARALLEL
from irtensor.passes.balance import balanced_bounds
from irtensor.passes.emit import Emitter, move_before
from irtensor.passes.iteration_lattice.coiteration import nests_of
from irtensor.passes.iteration_lattice.lower_thunk import fiber_bounds
from irtensor.passes.iteration_lattice.unfurl import acts_without, tensor_of
from irtensor.passes.level_formats import LEVEL_FORMATS
from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.pass_base import TensorPass, structured_functions


@dataclass(frozen=True)
class DivideMergesPass(TensorPass):
    """Divide a loop that is marked parallel and goes along several lists, or along one and the gaps in it.

    Before: `coiterate full %lo to %hi over (unfurl %A), (unfurl %B) { body } {parallel = ..}`
    After:  `%parts = loop.parts %work; loop.for %part = 0 to %parts {parallel = ..} { ...;
            coiterate window %first to %last over (unfurl %A), (unfurl %B) { body } }`
    The work before a coordinate is the number of entries that all operands store before it, in all levels: a search in
    each list, and then positions. Where a part begins is found by bisection of the coordinates, so that no part begins
    among entries of the same coordinate. Loops that become loops over positions or over all coordinates are left as
    they are, to be divided when they are loops, and so are those over lists in no order.
    """

    name = "divide-merges"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            for loop in [inner for inner in function.walk() if isinstance(inner, CoiterateOp)]:
                if PARALLEL in loop.attributes and loop.full is not None and _merges(loop):
                    _divide(loop)


def _merges(loop: CoiterateOp) -> bool:
    """Whether a loop follows lists that are in order, and visits not just the entries of one of them."""
    lists: list[int] = []
    for number, nest in enumerate(loop.nests):
        if not isinstance(nest.owner, UnfurlOp) or tensor_of(nest.owner.fiber) is None:
            return False
        level = _level_of(nest.owner)
        if not level.ordered:
            return False
        if not level.properties.inserts:
            lists.append(number)
    return len(lists) > 1 or (len(lists) == 1 and acts_without(loop, lists))


def _level_of(nest: UnfurlOp):
    fiber = nest.fiber.type
    assert isinstance(fiber, FiberType)
    return format_of(fiber.tensor).levels[fiber.level.data].format


def _divide(loop: CoiterateOp) -> None:
    nests = [nest for _, nest in nests_of(loop, UnfurlOp)]
    before = Emitter(Block())
    fibers = [fiber for nest in nests if (fiber := _counted(nest, before)) is not None]
    if not fibers:
        return
    lowest = _entries_before(fibers, loop.lo, before)
    total = before.sub(_entries_before(fibers, loop.hi, before), lowest)
    parts = before.insert(PartsOp.of(total)).parts
    parts.name_hint = "parts"
    around = before.insert(ForOp.of(before.index(0), parts, loop.attributes))
    around.location = loop.location
    emit, part = Emitter(around.body.block), around.induction
    part.name_hint = "part"

    def work(coordinate: SSAValue, emit: Emitter) -> SSAValue:
        return emit.sub(_entries_before(fibers, coordinate, emit), lowest)

    bounds = balanced_bounds((loop.lo, loop.hi), part, parts, total, work, emit)
    move_before(before.block, loop)
    for op in (*dict.fromkeys(nests), loop):
        op.detach()
        emit.insert(op)
    loop.operands[0], loop.operands[1] = bounds
    loop.full, loop.window = None, UnitAttr()
    del loop.attributes[PARALLEL]


def _counted(nest: UnfurlOp, emit: Emitter) -> Fiber | None:
    """The fiber of a nest, if positions tell how many entries it has before a coordinate."""
    bounds, tensor = fiber_bounds(nest.fiber, emit), tensor_of(nest.fiber)
    level = _level_of(nest).properties
    if bounds is None or tensor is None or level.workspace_only or not level.compact:
        return None
    assert isinstance(nest.fiber.type, FiberType)
    return Fiber(tensor, nest.fiber.type.level.data, *bounds)


def _entries_before(fibers: Sequence[Fiber], coordinate: SSAValue, emit: Emitter) -> SSAValue:
    """How many entries come before a coordinate, or what their number is off by the same for all coordinates."""
    total = emit.index(0)
    for fiber in fibers:
        levels = [level.format for level in format_of(fiber.type).levels]
        code = LEVEL_FORMATS[levels[fiber.level].name]
        position = code.first_from(emit, fiber, coordinate)
        total = emit.add(total, position)
        for number in range(fiber.level + 1, len(levels)):
            if not levels[number].properties.compact:
                break
            below = Fiber(fiber.tensor, number, fiber.begin, position)
            position = LEVEL_FORMATS[levels[number].name].children(emit, below)[1]
            total = emit.add(total, position)
    return total
