"""`unroll`: several iterations of a loop become one, in the machine code."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

from irtensor.passes.concrete_index.loop_ranges import MOST_ITERATIONS, check_count, loops_named
from irtensor.passes.concrete_index.recorded_steps import record_step
from irtensor.passes.pass_base import TensorPass, option


@dataclass(frozen=True)
class UnrollPass(TensorPass):
    """Tag the loops over a variable, so that LLVM does `factor` iterations of them at a time; 1 forbids it.

    Any loop may be unrolled; it pays where the number of iterations is fixed, as inside of blocks of one size. A loop
    that merges several lists is no counted loop, and the tag does nothing there.

    Before: `forall %i1 from %lo to %hi { ... }`
    After:  `forall %i1 from %lo to %hi attributes {unroll = 4 : i64} { ... }`, by `unroll{variable=i1 factor=4}`
    """

    name = "unroll"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    variable: str = option("The index variable whose loops are unrolled.", "")
    factor: int = option("The iterations that are done at a time; 1 forbids unrolling.", 0)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        loops = loops_named(op, self.variable, self.name)
        check_count(self.name, "factor", self.factor, loops[0], MOST_ITERATIONS)
        record_step(self.name, loops)
        for loop in loops:
            loop.attributes["unroll"] = IntegerAttr(self.factor, i64)
