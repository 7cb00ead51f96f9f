"""The programs for a definition of which data has to say which one is the fastest."""

from __future__ import annotations

from irtensor.dialects.concrete_index import ComputeOp
from irtensor.passes.autoschedule.choose_program import preference, preferred_programs
from irtensor.passes.autoschedule.collect_result import collect_result
from irtensor.passes.autoschedule.convert_operands import conversion_effort, convert_operands
from irtensor.passes.autoschedule.read_program import kernel_of, read_program
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.search_options import SearchOptions
from irtensor.passes.autoschedule.statements import Statement
from irtensor.passes.autoschedule.write_program import computes_in_one_type


def candidate_programs(compute: ComputeOp, *, budget: int, convert: bool) -> list[Statement]:
    """One program of each least cost, preferred ones first; none where programs are not searched.

    The costs are those with an entry in every slice of every operand and those without, with half of the `budget`
    each: which of the two comes closer is for the operands to say. Without `convert`, programs read operands as they
    are stored. Raises UserError [no-asymptotic-cost].
    """
    if not computes_in_one_type(compute):
        return []
    program = read_program(compute)
    kernel = kernel_of(program, compute)
    if kernel.too_large is not None:
        return []
    found: dict[Statement, None] = {}
    for filled in (True, False):
        search = Search(kernel, SearchOptions(budget=max(1, budget // 2), exhaustive=False, filled=filled))
        found |= dict.fromkeys(preferred_programs(search, program))

    def effort(one: Statement) -> int:
        return conversion_effort(convert_operands(collect_result(one, program), program), program)

    able = [one for one in found if convert or not effort(one)]
    return sorted(able, key=lambda one: preference(one, program))
