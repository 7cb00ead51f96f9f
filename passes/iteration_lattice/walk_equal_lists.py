"""`walk-equal-lists`: a merge of lists that store the same coordinates becomes a walk along one of them."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import remark
from irtensor.core.wide_formats import with_widths_of
from irtensor.dialects.iteration_lattice.iteration_lattice import MergeOp, PointOp, WalkOp
from irtensor.dialects.loop.loop import CellOp, GetOp, LoadOp
from irtensor.dialects.storage.storage import ArrayOp, DimOp, format_of
from irtensor.dialects.support.create_operation import create_block, create_region, erase_operation
from irtensor.passes.analysis.equal_lists import first_with_entries
from irtensor.passes.iteration_lattice.support.coiteration import inline_region
from irtensor.passes.iteration_lattice.support.merge_loop import assume_aligned, bind
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import is_argument, operations_in
from irtensor.passes.support.pass_base import TensorPass

_INDEX = IndexType()
# Operations that give equal numbers for equal operands, beside reads of equal arrays.
_ALIKE = frozenset(
    (
        *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp, arith.SelectOp, arith.CmpiOp),
        *(arith.IndexCastOp, arith.ConstantOp, LoadOp, ArrayOp, DimOp),
    )
)


class WalkEqualListsPass(TensorPass):
    """Walk lists without a merge if an argument says that they equal those of another one (`storage.entries_of`).

    Before: `merge cursors %q, %r to %e, %f ... load { %crd_A[%p], %crd_B[%p] } cases [[0, 1], [0], [1]] { ... }`,
            in a function with `%A, %B {storage.entries_of = 0 : index}`
    After:  `walk %q to %e { (%p): what the first case does with entry %p of A and of B }`
    There are fewer branches and less code, and what a walk computes becomes vectors. Points behind that visit what one
    of the lists has left are erased, as there is nothing left. Lists of different arguments stay as they are, and so do
    merges with lists of other tensors.
    """

    name = "walk-equal-lists"
    accepts = ("iteration_lattice.merge",)
    leaves = ("iteration_lattice", "iteration_lattice.merge", "storage", "algebra", "loop")
    after = {"lower-looplets": "merges are made there"}
    before = {"lower-iteration-lattice-to-loop": "merges become loops there"}

    def on_function(self, function: FuncOp) -> None:
        equal = _EqualArguments(function)
        if equal.first:
            for merge in operations_in(function, MergeOp):
                # Erased cases of a merge around take their bodies with them.
                if function.is_ancestor(merge) and _may_walk(merge, equal):
                    _walk(merge, equal)


class _EqualArguments:
    """Which values are equal, as they are computed from arguments that store the same coordinates."""

    def __init__(self, function: FuncOp) -> None:
        self.first = first_with_entries(function, _have_equal_levels)

    def are_equal(self, a: SSAValue, b: SSAValue) -> bool:
        """Whether two values are known to be equal."""
        a, b = self.plain(a), self.plain(b)
        if a is b:
            return True
        x, y = a.owner, b.owner
        if isinstance(x, Block) or isinstance(y, Block) or type(x) is not type(y) or type(x) not in _ALIKE:
            return False
        if isinstance(x, LoadOp) and _list_tensor(x.buffer) is None:
            return False
        return x.properties == y.properties and all(map(self.are_equal, x.operands, y.operands))

    def plain(self, value: SSAValue) -> SSAValue:
        """The value, or an equal one: the first of equal arguments, and either of two equal numbers instead of the
        lesser one."""
        while isinstance(value.owner, arith.MinSIOp) and self.are_equal(*value.owner.operands):
            value = value.owner.lhs
        return self.first.get(value, value)


def _have_equal_levels(a: SSAValue, b: SSAValue) -> bool:
    """Whether two tensors have the same levels, whatever the widths of their indices and their fill values are."""
    if not (isinstance(a.type, TensorType) and isinstance(b.type, TensorType)):
        return False
    first, second = (format_of(tensor.type).with_fill(None) for tensor in (a, b))
    return with_widths_of(first, second) == second


def _may_walk(op: MergeOp, equal: _EqualArguments) -> bool:
    """Whether all lists are equal, and each iteration takes one entry of each."""
    if op.cut is not None or op.nonunique.data or not op.bodies or op.bodies[0].block.args[0].uses:
        return False
    lists = [_list_of(op, k) for k in range(len(op.cursors))]
    if None in lists:
        return False
    first, *others = zip(lists, op.cursors, op.ends, strict=True)
    return all(
        equal.are_equal(first[0], list)
        and equal.are_equal(first[2], end)
        and _are_together(op, first[1], cursor, equal)
        for list, cursor, end in others
        if first[0] is not None and list is not None
    )


def _list_of(op: MergeOp, k: int) -> SSAValue | None:
    """The array of the coordinates of a cursor's list."""
    loads = [load for load in operations_in(op.load, LoadOp) if load.index is op.load.block.args[k]]
    return loads[0].buffer if len(loads) == 1 and _list_tensor(loads[0].buffer) is not None else None


def _list_tensor(array: SSAValue) -> SSAValue | None:
    """The argument that stores an array: its elements do not change."""
    source = array.owner
    if isinstance(source, ArrayOp) and is_argument(source.tensor):
        return source.tensor
    return None


def _are_together(op: MergeOp, a: SSAValue, b: SSAValue, equal: _EqualArguments) -> bool:
    """Whether cursors begin at the same position, and have been moved by the same merges before one."""
    if not (isinstance(a.owner, CellOp) and isinstance(b.owner, CellOp)):
        return False
    moved = _moves_before(op, a.owner), _moves_before(op, b.owner)
    return moved[0] is not None and moved[0] == moved[1] and equal.are_equal(a.owner.initial, b.owner.initial)


def _moves_before(op: MergeOp, cell: CellOp) -> set[Operation] | None:
    """What moves a cursor before a merge, which is in the same block, or in a point there; None if it is elsewhere."""
    assert cell.parent is not None
    ancestor = cell.parent.find_ancestor_op_in_block(op)
    if ancestor is None or not (ancestor is op or isinstance(ancestor, PointOp)):
        return None
    found: set[Operation] = set()
    for use in cell.cell.uses:
        user = cell.parent.find_ancestor_op_in_block(use.operation)
        if user is not None and not isinstance(use.operation, GetOp) and user.is_before_in_block(ancestor):
            found.add(use.operation)
    return found


def _walk(op: MergeOp, equal: _EqualArguments) -> None:
    before = Emitter(Block())
    cursor, count = op.cursors[0].owner, len(op.cursors)
    assert isinstance(cursor, CellOp)
    # Where the list begins as well as where it ends, the work of an iteration around can be told.
    begin = before.get(op.cursors[0]) if _moves_before(op, cursor) else cursor.initial
    body = create_block((_INDEX,), ("p",))
    inner, position = Emitter(body), body.args[0]
    end, source = inline_region(op.load, [position] * count, inner)[0], op.bodies[0].block
    aligned: list[SSAValue] = []
    if op.selects:
        assume_aligned(source.args[2 + 2 * count :])
        aligned = [inner.insert(arith.ConstantOp.from_int_and_width(-1, 1)).result] * count
    after = inner.add(position, inner.index(1))
    bind(source, [end, end, *[position] * count, *[after] * count, *aligned])
    inner.take(list(source.ops))
    names = [_list_tensor(load.buffer) for load in operations_in(op.load, LoadOp)]
    text = " and ".join(f"'{tensor.name_hint}'" for tensor in names if tensor is not None)
    remark(f"the lists of {text} store the same coordinates, and are walked together", op, by="walk-equal-lists")
    walk = before.insert(WalkOp.of(begin, op.ends[0], create_region(body)))
    walk.location = op.location
    for cursor, stop in zip(op.cursors, op.ends, strict=True):
        before.set(stop, cursor)
    point = op.parent_op()
    if isinstance(point, PointOp):
        # What else is computed for the ends of the other lists is not needed any more.
        point.operands[1] = equal.plain(point.end)
        _erase_empty_points(point, equal)
    move_before(before.block, op)
    erase_operation(op)


def _erase_empty_points(point: PointOp, equal: _EqualArguments) -> None:
    """Erase the points behind one that end where it ends."""
    following = point.next_op
    while following is not None:
        this, following = following, following.next_op
        if isinstance(this, PointOp) and this.running is point.running and equal.are_equal(this.end, point.end):
            erase_operation(this)
