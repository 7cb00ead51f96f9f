"""`drain-sets`: a set that is listed once each time it is filled is emptied while it is listed."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import ClearOp, IndexSetOp, InsertOp, MembersOp
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class DrainSetsPass(TensorPass):
    """Take members out of a set when they are listed, instead of looking for them again to clear it.

    Before: `clear %s; for ... { insert %j into %s }; %n = members %s into %b`
    After:  `for ... { insert %j into %s }; %n = members %s into %b drain`
    Only where nothing else uses the set: it is then empty before the first member comes, and after each listing. For
    short rows that is half of the time of going through the set.
    """

    name = "drain-sets"
    accepts = ("loop",)
    leaves = ("loop",)
    before = {
        "count-entries": "counting copies the uses of a set, which may have no others",
        "divide-appending-loops": "dividing copies the uses of a set, which may have no others",
        "divide-parallel-loops": "dividing copies the uses of a set, which may have no others",
    }

    def on_function(self, function: FuncOp) -> None:
        for inner in operations_in(function, IndexSetOp):
            if (found := _filled_then_listed(inner.set)) is not None:
                clear, members = found
                members.properties["drain"] = UnitAttr()
                erase_operation(clear)


def _filled_then_listed(members: SSAValue) -> tuple[ClearOp, MembersOp] | None:
    """The only clearing and the only listing of a set, if all members are inserted between them."""
    users = [use.operation for use in members.uses]
    clears = [op for op in users if isinstance(op, ClearOp)]
    lists = [op for op in users if isinstance(op, MembersOp)]
    inserts = [op for op in users if isinstance(op, InsertOp)]
    if len(clears) != 1 or len(lists) != 1 or len(users) != len(inserts) + 2:
        return None
    clear, listing = clears[0], lists[0]
    block = clear.parent
    if block is None or listing.parent is not block:
        return None
    positions = {op: position for position, op in enumerate(block.ops)}
    between = range(positions[clear], positions[listing])
    if all((ancestor := _ancestor_in(block, op)) is not None and positions[ancestor] in between for op in inserts):
        return clear, listing
    return None


def _ancestor_in(block: Block, op: Operation) -> Operation | None:
    """The operation of a block that contains another, or is it."""
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current
