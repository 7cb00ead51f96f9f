"""Result reuse: a result takes the place of the workspace that it is computed from (Kjolstad 2020, section 6.2)."""

from __future__ import annotations

from typing import NoReturn

from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.dialects.algebra.algebra import ApplyOp, operator_of
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import erase_operation, insert_operation
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.iteration_graph import accesses_in, name_of
from irtensor.passes.support.emit import move_before


def reuse_result(where: WhereOp, write: AssignOp, store: AssignOp) -> None:
    """Store what a where computes first into its result, and combine the rest with that, one after the other.

    Before: `where produce (%w) { forall %j { assign %b into %w[%j] } } consume (%v) { forall %j { %s = %v[%j] + %c
             assign %s into %A[%i, %j] } }`
    After:  `forall %j { assign %b into %A[%i, %j] }  forall %j { assign add %c into %A[%i, %j] }`
    Raises UserError [illegal-reuse].
    """
    apply, rest = _rest(where, store)
    renamed = _renamed(where, write, store)
    _check_result(store)
    first = AssignOp.of(write.value, store.tensor, [renamed.get(i, i) for i in store.indices], write.operator)
    first.location = write.location
    replace_store(write, first)
    second = AssignOp.of(rest, store.tensor, store.indices, apply.operator, store.protocols)
    second.location = store.location
    replace_store(store, second)
    for op in (apply, *[op for op in accesses_in(where.consumer.block) if isinstance(op, AccessOp)]):
        if not any(result.uses for result in op.results):
            erase_operation(op)
    put_in_place(where, where.producer.block, where.consumer.block)


def put_in_place(where: WhereOp, *sides: Block) -> None:
    """Replace a where by its statements, in this order: its temporary is gone."""
    for side in sides:
        move_before(side, where)
    erase_operation(where)


def replace_store(old: Operation, new: Operation) -> None:
    """Put an assignment in the place of another one."""
    insert_operation(new, old)
    erase_operation(old)


def _refuse(store: AssignOp, problem: str, help: str) -> NoReturn:
    message = f"precompute: '{name_of(store.tensor)}' cannot be its own workspace: {problem}"
    raise UserError("illegal-reuse", message, op=store, help=help)


def _rest(where: WhereOp, store: AssignOp) -> tuple[ApplyOp, SSAValue]:
    """The operator that joins the workspace to the rest of the right-hand side, and that rest."""
    temporary = where.consumer.block.args[0]
    apply = store.value.owner
    reads = [op.results[0] for op in accesses_in(where.consumer.block) if op.tensor is temporary]
    help = "omit reuse=, or precompute a direct operand of the outermost operator"
    if store.value in reads:
        _refuse(store, "the expression is the whole right-hand side", "omit reuse=: nothing is left to combine")
    if not isinstance(apply, ApplyOp) or len(apply.arguments) != 2 or len(reads) != 1 or len(list(reads[0].uses)) != 1:
        _refuse(store, "the expression is not one of the two operands of the outermost operator", help)
    left, right = apply.arguments
    if reads[0] not in (left, right):
        _refuse(store, "the expression lies under several operators", help)
    operator = operator_of(apply)
    if reads[0] is right and not operator.commutative:
        _refuse(store, f"it is the right operand of '{operator.name}', which is not commutative", help)
    if operator.identity(element_name(store.value.type)) is None:
        _refuse(store, f"'{operator.name}' is not an operator that assignments combine with", help)
    return apply, right if reads[0] is left else left


def _renamed(where: WhereOp, write: AssignOp, store: AssignOp) -> dict[SSAValue, SSAValue]:
    """The consumer's index variables, each with the producer's; both sides have the same loops."""
    help = "omit reuse=, or order the loops so that both sides have the same"
    if store.operator is not None:
        _refuse(store, "it is accumulated over a loop around the workspace, which starts anew in each iteration", help)
    read = next(op for op in accesses_in(where.consumer.block) if op.tensor is where.consumer.block.args[0])
    inside = {index for index in store.indices if is_inside(index, where)}
    if inside != set(read.indices):
        missing = ", ".join(sorted(map(name_of, inside - set(read.indices))))
        _refuse(store, f"the workspace has no dimension for {missing}, over which the result is stored", help)
    return dict(zip(read.indices, write.indices, strict=True))


def _check_result(store: AssignOp) -> None:
    format = format_of(store.tensor.type)
    for number, level in enumerate(format.levels):
        if not level.format.access.inserts:
            _refuse(
                store,
                f"its level {number} ({format.level_text(number)}) is only appended to, so that an entry is "
                "never found again",
                "omit reuse=, precompute into a workspace and reuse that, or store the result dense",
            )
