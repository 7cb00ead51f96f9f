"""`append-without-branch`: entries that may or may not be appended are written anyway, and counted if they count."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import (
    PROVISIONAL,
    SPECULATABLE,
    AppendOp,
    CountOp,
    DataOp,
    ForOp,
    GetOp,
    IfOp,
    LoadOp,
    ReserveOp,
    SetOp,
    StoreOp,
    WhileOp,
)
from irtensor.dialects.support.create_operation import create_operation, erase_operation
from irtensor.passes.cleanup.hoist_invariants import is_speculatable
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, option

_index = IndexType()


@dataclass(frozen=True)
class AppendWithoutBranchPass(TensorPass):
    """Write behind the appended entries whether or not the condition holds, and append 1 or 0 entries accordingly.

    Which entries two operands share is random, so that the branch is mispredicted every other time.

    Before: `if %c { %q = count %n; store %v, %vals[%q]; append 1 to %n; ... } else { ... }`
    After:  `%q = count %n; store %v, %vals[%q]; append select(%c, 1, 0) to %n; ...`

    Elements behind the last appended entry are never read. Room for one entry more is reserved. A store that is
    `provisional` may be executed in vain as well, where its entry is counted by a cell.
    """

    name = "append-without-branch"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"lower-algebra-to-arith": "the operations that operators become are counted"}

    limit: int = option("The largest branch, in operations, that is flattened.", 32)

    def on_function(self, function: FuncOp) -> None:
        given_room: set[Operation] = set()
        for branch in operations_in(function, IfOp):
            if self._can_flatten(branch):
                _flatten(branch, given_room)

    def _can_flatten(self, branch: IfOp) -> bool:
        loop = branch.parent_op()
        if not isinstance(loop, WhileOp | ForOp):
            return False
        operations = [op for block in _blocks(branch) for op in block.ops]
        if len(operations) > self.limit or not any(isinstance(op, StoreOp) for op in operations):
            return False
        return all(_is_harmless(op, branch) for op in operations)


def _blocks(branch: IfOp) -> list[Block]:
    return [branch.then.block, *branch.otherwise.blocks]


def _is_harmless(op: Operation, branch: IfOp) -> bool:
    """Whether an operation of a branch may run, or be turned into a choice, where the branch is not taken."""
    match op:
        case SetOp():
            return _is_before(op.cell, branch) and _sets_once(op)
        case GetOp() | CountOp():
            return True
        case LoadOp():
            # Arrays that are read at one position are equally long.
            return SPECULATABLE in op.attributes or (
                _is_before(op.index, branch)
                and not isinstance(op.buffer.owner, DataOp)
                and any(
                    isinstance(use.operation, LoadOp) and use.operation.parent is branch.parent for use in op.index.uses
                )
            )
        case StoreOp() | AppendOp():
            # Other stores beside the entries, or appends in the other case, are refused.
            return op.parent is branch.then.block and (
                isinstance(op, AppendOp) or _is_entry(op, branch) or _is_counted(op)
            )
        case _:
            return is_speculatable(op)


def _is_before(value: SSAValue, branch: IfOp) -> bool:
    return not branch.is_ancestor(value.owner)


def _sets_once(op: SetOp) -> bool:
    """Whether the branch sets the cell nowhere else, and does not read it afterwards."""
    assert op.parent is not None
    uses = [other for other in op.parent.ops if isinstance(other, SetOp | GetOp) and other.cell is op.cell]
    return uses[-1] is op and sum(isinstance(other, SetOp) for other in uses) == 1


def _is_entry(store: StoreOp, branch: IfOp) -> bool:
    """Whether a store goes to the position of the entry that the branch then appends, to a list that has room for
    one."""
    position = store.index.owner
    if not isinstance(position, CountOp) or not isinstance(store.buffer.owner, DataOp):
        return False
    appends = [op for op in branch.then.block.ops if isinstance(op, AppendOp) and op.counter is position.counter]
    return len(appends) == 1 and _reserve_of(store) is not None and _is_latest(position, branch)


def _is_counted(store: StoreOp) -> bool:
    """Whether a store is provisional, and its block then counts the entry by a cell that says where it is."""
    assert store.parent is not None
    if PROVISIONAL not in store.attributes:
        return False
    cells: set[SSAValue] = set()
    left: list[SSAValue] = [store.index]
    while left:
        owner = left.pop().owner
        if isinstance(owner, GetOp):
            cells.add(owner.cell)
        elif isinstance(owner, Operation) and owner.name.startswith("arith."):
            left += owner.operands
    return any(isinstance(op, SetOp) and op.cell in cells for op in store.parent.ops)


def _is_latest(position: CountOp, branch: IfOp) -> bool:
    """Whether nothing changes the count between its reading and the branch's own step."""
    if position.parent is branch.then.block:
        return True
    op = branch.prev_op
    while op is not None and op is not position:
        if op.regions or (isinstance(op, AppendOp) and op.counter is position.counter):
            return False
        op = op.prev_op
    return op is position


def _reserve_of(store: StoreOp) -> ReserveOp | None:
    """The reservation that the stored-to memory comes from: the last one before it in its block."""
    data = store.buffer.owner
    assert isinstance(data, DataOp)
    op = data.prev_op
    while op is not None:
        if isinstance(op, ReserveOp) and op.growable is data.growable:
            return op
        if op.regions:
            return None
        op = op.prev_op
    return None


def _flatten(branch: IfOp, given_room: set[Operation]) -> None:
    block = branch.parent
    assert block is not None
    made = Block()
    emit = Emitter(made)
    chosen: dict[SSAValue, list[SSAValue | None]] = {}
    for side, source in enumerate(_blocks(branch)):
        for op in operations_of(source):
            if isinstance(op, StoreOp) and PROVISIONAL not in op.attributes:
                _make_room(op, given_room)
            op.detach()
            if isinstance(op, SetOp):
                chosen.setdefault(op.cell, [None, None])[side] = op.value
                op.erase()
            else:
                if isinstance(op, AppendOp):
                    op.operands[0] = emit.select(branch.condition, op.entries, emit.index(0))
                made.add_op(op)
    before = {cell: emit.get(cell) for cell, values in chosen.items() if None in values}
    for cell, (then, otherwise) in chosen.items():
        emit.set(emit.select(branch.condition, then or before[cell], otherwise or before[cell]), cell)
    move_before(made, branch)
    erase_operation(branch)


def _make_room(store: StoreOp, given_room: set[Operation]) -> None:
    """Reserve one element more, once per reservation."""
    reserve = _reserve_of(store)
    assert reserve is not None and reserve.parent is not None
    if reserve in given_room:
        return
    given_room.add(reserve)
    one = arith.ConstantOp.from_int_and_width(1, _index)
    more = create_operation(arith.AddiOp, (reserve.count, one.result), (_index,))
    reserve.parent.insert_ops_before([one, more], reserve)
    reserve.operands[1] = more.results[0]
