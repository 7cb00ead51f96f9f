"""`divide`: a loop becomes a loop over a fixed number of blocks, and one over the coordinates of a block."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from irtensor.passes.schedule.support.counting_pass import CountingPass
from irtensor.passes.schedule.support.cut_nest import Cut, cut_loops
from irtensor.passes.support.pass_base import option


@dataclass(frozen=True)
class DividePass(CountingPass):
    """Divide the loops over a variable into `parts` blocks of equally many coordinates (Kjolstad 2020, section 6.3).

    The outer loop has a fixed number of iterations; the last ones may have fewer coordinates, or none. The inner
    loop is still over the original coordinates, as after `split`, and may go outside in the same way. Of loops that
    are fused, blocks have equally many combinations of coordinates; with `tensor`, equally many stored entries of that
    operand.

    Before: `forall %i { ... %A[%i] ... }`
    After:  `%c = (%n + 3) / 4; forall %i0 from %c0 to %c4 {
             forall %i1 from min(%n, %i0 * %c) to min(%n, %i0 * %c + %c) { ... %A[%i1] ... } }`,
            by `divide{variable=i outer=i0 inner=i1 parts=4}`
    """

    name = "divide"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    variable: str = option("The index variable whose loops are divided.", "")
    outer: str = option("The name of the variable that numbers the blocks.", "")
    inner: str = option("The name of the variable inside of a block.", "")
    parts: int = option("The number of blocks.", 0)
    tensor: str | None = option("The operand whose stored entries are divided equally instead of coordinates.", None)

    def take(self, ctx: Context, op: ModuleOp) -> None:
        cut_loops(op, Cut(self.name, self.variable, self.outer, self.inner, self.tensor, parts=self.parts))
