"""`lower-entry`: entries are numbered by the positions of the levels below a fiber."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.iteration_lattice.lattice_entries import EntryCountOp, EntryNumberOp, EntryOp
from irtensor.dialects.loop.loop_memory import LoadOp
from irtensor.dialects.storage.storage import FiberType, FillFiberOp
from irtensor.dialects.support.create_operation import create_block, erase_operation
from irtensor.levels.level_codes import numbered_level
from irtensor.passes.iteration_lattice.lower_thunk import fiber_bounds
from irtensor.passes.iteration_lattice.support.known_values import known_value, presence_of
from irtensor.passes.iteration_lattice.unfurl import tensor_of
from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.pass_base import TensorPass


class LowerEntryPass(TensorPass):
    """Find entries by their position: the coordinate is read, the position of the parent found by a search, which
    begins and ends at coordinates of the first level if they are given. Entries before a coordinate are counted by a
    search for it.

    Before: `%i, %j = entry %fiber, %n past %rows, %columns`, with a dense level above a compressed one
    After:  `%j = load %crd[%begin + %n]; %parent = upper_bound %pos[...], %begin + %n; %i = (%parent - 1) mod %rows`
    """

    name = "lower-entry"
    accepts = ("iteration_lattice",)
    leaves = ("iteration_lattice", "storage", "algebra", "loop")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for nested in list(op.walk()):
            if isinstance(nested, EntryOp | EntryCountOp | EntryNumberOp):
                lower_entry(nested)


def lower_entry(op: EntryOp | EntryCountOp | EntryNumberOp) -> bool:
    """Lower one operation whose fiber is resolved to positions."""
    block = create_block()
    emit = Emitter(block)
    count = len(op.past) if isinstance(op, EntryOp) else op.levels.value.data
    if isinstance(op.fiber.owner, FillFiberOp):
        values = [emit.index(0)] if isinstance(op, EntryCountOp) else _past(op)
    else:
        bounds, tensor = fiber_bounds(op.fiber, emit), tensor_of(op.fiber)
        if bounds is None or tensor is None:
            return False
        assert isinstance(op.fiber.type, FiberType)
        fibers = _fibers(tensor, op.fiber.type.level.data, count, bounds, emit)
        match op:
            case EntryOp():
                values = _entry(op, fibers, emit)
            case EntryCountOp():
                values = [_count(op, fibers, emit)]
            case EntryNumberOp():
                start = emit.add(fibers[-1].begin, op.first)
                number = _number(op.found, start, op.past, emit)
                if number is None:
                    return False
                values = [number]
    _replace(op, block, values)
    return True


def _past(op: EntryOp | EntryNumberOp) -> list[SSAValue]:
    return list(op.past) if isinstance(op, EntryOp) else [op.past]


def _number(found: SSAValue, start: SSAValue, past: SSAValue, emit: Emitter) -> SSAValue | None:
    """How far the position at which something was found lies behind the start; `past` without an entry."""
    if known_value(found) is not None:
        return past
    if (present := presence_of(found)) is not None:
        assert isinstance(found.owner, Operation)
        number = _number(found.owner.operands[1], start, past, emit)
        return None if number is None else emit.select(present, number, past)
    return emit.sub(found.owner.index, start) if isinstance(found.owner, LoadOp) else None


def _fibers(tensor: SSAValue, first: int, count: int, bounds: tuple[SSAValue, SSAValue], emit: Emitter) -> list[Fiber]:
    """The levels below positions, and last the values below all of them: a fiber of no level, between entries."""
    fibers = [Fiber(tensor, first, *bounds)]
    for level in range(first, first + count):
        below = numbered_level(fibers[-1]).children(emit, fibers[-1])
        fibers.append(Fiber(tensor, level + 1, *below))
    return fibers


def _count(op: EntryCountOp, fibers: list[Fiber], emit: Emitter) -> SSAValue:
    end = _first_from(fibers[0], op.before, emit) if op.before else fibers[-1].end
    return emit.sub(end, fibers[-1].begin)


def _first_from(fiber: Fiber, coordinates: Sequence[SSAValue], emit: Emitter) -> SSAValue:
    """The position of the first entry at coordinates of some levels, or behind them: below those of the outer levels,
    if there are any, it is that of the first one from the last coordinate on."""
    *outer, last = coordinates
    for coordinate in outer:
        end = numbered_level(fiber).children(emit, fiber)[1]
        ends = (coordinate, emit.add(coordinate, emit.index(1)))
        # Of levels that store every coordinate, none is behind the last.
        first, after = (emit.min(end, numbered_level(fiber).first_from(emit, fiber, one)) for one in ends)
        fiber = Fiber(fiber.tensor, fiber.level + 1, first, after)
    position = numbered_level(fiber).first_from(emit, fiber, last)
    if not outer:
        return position
    # Below a missing entry, no entry exists either.
    return emit.min(numbered_level(fiber).children(emit, fiber)[1], position)


def _entry(op: EntryOp, fibers: list[Fiber], emit: Emitter) -> list[SSAValue]:
    entries = fibers.pop()
    if op.between:
        fibers = _between(fibers, op.between, emit)
    position = emit.add(entries.begin, op.number)
    exists = emit.compare("slt", position, entries.end)
    position = emit.select(exists, position, emit.index(0))
    coordinates: list[SSAValue] = []
    for fiber, past in zip(reversed(fibers), reversed(op.past), strict=True):
        coordinate, position = numbered_level(fiber).entry(emit, fiber, position)
        coordinates.append(emit.select(exists, coordinate, past))
    return coordinates[::-1]


def _between(fibers: list[Fiber], ends: Sequence[SSAValue], emit: Emitter) -> list[Fiber]:
    """The same levels below two coordinates of the first one, and the coordinates between them."""
    outermost = fibers[0]
    level, past = numbered_level(outermost), numbered_level(outermost).children(emit, outermost)[1]
    begin, last = (level.first_from(emit, outermost, end) for end in ends)
    narrow = [
        outermost,
        Fiber(outermost.tensor, outermost.level + 1, begin, emit.min(past, emit.add(last, emit.index(1)))),
    ]
    for _ in fibers[2:]:
        below = numbered_level(narrow[-1]).children(emit, narrow[-1])
        narrow.append(Fiber(outermost.tensor, narrow[-1].level + 1, *below))
    return narrow


def _replace(op: Operation, block: Block, values: list[SSAValue]) -> None:
    assert op.parent is not None
    for new in operations_of(block):
        new.detach()
        new.location = op.location
        op.parent.insert_op_before(new, op)
    for old, value in zip(op.results, values, strict=True):
        old.replace_all_uses_with(value)
    erase_operation(op)
