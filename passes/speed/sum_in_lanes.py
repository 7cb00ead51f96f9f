"""`sum-in-lanes`: sums over segments go by vectors, for which what coordinates lead to is read one by one."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import AS_IT_IS, ForOp, IfOp, LoadOp, SetOp
from irtensor.dialects.loop.loop_types import vector_of
from irtensor.passes.loop.support.accumulation_nests import is_outside
from irtensor.passes.loop.support.consecutive_indices import is_consecutive
from irtensor.passes.loop.support.segments import position_read
from irtensor.passes.speed.accumulate_in_registers import is_lanewise
from irtensor.passes.speed.support.lanes import in_lanes
from irtensor.passes.speed.support.reductions import update_of
from irtensor.passes.speed.support.segment_sums import SegmentSum, fills_a_lane, inserted, reads_by_coordinates
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option
from irtensor.passes.support.recompute import recomputed

_ONE = IntegerAttr(1, i64)


@dataclass(frozen=True)
class SumInLanesPass(TensorPass):
    """Let sums over segments take some entries at once. Elements one behind the other are read as a vector, and what
    coordinates lead to is read one by one into the lanes of another.

    Where a processor reads scattered elements by one instruction no faster than one by one, LLVM takes vectors of
    coordinates apart to read by them, which takes longer than to read the coordinates as single numbers.

    Before: `for %p = %begin to %end { %t += %a[%p] * %x[%crd[%p]] }`
    After:  `if %length >= 4 { %sums = cell zeros; for %q = 0 to %length / 4 { %sums += %a[4 elements] *
            [%x[%crd[%begin + 4 * %q]], %x[%crd[%begin + 4 * %q + 1]], ...] }; %t += sum of the lanes of %sums };
            for %p = %begin + (%length & -4) to %end { %t += %a[%p] * %x[%crd[%p]] }`
    Only where sums may be reassociated, and something is read by a coordinate. The least and the greatest number of a
    segment are found in the same way.
    """

    name = "sum-in-lanes"
    accepts = ("loop",)
    leaves = ("loop", "llvm")
    after = {
        "lower-algebra-to-arith": "only upstream arithmetic is recognised",
        "accumulate-in-registers": "rows that are summed are in registers already",
        "prefetch-gathers": "nothing is asked for early where sums are short",
    }
    before = {"mask-remainders": "loops that are left have no reads of single elements"}

    lanes: int = option("The entries that are taken at once.", 4, choices=(2, 4, 8, 16))

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            if loop.attributes or position_read(loop.upper) is None or not reads_by_coordinates(loop):
                continue
            update = update_of(loop, extremes=True)
            if update is not None and fills_a_lane(update.value.type):
                _Lanes(loop, update, self.lanes).write()
            elif update is not None:
                # Behind whole vectors, LLVM would ask of each lane whether it is masked.
                loop.attributes["interleave"] = _ONE


class _Lanes(SegmentSum):
    """Emits the loop over whole vectors in front of one over entries, which is left with the rest."""

    def __init__(self, loop: ForOp, update: SetOp, lanes: int) -> None:
        super().__init__(loop, update, lanes)
        self.vectors: dict[SSAValue, SSAValue] = {}
        # For each lane, the copies of the values of the loop.
        self.scalars: list[dict[SSAValue, SSAValue]] = [{} for _ in range(lanes)]

    def write(self) -> None:
        loop, emit = self.loop, Emitter(Block())
        length, lanes = emit.sub(loop.upper, loop.lower), emit.index(self.lanes)
        start = emit.cell(loop.lower)
        inside = Emitter(emit.insert(IfOp.of(emit.compare("sge", length, lanes))).then.block)
        count = inside.divide(length, lanes)
        self._sum_vectors(count, inside)
        inside.set(inside.add(loop.lower, inside.mul(count, lanes)), start)
        rest = emit.get(start)
        move_before(emit.block, loop)
        loop.operands[0] = rest
        loop.attributes.update(AS_IT_IS)

    def _sum_vectors(self, count: SSAValue, emit: Emitter) -> None:
        sums = self.begin(emit)
        inner = emit.insert(ForOp.of(emit.index(0), count, {"unroll": AS_IT_IS["unroll"]}))
        body = Emitter(inner.body.block)
        first = body.add(self.loop.lower, body.mul(inner.induction, body.index(self.lanes)))
        for lane, known in enumerate(self.scalars):
            known[self.loop.induction] = body.add(first, body.index(lane))
        self.vectors[self.old.value] = body.get(sums)
        body.set(self._vector(self.update.value, body), sums)
        self.end(sums, emit)

    def _vector(self, value: SSAValue, emit: Emitter) -> SSAValue:
        """The lanes of a value that a vector can hold."""
        found = self.vectors.get(value)
        if found is None:
            found = self.vectors[value] = self._new_vector(value, emit)
        return found

    def _new_vector(self, value: SSAValue, emit: Emitter) -> SSAValue:
        op = value.owner
        if not isinstance(op, Operation) or is_outside(value, self.loop):
            return self.in_all(value, emit)
        type = vector_of(value.type, self.lanes)
        if isinstance(op, LoadOp) and is_outside(op.index, self.loop):
            return self.in_all(self._scalar(value, 0, emit), emit)
        if isinstance(op, LoadOp) and is_consecutive(op.index, self.loop):
            return emit.insert(LoadOp.of(op.buffer, self._scalar(op.index, 0, emit), type)).value
        if is_lanewise(op) and all(fills_a_lane(one.type) for one in op.operands):
            return emit.insert(in_lanes(op, [self._vector(one, emit) for one in op.operands], self.lanes)).results[0]
        lanes: SSAValue | None = None
        for lane in range(self.lanes):
            scalar = self._scalar(value, lane, emit)
            lanes = self.in_all(scalar, emit) if lanes is None else inserted(scalar, lanes, lane, emit)
        assert lanes is not None
        return lanes

    def _scalar(self, value: SSAValue, lane: int, emit: Emitter) -> SSAValue:
        """A value in one lane."""
        return recomputed(value, self.scalars[lane], emit.insert, self.loop.is_ancestor)
