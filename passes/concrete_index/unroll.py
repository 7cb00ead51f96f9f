"""`unroll`: several iterations of a loop become one, in the machine code."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

from irtensor.dialects.concrete_index import ForallOp
from irtensor.dialects.diagnostics import UserError
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.known_iterations import most_iterations
from irtensor.passes.concrete_index.loop_ranges import MOST_ITERATIONS, check_count, nests_named
from irtensor.passes.concrete_index.recorded_steps import record_step
from irtensor.passes.pass_base import TensorPass, option

UNROLL = "unroll"


@dataclass(frozen=True)
class UnrollPass(TensorPass):
    """Tag the loops over a variable, so that LLVM does `factor` iterations of them at a time; 1 forbids it.

    Without a factor, a loop is written out as a whole: a `bound` or the size of a block has to say how many iterations
    it has at most. Any counted loop may be unrolled, over coordinates or over the entries of one list; it pays where
    the number of iterations is fixed, as inside of blocks of one size. A loop that merges lists has no count.

    Before: `forall %i1 from %lo to %hi { ... }`
    After:  `forall %i1 from %lo to %hi attributes {unroll = 4 : i64} { ... }`, by `unroll{variable=i1 factor=4}`
    """

    name = "unroll"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    variable: str = option("The index variable whose loops are unrolled; of fused loops, the innermost.", "")
    factor: int = option("The iterations that are done at a time; 1 forbids unrolling, 0 stands for all.", 0)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        loops = [nest[-1] for nest in nests_named(op, self.variable, self.name)]
        if self.factor:
            check_count(self.name, "factor", self.factor, loops[0], MOST_ITERATIONS)
        record_step(self.name, loops)
        for loop in loops:
            loop.attributes[UNROLL] = IntegerAttr(self.factor or _all_of(loop), i64)


def _all_of(loop: ForallOp) -> int:
    most, name = most_iterations(loop), name_of(loop.variable)
    if most is None:
        problem = "may have any number of iterations"
    elif most > MOST_ITERATIONS:
        problem = f"has up to {most} iterations"
    else:
        return max(most, 1)
    raise UserError(
        "illegal-unroll",
        f"unroll: loop {name} cannot be written out as a whole, because it {problem}",
        op=loop,
        help=f"give a factor, as in unroll({name}, 4), say bound({name}, n) with an n up to {MOST_ITERATIONS}, "
        f"or split {name} into blocks of so many",
    )
