"""`visit-drained-sets`: a loop along the list of a set that is emptied goes through the set itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import DataOp, ForOp, GetOp, IndexSetOp, LoadOp, MembersOp, ReserveOp, ScratchOp, SetOp
from irtensor.dialects.loop.loop_sets import VisitOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import erase_operation, insert_operation
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

_index = IndexType()


class VisitDrainedSetsPass(TensorPass):
    """Do what a loop does with each listed member where the member is found, and make no list.

    How many members there are is then not known beforehand: where room is made for them, it is for the set's extent,
    which costs address space only.
    Before: `%n = members %s into %b drain; reserve %crd, %end + %n; for %p = 0 to %n { %j = load %b[%p]; ... }`
    After:  `reserve %crd, %end + %extent; visit %j in %s { ... }`
    Not where the list is read by anything else, or the loop counts, as when it writes down where members are.
    """

    name = "visit-drained-sets"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "drain-sets": "only lists of drained members are replaced by visits",
        "count-entries": "counting goes by how sets are listed",
        "divide-appending-loops": "dividing goes by how sets are listed",
        "divide-parallel-loops": "dividing goes by how sets are listed",
    }

    def on_function(self, function: FuncOp) -> None:
        for listing in operations_in(function, MembersOp):
            if listing.drain is not None and (walk := _only_walk(listing)) is not None:
                _visit(listing, walk)


class _Walk(NamedTuple):
    """The loop along a list, its reads of the list, and all that says how long the list is."""

    loop: ForOp
    reads: list[LoadOp]
    counts: list[SSAValue]


def _only_walk(listing: MembersOp) -> _Walk | None:
    reads = [use.operation for use in listing.buffer.uses if use.operation is not listing]
    inductions = {read.index for read in reads if isinstance(read, LoadOp)}
    if len(inductions) != 1:
        return None
    (induction,) = inductions
    loop = induction.owner.parent_op() if isinstance(induction.owner, Block) else None
    if (
        not isinstance(loop, ForOp)
        or loop.parent is not listing.parent
        or not isinstance(listing.set.owner, IndexSetOp)
    ):
        return None
    if {use.operation for use in induction.uses} != set(reads) or not _is_free_until(listing, loop):
        return None
    counts = list(_counts(listing))
    if constant_index(loop.lower) != 0 or loop.upper not in counts:
        return None
    if not all(_makes_room(use.operation) for count in counts for use in count.uses if use.operation is not loop):
        return None
    return _Walk(loop, [read for read in reads if isinstance(read, LoadOp)], counts)


def _is_free_until(listing: MembersOp, loop: ForOp) -> bool:
    """Whether nothing asks for the set between its listing and the end of the loop."""
    users = {use.operation for use in listing.set.uses}
    current = listing.next_op
    while current is not None:
        if any(inner in users for inner in current.walk()):
            return False
        if current is loop:
            return True
        current = current.next_op
    return False


def _counts(listing: MembersOp) -> Iterator[SSAValue]:
    """The number of members, and what reads it from a cell that holds nothing else by then."""
    yield listing.count
    for use in list(listing.count.uses):
        if isinstance(store := use.operation, SetOp):
            users = [other.operation for other in store.cell.uses if other.operation is not store]
            reads = [other for other in users if isinstance(other, GetOp) and _is_after(other, store)]
            if len(reads) == len(users):
                yield from (read.value for read in reads)


def _is_after(op: Operation, before: Operation) -> bool:
    current = before.next_op
    while current is not None and current is not op:
        current = current.next_op
    return current is op


def _makes_room(op: Operation) -> bool:
    """Whether a number of members is only used as how many more there may be, or kept in a cell for that."""
    if isinstance(op, arith.AddiOp):
        return all(isinstance(use.operation, ReserveOp) for use in op.result.uses)
    return isinstance(op, ReserveOp | SetOp)


def _visit(listing: MembersOp, walk: _Walk) -> None:
    set = listing.set.owner
    assert isinstance(set, IndexSetOp)
    visit = VisitOp.of(set.set)
    visit.location = walk.loop.location
    visit.member.name_hint = walk.reads[0].value.name_hint
    for read in walk.reads:
        _give(read, visit.member)
    Emitter(visit.body.block).take(operations_of(walk.loop.body.block))
    insert_operation(visit, walk.loop)
    _erase(walk.loop)
    data = listing.buffer.owner
    for count in walk.counts[::-1]:
        for use in list(count.uses):
            if isinstance(store := use.operation, SetOp):
                cell = store.cell.owner
                _erase(store)
                _erase(cell)
        count.replace_all_uses_with(set.extent)
        _erase(count.owner)
    _erase_scratch(data)


def _give(read: LoadOp, member: SSAValue) -> None:
    """Replace a number read from the list; it is i64 there, and mostly made an index at once."""
    for use in list(read.value.uses):
        cast = use.operation
        if isinstance(cast, arith.IndexCastOp) and cast.result.type == _index:
            cast.result.replace_all_uses_with(member)
            _erase(cast)
    if read.value.first_use is not None:
        narrow = arith.IndexCastOp(member, i64)
        insert_operation(narrow, read)
        read.value.replace_all_uses_with(narrow.result)
    _erase(read)


def _erase(op: Operation | Block) -> None:
    assert isinstance(op, Operation)
    erase_operation(op)


def _erase_scratch(data: Operation | Block) -> None:
    """The memory of a list that is not made any more, if it was made for it alone."""
    if not isinstance(data, DataOp) or not isinstance(scratch := data.growable.owner, ScratchOp):
        return
    users = [use.operation for use in scratch.growable.uses]
    if all(op is data or isinstance(op, ReserveOp) for op in users):
        for op in (*users, scratch):
            _erase(op)
