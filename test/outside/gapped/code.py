"""How loops read lists with room behind them, and write them without room."""

from xdsl.ir import SSAValue

from irtensor.core.argument_layout import has_static_positions
from irtensor.dialects.loop.loop import CloseOp, ForOp
from irtensor.dialects.storage.storage import ArrayOp
from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.level_formats.result_writer import AppendedLevel, ResultWriter
from irtensor.passes.level_formats.stored_list import append, list_nest, list_search
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class GappedLevel(AppendedLevel):
    """A sorted list per parent, anywhere."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        return list_nest(emit, fiber, *self._segment(emit, fiber))

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return list_search(emit, fiber, *self._segment(emit, fiber), coordinate)

    def _segment(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        begins, ends = (emit.insert(ArrayOp.of(fiber.tensor, name, fiber.level)).result for name in ("begins", "ends"))
        return fiber.segment_bound(emit, begins, fiber.begin), fiber.segment_bound(emit, ends, fiber.begin)

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        append(emit, parent, coordinate, certain, body)

    def begin(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        if has_static_positions(writer.format, level):
            writer.clear("ends", level, writer.width(-1, level, emit), emit)

    def open(self, emit: Emitter, writer: ResultWriter, level: int, first: SSAValue, past: SSAValue) -> None:
        emit.insert(CloseOp.of(writer.data("ends", level, emit), first, writer.counts[level], past))

    def close(self, emit: Emitter, writer: ResultWriter, level: int, parent: SSAValue) -> None:
        emit.insert(CloseOp.of(writer.data("ends", level, emit), parent, writer.counts[level]))

    def finish(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        # Each list begins where the one before ends; a parent that was never closed has an empty one.
        begins, ends = (writer.data(name, level, emit) for name in ("begins", "ends"))
        last = emit.cell(emit.index(0))
        loop = emit.insert(ForOp.of(emit.index(0), writer.parent_count(level, emit)))
        inner = Emitter(loop.body.block)
        begin = inner.get(last)
        end = inner.max(begin, inner.load_index(ends, loop.induction))
        inner.store_index(begin, begins, loop.induction)
        inner.store_index(end, ends, loop.induction)
        inner.set(end, last)
