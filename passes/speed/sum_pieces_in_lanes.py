"""`sum-pieces-in-lanes`: a sum over several blocks of elements has one vector of lanes for all of them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.algebra.order_of_sums import approximates
from irtensor.dialects.loop.loop import AS_IT_IS, ForOp, LoadOp, PrefetchOp
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.cleanup.hoist_invariants import is_speculatable
from irtensor.passes.loop.support.segments import position_read
from irtensor.passes.speed.support.masked_sums import MaskedSum, Vector, adds_quickly
from irtensor.passes.speed.support.reductions import update_of
from irtensor.passes.speed.support.segment_sums import reads_by_coordinates
from irtensor.passes.support.emit import Emitter, move_before, move_behind
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option

# So many bytes ahead, elements are asked for that lie one behind the other in all blocks.
_AHEAD = 1280


@dataclass(frozen=True)
class SumPiecesInLanesPass(TensorPass):
    """Let a sum over a segment of blocks, where each block is a loop over consecutive elements, stay in lanes from the
    first block to the last.

    Blocks are short as a rule. Lanes that are combined for each of them take longer than the products do, and so does a
    loop over what whole vectors leave of each. Here a block ends with one more vector, which uses its first lanes.

    Before: `for %q = %begin to %end { for %j = %first to %last { %t += %a[%s + %j] * %x[%j] } }`
    After:  `%sums = cell zeros; for %q = %begin to %end { for %v = 0 to %length / 8 { %sums += 8 products };
            %sums += the first %length % 8 lanes of the products behind }; %t += sum of the lanes of %sums`
    Only where sums may be reassociated, and where vectors used in part are fast.
    """

    name = "sum-pieces-in-lanes"
    accepts = ("loop",)
    leaves = ("loop", "llvm")
    after = {
        "lower-algebra-to-arith": "only upstream arithmetic is recognised",
        "accumulate-in-registers": "rows that are summed are in registers already",
    }
    before = {
        "sum-in-lanes": "loops in lanes are left as they are",
        "mask-remainders": "only loops without lanes are left to LLVM",
    }

    lanes: int = option("The elements that are taken at once.", 8, choices=(2, 4, 8, 16))

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            if loop.parent is None or loop.attributes or position_read(loop.upper) is None:
                continue
            inner = _piece(loop)
            if inner is None or reads_by_coordinates(inner) or approximates(inner.body.block):
                continue
            update = update_of(inner)
            if update is None or loop.is_ancestor(update.cell.owner) or not adds_quickly(update.value.type):
                continue
            found = _PiecesSum(inner, update, self.lanes, loop)
            if all(map(found.accepts, inner.body.block.ops)):
                found.write(loop)


def _piece(loop: ForOp) -> ForOp | None:
    """The loop inside of a loop that does nothing else but find its bounds."""
    last = loop.body.block.last_op
    if not isinstance(last, ForOp) or last.attributes:
        return None
    rest = list(loop.body.block.ops)[:-1]
    return last if all(isinstance(op, LoadOp) or is_speculatable(op) for op in rest) else None


class _PiecesSum(MaskedSum):
    """Emits the vectors of each block, with lanes that begin before the first and end behind the last."""

    def write(self, around: ForOp) -> None:
        before, behind, emit = Emitter(Block()), Emitter(Block()), Emitter(Block())
        sums = self.begin(before)
        length = emit.max(emit.sub(self.loop.upper, self.loop.lower), emit.index(0))
        self._add(sums, length, emit)
        self.end(sums, behind)
        move_before(emit.block, self.loop)
        move_before(before.block, around)
        erase_operation(self.loop)
        move_behind(behind.block, around)

    def _add(self, sums: SSAValue, length: SSAValue, emit: Emitter) -> None:
        """Emit a first vector, which is the only one of most short blocks, and a loop over further ones."""
        lower = self.loop.lower
        self._add_vector(sums, lower, length, emit)
        vectors = emit.divide(emit.add(length, emit.index(self.lanes - 1)), emit.index(self.lanes))
        inner = emit.insert(ForOp.of(emit.index(1), vectors, {"unroll": AS_IT_IS["unroll"]}))
        body = Emitter(inner.body.block)
        done = body.mul(inner.induction, body.index(self.lanes))
        self._add_vector(sums, body.add(lower, done), body.sub(length, done), body)

    def _add_vector(self, sums: SSAValue, position: SSAValue, count: SSAValue, emit: Emitter) -> None:
        """Emit the sum of as many elements as are left of a count, and ask for those of blocks ahead."""
        for load in self.loop.body.block.ops:
            if isinstance(load, LoadOp) and load.index is self.loop.induction:
                type = held_type(load.buffer)
                assert isinstance(type, FixedBitwidthType)
                ahead = emit.add(position, emit.index(_AHEAD * 8 // type.bitwidth))
                emit.insert(PrefetchOp.of(load.buffer, ahead))
        Vector(self, position, count, emit).add(sums)
