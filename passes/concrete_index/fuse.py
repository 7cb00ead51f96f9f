"""`fuse`: directly nested loops are cut as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from irtensor.dialects.concrete_index import ForallOp
from irtensor.dialects.diagnostics import UserError
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.ranges import only_forall, range_sources
from irtensor.passes.concrete_index.loop_ranges import FUSED, check_new_names, nests_named
from irtensor.passes.concrete_index.recorded_steps import record_step
from irtensor.passes.pass_base import TensorPass, option


@dataclass(frozen=True)
class FusePass(TensorPass):
    """Mark two directly nested loops as one, which `split` and `divide` then cut in lexicographic order.

    Cutting both loops together balances blocks where the inner loops are of different lengths: a block may begin and
    end in the middle of a row (Kjolstad 2020, collapse, section 6.3). Each of the two may be fused already. By itself
    it changes nothing.

    Before: `forall %i { forall %j { ... } }`
    After:  `forall %i attributes {fused = "f"} { forall %j attributes {fused = "f"} { ... } }`,
            by `fuse{outer=i inner=j fused=f}`
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
            loop = only_forall(nest[-1].body.block)
            inside = [inner for inner in nests_named(op, self.inner, self.name) if inner[0] is loop]
            if not inside:
                raise UserError(
                    "no-such-loops",
                    f"fuse: loop {self.inner} is not directly inside of loop {self.outer}",
                    op=nest[-1],
                    help="reorder the loops so that nothing is between them"
                    if loop is None
                    else f"directly inside of {self.outer} is {name_of(loop.variable)}",
                )
            parts = [*nest, *inside[0]]
            record_step(self.name, parts)
            self._check(parts)
            for part in parts:
                part.attributes[FUSED] = StringAttr(self.fused)

    def _check(self, parts: Sequence[ForallOp]) -> None:
        """Loops are fused as a whole, and the range of none may depend on another."""
        for part in parts:
            fused = part.attributes.get(FUSED)
            if isinstance(fused, StringAttr) and fused.data not in (self.outer, self.inner):
                problem, help = f"is fused with others as '{fused.data}' already", f"name {fused.data} instead"
            elif range_sources(part.variable) & {other.variable for other in parts}:
                problem, help = "runs over coordinates that another of these loops selects", "fuse before you split"
            else:
                continue
            raise UserError("illegal-split", f"fuse: loop {name_of(part.variable)} {problem}", op=part, help=help)
