"""`look-up-repeated-fibers`: a list that a loop would merge with others again and again is looked up instead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType
from xdsl.ir import SSAValue

from irtensor.core.diagnostics import remark
from irtensor.core.operators import convert, same_value
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, identity_of
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, WhereOp
from irtensor.dialects.storage.storage import FormatAttr, fill_of, format_of
from irtensor.dialects.support.create_operation import erase_operation, insert_operation
from irtensor.dialects.support.is_inside import innermost_around
from irtensor.passes.analysis.absence import value_without
from irtensor.passes.analysis.iteration_graph import can_locate, level_variables, name_of
from irtensor.passes.concrete_index.support.workspace_levels import LISTED
from irtensor.passes.concrete_index.support.workspace_statement import nest_loops
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class LookUpRepeatedFibersPass(TensorPass):
    """Put a row that every iteration of a loop goes through into a workspace once, in which its entries are then found.

    An intersection walks along all of its lists. One that is the same in each iteration of the loop around is gone
    through as often as there are iterations; looked up, it costs only what the others store. Even for one iteration, an
    entry takes no longer to be put in and taken out than a step of a merge that is not foreseen. The list lies below
    dense levels, so that its memory is no more than what the caller spends on extents, and the loop has a further loop
    around it: each iteration of that loop fills the workspace anew.
    Before: `forall %i { forall %j { forall %k { assign add(L[i,j] * L[j,k] * L[i,k]) into %s } } }`
    After:  `forall %i { where produce (%w) { forall %k { assign L[i,k] into %w[%k] } }
             consume (%v) { forall %j { forall %k { assign add(L[i,j] * L[j,k] * %v[k]) into %s } } } }`
    Source: Kjolstad et al. 2019 (workspaces), section 4; Azad, Buluc, Gilbert 2015 (masked products).
    """

    name = "look-up-repeated-fibers"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "choose-loop-order": "the order says in which loops a list comes again",
        "scalarize-reductions": "a sum over all loops then stays in one variable",
    }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in operations_in(op, ForallOp):
            if (repeated := _repeated(loop)) is not None:
                _look_up(repeated)


class _Repeated(NamedTuple):
    """Equal accesses that only the innermost of `loops`, the last one, indexes."""

    accesses: list[AccessOp]
    loops: Sequence[ForallOp]

    @property
    def variable(self) -> SSAValue:
        return self.loops[-1].variable


def _repeated(innermost: ForallOp) -> _Repeated | None:
    assign, operands = innermost.body.block.last_op, list(innermost.body.block.ops)[:-1]
    if not isinstance(assign, AssignOp) or not all(
        isinstance(op, AccessOp | ApplyOp | CastOp | ConstantOp) for op in operands
    ):
        return None
    lists = defaultdict[tuple[SSAValue, ...], list[AccessOp]](list)
    for op in operands:
        if isinstance(op, AccessOp) and _is_row(op, innermost.variable):
            lists[_key(op)].append(op)
    for key, equal in lists.items():
        access = equal[0]
        loops = list(_without(access, innermost))[::-1]
        leads = any(_vanishes_without(assign, its[0]) for other, its in lists.items() if other != key)
        is_plain = not any(loop.attributes or loop.bounds for loop in loops)
        if len(loops) > 1 and leads and is_plain and innermost_around(loops[0], ForallOp) is not None:
            return _Repeated(equal, loops)
    return None


def _key(access: AccessOp) -> tuple[SSAValue, ...]:
    return (access.tensor, *access.indices)


def _is_row(access: AccessOp, variable: SSAValue) -> bool:
    """Whether a variable iterates over lists of single entries that lie below levels with all coordinates."""
    format = format_of(access.tensor.type)
    last = len(format.levels) - 1
    if last < 1 or format.is_blocked or isinstance(access.tensor.owner.parent_op(), WhereOp):
        return False
    variables, level = level_variables(access), format.levels[last].format
    above = [level.format.pattern.full for level in format.levels[:last]]
    return (
        variables[last] is variable
        and variables.count(variable) == 1
        and all(above)
        and level.unique
        and not can_locate(format, last)
    )


def _without(access: AccessOp, innermost: ForallOp) -> Iterator[ForallOp]:
    """The innermost loop, and those around it on which an access does not depend, outermost last."""
    yield innermost
    around = innermost.parent_op()
    while isinstance(around, ForallOp | WhereOp):
        if isinstance(around, ForallOp):
            if around.variable in access.indices:
                return
            yield around
        around = around.parent_op()


def _vanishes_without(assign: AssignOp, access: AccessOp) -> bool:
    """Whether an assignment does nothing where an access finds no entry."""
    value = value_without(assign.value, lambda other: _key(other) == _key(access))
    if value is None:
        return False
    element = element_name(assign.value.type)
    nothing = (
        fill_of(assign.tensor.type)
        if assign.operator is None
        else identity_of(assign.operator, assign, assign.value.type)
    )
    return same_value(convert(value, element), convert(nothing, element))


def _look_up(repeated: _Repeated) -> None:
    first, outermost = repeated.accesses[0], repeated.loops[0]
    around = ", ".join(name_of(loop.variable) for loop in repeated.loops[:-1])
    remark(
        f"entries of '{name_of(first.tensor)}' over {name_of(repeated.variable)} are the same "
        f"for each {around}: they are put into a workspace first, and looked up in it",
        first,
        by="look-up-repeated-fibers",
        about=[name_of(first.tensor)],
    )
    format = TensorFormat.of([LISTED], fill=fill_of(first.tensor.type))
    type = TensorType(first.result.type, [DYNAMIC_INDEX], FormatAttr(format))
    where = WhereOp.of(type, "w")
    producer, consumer = where.producer.block, where.consumer.block
    insert_operation(where, outermost)
    outermost.detach()
    consumer.add_op(outermost)
    body, renamed = nest_loops(producer, (repeated.variable,))
    read = AccessOp.of(first.tensor, [renamed.get(index, index) for index in first.indices])
    write = AssignOp.of(read.result, producer.args[0], list(renamed.values()), None)
    body.add_ops((read, write))
    for access in repeated.accesses:
        found = AccessOp.of(consumer.args[0], (repeated.variable,))
        insert_operation(found, access)
        access.result.replace_all_uses_with(found.result)
        read.location = write.location = found.location = access.location
        erase_operation(access)
