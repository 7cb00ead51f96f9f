"""`merge`: how a loop merges the lists of several operands."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from irtensor.core.schedule_words import GALLOP, LINEAR, MERGE_STRATEGIES
from irtensor.passes.analysis.merges import MERGE, check_needed
from irtensor.passes.concrete_index.support.loop_ranges import nests_named
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class MergePass(TensorPass):
    """Say how the loops over a variable find the coordinates that the lists of several operands have in common.

    `gallop`: each list searches for the coordinate of the one that is furthest ahead, in time that grows with the
    logarithm of the distance. It pays where one list is much shorter than another. The loop has to have two lists in
    order, and to do nothing where any operand has no entry. `linear`: lists are walked entry by entry. It pays where
    their lengths are alike, and takes the place of searches that the compiler would choose. Both give the same result.

    Before: `forall %j { ... access %a[%j] ... access %b[%j] ... }`
    After:  `forall %j attributes {merge = "gallop"} { ... }`, by `merge{variable=j strategy=gallop}`
    """

    name = "merge"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    variable: str = option("The index variable whose loops merge lists; of fused loops, the innermost.", "")
    strategy: str = option("Whether lists search for each other's coordinates.", LINEAR, choices=MERGE_STRATEGIES)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        loops = [nest[-1] for nest in nests_named(op, self.variable, self.name)]
        record_step(self.name, loops)
        for loop in loops:
            if self.strategy == GALLOP:
                check_needed(loop)
            loop.attributes[MERGE] = StringAttr(self.strategy)
