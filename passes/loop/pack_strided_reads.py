"""`pack-strided-reads`: a dense operand whose innermost reads are a row apart is transposed, if it is read enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from irtensor.dialects.argument_layout import tensor_named
from irtensor.dialects.diagnostics import remark
from irtensor.dialects.loop import AS_IT_IS, INDEX, DataOp, FillOp, ForOp, IfOp, LoadOp, ReserveOp, ScratchOp, StoreOp
from irtensor.passes.analysis.races import AUTOMATIC, PARALLEL
from irtensor.passes.emit import Emitter, constant_index, move_before
from irtensor.passes.iteration_lattice.counted_results import COUNTED
from irtensor.passes.loop.lower_storage import EXTENTS
from irtensor.passes.loop.segments import begin_of_all, end_of_all, outermost
from irtensor.passes.operations_in import operations_in, operations_of
from irtensor.passes.pass_base import TensorPass, option, structured_functions


@dataclass(frozen=True)
class PackStridedReadsPass(TensorPass):
    """Read a dense operand from a transposed copy where the loop inside runs along a level that is not the last.

    Such a loop touches a cache line, often a page, per element. The copy is made at run time only if it has at most as
    many elements as are read of the operand, so that work stays in proportion to the entries of the sparse operand.
    Loops for threads are copied for by threads, each some columns.
    `loop.extents` of a buffer argument, from lower-storage, says which arguments are its extents.

    Before: `for %i { for %p = %pos[%i] to %pos[%i + 1] { %j = %crd[%p]; for %k = 0 to %n { ... %D[%k * %m + %j] } } }`
    After:  `%worth = %pos[%end] - %pos[0] >= %m; if %worth { %T[%j * %n + %k] = %D[%k * %m + %j], in tiles };
            if %worth { the loops, which read %T[%j * %n + %k] } else { the loops as they were }`
    """

    name = "pack-strided-reads"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"lower-storage": "the lowering writes down which arguments are the extents of a buffer"}
    before = {
        "skip-idle-loops": "loops have to be plain when they are copied",
        "divide-parallel-loops": "the copy is divided among threads as its readers are",
    }

    tile: int = option("The elements along an edge of the tiles in which is copied.", 32)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            written = {op.buffer for op in operations_in(function, StoreOp, FillOp)}
            for loop in operations_of(function.body.block):
                if isinstance(loop, ForOp):
                    found = [_as_strided(load, loop, written) for load in operations_in(loop, LoadOp)]
                    reads = [read for read in found if read is not None]
                    if reads:
                        _version(loop, reads, self.tile)


@dataclass(frozen=True)
class _StridedRead:
    """`load` reads a dense array at [..., row, column]: `row` is the index of the loop inside, `column` stays."""

    load: LoadOp
    entries: ForOp
    """The loop over stored entries, of one column each, or all of the same."""


def _extents(buffer: SSAValue) -> list[SSAValue]:
    """The extents of the array that an argument holds, the outermost first; none if it is no array of matrices."""
    function = buffer.owner.parent_op() if isinstance(buffer, BlockArgument) else None
    if not isinstance(function, FuncOp) or function.arg_attrs is None:
        return []
    assert isinstance(buffer, BlockArgument)
    numbers = function.arg_attrs.data[buffer.index].data.get(EXTENTS)
    if not isinstance(numbers, DenseArrayBase):
        return []
    arguments = function.body.block.args
    extents: list[SSAValue] = [arguments[number] for number in numbers.get_values() if 0 <= number < len(arguments)]
    return extents if len(extents) > 1 and all(extent.type == INDEX for extent in extents) else []


def _as_strided(load: LoadOp, root: ForOp, written: set[SSAValue]) -> _StridedRead | None:
    """A read of a dense operand across its rows, once for each stored entry of another operand."""
    if load.buffer in written or not (extents := _extents(load.buffer)):
        return None
    inner = load.parent_op()
    entries = inner.parent_op() if isinstance(inner, ForOp) else None
    if not isinstance(inner, ForOp) or not isinstance(entries, ForOp) or outermost(entries) is not root:
        return None
    above, column = _split_place(load.index, extents) or (None, load.index)
    row = _split_place(above, extents[:-1]) if above is not None else None
    if row is None or row[1] is not inner.induction or constant_index(inner.lower) != 0:
        return None
    stays = [column] if row[0] is None else [column, row[0]]
    if not _may_come_again(column, entries) or any(inner.is_ancestor(value.owner) for value in stays):
        return None
    return _StridedRead(load, entries)


def _may_come_again(column: SSAValue, entries: ForOp) -> bool:
    """Whether iterations of a loop may have the same column: one that is looked up, or that of a segment of entries."""
    if isinstance(column.owner, Operation):
        return entries.is_ancestor(column.owner)
    counting = column.owner.parent_op()
    is_around = isinstance(counting, ForOp) and counting is not entries and counting.is_ancestor(entries)
    return is_around and constant_index(entries.lower) is None


def _split_place(place: SSAValue, extents: list[SSAValue]) -> tuple[SSAValue | None, SSAValue] | None:
    """A position in a dense level as the position above, None at the outermost level, and a coordinate."""
    if len(extents) == 1:
        return None, place
    owner = place.owner
    start = owner.lhs.owner if isinstance(owner, arith.AddiOp) else None
    if not isinstance(owner, arith.AddiOp) or not isinstance(start, arith.MuliOp) or start.rhs is not extents[-1]:
        return None
    return start.lhs, owner.rhs


def _version(root: ForOp, reads: list[_StridedRead], tile: int) -> None:
    """Copy each tensor once, if that is worth it, and give the nest a version that reads the copies."""
    before = Emitter(Block())
    worth: SSAValue | None = None
    for read in reads:
        entries = before.sub(end_of_all(read.entries, before), begin_of_all(read.entries, before))
        *above, _, columns = _extents(read.load.buffer)
        enough = before.compare("sge", entries, before.mul(_product(above, before), columns))
        worth = enough if worth is None else before.both(worth, enough)
    assert worth is not None and root.parent is not None
    copies: dict[SSAValue, SSAValue] = {}
    for buffer in dict.fromkeys(read.load.buffer for read in reads):
        remark(
            f"pack-strided-reads: '{tensor_named(buffer.name_hint)}' is read across its rows; it is transposed first "
            "if it has no more columns than it is read for entries"
        )
        scratch = before.insert(ScratchOp.of(buffer.type.element)).growable  # pyright: ignore
        copy = _copy(buffer, scratch, Emitter(before.insert(IfOp.of(worth)).then.block), tile)
        if PARALLEL in root.attributes:
            copy.attributes[PARALLEL] = AUTOMATIC
        copies[buffer] = before.insert(DataOp.of(scratch)).buffer
    move_before(before.block, root)
    inner = dict.fromkeys(loop for read in reads if isinstance(loop := read.load.parent_op(), ForOp))
    # What is counted before it is stored is one loop; its values are computed in those inside.
    for loop in inner if COUNTED in root.attributes else [root]:
        _branch(loop, reads, copies, worth)
    for loop in inner:
        # Few iterations in all, and each waits for memory.
        loop.attributes.update(AS_IT_IS)


def _branch(loop: ForOp, reads: list[_StridedRead], copies: Mapping[SSAValue, SSAValue], worth: SSAValue) -> None:
    """Give a loop a form that reads the copies, which runs where they were made."""
    block, packed = Block(), loop.clone()
    branch = Emitter(block).insert(IfOp.of(worth, with_else=True))
    move_before(block, loop)
    loop.detach()
    for original, copied in zip(loop.walk(), list(packed.walk()), strict=True):
        if isinstance(copied, LoadOp) and any(read.load is original for read in reads):
            _read_copy(copied, copies[copied.buffer])
    branch.then.block.add_op(packed)
    branch.otherwise.block.add_op(loop)


def _product(extents: list[SSAValue], emit: Emitter) -> SSAValue:
    count = emit.index(1)
    for extent in extents:
        count = emit.mul(count, extent)
    return count


def _copy(values: SSAValue, scratch: SSAValue, emit: Emitter, tile: int) -> ForOp:
    """Transpose the last two levels, tile by tile, so that lines are read and written while they are cached.

    The loop that is returned has iterations that store to different places.
    """
    *above, rows, columns = _extents(values)
    matrices = _product(above, emit)
    size = emit.mul(rows, columns)
    emit.insert(ReserveOp.of(scratch, emit.mul(matrices, size)))
    copy = emit.insert(DataOp.of(scratch)).buffer
    zero, length = emit.index(0), emit.index(tile)
    # Before all loops, so that the work of an iteration is known.
    tiles = _tiles(emit, rows, tile)
    each, start = emit, zero
    if constant_index(matrices) != 1:
        each = _inside(emit, zero, matrices)
        start = each.mul(_index(each), size)
    across = _inside(each, zero, _tiles(each, columns, tile))
    down = _inside(across, zero, tiles)
    first_column, first_row = down.mul(_index(across), length), down.mul(_index(down), length)
    by_column = _inside(down, first_column, down.min(down.add(first_column, length), columns))
    inner = _inside(by_column, first_row, by_column.min(by_column.add(first_row, length), rows), AS_IT_IS)
    column, row = _index(by_column), _index(inner)
    value = inner.load(values, inner.add(inner.add(start, inner.mul(row, columns)), column))
    inner.insert(StoreOp.of(value, copy, inner.add(inner.add(start, inner.mul(column, rows)), row)))
    loop = (each if each is not emit else across).block.parent_op()
    assert isinstance(loop, ForOp)
    return loop


def _inside(emit: Emitter, lower: SSAValue, upper: SSAValue, hints: dict[str, Attribute] = {}) -> Emitter:
    return Emitter(emit.insert(ForOp.of(lower, upper, hints)).body.block)


def _index(emit: Emitter) -> SSAValue:
    return emit.block.args[0]


def _tiles(emit: Emitter, extent: SSAValue, tile: int) -> SSAValue:
    return emit.divide(emit.add(extent, emit.index(tile - 1)), emit.index(tile))


def _read_copy(load: LoadOp, copy: SSAValue) -> None:
    """Let a load of [..., row, column] read the copy at [..., column, row]."""
    *above, rows, columns = _extents(load.buffer)
    place = _split_place(load.index, [*above, rows, columns])
    assert place is not None and place[0] is not None
    row = _split_place(place[0], [*above, rows])
    assert row is not None and load.parent is not None
    emit, column = Emitter(Block()), place[1]
    if row[0] is not None:
        column = emit.add(emit.mul(row[0], columns), column)
    index = emit.add(emit.mul(column, rows), row[1])
    move_before(emit.block, load)
    before = load.index
    load.operands[0], load.operands[1] = copy, index
    while not before.uses and isinstance(before.owner, arith.AddiOp | arith.MuliOp):
        unused = before.owner
        before = unused.lhs
        unused.detach()
        unused.erase()
