"""`accumulate-into-results`: what a result adds to a sum is stored first, and the sum's terms are added to it there."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from irtensor.core.diagnostics import remark
from irtensor.core.operators import OPERATORS, Operator
from irtensor.dialects.algebra.algebra import ApplyOp, find_operator, operator_of
from irtensor.dialects.algebra.order_of_sums import keeps_order, rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.analysis.find_expression import term_of
from irtensor.passes.analysis.iteration_graph import level_variables, name_of, stores_into
from irtensor.passes.analysis.ranges import foralls_in, is_whole
from irtensor.passes.concrete_index.support.recorded_steps import recorded_steps
from irtensor.passes.concrete_index.support.reuse_result import put_in_place, replace_store
from irtensor.passes.support.insertion import Insertion
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass

_SUB = OPERATORS["sub"]


class AccumulateIntoResultsPass(TensorPass):
    """Store the rest of a dense result, and let a workspace's terms be combined with that instead of in the workspace.

    Before: `where produce (%w) { forall %j { forall %i { assign add %t into %w[%i] } } }
             consume (%v) { forall %i { %s = %v[%i] + %b[%i]; assign %s into %y[%i] } }`
    After:  `forall %i { assign %b[%i] into %y[%i] } forall %j { forall %i { assign add %t into %y[%i] } }`
    So does a difference, with the negative of the terms or of the rest. The workspace would be as large as the result,
    and be cleared, filled and read. Only where the terms may be added up in another order, and not where a schedule
    has asked for the workspace.
    Source: result reuse, Kjolstad et al. 2019 (workspaces, section 3.3), where nothing has to be asked.
    """

    name = "accumulate-into-results"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "choose-loop-order": "loops of the terms have the order in which they will run",
        "scalarize-reductions": "workspaces that are left are arrays",
    }
    before = {"parallelize-outermost": "both loops may be parallel"}

    def on_function(self, function: FuncOp) -> None:
        for compute in operations_in(function, ComputeOp):
            for where in [one for one in compute.body.block.ops if isinstance(one, WhereOp)]:
                found = None if recorded_steps(where) else _find(where, compute)
                if found is not None:
                    _rewrite(where, found)


class _Found(NamedTuple):
    """The store of a result that `joins` the read of a workspace with the rest."""

    store: AssignOp
    join: ApplyOp
    read: AccessOp
    terms: list[AssignOp]

    @property
    def rest(self) -> SSAValue:
        left, right = self.join.arguments
        return right if left is self.read.results[0] else left


def _find(where: WhereOp, compute: ComputeOp) -> _Found | None:
    """The changes that make a workspace unnecessary; None if it has to stay."""
    workspace = where.consumer.block.args[0]
    loops = foralls_in(where.consumer.block)
    store = loops[-1].body.block.last_op if loops else None
    if not isinstance(store, AssignOp) or store.operator is not None or not isinstance(store.value.owner, ApplyOp):
        return None
    join = store.value.owner
    if any(op.regions for op in loops[-1].body.block.ops):
        return None
    accesses = operations_in(where.consumer.block, AccessOp)
    reads = [access for access in accesses if access.tensor is workspace]
    if len(reads) != 1 or len(join.arguments) != 2 or reads[0].results[0] not in join.arguments or join.exact:
        return None
    found = _Found(store, join, reads[0], list(stores_into(where.producer.block, where.producer.block.args[0])))
    variables = {loop.variable for loop in loops}
    if list(stores_into(compute.body.block, store.tensor)) != [store] or not reads[0].results[0].has_one_use():
        return None
    # Along another order of dimensions, terms would be combined down columns.
    levels = level_variables(store)
    if levels != level_variables(reads[0]) or set(levels) != variables or len(levels) != len(variables):
        return None
    if not all(is_whole(loop) for loop in loops) or not store.value.has_one_use():
        return None
    tensors = [store.tensor, *(access.tensor for access in accesses)]
    if not all(format_of(tensor.type).is_dense and not format_of(tensor.type).is_blocked for tensor in tensors):
        return None
    return found if _may_join(found, where) else None


def _may_join(found: _Found, where: WhereOp) -> bool:
    """Whether terms may be combined with the rest instead of with each other first."""
    element = found.join.result.type
    if any(value.type != element for value in (*found.join.arguments, *(term.value for term in found.terms))):
        return False
    operators = {None if term.operator is None else find_operator(term.operator, term) for term in found.terms}
    operator, joins = operators.pop() if len(operators) == 1 else None, operator_of(found.join)
    if not isinstance(operator, Operator) or not (operator.associative and operator.commutative):
        return False
    if joins != operator and not (joins == _SUB and operator == OPERATORS["add"]):
        return False
    return not (rounds(operator, element_name(element)) and keeps_order(where))


def _rewrite(where: WhereOp, found: _Found) -> None:
    store, join, read, terms = found
    remark(
        f"'{name_of(store.tensor)}' takes the place of the workspace: it starts from {term_of(found.rest)}, "
        "and the terms of the reduction are combined with that",
        where,
        by="accumulate-into-results",
        about=[name_of(store.tensor)],
    )
    rest, is_difference = found.rest, operator_of(join) == _SUB
    negates_terms = is_difference and join.arguments[1] is read.results[0]
    order = [list(read.indices).index(variable) for variable in store.indices]
    for term in terms:
        value = _negative(term.value, term) if negates_terms else term.value
        indices = [term.indices[position] for position in order]
        replace_store(term, AssignOp.of(value, store.tensor, indices, term.operator))
    value = _negative(rest, store) if is_difference and not negates_terms else rest
    replace_store(store, AssignOp.of(value, store.tensor, store.indices, None, store.protocols))
    for op in (join, read):
        erase_operation(op)
    put_in_place(where, where.consumer.block, where.producer.block)


def _negative(value: SSAValue, before: AssignOp) -> SSAValue:
    return Insertion(before).apply("neg", [value], value.type)
