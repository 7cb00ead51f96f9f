"""Run list: `pos` delimits each parent's runs, `crd` says where each of them ends (Ahrens 2024, Finch's RunList).

A run begins where the one before it ends, the first of a parent at 0. The last ends with the extent.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import RunOp
from irtensor.passes.level_formats.interface import Fiber, LevelCode
from irtensor.passes.level_formats.stored_runs import first_run_after, run_nest
from irtensor.passes.support.emit import Emitter


class RunListLevel(LevelCode):
    """Runs that cover a fiber: which of them holds a coordinate is found by its end."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        begin, end = fiber.segment(emit)
        ends = fiber.coordinates(emit)
        if fiber.window is None:
            return run_nest(emit, fiber, ends, begin, end)
        begin = first_run_after(emit, ends, begin, end, fiber.window[0])
        return run_nest(emit, fiber, ends, begin, end, stop=fiber.window[1])

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        run = first_run_after(emit, fiber.coordinates(emit), *fiber.segment(emit), coordinate)
        return emit.insert(RunOp.of(fiber.child(emit, run))).result
