"""`accumulate-wide-unions`: rows of a sum of many sparse operands are added up in a workspace, one term at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, ModuleOp, TensorType
from xdsl.ir import SSAValue

from irtensor.core.diagnostics import remark
from irtensor.core.operators import Scalar, convert, same_value
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, operator_of
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, WhereOp
from irtensor.dialects.storage.storage import FormatAttr, fill_of, format_of
from irtensor.dialects.support.create_operation import create_block, create_region, erase_operation, insert_operation
from irtensor.passes.analysis.absence import value_without
from irtensor.passes.analysis.iteration_graph import can_locate, level_variables, name_of
from irtensor.passes.analysis.ranges import needed_by
from irtensor.passes.concrete_index.support.workspace_levels import LISTED
from irtensor.passes.concrete_index.support.workspace_statement import store_workspace
from irtensor.passes.schedule.reorder import forall_chains
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class AccumulateWideUnionsPass(TensorPass):
    """Where many lists of entries would be merged, let each add its entries to a workspace that is listed afterwards.

    A merge of k lists compares k coordinates for each one that it finds; going through the lists one after the other
    takes time proportional to their entries alone. Only in loops inside of a dense level of the result, whose extent
    is paid for anyway. The terms are an operator's chain from left to right, in that order.
    Before: `forall %j { assign add(... add(%a, %b) ..., %e) into %C[%i, %j] }`
    After:  `where produce (%w) { forall %j { assign add %a into %w[%j] } ... forall %j { assign add %e into %w[%j] } }
             consume (%v) { forall %j { assign %v[%j] into %C[%i, %j] } }`
    Source: Kjolstad et al. 2019 (workspaces), sections 6.2 and 7.5.
    """

    name = "accumulate-wide-unions"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {"choose-loop-order": "the order says which loop runs along the rows of the result"}

    terms: int = option("The least number of merged lists for which it is done.", 6)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for chain in forall_chains(op):
            union = _wide_union(chain[-1], self.terms)
            if union is not None:
                _accumulate(chain[-1], union)


class _Union(NamedTuple):
    """An assignment of a chain of one operator, whose identity the terms are wherever nothing is stored."""

    assign: AssignOp
    root: ApplyOp
    terms: list[SSAValue]
    identity: Scalar


def _wide_union(loop: ForallOp, least: int) -> _Union | None:
    """The union that a loop computes in rows of its result, if that has enough terms."""
    body = loop.body.block
    assign, operands = body.last_op, list(body.ops)[:-1]
    if not isinstance(assign, AssignOp) or assign.operator is not None or not isinstance(assign.value.owner, ApplyOp):
        return None
    if not all(isinstance(op, AccessOp | ApplyOp | CastOp | ConstantOp) for op in operands):
        return None
    root = assign.value.owner
    terms = list(_chain(root, root))
    if len(terms) < least or not _is_row_of_entries(assign, loop.variable):
        return None
    element = element_name(assign.value.type)
    identity = operator_of(root).identity(element)
    if identity is None or not same_value(convert(fill_of(assign.tensor.type), element), identity):
        return None
    if all(_vanishes(term, loop.variable, identity) for term in terms):
        return _Union(assign, root, terms, identity)
    return None


def _chain(root: ApplyOp, op: ApplyOp) -> Iterator[SSAValue]:
    """The terms of a chain of one operator that is evaluated from left to right."""
    first, *rest = op.arguments
    if isinstance(inner := first.owner, ApplyOp) and inner.operator == root.operator and len(inner.arguments) == 2:
        yield from _chain(root, inner)
    else:
        yield first
    yield from rest


def _is_row_of_entries(assign: AssignOp, variable: SSAValue) -> bool:
    """Whether a loop appends to the last level of a result, below a level whose every coordinate is visited."""
    format, variables = format_of(assign.tensor.type), level_variables(assign)
    if format.is_blocked or len(set(variables)) < len(variables) or len(variables) < 2:
        return False
    last = len(variables) - 1
    return variables[last] is variable and not can_locate(format, last) and can_locate(format, last - 1)


def _vanishes(term: SSAValue, variable: SSAValue, identity: Scalar) -> bool:
    """Whether a term is the identity where its operands store nothing, along lists of entries that a loop walks."""
    value = value_without(term, lambda access: _is_listed(access, variable))
    return value is not None and same_value(convert(value, element_name(term.type)), identity)


def _is_listed(access: AccessOp, variable: SSAValue) -> bool:
    """Whether the last level of a tensor is a list of entries along a loop."""
    variables, format = level_variables(access), format_of(access.tensor.type)
    return bool(variables) and variables[-1] is variable and not can_locate(format, len(variables) - 1)


def _accumulate(loop: ForallOp, union: _Union) -> None:
    """Replace a loop by one per term into a workspace, and one that stores the workspace."""
    assign = union.assign
    remark(
        f"{len(union.terms)} lists of entries over {name_of(loop.variable)} are added up in a "
        "workspace one after the other, which is less work than to merge them",
        assign,
        by="accumulate-wide-unions",
        about=[name_of(assign.tensor)],
    )
    format = TensorFormat.of([LISTED], fill=union.identity)
    type = TensorType(assign.value.type, [DYNAMIC_INDEX], FormatAttr(format))
    where = WhereOp.of(type, "w")
    producer, consumer = where.producer.block, where.consumer.block
    for term in union.terms:
        producer.add_op(_add_term(loop, union, term, producer.args[0]))
    store_workspace(assign, consumer, (loop.variable,))
    insert_operation(where, loop)
    erase_operation(loop)


def _add_term(loop: ForallOp, union: _Union, term: SSAValue, workspace: SSAValue) -> ForallOp:
    """A loop of its own for one term."""
    body = create_block((IndexType(),), (loop.variable.name_hint,))
    copies: dict[SSAValue, SSAValue] = {loop.variable: body.args[0]}
    for op in needed_by([term], operations_of(loop.body.block)):
        body.add_op(op.clone(copies))
    write = AssignOp.of(copies.get(term, term), workspace, [body.args[0]], union.root.operator)
    write.location = union.assign.location
    body.add_op(write)
    forall = ForallOp.of(create_region(body))
    forall.location = loop.location
    return forall
