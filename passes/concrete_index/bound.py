"""`bound`: what is known of a variable's extent before the kernel runs."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from irtensor.dialects.concrete_index import ForallOp
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.index_ranges import BoundOp
from irtensor.dialects.schedule_words import BOUND_KINDS
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.ranges import range_sources
from irtensor.passes.concrete_index.loop_ranges import check_count, loop_range, loops_named, set_range
from irtensor.passes.concrete_index.recorded_steps import record_step
from irtensor.passes.emit import Emitter
from irtensor.passes.pass_base import TensorPass, option


@dataclass(frozen=True)
class BoundPass(TensorPass):
    """Say that a variable has exactly `extent` coordinates, or with `kind=multiple` a multiple of that number.

    Loops with a known number of iterations are unrolled and need no remainder; blocks by which a multiple is split are
    all full. The kernel checks it: for operands of which it is not true, it gives an error. Bound a variable before it
    is split (Kjolstad 2020, section 6.4).

    Before: `forall %j { ... %B[%k, %j] ... }`
    After:  `%m = bound %n exact 16; forall %j from %c0 to %m { ... }`, by `bound{variable=j extent=16}`
    """

    name = "bound"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    variable: str = option("The index variable whose extent is known.", "")
    extent: int = option("The number of coordinates.", 0)
    kind: str = option("Whether the extent is that number, or a multiple of it.", "exact", choices=BOUND_KINDS)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        loops = loops_named(op, self.variable, self.name)
        check_count(self.name, "extent", self.extent, loops[0])
        record_step(self.name, loops)
        for loop in loops:
            self._bound(loop)

    def _bound(self, loop: ForallOp) -> None:
        outer = range_sources(loop.variable)
        if outer:
            raise UserError(
                "bad-schedule-step",
                f"bound: '{self.variable}' goes over the blocks of {', '.join(sorted(map(name_of, outer)))}, "
                "whose size says how many coordinates it has",
                op=loop,
                help="bound a variable before it is split: with kind=multiple, all blocks of such a size are full",
            )
        lo, hi = loop_range(loop, self.name)
        computed = Block()
        known = Emitter(computed).insert(BoundOp.of(hi, self.kind, self.extent, self.variable)).result
        set_range(loop, lo, known, computed)
