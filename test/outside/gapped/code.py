"""How loops read lists with room behind them."""

from xdsl.ir import SSAValue

from irtensor.dialects.storage import ArrayOp
from irtensor.passes.emit import Emitter
from irtensor.passes.level_formats.interface import Fiber, LevelCode
from irtensor.passes.level_formats.stored_list import list_nest, list_search


class GappedLevel(LevelCode):
    """A sorted list per parent, anywhere."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        return list_nest(emit, fiber, *self._segment(emit, fiber))

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return list_search(emit, fiber, *self._segment(emit, fiber), coordinate)

    def _segment(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        begins, ends = (emit.insert(ArrayOp.of(fiber.tensor, name, fiber.level)).result for name in ("begins", "ends"))
        return fiber.segment_bound(emit, begins, fiber.begin), fiber.segment_bound(emit, ends, fiber.begin)
