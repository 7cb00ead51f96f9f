"""Dense arrays as loops see them: extents, positions, and transposed copies."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, SSAValue

from irtensor.dialects.loop.loop import AS_IT_IS, INDEX, ForOp, StoreOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.loop.lower_storage import EXTENTS
from irtensor.passes.support.emit import Emitter


def extents_of(buffer: SSAValue) -> list[SSAValue]:
    """The extents of the dense array that an argument holds, the outermost first; none if it is not such an array."""
    function = buffer.owner.parent_op() if isinstance(buffer, BlockArgument) else None
    if not isinstance(function, FuncOp) or function.arg_attrs is None:
        return []
    assert isinstance(buffer, BlockArgument)
    numbers = function.arg_attrs.data[buffer.index].data.get(EXTENTS)
    if not isinstance(numbers, DenseArrayBase):
        return []
    arguments = function.body.block.args
    extents: list[SSAValue] = [arguments[number] for number in numbers.get_values() if 0 <= number < len(arguments)]
    return extents if all(extent.type == INDEX for extent in extents) else []


def split_index(index: SSAValue, extents: list[SSAValue]) -> tuple[SSAValue | None, SSAValue] | None:
    """A position in a dense level as the position above, None at the outermost level, and a coordinate."""
    if len(extents) == 1:
        return None, index
    owner = index.owner
    start = owner.lhs.owner if isinstance(owner, arith.AddiOp) else None
    if not isinstance(owner, arith.AddiOp) or not isinstance(start, arith.MuliOp) or start.rhs is not extents[-1]:
        return None
    return start.lhs, owner.rhs


def product_of(extents: list[SSAValue], emit: Emitter) -> SSAValue:
    count = emit.index(1)
    for extent in extents:
        count = emit.mul(count, extent)
    return count


def transpose(matrices: SSAValue, copy: SSAValue, emit: Emitter, tile: int, *, back: bool = False) -> ForOp:
    """Store matrices, the last two levels of an array, transposed in a copy, or a copy `back` in them.

    It goes tile by tile, so that lines are read and written while they are cached. The loop that is returned has
    iterations that store to different elements.
    """
    *above, rows, columns = extents_of(matrices)
    count, size = product_of(above, emit), emit.mul(rows, columns)
    zero, length = emit.index(0), emit.index(tile)
    # Before all loops, so that the work of an iteration is known.
    tiles = emit.divide_up(rows, tile)
    each, start = emit, zero
    if constant_index(count) != 1:
        each = _inside(emit, zero, count)
        start = each.mul(_index(each), size)
    across = _inside(each, zero, each.divide_up(columns, tile))
    down = _inside(across, zero, tiles)
    first_column, first_row = down.mul(_index(across), length), down.mul(_index(down), length)
    by_column = _inside(down, first_column, down.min(down.add(first_column, length), columns))
    inner = _inside(by_column, first_row, by_column.min(by_column.add(first_row, length), rows), AS_IT_IS)
    column, row = _index(by_column), _index(inner)
    in_matrix = inner.add(inner.add(start, inner.mul(row, columns)), column)
    in_copy = inner.add(inner.add(start, inner.mul(column, rows)), row)
    (source, index), target = (
        ((copy, in_copy), (matrices, in_matrix)) if back else ((matrices, in_matrix), (copy, in_copy))
    )
    inner.insert(StoreOp.of(inner.load(source, index), *target))
    loop = (each if each is not emit else across).block.parent_op()
    assert isinstance(loop, ForOp)
    return loop


def _inside(emit: Emitter, lower: SSAValue, upper: SSAValue, hints: dict[str, Attribute] = {}) -> Emitter:
    return Emitter(emit.insert(ForOp.of(lower, upper, hints)).body.block)


def _index(emit: Emitter) -> SSAValue:
    return emit.block.args[0]
