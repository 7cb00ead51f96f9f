"""`join-gaps`: a term combined with a value at each gap of a list is combined with it after the list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.order_of_sums import rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.loop.loop import ForOp, IfOp
from irtensor.dialects.loop.loop_memory import CellOp, GetOp, LoadOp, SetOp, StoreOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import clone_operation, create_block, erase_operation
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.races import PARALLEL
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.speed.support.updates import Update, folded_updates, is_foldable, update_of
from irtensor.passes.support.emit import Emitter, compares, is_successor, move_before, move_behind
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class JoinGapsPass(TensorPass):
    """Iterate over all gaps between the entries of a list after the list, in one loop.

    A reduction over a sparse row combines the fill value at each coordinate without an entry. If it takes the same
    value at all of them, and in any order, the loop over entries need not look for gaps. How many coordinates they
    have says the last entry: those up to it, less the number of entries. `fold-repetitions` then combines the value
    once for each row. Sums and products of floats, which depend on the order, stay as they are.

    Before: `loop.for %p = %lo to %hi { %at = load %crd[%p]; loop.for %j = %q to %at { max %v into %t }; max %x into %t;
            %q = %at + 1 }`
    After:  `loop.for %p = %lo to %hi { max %x into %t };
            loop.if %lo < %hi { %q' = load %crd[%hi - 1] + 1; loop.for %j = 0 to (%q' - %q) - (%hi - %lo)
            { max %v into %t } }`
    """

    name = "join-gaps"
    accepts = ("loop",)
    leaves = ("loop", "algebra")
    after = {"simplify-loops": "values that are the same at each gap are then computed before the list"}
    before = {"fold-repetitions": "the loop over all gaps is folded there"}

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            walk = loop.parent_op()
            if not isinstance(walk, ForOp) or (gaps := _gaps(loop, walk)) is None:
                continue
            if (tail := _tail_of(gaps)) is not None:
                _join_with(tail, gaps)
            else:
                _join(gaps)


class _Gaps(NamedTuple):
    """The loop along the gap before each entry of a walk along a list."""

    loop: ForOp
    walk: ForOp
    start: GetOp
    """Reads where the gap begins: after the entry before."""
    advance: SetOp
    coordinate: list[Operation]
    """What computes where an entry ends from its position."""


def _gaps(loop: ForOp, walk: ForOp) -> _Gaps | None:
    """The gap loop to join in a walk, if a loop in it iterates over gaps and all may be done after the walk."""
    start = loop.lower.owner
    if any(PARALLEL in op.attributes for op in (loop, walk)) or loop.induction.uses or not isinstance(start, GetOp):
        return None
    uses = [use.operation for use in start.cell.uses if walk.is_ancestor(use.operation)]
    sets = [op for op in uses if isinstance(op, SetOp)]
    if not start.value.has_one_use() or len(uses) != 2 or len(sets) != 1 or is_inside(start.cell, walk):
        return None
    (advance,) = sets
    if start.parent is not walk.body.block or advance.parent is not walk.body.block:
        return None
    coordinate = _computation(advance.value, walk)
    if coordinate is None or not is_successor(advance.value, loop.upper) or not _moves(loop, walk):
        return None
    return _Gaps(loop, walk, start, advance, coordinate)


def _computation(value: SSAValue, walk: ForOp) -> list[Operation] | None:
    """The operations of a walk that compute a value from a position, if others do not change what they read."""
    stored = {op.buffer for op in operations_in(walk, StoreOp)}
    found: set[Operation] = set()
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if value is walk.induction or not is_inside(value, walk):
            continue
        op = value.owner
        if not isinstance(op, Operation) or op.parent is not walk.body.block:
            return None
        if not is_pure(op) and not (isinstance(op, LoadOp) and op.buffer not in stored):
            return None
        found.add(op)
        waiting += op.operands
    return [op for op in walk.body.block.ops if op in found]


def _moves(loop: ForOp, walk: ForOp) -> bool:
    """Whether the iterations of a loop may come after the walk: the same updates, of what the walk combines alike."""
    updates = folded_updates(loop)
    for target, update in updates.items():
        in_any_order = update.operator.commutative and not rounds(update.operator, element_name(update.given.type))
        if not in_any_order or not is_foldable(update):
            return False
        uses = [use.operation for use in target.uses if walk.is_ancestor(use.operation)]
        if is_inside(target, walk) or not _combine(uses, update):
            return False
    loads = [op for op in operations_in(loop, LoadOp) if op.buffer not in updates]
    cells = [op for op in operations_in(loop, GetOp, CellOp) if op.results[0] not in updates]
    used = {value for op in loop.walk() for value in op.operands if is_inside(value, walk)}
    own = [value for value in used if value not in (loop.lower, loop.upper) and not is_inside(value, loop)]
    return bool(updates) and not loads and not own and all(_is_read(op, updates) for op in cells)


def _is_read(op: Operation, updates: dict[SSAValue, Update]) -> bool:
    return isinstance(op, GetOp) and op.cell in updates


def _combine(uses: Iterable[Operation], update: Update) -> bool:
    """Whether all uses of a cell or array combine its value by the operator of an update, in any order."""
    reads: list[Operation] = []
    known: list[Operation] = []
    for op in uses:
        if isinstance(op, GetOp | LoadOp):
            reads.append(op)
            continue
        found = update_of(op)
        if found is None or found.operator is not update.operator or not is_foldable(found):
            return False
        known.append(found.read)
    return all(read in known for read in reads)


def _tail_of(gaps: _Gaps) -> IfOp | None:
    """The branch around the loop along the gap behind the last entry, if that does the same."""
    walk, guard, begin = gaps.walk, gaps.walk.parent_op(), gaps.start.cell.owner
    if not isinstance(guard, IfOp) or not isinstance(begin, CellOp) or begin.parent is not walk.parent:
        return None
    first, cell = begin.initial, begin.initial.owner
    if not isinstance(cell, GetOp) or cell.parent is not guard.parent or is_inside(walk.lower, guard):
        return None
    end = next((use.operation for use in first.uses if isinstance(use.operation, arith.MaxSIOp)), None)
    branch = next((op for op in _behind(guard) if isinstance(op, IfOp)), None)
    if end is None or branch is None or not _is_behind(end.rhs, gaps):
        return None
    if not _is_less(guard.condition.owner, first, end.rhs):
        return None
    test = branch.condition.owner
    read = test.lhs.owner if isinstance(test, arith.CmpiOp) else None
    sets = [op for op in _behind(guard) if isinstance(op, SetOp) and op.cell is cell.cell]
    ops = operations_of(branch.then.block)
    if not isinstance(read, GetOp) or not sets or sets[0].value is not end.result or len(ops) != 1:
        return None
    (loop,) = ops
    if not isinstance(loop, ForOp) or loop.lower is not read.value or not _is_less(test, read.value, loop.upper):
        return None
    return branch if read.cell is cell.cell and _does_the_same(loop, gaps.loop) else None


def _end_of(guard: Operation) -> arith.SelectOp:
    """What says where the last entry ends, before the branch around a walk."""
    test = guard.operands[0].owner
    assert isinstance(test, arith.CmpiOp) and isinstance(test.rhs.owner, arith.SelectOp)
    return test.rhs.owner


def _behind(op: Operation) -> Iterator[Operation]:
    following = op.next_op
    while following is not None:
        yield following
        following = following.next_op


def _does_the_same(one: ForOp, other: ForOp) -> bool:
    updates = [
        {target: (update.operator.name, update.given) for target, update in folded_updates(loop).items()}
        for loop in (one, other)
    ]
    return updates[0] == updates[1] and not one.induction.uses and PARALLEL not in one.attributes


def _is_behind(end: SSAValue, gaps: _Gaps) -> bool:
    """Whether a coordinate is the one behind the last entry, or 0 if there is none."""
    where_some = _where_some(end, gaps.walk)
    return where_some is not None and _is_last(gaps.advance.value, where_some, gaps.walk)


def _where_some(value: SSAValue, walk: ForOp) -> SSAValue | None:
    """What a value is where a walk has entries, if it is 0 elsewhere."""
    select = value.owner
    if not isinstance(select, arith.SelectOp) or constant_index(select.rhs) != 0:
        return None
    return select.lhs if _is_less(select.cond.owner, walk.lower, walk.upper) else None


def _is_less(test: Operation | Block, a: SSAValue, b: SSAValue) -> bool:
    return compares(test, "slt") and test.lhs is a and test.rhs is b


def _is_last(value: SSAValue, other: SSAValue, walk: ForOp) -> bool:
    """Whether a value outside of a walk is computed as one inside, of the last position."""
    if value is walk.induction:
        op = (_where_some(other, walk) or other).owner
        return isinstance(op, arith.SubiOp) and op.lhs is walk.upper and constant_index(op.rhs) == 1
    if not is_inside(value, walk):
        return value is other
    own, op = value.owner, other.owner
    if not isinstance(own, Operation) or not isinstance(op, Operation) or type(op) is not type(own):
        return False
    if op.properties != own.properties:
        return False
    return all(_is_last(a, b, walk) for a, b in zip(own.operands, op.operands, strict=True))


def _join_with(tail: IfOp, gaps: _Gaps) -> None:
    """Let the loop behind the last entry iterate over all gaps: all coordinates, less the number of entries."""
    (loop,) = operations_of(tail.then.block)
    begin = gaps.start.cell.owner
    assert isinstance(loop, ForOp) and isinstance(begin, CellOp)
    emit = Emitter(create_block())
    entries = emit.sub(gaps.walk.upper, gaps.walk.lower)
    count = emit.sub(emit.sub(loop.upper, begin.initial), entries)
    loop.operands[0], loop.operands[1] = emit.index(0), count
    emit.take([loop])
    move_before(emit.block, tail)
    # There are entries where the last one is behind the first coordinate, which does not have to be read for that.
    guard = gaps.walk.parent_op()
    assert guard is not None
    guard.operands[0] = _end_of(guard).cond
    _erase(gaps.loop, gaps.start, gaps.advance, begin, tail)
    erase_unused(gaps.coordinate)


def _erase(*ops: Operation) -> None:
    for op in ops:
        erase_operation(op)


def _join(gaps: _Gaps) -> None:
    loop, walk, cell = gaps.loop, gaps.walk, gaps.start.cell
    before, after = Emitter(create_block()), Emitter(create_block())
    first = before.get(cell)
    some = after.insert(IfOp.of(after.compare("slt", walk.lower, walk.upper)))
    inner = Emitter(some.then.block)
    mapping = {walk.induction: inner.sub(walk.upper, inner.index(1))}
    for op in gaps.coordinate:
        inner.insert(clone_operation(op, mapping))
    end = mapping[gaps.advance.value]
    inner.set(end, cell)
    count = inner.sub(inner.sub(end, first), inner.sub(walk.upper, walk.lower))
    loop.operands[0], loop.operands[1] = inner.index(0), count
    inner.take([loop])
    _erase(gaps.start, gaps.advance)
    erase_unused(gaps.coordinate)
    move_before(before.block, walk)
    move_behind(after.block, walk)
