"""Looplets of a list of stored coordinates in positions [begin, end): what compressed and singleton levels share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType, UnitAttr
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import (
    JumperOp,
    RunOp,
    SequenceOp,
    SpikeOp,
    StepperOp,
    YieldOp,
)
from irtensor.dialects.loop.loop_memory import LowerBoundOp, UpperBoundOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.level_formats.known_positions import first_from
from irtensor.passes.level_formats.result_writer import result_writer_of
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.unordered_error import UnorderedError

_index = IndexType()


Child = Callable[[Emitter, SSAValue], SSAValue]


class _Entries(NamedTuple):
    """The positions [begin, end) of an array of coordinates, or where `start` is given, of these plus that number."""

    coordinates: SSAValue
    begin: SSAValue
    end: SSAValue
    start: SSAValue | None


def list_nest(
    emit: Emitter,
    fiber: Fiber,
    begin: SSAValue,
    end: SSAValue,
    child: Child | None = None,
    start: SSAValue | None = None,
) -> SSAValue:
    """Gaps and stored entries up to the last stored coordinate, then nothing but the fill value (Ahrens 2024).

    `child` gives the child at a position of the list, where that is not the fiber's child at that position. The list
    has coordinates, or where `start` is given, these plus that number.
    """
    coordinates = fiber.coordinates(emit)
    entries = _window(emit, fiber, _Entries(coordinates, begin, end, start))
    gallops = child is None and fiber.gallops and fiber.format.ordered
    stepper = (JumperOp if gallops else StepperOp).of(
        emit.cell(entries.begin),
        entries.end,
        _end_of_last(emit, fiber, entries),
        create_region(load_end(coordinates, start)),
        create_region(_chunk(fiber, child)),
        fiber.payload,
        _properties(fiber),
    )
    emit.insert(stepper)
    rest = emit.insert(RunOp.of(fiber.gap(emit))).result
    return emit.insert(SequenceOp.of((stepper.stop,), (stepper.result, rest))).result


def list_search(emit: Emitter, fiber: Fiber, begin: SSAValue, end: SSAValue, coordinate: SSAValue) -> SSAValue:
    """The entry at one coordinate, found by binary search, or the fill value."""
    if not fiber.format.ordered:
        raise unordered_search(fiber, "a single coordinate")
    coordinates = fiber.coordinates(emit)
    first = emit.insert(LowerBoundOp.of(coordinates, begin, end, coordinate)).position
    if fiber.format.unique:
        after = emit.add(first, emit.index(1))
        in_range = emit.compare("slt", first, end)
        safe = emit.select(in_range, first, emit.index(0))
        stored = emit.load_index(coordinates, safe)
        found = emit.both(in_range, emit.compare("eq", stored, coordinate))
    else:
        after = emit.insert(UpperBoundOp.of(coordinates, first, end, coordinate)).position
        found = emit.compare("slt", first, after)
        safe = first
    return fiber.entry_if(emit, found, safe, after)


def append(
    emit: Emitter,
    parent: Slot,
    coordinate: SSAValue,
    certain: bool,
    body: Body,
    others: Mapping[str, SSAValue] = MappingProxyType({}),
) -> Emitter:
    """Write below a new entry, then append it; nonunique levels wait for the branchless level inside them.

    `others`: what further arrays of coordinates of the level hold for it. Gives the block in which more may be done for
    the entry.
    """
    writer, level = result_writer_of(parent), parent.level
    listed = writer.levels[level].properties.entry_coordinates is not None
    coordinates = (*parent.coordinates, coordinate) if listed else ()
    if level + 1 < len(writer.levels) and writer.levels[level + 1].pattern.branchless:
        body(emit, replace(parent, level=level + 1, coordinates=coordinates))
        return emit
    position = writer.next_position(level, emit)
    if not writer.has_room(level):
        writer.reserve(level, emit.add(position, emit.index(1)), emit)
    return writer.add_entry(parent, position, coordinates, certain, body, emit, others)


def _properties(fiber: Fiber) -> dict[str, Attribute]:
    properties: dict[str, Attribute] = {}
    if not fiber.format.unique:
        properties["nonunique"] = UnitAttr()
    if not fiber.format.ordered:
        properties["nonordered"] = UnitAttr()
    return properties


def _window(emit: Emitter, fiber: Fiber, entries: _Entries) -> _Entries:
    """Those entries that lie in the fiber's window."""
    if fiber.window is None:
        return entries
    if not fiber.format.ordered:
        raise unordered_search(fiber, "a part of its coordinates", "do not split its loop")
    coordinates, begin, end, start = entries
    lo, hi = fiber.window if start is None else [emit.add(start, limit) for limit in fiber.window]
    if start is not None:
        first = emit.insert(LowerBoundOp.of(coordinates, begin, end, lo)).position
        return entries._replace(begin=first, end=emit.insert(LowerBoundOp.of(coordinates, first, end, hi)).position)
    first = first_from(emit, fiber, coordinates, begin, end, lo)
    return entries._replace(begin=first, end=first_from(emit, fiber, coordinates, first, end, hi))


def unordered_search(fiber: Fiber, what: str, otherwise: str | None = None) -> UnorderedError:
    """The error for a list in no order in which something would have to be searched."""
    level = format_of(fiber.type).level_text(fiber.level)
    help = "sort the operand: convert it to the same format without nonordered"
    return UnorderedError(
        "unordered-search",
        f"level {fiber.level} ({level}) of '{fiber.tensor.name_hint}' is not ordered, so {what} cannot be searched",
        fiber.tensor,
        f"is searched for {what}",
        help=help if otherwise is None else f"{help}, or {otherwise}",
    )


def _end_of_last(emit: Emitter, fiber: Fiber, entries: _Entries) -> SSAValue:
    """One past the last stored coordinate, where the range starts if there is none.

    Every buffer has a readable element 0.
    """
    coordinates, begin, end, start = entries
    one, zero = emit.index(1), emit.index(0)
    stored = emit.compare("slt", begin, end)
    last = _listed(emit, coordinates, emit.select(stored, emit.sub(end, one), zero), start)
    return emit.select(stored, emit.add(last, one), zero if fiber.window is None else fiber.window[0])


def _listed(emit: Emitter, coordinates: SSAValue, position: SSAValue, start: SSAValue | None) -> SSAValue:
    """The coordinate at a position of a list."""
    stored = emit.load_index(coordinates, position)
    return stored if start is None else emit.sub(stored, start)


def load_end(coordinates: SSAValue, start: SSAValue | None = None) -> Block:
    """The code that gives where the chunk at a position of a list ends: after its coordinate."""
    block = create_block((_index,))
    emit = Emitter(block)
    end = emit.add(_listed(emit, coordinates, block.args[0], start), emit.index(1))
    emit.insert(YieldOp.of(end))
    return block


def _chunk(fiber: Fiber, child: Child | None) -> Block:
    block = create_block((_index, _index))
    emit = Emitter(block)
    position, after = block.args
    position.name_hint = "p"
    entry = fiber.child(emit, position, after) if child is None else child(emit, position)
    nest = emit.insert(SpikeOp.of(fiber.gap(emit), entry)).result
    emit.insert(YieldOp.of(nest))
    return block
