"""`fuse`: directly nested loops are cut as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from irtensor.core.diagnostics import UserError
from irtensor.dialects.concrete_index.concrete_index import ForallOp
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.ranges import foralls_in, range_sources
from irtensor.passes.concrete_index.support.loop_paths import why_apart
from irtensor.passes.concrete_index.support.loop_ranges import (
    FOLLOWS,
    FUSED,
    check_new_names,
    directly_inside,
    fused_name,
    nests_named,
    step_name,
)
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.schedule.support.join_halves import join_halves
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class FusePass(TensorPass):
    """Mark two directly nested loops as one, which `split` and `divide` then cut in lexicographic order.

    Cutting both loops together balances blocks where the inner loops are of different lengths: a block may begin and
    end in the middle of a row (Kjolstad 2020, collapse, section 6.3). Each of the two may be fused already, and loops
    over elements at one offset in a block (`follows`) may be between them. By itself it changes nothing. The two loops
    that `split` and `divide` make of one by its coordinates become that one again.

    Before: `forall %i { forall %j { ... } }`
    After:  `forall %i attributes {fused = "f"} { forall %j attributes {fused = "f"} { ... } }`,
            by `fuse{outer=i inner=j fused=f}`
    Before: `forall %i from %c0 to (%n + 3) / 4 { forall %j from %i * 4 to min(%n, %i * 4 + 4) { ... } }`
    After:  `forall %f from %c0 to %n { ... }`, by the same
    """

    name = "fuse"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    outer: str = option("The index variable of the outer loop.", "")
    inner: str = option("The index variable of the loop directly inside it.", "")
    fused: str = option("The name of both loops together, for `split` and `divide`.", "")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for nest in nests_named(op, self.outer, self.name):
            check_new_names(self.name, [nest[0]], (self.fused,))
            loop = directly_inside(nest[-1], self.inner)
            inside = [inner for inner in nests_named(op, self.inner, self.name) if inner[0] is loop]
            if not inside:
                raise self._not_inside(op, nest, loop)
            parts = [*nest, *inside[0]]
            record_step(self.name, parts)
            if join_halves(parts, self.fused):
                continue
            self._check(parts)
            for part in parts:
                part.attributes[FUSED] = StringAttr(self.fused)

    def _not_inside(self, module: ModuleOp, nest: Sequence[ForallOp], loop: ForallOp | None) -> UserError:
        """The error where another loop, or none, is directly inside of a nest."""
        inner, outer, apart = self.inner, self.outer, why_apart(module, (self.outer, self.inner))
        help = f"reorder the loops so that {inner} is directly inside of {outer}"
        if order := _order_with(nest, inner):
            help += f", as in reorder({', '.join([outer, inner, *order])})"
        if apart is not None:
            help = f"omit the step: {apart}"
        elif loop is not None and not range_sources(loop.variable).intersection(one.variable for one in nest):
            help = f"fuse {outer} with {step_name(loop)}, which is there, or {help}"
        message = f"fuse: loop {inner} is not directly inside of loop {outer}"
        return UserError("no-such-loops", message, op=nest[-1], help=help)

    def _check(self, parts: Sequence[ForallOp]) -> None:
        """Loops are fused as a whole, and the range of none may depend on another, or on values between."""
        chain = [parts[0], *foralls_in(parts[0].body.block)]
        selecting = {loop.variable for loop in chain[: chain.index(parts[-1])]}
        for part in parts:
            fused = part.attributes.get(FUSED)
            if isinstance(fused, StringAttr) and fused.data not in (self.outer, self.inner):
                problem, help = f"is fused with others as '{fused.data}' already", f"name {fused.data} instead"
            elif range_sources(part.variable) & selecting:
                problem = "runs over coordinates that another of these loops selects"
                help = "omit the step, or fuse loops before one of them is split"
            else:
                continue
            raise UserError("illegal-split", f"fuse: loop {name_of(part.variable)} {problem}", op=part, help=help)


def _order_with(nest: Sequence[ForallOp], inner: str) -> list[str]:
    """The loops between a nest and one inside of it that has a name, if they can go inside of that."""
    between: list[ForallOp] = []
    for loop in foralls_in(nest[-1].body.block):
        if inner in (name_of(loop.variable), fused_name(loop)):
            if range_sources(loop.variable).intersection(one.variable for one in (*nest, *between)):
                return []
            names = [step_name(one) for one in between if FOLLOWS not in one.attributes]
            return list(dict.fromkeys(names))
        between.append(loop)
    return []
