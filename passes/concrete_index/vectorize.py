"""`vectorize`: several iterations of a dense innermost loop become vector instructions."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

from irtensor.dialects.concrete_index import ForallOp
from irtensor.dialects.diagnostics import Note, UserError
from irtensor.dialects.storage import format_of
from irtensor.passes.analysis.iteration_graph import accesses_in, can_locate, level_variables, name_of, needs_splitting
from irtensor.passes.concrete_index.loop_ranges import MOST_ITERATIONS, check_count, loops_named
from irtensor.passes.concrete_index.recorded_steps import record_step
from irtensor.passes.pass_base import TensorPass, option


@dataclass(frozen=True)
class VectorizePass(TensorPass):
    """Tag the innermost loops over a variable, so that LLVM does `width` iterations of them in vector instructions.

    The loop has to be innermost, and whatever it indexes dense, so that iteration after iteration is the next element:
    no list of stored entries is walked, and nothing is appended.

    Before: `forall %j { assign %s into %y[%j] }`
    After:  `forall %j attributes {vectorize = 8 : i64} { assign %s into %y[%j] }`, by `vectorize{variable=j width=8}`
    """

    name = "vectorize"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    variable: str = option("The index variable of the innermost loops.", "")
    width: int = option("The iterations that one vector instruction does.", 0)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        loops = loops_named(op, self.variable, self.name)
        check_count(self.name, "width", self.width, loops[0], MOST_ITERATIONS)
        if self.width & (self.width - 1):
            message, help = f"{self.name}: width {self.width} is not a power of two", "give 1, 2, 4, 8 or 16"
            raise UserError("bad-schedule-step", message, op=loops[0], help=help)
        record_step(self.name, loops)
        for loop in loops:
            _check(loop)
            loop.attributes["vectorize"] = IntegerAttr(self.width, i64)


def _check(loop: ForallOp) -> None:
    variable = name_of(loop.variable)
    for op in loop.body.block.walk():
        if isinstance(op, ForallOp):
            inner = name_of(op.variable)
            raise UserError(
                "illegal-vectorize",
                f"vectorize: loop {variable} is not innermost, loop {inner} is inside of it",
                op=loop,
                notes=[Note(f"the loop over {inner}", op=op)],
                help=f"reorder the loops so that {variable} is innermost, or vectorize {inner}",
            )
    for access in accesses_in(loop.body.block):
        format = format_of(access.tensor.type)
        if loop.variable not in access.indices:
            continue
        variables = list(access.indices) if needs_splitting(access) else level_variables(access)
        for level, indexed in enumerate(variables):
            if indexed is loop.variable and (needs_splitting(access) or not can_locate(format, level)):
                raise UserError(
                    "illegal-vectorize",
                    f"vectorize: loop {variable} goes along a sparse level of '{name_of(access.tensor)}', not along an "
                    "array of consecutive elements",
                    op=access,
                    notes=[Note(f"'{name_of(access.tensor)}' is stored {format}", op=access)],
                    help="vectorize a loop that indexes dense levels only",
                )
