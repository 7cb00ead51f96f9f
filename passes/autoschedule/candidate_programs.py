"""The candidate programs for a definition: the operands decide which one is the fastest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from irtensor.dialects.concrete_index.concrete_index import ComputeOp
from irtensor.passes.autoschedule.choose_program import Preference, Programs, least_programs, preferred_of
from irtensor.passes.autoschedule.collect_result import collect_result
from irtensor.passes.autoschedule.convert_operands import conversion_effort, convert_operands
from irtensor.passes.autoschedule.fit_workspaces import fit_workspaces
from irtensor.passes.autoschedule.operand_sizes import OperandSizes
from irtensor.passes.autoschedule.read_program import Program, kernel_of, read_program
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.search_options import SearchOptions
from irtensor.passes.autoschedule.statements import Statement
from irtensor.passes.autoschedule.write_program import why_not_rewritten


class RankedProgram(NamedTuple):
    """A program, the work that it is expected to be, in steps along lists, and whether it has operands converted."""

    program: Statement
    work: float
    converts: bool


def candidate_programs(
    compute: ComputeOp, *, budget: int, convert: bool, progress: Callable[[int], None] = lambda done: None
) -> list[Programs]:
    """The programs of each least cost that one may be better than another; none where programs are not searched.

    At most `budget` costs are computed, and `progress` is told how many have been. Without `convert`, programs read
    operands as they are stored. Raises UserError [no-asymptotic-cost].
    """
    if why_not_rewritten(compute) is not None:
        return []
    program = read_program(compute)
    kernel = kernel_of(program, compute)
    if kernel.too_large is not None:
        return []
    search = Search(kernel, SearchOptions(budget=budget), progress)
    classes = least_programs(search, Preference(search, program))
    return chosen_of(classes, lambda one: convert or as_it_runs(one, program, convert=False) is not None)


def chosen_of(classes: Iterable[Programs], admits: Callable[[Statement], bool]) -> list[Programs]:
    """The classes that have programs that are admitted, with these."""
    chosen = ([one for one in programs if admits(one)] for programs in classes)
    return [programs for programs in chosen if programs]


def as_it_runs(one: Statement, program: Program, *, convert: bool) -> Statement | None:
    """A program with the workspaces through which operands are read and the result is collected; without `convert`,
    None for one that needs whole operands in other formats."""
    written = convert_operands(collect_result(one, program), program)
    return written if convert or not conversion_effort(written, program) else None


def ranked_programs(compute: ComputeOp, classes: Iterable[Programs], sizes: OperandSizes) -> list[RankedProgram]:
    """One or two programs of each class, in the order in which they are preferred for operands of some sizes, with
    workspaces that fit these."""
    program = read_program(compute)
    preference = Preference(Search(kernel_of(program, compute)), program, sizes)
    fitted = [[fit_workspaces(one, preference.work) for one in programs] for programs in classes]
    work, effort = preference.work.of, preference.conversions.effort
    return [RankedProgram(one, work(one), effort(one) > 0) for one in preferred_of(fitted, preference)]
