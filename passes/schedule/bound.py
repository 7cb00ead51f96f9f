"""`bound`: a variable's extent, or a divisor of it, that is known before the kernel runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.core.schedule_words import BOUND_KINDS
from irtensor.dialects.concrete_index.concrete_index import ForallOp
from irtensor.dialects.concrete_index.index_ranges import BoundOp
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.ranges import range_sources
from irtensor.passes.concrete_index.support.loop_ranges import (
    check_count,
    compute_before,
    loop_range,
    nests_named,
    set_range,
)
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.schedule.support.counted_elements import CountedElements
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class BoundPass(TensorPass):
    """Say that a variable has exactly `extent` coordinates, or with `kind=multiple` a multiple of that number.

    Loops with a known number of iterations are unrolled and need no remainder; blocks by which a multiple is split are
    all full. The kernel checks this and gives an error if it is not true of its operands. Bound a variable before it
    is split (Kjolstad 2020, section 6.4). Of loops that are fused, it is said of their combinations of coordinates.

    Before: `forall %j { ... %B[%k, %j] ... }`
    After:  `%m = bound %n exact 16; forall %j from %c0 to %m { ... }`, by `bound{variable=j extent=16}`
    """

    name = "bound"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    variable: str = option("The index variable whose extent is known, or the name of fused loops.", "")
    extent: int = option("The number of coordinates, or of combinations of them.", 0)
    kind: str = option("Whether the extent is that number, or a multiple of it.", "exact", choices=BOUND_KINDS)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        nests = nests_named(op, self.variable, self.name)
        check_count(self.name, "extent", self.extent, nests[0][0])
        record_step(self.name, [nest[0] for nest in nests])
        for nest in nests:
            self._check_whole(nest)
            if name_of(nest[0].variable) == self.variable:
                self._bound(nest[0])
            else:
                self._bound_together(nest)

    def _check_whole(self, nest: Sequence[ForallOp]) -> None:
        """A variable has an extent, and loops that are fused have as many as their product, unless they go over
        blocks."""
        outer = frozenset[SSAValue]().union(*(range_sources(loop.variable) for loop in nest))
        outer = outer.difference(loop.variable for loop in nest)
        if not outer:
            return
        is_fused = name_of(nest[0].variable) != self.variable
        problem = f"goes over the blocks of {', '.join(sorted(map(name_of, outer)))}, whose size says how many "
        problem += "combinations of coordinates it has" if is_fused else "coordinates it has"
        what = "fused loops before they are" if is_fused else "a variable before it is"
        help = f"bound {what} split: with kind=multiple, all blocks of such a size are full"
        raise UserError("bad-schedule-step", f"bound: '{self.variable}' {problem}", op=nest[0], help=help)

    def _bound(self, loop: ForallOp) -> None:
        lo, hi = loop_range(loop, self.name)
        computed = Block()
        known = Emitter(computed).insert(BoundOp.of(hi, self.kind, self.extent, self.variable)).result
        set_range(loop, lo, known, computed)

    def _bound_together(self, nest: Sequence[ForallOp]) -> None:
        """Say it of the product of the extents, which is computed once; what cuts the nest finds it there."""
        counted = CountedElements(None, tuple(loop_range(loop, self.name) for loop in nest))
        computed = Block()
        emit = Emitter(computed)
        known = emit.insert(BoundOp.of(counted.total(emit), self.kind, self.extent, self.variable)).result
        compute_before(nest[0], computed, (known,))
