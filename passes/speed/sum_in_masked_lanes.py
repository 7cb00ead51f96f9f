"""`sum-in-masked-lanes`: sums over segments go by vectors; the last vector is used in part."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.algebra.order_of_sums import approximates
from irtensor.dialects.loop.loop import AS_IT_IS, ForOp, IfOp
from irtensor.passes.loop.support.segments import position_read
from irtensor.passes.speed.support.masked_sums import MaskedSum, Vector, adds_quickly
from irtensor.passes.speed.support.reductions import update_of
from irtensor.passes.speed.support.segment_sums import reads_by_coordinates
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option

# As many entries take no longer one by one.
_FEW = 4


@dataclass(frozen=True)
class SumInMaskedLanesPass(TensorPass):
    """Let sums over segments take some entries at once. Elements one behind the other are read as a vector, and what
    coordinates count by an instruction, on processors where these are fast.

    The number of entries differs between segments. The rest after whole vectors is one more vector, which uses its
    first lanes. It adds to the same sums, and no branch asks whether a rest exists. Few entries take no vector.

    Before: `for %p = %begin to %end { %t += %a[%p] * %x[%crd[%p]] }`
    After:  `if %length > 4 { %sums = cell zeros;
            for %q = 0 to %length / 8 { %sums += %a[8 elements] * gather %x[%crd[8 elements]] };
            %left = %length % 8; %sums += the first %left lanes of (load_lanes %a[...] * gather %x[load_lanes %crd]);
            %t += sum of the lanes of %sums } else { for %p = %begin to %end { ... } }`
    Only where sums may be reassociated, and something is read by a coordinate. Where a library has functions for
    vectors, LLVM makes these.
    """

    name = "sum-in-masked-lanes"
    accepts = ("loop",)
    leaves = ("loop", "llvm")
    after = {
        "lower-algebra-to-arith": "only upstream arithmetic is recognised",
        "accumulate-in-registers": "rows that are summed are in registers already",
        "prefetch-gathers": "nothing is asked for early where sums are short",
    }
    before = {
        "sum-in-lanes": "the remaining elements are read one by one",
        "mask-remainders": "only loops without lanes are left to LLVM",
    }

    lanes: int = option("The entries that are taken at once.", 8, choices=(2, 4, 8, 16))

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            if loop.attributes or position_read(loop.upper) is None or approximates(loop.body.block):
                continue
            if not reads_by_coordinates(loop):
                continue
            update = update_of(loop)
            if update is not None and adds_quickly(update.value.type):
                found = _Sum(loop, update, self.lanes)
                if all(map(found.accepts, loop.body.block.ops)):
                    found.write()


class _Sum(MaskedSum):
    """Emits the loop over whole vectors, and the vector behind it, in the place of a loop over entries."""

    def write(self) -> None:
        loop, emit = self.loop, Emitter(Block())
        length = emit.sub(loop.upper, loop.lower)
        branch = emit.insert(IfOp.of(emit.compare("sgt", length, emit.index(_FEW)), with_else=True))
        self._sum(length, Emitter(branch.then.block))
        move_before(emit.block, loop)
        loop.detach()
        branch.otherwise.block.add_op(loop)
        loop.attributes.update(AS_IT_IS)

    def _sum(self, length: SSAValue, emit: Emitter) -> None:
        lower, lanes = self.loop.lower, emit.index(self.lanes)
        whole = emit.divide(length, lanes)
        sums = self.begin(emit)
        inner = emit.insert(ForOp.of(emit.index(0), whole, {"unroll": AS_IT_IS["unroll"]}))
        body = Emitter(inner.body.block)
        Vector(self, body.add(lower, body.mul(inner.induction, body.index(self.lanes))), None, body).add(sums)
        done = emit.mul(whole, lanes)
        Vector(self, emit.add(lower, done), emit.sub(length, done), emit).add(sums)
        self.end(sums, emit)
