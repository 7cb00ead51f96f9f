"""What passes that add up segments in vectors have in common: which loops these are, how lanes begin and end."""

from __future__ import annotations

from math import inf

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseArrayBase, FixedBitwidthType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.loop.loop import CellOp, ForOp, GetOp, LoadOp, SetOp
from irtensor.dialects.loop.loop_types import vector_of
from irtensor.dialects.support.create_operation import create_operation
from irtensor.passes.loop.support.accumulation_nests import is_outside
from irtensor.passes.loop.support.consecutive_indices import is_consecutive
from irtensor.passes.speed.support.reductions import old_value
from irtensor.passes.support.emit import Emitter

_FLAG = vector.CombiningKindFlag
# How lanes are combined, and what changes nothing then.
_COMBINATIONS: dict[type[Operation], tuple[vector.CombiningKindFlag, float]] = {
    arith.AddfOp: (_FLAG.ADD, -0.0),
    arith.MulfOp: (_FLAG.MUL, 1.0),
    arith.AddiOp: (_FLAG.ADD, 0),
    arith.MaximumfOp: (_FLAG.MAXIMUMF, -inf),
    arith.MinimumfOp: (_FLAG.MINIMUMF, inf),
    arith.MuliOp: (_FLAG.MUL, 1),
    arith.AndIOp: (_FLAG.AND, -1),
    arith.OrIOp: (_FLAG.OR, 0),
    arith.XOrIOp: (_FLAG.XOR, 0),
}


def reads_by_coordinates(loop: ForOp) -> bool:
    """Whether a loop reads elements that do not lie one behind the other."""
    return any(
        isinstance(op, LoadOp) and not is_outside(op.index, loop) and not is_consecutive(op.index, loop)
        for op in loop.body.block.ops
    )


def fills_a_lane(type: Attribute) -> bool:
    """Whether values of a type are numbers that vectors may consist of."""
    return isinstance(type, FixedBitwidthType) and type != i1


class SegmentSum:
    """A loop that reduces a segment into a cell, and the vector that stands for the cell meanwhile.

    Lanes begin and end around the loop, or around another one that does nothing else.
    """

    def __init__(self, loop: ForOp, update: SetOp, lanes: int, around: ForOp | None = None) -> None:
        old = old_value(update)
        assert old is not None and isinstance(update.value.owner, Operation)
        self.loop, self.update, self.lanes = loop, update, lanes
        self.old: GetOp = old
        self.combine = update.value.owner
        self._combination, self._neutral = _COMBINATIONS[type(self.combine)]
        cell = update.cell
        # A sum of this segment alone starts from the first lane. Others would wait for each other's lanes.
        self._starts = isinstance(cell.owner, CellOp) and cell.owner.parent is (around or loop).parent

    def begin(self, emit: Emitter) -> SSAValue:
        """A cell for the lanes."""
        lanes = self.in_all(emit.number(self._neutral, self.update.value.type), emit)
        return emit.cell(inserted(emit.get(self.update.cell), lanes, 0, emit) if self._starts else lanes)

    def end(self, sums: SSAValue, emit: Emitter) -> None:
        """Let the loop's cell have what all lanes have together."""
        element, cell = self.update.value.type, self.update.cell
        flags = {name: self.combine.properties[name] for name in ("fastmath",) if name in self.combine.properties}
        properties = {"kind": vector.CombiningKindAttr(self._combination), **flags}
        total = create_operation(vector.ReductionOp, (emit.get(sums),), (element,), properties)
        emit.insert(total)
        if not self._starts:
            operands = (emit.get(cell), total.dest)
            total = emit.insert(create_operation(type(self.combine), operands, (element,), self.combine.properties))
        emit.set(total.results[0], cell)

    def in_all(self, value: SSAValue, emit: Emitter) -> SSAValue:
        """A vector that has a value in each lane."""
        type = vector_of(value.type, self.lanes)
        return emit.insert(create_operation(vector.BroadcastOp, (value,), (type,))).results[0]


def inserted(value: SSAValue, lanes: SSAValue, lane: int, emit: Emitter) -> SSAValue:
    """Lanes with a value in one of them."""
    position = {"static_position": DenseArrayBase.from_list(i64, [lane])}
    return emit.insert(create_operation(vector.InsertOp, (value, lanes), (lanes.type,), position)).results[0]
