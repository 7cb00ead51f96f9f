"""`unroll`: several iterations of a loop become one, in the machine code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

from irtensor.core.diagnostics import UserError
from irtensor.dialects.concrete_index.concrete_index import ForallOp
from irtensor.passes.analysis.enclosing_loops import enclosing_loops
from irtensor.passes.analysis.races import LEAVE_OUT
from irtensor.passes.analysis.ranges import only_forall
from irtensor.passes.analysis.windows import known_distance, known_iterations
from irtensor.passes.concrete_index.support.earlier_cut import earlier_cut
from irtensor.passes.concrete_index.support.loop_ranges import MOST_ITERATIONS, check_count, fused_name, nests_named
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.schedule.bound import BoundPass
from irtensor.passes.schedule.split import SplitPass
from irtensor.passes.support.advised_pass import AdvisedPass, is_allowed
from irtensor.passes.support.pass_base import option

UNROLL = "unroll"


@dataclass(frozen=True)
class UnrollPass(AdvisedPass):
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

    def take(self, ctx: Context, op: ModuleOp) -> None:
        loops = [nest[-1] for nest in nests_named(op, self.variable, self.name)]
        if self.factor:
            check_count(self.name, "factor", self.factor, loops[0], MOST_ITERATIONS)
        factors = [self.factor or self._all_of(loop) for loop in loops]
        record_step(self.name, loops)
        for loop, factor in zip(loops, factors, strict=True):
            loop.attributes[UNROLL] = IntegerAttr(factor, i64)

    def ways_out(self, ctx: Context, module: ModuleOp, error: UserError) -> str | None:
        if error.help is not None:
            return error.help
        name, part = self.variable, f"{self.variable}_in_block"
        ways = {
            f"give a factor, as in unroll({name}, 4)": [replace(self, factor=4)],
            f"say bound({name}, n) before with an n up to {MOST_ITERATIONS}": [BoundPass(name, 8), self],
            f"split {name} into blocks of up to {MOST_ITERATIONS} and unroll the loop over one of them": [
                SplitPass(name, f"{name}_blocks", part, MOST_ITERATIONS),
                UnrollPass(part),
            ],
        }
        return ", or ".join(way for way, steps in ways.items() if is_allowed(ctx, module, steps)) or LEAVE_OUT

    def _all_of(self, loop: ForallOp) -> int:
        """The number of iterations that a loop has at the most. Raises UserError without a way out."""
        name, most = self.variable, _most_iterations(loop)
        if most <= MOST_ITERATIONS:
            return max(int(most), 1)
        problem = "may have any number of iterations" if most == inf else f"has up to {most} iterations"
        message = f"unroll: loop {name} cannot be written out as a whole, because it {problem}"
        raise UserError("illegal-unroll", message, op=loop)


def _most_iterations(loop: ForallOp) -> float:
    """How many iterations a loop has at the most: the innermost of fused loops has no more than their block has."""
    most, name = known_iterations(loop).most, fused_name(loop)
    inner = only_forall(loop.body.block)
    if name is None or (inner is not None and fused_name(inner) == name):
        nest = [loop]
    else:
        nest = [*reversed([one for one in enclosing_loops(loop) if fused_name(one) == name]), loop]
    part = earlier_cut(nest)
    return most if part is None else min(most, known_distance(part.first, part.end).most)
