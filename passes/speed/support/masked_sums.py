"""Sums whose lanes may be used in part: what becomes of an element's loads and operations in all lanes at once."""

from __future__ import annotations

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import AnyFloat, IntegerType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.loop.loop import GatherOp, GetOp, LoadLanesOp, LoadOp, SelectLanesOp
from irtensor.dialects.loop.loop_types import vector_of
from irtensor.dialects.support.create_operation import clone_operation, create_operation
from irtensor.passes.loop.support.accumulation_nests import is_outside
from irtensor.passes.loop.support.consecutive_indices import is_consecutive
from irtensor.passes.speed.accumulate_in_registers import is_lanewise
from irtensor.passes.speed.support.lanes import in_lanes
from irtensor.passes.speed.support.segment_sums import SegmentSum, fills_a_lane
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.recompute import recomputed


def adds_quickly(type: Attribute) -> bool:
    """Whether vectors of a type are computed as fast as they are read: narrow and wide integers are not."""
    return isinstance(type, AnyFloat) or type == i32


class MaskedSum(SegmentSum):
    """A loop over entries whose sum goes by vectors, the last of them used in part."""

    def accepts(self, op: Operation) -> bool:
        """Whether an operation of the loop can be one on lanes, or is one that finds an element's number."""
        if op is self.update or op is self.old or self._is_number(op) or self._is_index(op):
            return True
        if isinstance(op, GetOp):
            return op.cell is not self.update.cell
        if isinstance(op, LoadOp):
            index = op.index
            is_read = is_outside(index, self.loop) or is_consecutive(index, self.loop) or self.counted(op) is not None
            return is_read and fills_a_lane(op.value.type)
        return is_lanewise(op) and all(fills_a_lane(one.type) for one in (*op.operands, *op.results))

    def _is_number(self, op: Operation) -> bool:
        """Whether an operation turns a coordinate into an element's number, and nothing else uses that."""
        if not isinstance(op, arith.IndexCastOp) or not isinstance(op.input.type, IntegerType):
            return False
        source = op.input.owner
        is_read = isinstance(source, LoadOp) and is_consecutive(source.index, self.loop)
        return is_read and all(isinstance(use.operation, LoadOp) and use.index == 1 for use in op.result.uses)

    def _is_index(self, op: Operation) -> bool:
        """Whether an operation computes the number of an element, which lies behind that of the iteration before."""
        if not isinstance(op, arith.AddiOp | arith.SubiOp) or not is_consecutive(op.result, self.loop):
            return False
        uses = [use.operation for use in op.result.uses]
        return all(isinstance(use, LoadOp) or self._is_index(use) for use in uses)

    def counted(self, load: LoadOp) -> LoadOp | None:
        """The load of the coordinates that index the gathered load."""
        number = load.index.owner
        if not isinstance(number, arith.IndexCastOp) or not self._is_number(number):
            return None
        coordinate = number.input.owner
        assert isinstance(coordinate, LoadOp)
        return coordinate


class Vector:
    """The body of a loop for the iterations from one on: in all lanes, or in so many of the first."""

    def __init__(self, sum: MaskedSum, position: SSAValue, count: SSAValue | None, emit: Emitter) -> None:
        self.sum, self.count, self.emit = sum, count, emit
        self.lanes = sum.lanes
        self.known: dict[SSAValue, SSAValue] = {sum.loop.induction: position}
        self.vectors: dict[SSAValue, SSAValue] = {}

    def add(self, sums: SSAValue) -> None:
        """Combine the lanes of a cell with those of this vector."""
        old = self.vectors[self.sum.old.value] = self.emit.get(sums)
        new = self._vector(self.sum.update.value)
        if self.count is not None:
            new = self.emit.insert(SelectLanesOp.of(new, old, self.count)).value
        self.emit.set(new, sums)

    def _vector(self, value: SSAValue) -> SSAValue:
        found = self.vectors.get(value)
        if found is None:
            found = self.vectors[value] = self._new_vector(value)
        return found

    def _new_vector(self, value: SSAValue) -> SSAValue:
        op, loop, emit = value.owner, self.sum.loop, self.emit
        if not isinstance(op, Operation) or is_outside(value, loop):
            return self.sum.in_all(value, emit)
        if isinstance(op, LoadOp) and not is_outside(op.index, loop):
            return self._read(op)
        if isinstance(op, LoadOp | GetOp) or not op.operands:
            return self.sum.in_all(emit.insert(clone_operation(op, {})).results[0], emit)
        return emit.insert(in_lanes(op, [self._vector(one) for one in op.operands], self.lanes)).results[0]

    def _read(self, load: LoadOp) -> SSAValue:
        """The elements that the lanes read: one behind the other, or by numbers."""
        emit, type = self.emit, vector_of(load.value.type, self.lanes)
        coordinate = self.sum.counted(load)
        if coordinate is None:
            position = self._number(load.index)
            if self.count is None:
                return emit.insert(LoadOp.of(load.buffer, position, type)).value
            return emit.insert(LoadLanesOp.of(load.buffer, position, self.count, type)).value
        numbers, wide = self._vector(coordinate.value), vector_of(i64, self.lanes)
        if numbers.type != wide:
            numbers = emit.insert(create_operation(llvm.SExtOp, (numbers,), (wide,))).results[0]
        return emit.insert(GatherOp.of(load.buffer, numbers, self.count or emit.index(self.lanes), type)).value

    def _number(self, value: SSAValue) -> SSAValue:
        """An element's number in the first lane."""
        return recomputed(value, self.known, self.emit.insert, self.sum.loop.is_ancestor)
