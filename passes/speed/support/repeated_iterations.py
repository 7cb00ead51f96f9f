"""Loops whose iterations all repeat what the first one did, or a part of that."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.operators import Operator
from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.loop.loop import AccumulateOp, ConditionOp, ForOp, IfOp, PrivateOp, WhileOp
from irtensor.dialects.loop.loop_memory import CellOp, GetOp, LoadOp, SetOp, StoreOp
from irtensor.dialects.loop.loop_sets import InsertOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.speed.support.memory_effects import memory_behind
from irtensor.passes.speed.support.updates import Update, is_foldable, update_of
from irtensor.passes.support.emit import compares
from irtensor.passes.support.operations_in import operations_in

# What gives a value to, or asks for one from, the operation that it is in.
_STRUCTURE = (ForOp, WhileOp, IfOp, ConditionOp)


def repeated_updates(loop: ForOp) -> list[Update]:
    """The updates that a loop does, if it does nothing else, and the same in all iterations; none if it does more.

    Each may be combined at once with as many of its value as there are iterations. Loops and branches inside are alike
    in all iterations, and so are the cells that an iteration has for itself.
    """
    if loop.induction.uses:
        return []
    own = {op.cell for op in operations_in(loop.body, CellOp)}
    stores = [op for op in operations_in(loop.body, StoreOp, SetOp, AccumulateOp) if op.operands[1] not in own]
    updates = [_first_or_update(store) for store in stores]
    found = [update for update in updates if update is not None and is_foldable(update)]
    written = [_memory(store.operands[1]) for store in stores]
    if len(found) < len(stores) or None in written or not _may_regroup(loop, stores, found, written):
        return []
    reads = {update.read for update in found if isinstance(update.apply, ApplyOp)}
    changed = set(written)
    for op in loop.body.walk():
        match op:
            case GetOp() | LoadOp():
                memory = _memory(op.operands[0])
                if op not in reads and (memory is None or memory in changed):
                    return []
            case InsertOp():
                # The first iteration puts into a set what the others find there: that is asked for no other purpose.
                if not all(isinstance(use.operation, AccumulateOp) for use in op.present.uses):
                    return []
            case StoreOp() | SetOp() | AccumulateOp() | CellOp():
                pass
            case _:
                if not is_pure(op) and not isinstance(op, _STRUCTURE):
                    return []
    return found


def _first_or_update(store: Operation) -> Update | None:
    """As `update_of`, and how an operation changes an element that may have nothing yet, as a set says."""
    if not isinstance(store, AccumulateOp):
        return update_of(store)
    is_noted = isinstance(store.present.owner, InsertOp)
    return Update(store, find_operator(store.operator, store), store.value) if is_noted else None


def _memory(value: SSAValue) -> SSAValue | None:
    """The memory behind a cell or an array; elements of a part's own are those that they are combined with."""
    return memory_behind(value.owner.buffer if isinstance(value.owner, PrivateOp) else value)


def _may_regroup(
    loop: ForOp, stores: Sequence[Operation], updates: Sequence[Update], written: Sequence[SSAValue | None]
) -> bool:
    """Whether all that is combined with an element or a cell may be combined in another order, but for rounding."""
    operators: dict[SSAValue | None, set[Operator]] = {}
    for update, memory in zip(updates, written, strict=True):
        operators.setdefault(memory, set()).add(update.operator)
    alone = len(operators) == len(updates) and all(store.parent is loop.body.block for store in stores)
    return all(len(some) == 1 and (alone or next(iter(some)).commutative) for some in operators.values())


def repeats_first(loop: ForOp) -> bool:
    """Whether a loop leaves in memory what its first iteration does.

    All that it does is to combine elements and cells with values that are the same in all iterations, by one operator
    to which it makes no difference how often. Inner loops may be shorter in later iterations, and conditions may cease
    to hold: the last block of a dimension has fewer elements.
    """
    stores = operations_in(loop.body, StoreOp, SetOp)
    updates = [update_of(store) for store in stores]
    written = {memory_behind(store.operands[1]) for store in stores}
    own = {update.read for update in updates if update is not None}
    operators = {update and update.operator for update in updates}
    operator = operators.pop() if len(operators) == 1 else None
    if operator is None or None in written:
        return False
    if not (operator.idempotent and operator.associative and operator.commutative):
        return False
    varying = {loop.induction}
    for op in loop.body.walk():
        if not _is_harmless(op, loop, written, own, varying):
            return False
        if any(operand in varying for operand in op.operands):
            varying.update(op.results)
    return True


def _is_harmless(
    op: Operation,
    loop: ForOp,
    written: set[SSAValue | None],
    own: set[Operation],
    varying: set[SSAValue],
) -> bool:
    """Whether an operation does the same in all iterations of a loop, or less in later ones."""
    varies = any(operand in varying for operand in op.operands)
    match op:
        case StoreOp() | SetOp():
            return not varies and not (isinstance(op, SetOp) and is_inside(op.cell, loop))
        case LoadOp() | GetOp():
            memory = memory_behind(op.operands[0])
            return op in own or (memory is not None and memory not in written)
        case ForOp():
            shortens = op.lower not in varying and _goes(op.upper, loop, varying, down=True)
            return "parallel" not in op.attributes and shortens
        case IfOp():
            return not varies or (op.otherwise.first_block is None and _goes(op.condition, loop, varying, down=True))
        case _:
            return is_pure(op)


def _goes(value: SSAValue, loop: ForOp, varying: set[SSAValue], down: bool) -> bool:
    """Whether an index, or a condition, goes one way only from one iteration of a loop to the next: down, or up."""
    if value not in varying:
        return True
    if value is loop.induction:
        return not down
    parts = None if isinstance(value.owner, Block) else _parts(value.owner)
    return parts is not None and all(_goes(operand, loop, varying, down != turned) for operand, turned in parts)


def _parts(op: Operation) -> list[tuple[SSAValue, bool]] | None:
    """The operands of an operation that follows them up and down, and whether it goes down as they go up."""
    match op:
        case arith.AddiOp() | arith.MinSIOp() | arith.MaxSIOp() | arith.AndIOp():
            return [(operand, False) for operand in op.operands]
        case arith.SubiOp():
            return [(op.lhs, False), (op.rhs, True)]
        case arith.MuliOp() if (constant_index(op.rhs) or 0) > 0:
            return [(op.lhs, False)]
        case arith.CmpiOp() if compares(op, "slt"):
            return [(op.lhs, True), (op.rhs, False)]
        case _:
            return None
