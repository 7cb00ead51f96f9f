"""How loops read runs."""

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import RunOp, StepperOp, YieldOp
from irtensor.dialects.loop.loop_memory import UpperBoundOp
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.level_formats.interface import Fiber, LevelCode
from irtensor.passes.support.emit import Emitter


class RunsLevel(LevelCode):
    """Chunks with one value each, the last of which ends with the level."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        begin, end = self._segment(emit, fiber)
        if fiber.window is not None:
            begin = self._run_at(emit, fiber, begin, end, fiber.window[0])
        ends, index = fiber.coordinates(emit), IndexType()
        load, chunk = create_block((index,)), create_block((index, index))
        inner = Emitter(load)
        inner.insert(YieldOp.of(inner.load_index(ends, load.args[0])))
        inner = Emitter(chunk)
        inner.insert(YieldOp.of(inner.insert(RunOp.of(fiber.child(inner, chunk.args[0]))).result))
        regions = create_region(load), create_region(chunk)
        stepper = StepperOp.of(emit.cell(begin), end, fiber.extent(emit), *regions, fiber.payload, {})
        return emit.insert(stepper).result

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        run = self._run_at(emit, fiber, *self._segment(emit, fiber), coordinate)
        return emit.insert(RunOp.of(fiber.child(emit, run))).result

    def _segment(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        positions = fiber.positions(emit)
        return fiber.segment_bound(emit, positions, fiber.begin), fiber.segment_bound(emit, positions, fiber.end)

    def _run_at(self, emit: Emitter, fiber: Fiber, begin: SSAValue, end: SSAValue, coordinate: SSAValue) -> SSAValue:
        """The first run that ends after a coordinate."""
        return emit.insert(UpperBoundOp.of(fiber.coordinates(emit), begin, end, coordinate)).position
