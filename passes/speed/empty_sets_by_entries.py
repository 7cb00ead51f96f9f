"""`empty-sets-by-entries`: a set that one loop along a list fills is emptied by a loop along the same list."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.buffer_uses import is_only_read
from irtensor.dialects.loop.loop import (
    ClearOp,
    ContainsOp,
    ForOp,
    IfOp,
    IndexSetOp,
    InsertOp,
    LoadOp,
    RemoveOp,
    StoreOp,
)
from irtensor.dialects.support.create_operation import clone_operation, erase_operation
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class EmptySetsByEntriesPass(TensorPass):
    """Remove the inserted members from a set, instead of searching the set for them.

    A set whose members are only asked for one by one needs no more than a bit for each. One that is cleared has to find
    its members, and keeps where they are, which takes longer than short lists do.

    Before: `for %i { clear %s; for %p = %lo to %hi { %k = load %crd[%p]; insert %k into %s; ... };
             ... contains %j in %s ... }`
    After:  `for %i { for %p = %lo to %hi { %k = load %crd[%p]; insert %k into %s; ... }; ... contains %j in %s ...;
             for %q = %lo to %hi { %k = load %crd[%q]; remove %k from %s } }`
    Around all of it `if %lo < %hi attributes {unlikely} { ... }` where nothing is done without a member. Not where the
    list is one that the function writes, nor outside of all loops, where a set is emptied once.
    """

    name = "empty-sets-by-entries"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"count-entries": "a loop that counts has sets of its own"}
    before = {"hint-loops": "loops along short lists get hints"}

    def on_function(self, function: FuncOp) -> None:
        for made in operations_in(function, IndexSetOp):
            if made.memory is None:
                _empty(made.set)


def _empty(members: SSAValue) -> None:
    """Replace what clears a set by loops that take out its members, if all that fills it is known."""
    users = [use.operation for use in members.uses]
    clears = [user for user in users if isinstance(user, ClearOp)]
    fills = [_fill_behind(clear) for clear in clears]
    inserts = {fill: insert for fill in fills if fill is not None for insert in operations_in(fill, InsertOp)}
    if not clears or None in fills or len(users) != 2 * len(clears) + sum(isinstance(one, ContainsOp) for one in users):
        return
    if not all(insert in users for insert in inserts.values()):
        return
    asked = [user for user in users if isinstance(user, ContainsOp)]
    if not all(any(_is_behind(one, fill) for fill in inserts) for one in asked):
        return
    for clear, (fill, insert) in zip(clears, inserts.items(), strict=True):
        _take_out(fill, insert)
        erase_operation(clear)


def _fill_behind(clear: ClearOp) -> ForOp | None:
    """The next loop in the block of a clear, if all that it does is to put elements of lists into the set."""
    if isinstance(clear.parent_op(), FuncOp):
        return None
    loop = clear.next_op
    while loop is not None and not loop.regions:
        loop = loop.next_op
    if not isinstance(loop, ForOp) or sum(isinstance(op, InsertOp) for op in loop.body.block.ops) != 1:
        return None
    for op in loop.body.block.ops:
        if isinstance(op, InsertOp):
            if op.present.first_use is not None or op.set is not clear.set:
                return None
        elif isinstance(op, LoadOp):
            if not is_only_read(op.buffer):
                return None
        elif op.regions or not (isinstance(op, StoreOp) or is_pure(op)):
            return None
    return loop


def _is_behind(op: Operation, fill: ForOp) -> bool:
    """Whether an operation comes later in the block of a loop, or in something inside of the block."""
    assert fill.parent is not None
    around = fill.parent.find_ancestor_op_in_block(op)
    return around is not None and around is not fill and fill.is_before_in_block(around)


def _take_out(fill: ForOp, insert: InsertOp) -> None:
    """Iterate over the list again at the end of the block."""
    assert fill.parent is not None
    loop = ForOp.of(fill.lower, fill.upper)
    inner = Emitter(loop.body.block)
    mapping: dict[SSAValue, SSAValue] = {fill.induction: loop.induction}
    needed = _needed_for(insert.member, fill)
    for op in fill.body.block.ops:
        if op in needed:
            inner.insert(clone_operation(op, mapping))
    inner.insert(RemoveOp.of(mapping.get(insert.member, insert.member), insert.set))
    fill.parent.add_op(loop)
    behind = _from(fill)
    if all(_does_nothing_without(insert.set, op) for op in behind[1:-1]):
        emit = Emitter(Block())
        guarded = emit.insert(IfOp.of(emit.compare("slt", fill.lower, fill.upper)))
        # As of a loop around merges: see skip-idle-loops.
        guarded.attributes["unlikely"] = UnitAttr()
        move_before(emit.block, fill)
        Emitter(guarded.then.block).take(behind)


def _from(op: Operation) -> list[Operation]:
    """An operation and those behind it in its block."""
    assert op.parent is not None
    operations = operations_of(op.parent)
    return operations[operations.index(op) :]


def _does_nothing_without(members: SSAValue, op: Operation) -> bool:
    """Whether an operation only computes values where a set has no members."""
    if isinstance(op, IfOp) and isinstance(found := op.condition.owner, ContainsOp) and found.set is members:
        return all(_does_nothing_without(members, inner) for block in op.otherwise.blocks for inner in block.ops)
    if isinstance(op, ForOp):
        return all(_does_nothing_without(members, inner) for inner in op.body.block.ops)
    return isinstance(op, LoadOp | ContainsOp) or (not op.regions and is_pure(op))


def _needed_for(value: SSAValue, loop: ForOp) -> set[Operation]:
    """What a loop computes a value by."""
    needed: set[Operation] = set()
    left = [value]
    while left:
        owner = left.pop().owner
        if isinstance(owner, Operation) and loop.is_ancestor(owner) and owner not in needed:
            needed.add(owner)
            left += owner.operands
    return needed
