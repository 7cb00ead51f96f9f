"""Sparse run list: `pos` delimits each parent's runs, from `beg` up to `crd` (Ahrens 2024, Finch's SparseRunList).

Runs of one parent are in order and do not overlap. They may touch. What lies between them is not stored.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import RunOp, SequenceOp
from irtensor.passes.level_formats.interface import Fiber, RangesLevel
from irtensor.passes.level_formats.segmented_level import SegmentedLevel
from irtensor.passes.level_formats.stored_list import append
from irtensor.passes.level_formats.stored_runs import end_of_last, first_run_after, run_nest, runs_before
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class SparseRunListLevel(SegmentedLevel, RangesLevel):
    """A chunk for each run and the gap before it, then a gap."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        begin, end = self.children(emit, fiber)
        ends, begins = fiber.coordinates(emit), fiber.array(emit, "begins")
        if fiber.window is not None:
            begin = first_run_after(emit, ends, begin, end, fiber.window[0])
            end = runs_before(emit, begins, begin, end, fiber.window[1])

        def chunk(inner: Emitter, position: SSAValue) -> SSAValue:
            gap = inner.insert(RunOp.of(fiber.gap(inner))).result
            run = inner.insert(RunOp.of(fiber.child(inner, position))).result
            first = inner.load_index(begins, position)
            return inner.insert(SequenceOp.of((first,), (gap, run), inside=True)).result

        stop = end_of_last(emit, fiber, ends, begin, end)
        stepper = run_nest(emit, fiber, ends, begin, end, chunk, stop)
        rest = emit.insert(RunOp.of(fiber.gap(emit))).result
        return emit.insert(SequenceOp.of((stop,), (stepper, rest))).result

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        begin, end = self.children(emit, fiber)
        run = first_run_after(emit, fiber.coordinates(emit), begin, end, coordinate)
        is_there = emit.compare("slt", run, end)
        safe = emit.select(is_there, run, emit.index(0))
        first = emit.load_index(fiber.array(emit, "begins"), safe)
        return fiber.entry_if(emit, emit.both(is_there, emit.compare("sle", first, coordinate)), safe)

    def write_range(
        self, emit: Emitter, parent: Slot, begin: SSAValue, end: SSAValue, certain: bool, body: Body
    ) -> None:
        append(emit, parent, end, certain, body, {"begins": begin})
