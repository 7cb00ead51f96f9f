"""`split`: a loop becomes a loop over blocks of one size, and one over the coordinates of a block."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from irtensor.dialects.concrete_index import ForallOp
from irtensor.passes.concrete_index.cut_nest import Cut, cut_nest
from irtensor.passes.concrete_index.loop_ranges import (
    check_count,
    check_new_names,
    cut_loop,
    is_multiple,
    loop_range,
    nests_named,
    set_range,
)
from irtensor.passes.emit import Emitter
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class SplitPass(TensorPass):
    """Split the loops over a variable into blocks of `size` coordinates (Kjolstad 2020, section 6.3).

    The inner loop is still over the original coordinates, those of one block: what is inside does not change, and it
    may be split again. The last block may be smaller. Of loops that are fused, a block has `size` combinations of
    coordinates. With `tensor`, blocks have `size` stored entries of that operand: those of the level that the variable
    indexes, each with the coordinates up to the next block's first entry.

    Before: `forall %i { ... %A[%i] ... }`
    After:  `forall %i0 from %c0 to (%n + 31) / 32 {
             forall %i1 from %i0 * 32 to min(%n, %i0 * 32 + 32) { ... %A[%i1] ... } }`,
            by `split{variable=i outer=i0 inner=i1 size=32}`
    """

    name = "split"
    variable: str = ""
    outer: str = ""
    inner: str = ""
    size: int = 0
    tensor: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        nests = nests_named(op, self.variable, self.name)
        check_count(self.name, "size", self.size, nests[0][0])
        check_new_names(self.name, [nest[0] for nest in nests], (self.outer, self.inner))
        for nest in nests:
            if len(nest) == 1 and self.tensor is None:
                self._split(nest[0])
            else:
                cut_nest(nest, Cut(self.name, self.outer, self.inner, self.tensor, size=self.size))

    def _split(self, loop: ForallOp) -> None:
        lo, hi = loop_range(loop, self.name)
        around = cut_loop(loop, self.outer, self.inner)
        counted = Block()
        emit = Emitter(counted)
        blocks = emit.divide(emit.add(emit.sub(hi, lo), emit.index(self.size - 1)), emit.index(self.size))
        set_range(around, emit.index(0), blocks, counted)
        window = Block()
        emit = Emitter(window)
        size = emit.index(self.size)
        start = emit.add(lo, emit.mul(around.variable, size))
        end = emit.add(start, size)
        if not is_multiple(hi, self.size):
            end = emit.min(hi, end)
        set_range(loop, start, end, window)
