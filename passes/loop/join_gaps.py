"""`join-gaps`: what is combined with a value at each gap of a list is combined with it after the list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.create_operation import clone_operation, create_block
from irtensor.dialects.is_inside import is_inside
from irtensor.dialects.loop import ForOp, IfOp
from irtensor.dialects.loop_memory import CellOp, GetOp, LoadOp, SetOp, StoreOp
from irtensor.passes.analysis.races import PARALLEL
from irtensor.passes.emit import Emitter, is_successor, move_before
from irtensor.passes.loop.fold_repetitions import Update, cell_update, folded_updates, is_foldable, stored_update
from irtensor.passes.loop.simplify_loops import is_pure
from irtensor.passes.operations_in import operations_in, operations_of
from irtensor.passes.pass_base import TensorPass, structured_functions


@dataclass(frozen=True)
class JoinGapsPass(TensorPass):
    """Go along all gaps between the entries of a list after the list, in one loop.

    A reduction over a sparse row combines the fill value at each coordinate without an entry. If it takes the same
    value at all of them, and in any order, the loop over entries need not look for gaps. How many coordinates they
    have says the last entry: those up to it, less the number of entries. `fold-repetitions` then combines the value
    once for each row. Sums and products of floats stay as they are unless they may be reassociated.

    Before: `loop.for %p = %lo to %hi { %at = load %crd[%p]; loop.for %j = %q to %at { max %v into %t }; max %x into %t;
            %q = %at + 1 }`
    After:  `loop.for %p = %lo to %hi { max %x into %t };
            loop.if %lo < %hi { %q' = load %crd[%hi - 1] + 1; loop.for %j = 0 to (%q' - %q) - (%hi - %lo)
            { max %v into %t } }`
    """

    name = "join-gaps"
    accepts = ("loop",)
    leaves = ("loop", "algebra")
    after = {"simplify-loops": "what is the same at each gap is then computed before the list"}
    before = {"fold-repetitions": "the loop over all gaps is folded there"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            for loop in operations_in(function, ForOp):
                walk = loop.parent_op()
                if isinstance(walk, ForOp) and (gaps := _gaps(loop, walk)) is not None:
                    _join(gaps)


@dataclass(frozen=True)
class _Gaps:
    """The loop along the gap before each entry of a walk along a list."""

    loop: ForOp
    walk: ForOp
    start: GetOp
    """Reads where the gap begins: after the entry before."""
    advance: SetOp
    coordinate: list[Operation]
    """What computes where an entry ends from its position."""


def _gaps(loop: ForOp, walk: ForOp) -> _Gaps | None:
    """What there is to join in a walk, if a loop in it goes along gaps and all may be done after the walk."""
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
    for place, update in updates.items():
        if not (update.operator.commutative and is_foldable(update)):
            return False
        uses = [use.operation for use in place.uses if walk.is_ancestor(use.operation)]
        if is_inside(place, walk) or not _combine(uses, update):
            return False
    loads = [op for op in operations_in(loop, LoadOp) if op.buffer not in updates]
    cells = [op for op in operations_in(loop, GetOp, CellOp) if op.results[0] not in updates]
    used = {value for op in loop.walk() for value in op.operands if is_inside(value, walk)}
    own = [value for value in used if value not in (loop.lower, loop.upper) and not is_inside(value, loop)]
    return bool(updates) and not loads and not own and all(_is_read(op, updates) for op in cells)


def _is_read(op: Operation, updates: dict[SSAValue, Update]) -> bool:
    return isinstance(op, GetOp) and op.cell in updates


def _combine(uses: Iterable[Operation], update: Update) -> bool:
    """Whether all uses of a cell or array combine what is in it by the operator of an update, in any order."""
    reads: list[Operation] = []
    known: list[Operation | Block] = []
    for op in uses:
        if isinstance(op, GetOp | LoadOp):
            reads.append(op)
            continue
        found = cell_update(op) if isinstance(op, SetOp) else stored_update(op) if isinstance(op, StoreOp) else None
        if found is None or found.operator is not update.operator or not is_foldable(found):
            return False
        known += [value.owner for value in found.apply.arguments if value is not found.given]
    return all(read in known for read in reads)


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
    for op in (gaps.start, gaps.advance):
        op.detach()
        op.erase()
    move_before(before.block, walk)
    assert walk.parent is not None
    for op in reversed(operations_of(after.block)):
        op.detach()
        walk.parent.insert_op_after(op, walk)
