"""What `explain()` says of rules that a reader may expect and that do not apply: why, and the way out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from xdsl.ir import Operation, Region, SSAValue

from irtensor.compiler.compilation.read_signature import kernel_function
from irtensor.compiler.compilation.stage_ir import module_at
from irtensor.compiler.explain.final_plan import FinalPlan
from irtensor.core.diagnostics import collect_remarks
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, WhereOp
from irtensor.dialects.index_notation.index_notation import AssignOp as Definition
from irtensor.dialects.index_notation.index_notation import ReduceOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.enclosing_loops import enclosing_loops
from irtensor.passes.analysis.equal_values import Values
from irtensor.passes.analysis.find_expression import term_computed, term_of
from irtensor.passes.analysis.iteration_graph import level_variables, name_of
from irtensor.passes.analysis.ranges import sources
from irtensor.passes.analysis.temporaries import variables_of
from irtensor.passes.concrete_index.support.recorded_steps import recorded_steps
from irtensor.passes.concrete_index.tabulate_sums import TabulateSumsPass
from irtensor.passes.speed.fuse_equal_loops import FuseEqualLoopsPass
from irtensor.passes.speed.pack_strided_reads import PackStridedReadsPass
from irtensor.passes.support.operations_in import is_argument, operations_in

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp

    from irtensor.compiler.compilation.request import Request
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.options import Options


def refusals_of(
    request: Request, options: Options, plan: FinalPlan | None = None, may_split: bool = False
) -> list[str]:
    """Two lines for each rule that does not apply to the plan of a request: why, and the way out.

    Where a call may split the statement (`may_split`), its sizes decide which parts are computed before.
    """
    plan = plan or FinalPlan.of(request, options)
    notation = None
    if request.start == "index_notation":
        with collect_remarks():
            notation = kernel_function(module_at(request, "share-equal-sums", options), request.function_name)
    # Operands that are read several times, and sums with several uses, are told of once.
    found = list(_refusals(plan, notation, may_split))
    pairs = dict.fromkeys(zip(found[::2], found[1::2], strict=True))
    return [line for pair in pairs for line in pair]


def _refusals(plan: FinalPlan, notation: FuncOp | None, may_split: bool) -> Iterator[str]:
    """The lines, `notation` being the function in which equal sums are shared, if there is one."""
    tables, packed = plan.concerned_by(TabulateSumsPass.name), plan.concerned_by(PackStridedReadsPass.name)
    tabulated: list[Region] = []
    for where in operations_in(plan.function, WhereOp):
        text = str(term_computed(where))
        if text in tables:
            tabulated.append(where.producer)
        elif not may_split and not _is_within(where, tabulated):
            yield from _repeated(where, text)
    if notation is not None and not any(one.by == FuseEqualLoopsPass.name for one in plan.remarks):
        yield from _not_shared(notation)
    for access in operations_in(plan.function, AccessOp):
        if name_of(access.tensor) not in packed and not _is_within(access, tabulated):
            yield from _strided(access)


def _is_within(op: Operation, regions: Sequence[Region]) -> bool:
    return any(region.is_ancestor(op) for region in regions)


def _repeated(where: WhereOp, text: str) -> Iterator[str]:
    """A reduction that is computed in a loop which it does not use, outside of one that it does."""
    producer, around = where.producer.block, list(enclosing_loops(where))
    if not operations_in(producer, ForallOp) or any(map(recorded_steps, around)):
        return
    values = [store.value for store in operations_in(producer, AssignOp)]
    used = frozenset[SSAValue]().union(*map(sources, variables_of(values)))
    needed = [loop for loop in around if loop.variable in used]
    if needed and len(needed) < len(around) and (idle := [*takewhile(lambda one: one not in needed, around[::-1])]):
        loops, inner = " and ".join(name_of(loop.variable) for loop in idle), name_of(needed[0].variable)
        yield f"{text} is computed again for each {loops}, because the loop over {inner}, which it needs, is inside"
        yield f"  a statement of its own computes it once for each {inner}"


def _not_shared(function: FuncOp) -> Iterator[str]:
    """Equal reductions inside of different ones."""
    for definition in operations_in(function, Definition):
        values, known = Values(), set[int]()
        for reduction in operations_in(definition, ReduceOp):
            bound = _bound_around(reduction)
            number = values.number_of(reduction.result, bound)
            if bound and number in known:
                yield f"{term_of(reduction.result)} is computed again, because the sums around it are different ones"
                yield "  a statement of its own computes it once"
            known.add(number)


def _bound_around(reduction: ReduceOp) -> tuple[SSAValue, ...]:
    """The index variables of the reductions around one, whose names make no difference."""
    around = reduction.parent_op()
    return (*_bound_around(around), *around.indices) if isinstance(around, ReduceOp) else ()


def _strided(access: AccessOp) -> Iterator[str]:
    """A dense operand whose columns the innermost loop goes down."""
    around = list(enclosing_loops(access))
    format = format_of(access.tensor.type)
    if not around or not access.indices or not is_argument(access.tensor) or not format.is_dense or format.is_blocked:
        return
    *above, last = map(sources, level_variables(access))
    inner = around[0].variable
    alone = frozenset({inner})
    stores = [use.operation for use in access.result.uses]
    if all(isinstance(store, AssignOp) and store.indices and store.operator is None for store in stores):
        return  # A copy goes across the rows of one of the two, whatever the order.
    if alone in above and last and inner not in last:
        text = term_of(access.result)
        yield f"{text} is read across its rows in the loop over {name_of(inner)}, and is not copied"
        yield f"  stored as {_with_last(format, above.index(alone))}, it is read along its rows"


def _with_last(format: TensorFormat, level: int) -> str:
    """A dense format with one of its levels behind the others."""
    order = [*format.dimension_order]
    order.append(order.pop(level))
    names = "ijklmnopqrstuvwxyz"[: len(order)]
    stored = ", ".join(f"{names[dimension]} : dense" for dimension in order)
    return f"({', '.join(names)}) -> ({stored})"
