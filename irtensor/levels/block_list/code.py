"""Block list: `pos` delimits each parent's blocks, `crd` says where each of them ends (Ahrens 2024, Finch's VBL).

The entries of block `q` are at the positions from `ofs[q]` to `ofs[q+1]`, so that it has as many coordinates as these.
Blocks of one parent are in order and do not overlap. What lies between them is not stored.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import RunOp, SequenceOp
from irtensor.dialects.loop.loop import AppendOp, AssembledOp, CloseOp, CounterOp, IfOp, ReserveOp
from irtensor.dialects.loop.loop_memory import UpperBoundOp
from irtensor.passes.level_formats.interface import Fiber, NumberedLevel, lookup
from irtensor.passes.level_formats.result_writer import ResultWriter, result_writer_of
from irtensor.passes.level_formats.segmented_level import SegmentedLevel
from irtensor.passes.level_formats.stored_list import append
from irtensor.passes.level_formats.stored_runs import end_of_last, first_run_after, run_nest, runs_before
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class _Block(NamedTuple):
    """The coordinates [begin, end) of a block; `start` is what their positions are more than they are."""

    begin: SSAValue
    end: SSAValue
    start: SSAValue


class BlockListLevel(SegmentedLevel, NumberedLevel):
    """A chunk for each block and the gap before it, then a gap; inside of a block each coordinate is looked up."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        begin, end = fiber.segment(emit)
        ends = fiber.array(emit, "ends")
        if fiber.window is not None:
            begin = first_run_after(emit, ends, begin, end, fiber.window[0])
            end = _begun_before(emit, fiber, begin, end, fiber.window[1])

        def chunk(inner: Emitter, position: SSAValue) -> SSAValue:
            block = _block(inner, fiber, position)

            def child(within: Emitter, _: Fiber, coordinate: SSAValue) -> SSAValue:
                return fiber.child(within, within.add(block.start, coordinate), coordinate=coordinate)

            gap = inner.insert(RunOp.of(fiber.gap(inner))).result
            nests = gap, lookup(inner, fiber, child)
            return inner.insert(SequenceOp.of((block.begin,), nests, inside=True)).result

        stop = end_of_last(emit, fiber, ends, begin, end)
        stepper = run_nest(emit, fiber, ends, begin, end, chunk, stop)
        rest = emit.insert(RunOp.of(fiber.gap(emit))).result
        return emit.insert(SequenceOp.of((stop,), (stepper, rest))).result

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        begin, end = fiber.segment(emit)
        found = first_run_after(emit, fiber.array(emit, "ends"), begin, end, coordinate)
        is_there = emit.compare("slt", found, end)
        block = _block(emit, fiber, found, is_there)
        is_inside = emit.both(is_there, emit.compare("sle", block.begin, coordinate))
        position = emit.select(is_inside, emit.add(block.start, coordinate), emit.index(0))
        return fiber.entry_if(emit, is_inside, position, coordinate=coordinate)

    def children(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        offsets = fiber.array(emit, "offsets")
        begin, end = fiber.segment(emit)
        return emit.load_index(offsets, begin), emit.load_index(offsets, end)

    def counter(self, writer: ResultWriter, level: int) -> SSAValue:
        return writer.blocks[level]

    def begin(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        writer.blocks[level] = emit.insert(CounterOp.of()).counter
        super().begin(emit, writer, level)
        emit.insert(ReserveOp.of(writer.growable("offsets", level, emit), emit.index(1)))
        emit.store_index(emit.index(0), writer.data("offsets", level, emit), emit.index(0))

    def begin_segment(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        # Where the last block ends, and its number; where there is none, no coordinate can be in it.
        writer.of_segment[level] = emit.cell(emit.index(-1)), emit.cell(emit.index(0))

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        writer, level = result_writer_of(parent), parent.level
        written, one = append(emit, parent, coordinate, certain, body), emit.index(1)
        (last, block), blocks = writer.of_segment[level], writer.blocks[level]
        is_new = written.compare("ne", written.get(last), coordinate)
        begun = Emitter(written.insert(IfOp.of(is_new)).then.block)
        number, step = begun.count(blocks), begun.index(1)
        after = begun.add(number, step)
        begun.insert(ReserveOp.of(writer.growable("ends", level, begun), after))
        begun.insert(ReserveOp.of(writer.growable("offsets", level, begun), begun.add(after, step)))
        begun.set(number, block)
        begun.insert(AppendOp.of(step, blocks))
        number, end = written.get(block), written.add(coordinate, one)
        written.store_index(end, writer.data("ends", level, written), number)
        offsets, behind = writer.data("offsets", level, written), written.add(number, one)
        written.insert(CloseOp.of(offsets, behind, writer.counts[level]))
        written.set(end, last)

    def finish(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        super().finish(emit, writer, level)
        for name, first in (("ends", 0), ("offsets", 1)):
            growable, parts = writer.growable(name, level, emit), (emit.index(1), emit.index(first))
            emit.insert(AssembledOp.of(growable, writer.blocks[level], *parts))

    def first_from(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        begin, end = fiber.segment(emit)
        found = first_run_after(emit, fiber.array(emit, "ends"), begin, end, coordinate)
        is_there = emit.compare("slt", found, end)
        first = emit.load_index(fiber.array(emit, "offsets"), found)
        block = _block(emit, fiber, found, is_there)
        return emit.select(is_there, emit.max(first, emit.add(block.start, coordinate)), first)

    def entry(self, emit: Emitter, fiber: Fiber, position: SSAValue) -> tuple[SSAValue, SSAValue]:
        one, zero = emit.index(1), emit.index(0)
        begin, end = fiber.segment(emit)
        offsets = fiber.array(emit, "offsets")
        after = emit.insert(UpperBoundOp.of(offsets, begin, emit.add(end, one), position)).position
        # Of no blocks at all there is one offset.
        block = emit.max(emit.sub(emit.min(after, end), one), zero)
        last = emit.load_index(fiber.array(emit, "ends"), block)
        past = emit.load_index(offsets, emit.min(emit.add(block, one), end))
        above = emit.insert(UpperBoundOp.of(fiber.positions(emit), fiber.begin, fiber.end, block)).position
        return emit.sub(last, emit.sub(past, position)), emit.max(emit.sub(above, one), zero)


def _begun_before(emit: Emitter, fiber: Fiber, begin: SSAValue, end: SSAValue, coordinate: SSAValue) -> SSAValue:
    """The number in [begin, end) of the first block that begins at a coordinate or after it, or `end`."""
    last = runs_before(emit, fiber.array(emit, "ends"), begin, end, coordinate)
    is_there = emit.compare("slt", last, end)
    is_begun = emit.both(is_there, emit.compare("slt", _block(emit, fiber, last, is_there).begin, coordinate))
    return emit.select(is_begun, emit.add(last, emit.index(1)), last)


def _block(emit: Emitter, fiber: Fiber, block: SSAValue, is_there: SSAValue | None = None) -> _Block:
    """The block of a number: any of the fiber's tensor, or none, where it is not there."""
    offsets, one = fiber.array(emit, "offsets"), emit.index(1)
    after = emit.add(block, one)
    if is_there is not None:
        zero = emit.index(0)
        block, after = emit.select(is_there, block, zero), emit.select(is_there, after, zero)
    end = emit.load_index(fiber.array(emit, "ends"), block)
    first, past = emit.load_index(offsets, block), emit.load_index(offsets, after)
    return _Block(emit.sub(end, emit.sub(past, first)), end, emit.sub(past, end))
