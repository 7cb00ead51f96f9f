"""`autoschedule`: loops, their order and workspaces by asymptotic cost (Ahrens 2022)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp

from irtensor.core.diagnostics import UserError, located_at, remark
from irtensor.core.schedule_words import SEARCH_BUDGET
from irtensor.dialects.concrete_index.concrete_index import ComputeOp
from irtensor.passes.autoschedule.candidate_programs import as_it_runs
from irtensor.passes.autoschedule.choose_program import Preference, preferred_programs
from irtensor.passes.autoschedule.given_program import given_program
from irtensor.passes.autoschedule.read_program import kernel_of, read_program
from irtensor.passes.autoschedule.reduce_early import reduce_early
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.search_options import SearchOptions
from irtensor.passes.autoschedule.statements import text_of
from irtensor.passes.autoschedule.write_program import why_not_rewritten, write_program
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class AutoschedulePass(TensorPass):
    """Replace each definition by a program for it that does the fewest tasks, whatever entries operands have.

    All groupings into workspaces, loops and their orders are searched, and ways to read operands. A sum that is part of
    a product is taken for one around it, as in `D * sum(k, B * C)`, and so are others that distribute. `budget` is the
    largest number of costs that are computed. A `program`, if one is given, is taken without a search, by definitions
    of what it computes.

    Of the programs that nothing beats, whether or not every slice of the operands has an entry, the one with the
    smallest temporaries is taken; only temporaries that may be larger than an extent and than every operand count for
    that. Among these, it is the one that is expected to be the least work on operands with some ten entries in a row.
    What it locates in operands that only list their entries is copied into workspaces below the outermost loops. Whole
    operands are left to `support-protocols`.

    Operators that users declare have the algebra that they are declared with. A part of their arguments is reduced by
    itself only where they are said to distribute over the reduction. Loops keep their order where an operator reduces
    that is not commutative. Where more than five operands are read, or there are more than six loops, nothing is
    searched: of a product, one index after the other is reduced as soon as that takes no more than a vector. The
    definition stays as it is where numbers of several types are computed with, and, without `convert`, where operands
    would have to be converted.

    Source: Ahrens 2022, sections 6 and 7.

    Before: `forall %i { forall %j { forall %k { ... assign add %p into %A[%i, %j] } } }`
    After:  `forall %i { forall %k { forall %j { ... assign add %p into %A[%i, %j] } } }`
    Values that would be scattered into a result that is appended to go through a workspace.
    """

    name = "autoschedule"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    budget: int = option("The largest number of costs that are computed.", SEARCH_BUDGET)
    program: str = option("A program that is taken without a search.", "")
    convert: bool = option("Whether a program may have operands converted.", True)

    def on_function(self, function: FuncOp) -> None:
        definitions, refused = operations_in(function, ComputeOp), list[UserError]()
        for compute in definitions:
            try:
                with located_at(compute):
                    self._schedule(compute)
            except UserError as error:
                # A program is for those of several definitions that it computes.
                if not self.program:
                    raise
                refused.append(error)
        if refused and len(refused) == len(definitions):
            raise refused[0]

    def _schedule(self, compute: ComputeOp) -> None:
        if (why := why_not_rewritten(compute)) is not None:
            remark(f"{why}, so that the loops stay", compute, by="autoschedule")
            return
        program = read_program(compute)
        kernel = kernel_of(program, compute)
        search = Search(kernel, SearchOptions(budget=self.budget))
        if self.program:
            found = [given_program(self.program, search)]
        elif (why := kernel.too_large) is not None:
            chosen = reduce_early(kernel_of(program, compute, converted=False), program)
            if chosen is None:
                remark(f"{why}, so that the loops stay", compute, by="autoschedule")
                return
            found = [chosen]
        else:
            found = preferred_programs(search, Preference(search, program))
        for chosen in found:
            written = as_it_runs(chosen, program, convert=self.convert)
            if written is not None:
                record_step(self.name, [compute])
                write_program(compute, program, written)
                if not self.program:
                    remark(f"the program is {text_of(chosen)}", compute, by="autoschedule")
                return
        remark(
            f"operands would have to be converted, so that the loops stay: {text_of(found[0])}",
            compute,
            by="autoschedule",
        )
