"""`divide`: a loop becomes a loop over a fixed number of blocks, and one over the coordinates of a block."""

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
    compute_before,
    cut_loop,
    loop_range,
    nests_named,
    set_range,
)
from irtensor.passes.emit import Emitter
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class DividePass(TensorPass):
    """Divide the loops over a variable into `parts` blocks of equally many coordinates (Kjolstad 2020, section 6.3).

    The outer loop has a fixed number of turns, the last of which may have fewer coordinates, or none. The inner loop is
    still over the original coordinates, as after `split`. Of loops that are fused, blocks have equally many
    combinations of coordinates; with `tensor`, equally many stored entries of that operand.

    Before: `forall %i { ... %A[%i] ... }`
    After:  `%c = (%n + 3) / 4; forall %i0 from %c0 to %c4 {
             forall %i1 from min(%n, %i0 * %c) to min(%n, %i0 * %c + %c) { ... %A[%i1] ... } }`,
            by `divide{variable=i outer=i0 inner=i1 parts=4}`
    """

    name = "divide"
    variable: str = ""
    outer: str = ""
    inner: str = ""
    parts: int = 0
    tensor: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        nests = nests_named(op, self.variable, self.name)
        check_count(self.name, "parts", self.parts, nests[0][0])
        check_new_names(self.name, [nest[0] for nest in nests], (self.outer, self.inner))
        for nest in nests:
            if len(nest) == 1 and self.tensor is None:
                self._divide(nest[0])
            else:
                cut_nest(nest, Cut(self.name, self.outer, self.inner, self.tensor, parts=self.parts))

    def _divide(self, loop: ForallOp) -> None:
        lo, hi = loop_range(loop, self.name)
        around = cut_loop(loop, self.outer, self.inner)
        computed = Block()
        emit = Emitter(computed)
        length = emit.divide(emit.add(emit.sub(hi, lo), emit.index(self.parts - 1)), emit.index(self.parts))
        zero, parts, length = compute_before(around, computed, (emit.index(0), emit.index(self.parts), length))
        around.operands = (zero, parts)
        window = Block()
        emit = Emitter(window)
        start = emit.add(lo, emit.mul(around.variable, length))
        end = emit.min(hi, emit.add(start, length))
        set_range(loop, emit.min(hi, start), end, window)
