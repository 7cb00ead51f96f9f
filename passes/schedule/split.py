"""`split`: a loop becomes a loop over blocks of one size, and one over the coordinates of a block."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from irtensor.passes.schedule.support.counting_pass import CountingPass
from irtensor.passes.schedule.support.cut_nest import Cut, cut_loops
from irtensor.passes.support.pass_base import option


@dataclass(frozen=True)
class SplitPass(CountingPass):
    """Split the loops over a variable into blocks of `size` coordinates (Kjolstad 2020, section 6.3).

    The inner loop is still over the original coordinates, those of one block: its body does not change, and it
    may be split again. `reorder` makes it a loop over offsets in blocks where it goes outside of the loop over blocks.
    The last block may be smaller. Of loops that are fused, a block has `size` combinations of coordinates. With
    `tensor`, blocks have `size` stored entries of that operand: those of the level that the variable indexes, each with
    the coordinates up to the next block's first entry. Of an operand in blocks, all elements of stored blocks are
    entries, row by row: sizes that are multiples of the operand's blocks do not cut these. If a block of entries is
    split again, its parts have entries too. Entries in a block of coordinates, or of another operand's entries, are
    found by a search. Where levels store every coordinate, entries are coordinates.

    Before: `forall %i { ... %A[%i] ... }`
    After:  `forall %i0 from %c0 to (%n + 31) / 32 {
             forall %i1 from %i0 * 32 to min(%n, %i0 * 32 + 32) { ... %A[%i1] ... } }`,
            by `split{variable=i outer=i0 inner=i1 size=32}`
    """

    name = "split"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    variable: str = option("The index variable whose loops are split.", "")
    outer: str = option("The name of the variable that numbers the blocks.", "")
    inner: str = option("The name of the variable inside of a block.", "")
    size: int = option("The coordinates of a block, or its stored entries if `tensor` is given.", 0)
    tensor: str | None = option("The operand whose stored entries are counted instead of coordinates.", None)

    def take(self, ctx: Context, op: ModuleOp) -> None:
        cut_loops(op, Cut(self.name, self.variable, self.outer, self.inner, self.tensor, size=self.size))
