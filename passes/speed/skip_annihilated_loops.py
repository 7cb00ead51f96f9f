"""`skip-annihilated-loops`: loops whose outcome a factor or a condition makes irrelevant are not run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.operators import Scalar, is_exact, same_value
from irtensor.dialects.algebra.algebra import ApplyOp, ConstantOp, operator_of
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.loop.loop import CellOp, ForOp, GetOp, IfOp, LoadOp, SetOp, StoreOp, WhileOp
from irtensor.dialects.support.is_inside import innermost_around, is_inside
from irtensor.passes.analysis.literals import is_literal
from irtensor.passes.analysis.races import PARALLEL
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.loop.support.value_sources import sources_of
from irtensor.passes.speed.skip_unread_sums import computes_only
from irtensor.passes.speed.support.updates import Update, update_of
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass
from irtensor.passes.support.recompute import recomputed

_LOOPS = (ForOp, WhileOp, IfOp)


class SkipAnnihilatedLoopsPass(TensorPass):
    """Ask a factor or a condition that is known before a loop whether the loop makes a difference.

    A sum that is combined with an annihilator is not computed, nor one that a condition does not select. A loop that
    combines nothing but products with such a factor, or terms in whose place a condition selects the identity, is not
    run, if it iterates over stored entries or has a loop inside. Only where the outcome is the same of any number: of
    booleans and integers, and of selections. 0 times infinity is not 0. Factors that are stored entries are hardly ever
    annihilators, and are not asked.

    Before: `%t = cell false; for %p { ... set or(%old, %v), %t }; %r = apply and(%c, get %t)`
    After:  `%t = cell false; if %c { for %p { ... set or(%old, %v), %t } }; %r = apply and(%c, get %t)`
    """

    name = "skip-annihilated-loops"
    accepts = ("loop",)
    leaves = ("loop", "algebra")
    after = {"fuse-equal-loops": "loops are found to be equal in the form in which they were written"}
    before = {"divide-parallel-loops": "the branch is a part of what an iteration does"}

    def on_function(self, function: FuncOp) -> None:
        for cell in operations_in(function, CellOp):
            if (found := _sum_of(cell)) is not None:
                _guard(*found)
        for loop in operations_in(function, ForOp):
            if (condition := _factor_of(loop)) is not None:
                _guard([loop], condition)
                _select(loop, condition)


class _Condition(NamedTuple):
    """A value, and the constant that makes a loop irrelevant. Operations that compute the value may be in the loop."""

    value: SSAValue
    constant: Scalar


def _sum_of(cell: CellOp) -> tuple[list[Operation], _Condition] | None:
    """The loops that compute a cell, and a condition for that, if one value before them tells whether it is used."""
    block = cell.parent
    assert block is not None
    uses = [use.operation for use in cell.cell.uses]
    reads = [op for op in uses if isinstance(op, GetOp) and op.parent is block]
    if len(reads) != 1:
        return None
    (read,) = reads
    users = {block.find_ancestor_op_in_block(op) for op in uses} - {read}
    loops = [op for op in block.ops if op in users]
    alone = all(isinstance(op, _LOOPS) and computes_only(op, (cell.cell,)) for op in loops)
    runs = [loop for op in loops for loop in operations_in(op, ForOp, WhileOp)]
    if not alone or not runs or any(PARALLEL in loop.attributes for loop in runs):
        return None
    if not all(op.is_before_in_block(read) for op in loops):
        return None
    for condition in _conditions(read.value, block):
        if _steps(condition.value, block, loops[0]) is not None:
            return loops, condition
    return None


def _conditions(value: SSAValue, block: Block) -> Iterator[_Condition]:
    """Conditions under which the result of operators on a value, step by step, does not depend on it."""
    while value.has_one_use():
        (use,) = value.uses
        op = use.operation
        if not isinstance(op, ApplyOp) or op.parent is not block:
            return
        if operator_of(op).name == "where" and use.index:
            yield _Condition(op.arguments[0], use.index == 2)
        yield from _annihilators(op, use.index)
        value = op.result


def _annihilators(op: ApplyOp, number: int) -> Iterator[_Condition]:
    """Arguments of an application of two that can make those of this number irrelevant, whatever they are."""
    operator, elements = operator_of(op), [element_name(argument.type) for argument in op.arguments]
    other = 1 - number
    if len(elements) != 2 or operator.elements or not is_exact(operator, elements) or is_literal(op.arguments[other]):
        return
    for constant in operator.annihilators(other, elements[other]):
        # Factors often are 0, and conditions either value, but numbers are hardly ever the least or largest of a type.
        if constant in (0, True):
            yield _Condition(op.arguments[other], constant)


def _steps(value: SSAValue, block: Block, anchor: Operation) -> list[Operation] | None:
    """The operations behind one of a block that compute a value, and may stand before it; None if one may not."""
    found: set[Operation] = set()
    waiting = [value]
    while waiting:
        op = waiting.pop().owner
        if isinstance(op, Block) or op.parent is not block or op.is_before_in_block(anchor):
            continue
        if not (is_pure(op) or isinstance(op, LoadOp)) or any(isinstance(v.owner, GetOp) for v in op.operands):
            return None
        found.add(op)
        waiting += op.operands
    if any(isinstance(op, LoadOp) for op in found) and not _only_loops(anchor, found):
        return None
    return [op for op in block.ops if op in found]


def _only_loops(anchor: Operation, loads: set[Operation]) -> bool:
    """Whether nothing is stored between an operation and the last of some loads."""
    op: Operation | None = anchor
    left = set(loads)
    while op is not None and left:
        if operations_in(op, StoreOp) or not (is_pure(op) or isinstance(op, (GetOp, SetOp, CellOp, LoadOp, *_LOOPS))):
            return False
        left.discard(op)
        op = op.next_op
    return not left


def _factor_of(loop: ForOp) -> _Condition | None:
    """A factor from outside of a loop without which none of its updates makes a difference."""
    if PARALLEL in loop.attributes or not (_is_along_entries(loop) or operations_in(loop.body, ForOp, WhileOp)):
        return None
    updates: list[Update] = []
    for op in loop.body.walk():
        if isinstance(op, SetOp | StoreOp):
            target = op.cell if isinstance(op, SetOp) else op.buffer
            update = update_of(op)
            if is_inside(target, loop):
                continue
            if update is None:
                return None
            updates.append(update)
        elif not (is_pure(op) or isinstance(op, (GetOp, CellOp, LoadOp, ForOp, IfOp))):
            return None
    if not updates:
        return None
    common, *others = [list(_factors(update, loop)) for update in updates]
    for one in common:
        if _is_asked(one.value, loop) and all(any(_is_same(one, other) for other in more) for more in others):
            return one
    return None


def _is_same(one: _Condition, other: _Condition) -> bool:
    return one.value is other.value and same_value(one.constant, other.constant)


def _factors(update: Update, loop: ForOp) -> Iterator[_Condition]:
    """Values that are known before a loop and can make the combined term the identity."""
    element = element_name(update.given.type)
    identities = update.operator.right_identity(element)
    waiting = [update.given]
    while waiting:
        op = waiting.pop().owner
        if not isinstance(op, ApplyOp) or not is_inside(op.result, loop):
            continue
        if operator_of(op).name == "where" and _is_known_before(condition := op.arguments[0], loop):
            for number in (1, 2):
                branch = op.arguments[number].owner
                if isinstance(branch, ConstantOp) and any(same_value(branch.scalar, i) for i in identities):
                    yield _Condition(condition, number == 1)
        for number in range(len(op.arguments)):
            for one in _annihilators(op, number):
                if element_name(one.value.type) != element or not any(same_value(one.constant, i) for i in identities):
                    continue
                if is_inside(one.value, loop):
                    waiting.append(one.value)
                else:
                    yield one


def _is_known_before(value: SSAValue, loop: ForOp) -> bool:
    """Whether a value is computed of others from outside of a loop, by operations that may be repeated before it."""
    if not is_inside(value, loop):
        return True
    op = value.owner
    return isinstance(op, Operation) and is_pure(op) and all(_is_known_before(one, loop) for one in op.operands)


def _is_along_entries(loop: ForOp) -> bool:
    """Whether a loop iterates over a segment of stored entries, whose bounds are read from memory."""
    return any(isinstance(value.owner, LoadOp) for value in sources_of([loop.lower]))


def _is_asked(value: SSAValue, loop: ForOp) -> bool:
    """Whether a factor is another one in each iteration of the loop around, and no stored entry."""
    around = innermost_around(loop, ForOp, WhileOp)
    if around is not None and not is_inside(value, around):
        return False
    indices = [one.owner.index for one in sources_of([value]) if isinstance(one.owner, LoadOp)]
    counting = [one.owner.parent_op() for one in sources_of(indices) if isinstance(one.owner, Block)]
    return not any(isinstance(loop, ForOp) and _is_along_entries(loop) for loop in counting)


def _guard(loops: Sequence[Operation], condition: _Condition) -> None:
    """Run loops only under a condition, which is computed before them."""
    first = loops[0]
    assert first.parent is not None
    emit = Emitter(Block())
    emit.take(_steps(condition.value, first.parent, first) or ())
    value = recomputed(condition.value, {}, emit.insert, first.is_ancestor)
    test = _test(_Condition(value, condition.constant), emit)
    move_before(emit.block, first)
    for loop in loops:
        around = Emitter(Block())
        branch = around.insert(IfOp.of(test))
        move_before(around.block, loop)
        loop.detach()
        branch.then.block.add_op(loop)


def _select(loop: ForOp, condition: _Condition) -> None:
    """Let selections in a loop have what a condition selects where the loop is run."""
    for op in operations_in(loop, ApplyOp):
        if operator_of(op).name == "where" and op.arguments[0] is condition.value:
            op.result.replace_all_uses_with(op.arguments[2 if condition.constant else 1])
            Rewriter.erase_op(op)
    if is_inside(condition.value, loop) and not condition.value.uses:
        assert isinstance(condition.value.owner, Operation)
        Rewriter.erase_op(condition.value.owner)


def _test(condition: _Condition, emit: Emitter) -> SSAValue:
    """Emit whether a value is another than the constant."""
    value, constant = condition.value, condition.constant
    if value.type == i1:
        return emit.insert(ApplyOp.of(StringAttr("not"), (value,), i1)).result if constant else value
    other = emit.constant(constant, value.type)
    return emit.insert(ApplyOp.of(StringAttr("ne"), (value, other), i1)).result
