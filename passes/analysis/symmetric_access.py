"""Whether a symmetric operand can be read by its stored part, each entry for itself and all its mirrors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation

from irtensor.dialects.algebra.algebra import find_operator
from irtensor.dialects.algebra.order_of_sums import keeps_order, rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.expect import expect
from irtensor.passes.analysis.enclosing_loops import enclosing_loops
from irtensor.passes.analysis.iteration_graph import last_append_level, name_of
from irtensor.passes.analysis.lattice_points import acts_without
from irtensor.passes.support.operations_in import operations_in

# An entry of three coordinates has six mirrors; of four it would have 24.
MOST_DIMENSIONS = 3


class SymmetricAccess(NamedTuple):
    """The only access to a symmetric operand, and the only statement that it is in.

    `temporaries` are those in whose producer or consumer the statement is, outermost first: no loops may stay around
    them.
    """

    access: AccessOp
    assign: AssignOp
    temporaries: tuple[WhereOp, ...]


def symmetric_arguments(function: FuncOp) -> list[BlockArgument]:
    """The arguments of a function that are stored in a symmetric format."""
    arguments = function.body.block.args
    return [one for one in arguments if isinstance(one.type, TensorType) and format_of(one.type).symmetric]


def symmetric_access(argument: BlockArgument) -> SymmetricAccess | str:
    """The access to a symmetric operand whose statement can be executed for each stored entry and its mirrors.

    Otherwise the reason why it cannot, as a clause.
    """
    format = format_of(argument.type)
    uses = [use.operation for use in argument.uses]
    access = uses[0] if len(uses) == 1 else None
    if not isinstance(access, AccessOp):
        return "it is read several times" if len(uses) > 1 else "it is not read by coordinates"
    if format.is_blocked or format.has_diagonals:
        return "it has levels for parts of coordinates"
    if len(format.symmetric) > MOST_DIMENSIONS:
        return f"it has more than {MOST_DIMENSIONS} symmetric dimensions"
    if access.protocols is not None:
        return "a schedule says how it is read"
    if _is_beside_another(access, argument):
        return "another symmetric operand is beside it"
    found = _only_statement(access)
    if isinstance(found, str):
        return found
    return _why_not_mirrored(access, found.assign) or _why_not_accumulated(found.assign) or found


def _is_beside_another(access: AccessOp, argument: BlockArgument) -> bool:
    """Whether the statement also reads a symmetric operand before this one, which is read for its mirrors."""
    assert access.parent is not None
    others = [one.tensor for one in access.parent.ops if isinstance(one, AccessOp)]
    before = [one for one in others if isinstance(one, BlockArgument) and one.block is argument.block]
    return any(one.index < argument.index and format_of(one.type).symmetric for one in before)


def _only_statement(access: AccessOp) -> SymmetricAccess | str:
    """The statement of a nest of whole loops with nothing else in it; or why there is none, as a clause."""
    block = access.parent
    assert block is not None
    assigns = [op for op in block.ops if isinstance(op, AssignOp)]
    if len(assigns) != 1 or any(op.regions for op in block.ops):
        return "other statements are beside the one that reads it"
    around, temporaries = _around_loops(block), list[WhereOp]()
    while isinstance(around, Block) and isinstance(where := around.parent_op(), WhereOp):
        if not _may_leave_loops(where):
            return "a temporary is beside others in the loops around the statement that reads it"
        if any(access.tensor is where.consumer.block.args[0] for access in operations_in(block, AccessOp)):
            return "a temporary that is computed in the same loops is beside it"
        temporaries.append(where)
        assert where.parent is not None
        around = _around_loops(where.parent)
    if isinstance(around, str):
        return around
    op = around.parent_op()
    if not isinstance(op, ComputeOp):
        return "the statement that reads it computes a part of a result"
    if op.scheduled is not None:
        return "a schedule has arranged the loops around it"
    return SymmetricAccess(access, assigns[0], tuple(temporaries[::-1]))


def _may_leave_loops(where: WhereOp) -> bool:
    """Whether no loop is around a temporary, or it is a number that gets dimensions where it leaves them."""
    is_number = not expect(where.producer.block.args[0].type, TensorType).shape.data
    return not any(enclosing_loops(where)) or (is_number and _is_alone(where))


def _around_loops(block: Block) -> Block | str:
    """The block around whole loops with a block as body, and nothing else in them; or why there is none."""
    while isinstance(op := block.parent_op(), ForallOp):
        if op.bounds or op.attributes:
            return "a schedule has changed the loops around it"
        if not _is_alone(op):
            return "other statements are beside the loops around it"
        assert op.parent is not None
        block = op.parent
    return block


def _is_alone(op: Operation) -> bool:
    """Whether a block consists of this operation."""
    return op.parent is not None and op.parent.first_op is op and op.parent.last_op is op


def _why_not_mirrored(access: AccessOp, assign: AssignOp) -> str | None:
    """Why the statement cannot be executed with coordinates exchanged, as a clause."""
    format = format_of(access.tensor.type)
    exchanged = {access.indices[dimension] for dimension in format.symmetric}
    # In another dimension, the coordinate of an entry is not exchanged.
    having = [index for index in access.indices if index in exchanged]
    if not len(having) == len(exchanged) == len(format.symmetric):
        return "one index is in two of its dimensions"
    block = access.parent
    assert block is not None
    for other in _accesses(block):
        stored = format_of(other.tensor.type)
        if other is assign and last_append_level(stored) is not None:
            return f"'{name_of(other.tensor)}', stored {stored}, is appended to by one statement"
        if other is not access and not exchanged.isdisjoint(other.indices):
            if not stored.is_dense or stored.is_blocked:
                return f"'{name_of(other.tensor)}' beside it, stored {stored}, is not an array"
    if not format.whole.is_full and acts_without(block, [access.tensor]):
        return "something is computed where it has no entry"
    return None


def _accesses(block: Block) -> Iterator[AccessOp | AssignOp]:
    return (op for op in block.ops if isinstance(op, AccessOp | AssignOp))


def _why_not_accumulated(assign: AssignOp) -> str | None:
    """Why values may not be combined in the order of the stored entries, as a clause."""
    if assign.operator is None:
        return None
    operator, element = find_operator(assign.operator, assign), element_name(assign.value.type)
    if not (operator.associative and operator.commutative):
        return f"the operator '{operator.name}' is not associative and commutative"
    if rounds(operator, element) and keeps_order(assign):
        return "floating-point sums keep their order (strict_fp)"
    return None
