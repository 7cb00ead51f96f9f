"""`split-diagonals`: loops along diagonals, for tensors stored by them (Kjolstad 2020, section 2.5)."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.dialects.concrete_index.concrete_index import AssignOp, ForallOp, LetOp
from irtensor.dialects.concrete_index.index_ranges import ExtentOp
from irtensor.dialects.concrete_index.protocols import by_level
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import create_block, create_region, erase_operation
from irtensor.passes.analysis.diagonals import Access, Diagonal, diagonals_of
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.ranges import forall_of, only_forall
from irtensor.passes.concrete_index.support.loop_ranges import cut_loop, set_range
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.pass_base import TensorPass

_index = IndexType()
_Pair = tuple[SSAValue, SSAValue]


class SplitDiagonalsPass(TensorPass):
    """Iterate over the diagonals of tensors that store them: one of two index variables follows from the other.

    Before: `forall %i { forall %j { access %A[%i, %j] ... access %x[%j] } }`, %A stored by (j - i), i and the offset j
    After:  `forall %d from 1 - %n to %m { forall %i from max(0, -%d) to min(%n, %m - %d) {
             let %j = %i + %d { access %A[%d, %i, %j] ... access %x[%j] } } }`
    Accesses of such tensors then have one index per level. Where other statements are between the two loops, it is the
    inner one that becomes a loop over diagonals.
    """

    name = "split-diagonals"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    before = {"choose-loop-order": "loops over diagonals are ordered like any others"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found, refused = diagonals_of(op)
        for access, reason in refused:
            raise _refused(access, reason)
        offsets = dict(_split(diagonal) for diagonal in found)
        for access in {access: None for diagonal in found for access in diagonal.accesses}:
            _index_by_level(access, offsets)


def _refused(access: Access, reason: str) -> UserError:
    format = format_of(access.tensor.type)
    result = isinstance(access, AssignOp)
    way_out = ", and convert that" if result else ", or allow conversions (convert=True; the pass match-diagonals)"
    return UserError(
        "diagonal-mismatch",
        f"'{name_of(access.tensor)}', stored {format}, is not traversed along its diagonals: {reason}",
        op=access,
        help=f"store it {format.without_diagonals}{way_out}",
    )


def _split(diagonal: Diagonal) -> tuple[_Pair, SSAValue]:
    """Rewrite the loops; gives the two variables as they are then, and the one of the diagonal."""
    access, loop = diagonal.accesses[0], forall_of(diagonal.followed)
    assert loop is not None
    computed = Block()
    emit = Emitter(computed)
    rows, columns = (
        emit.insert(ExtentOp.of(access.tensor, list(access.indices).index(variable))).result
        for variable in (diagonal.subtrahend, diagonal.minuend)
    )
    if diagonal.is_single_nest:
        offset, bound = _along(diagonal, rows, columns, computed)
    else:
        offset, bound = _across(diagonal, loop, rows, columns, computed)
    pair = (bound, diagonal.kept) if diagonal.followed is diagonal.minuend else (diagonal.kept, bound)
    return pair, offset


def _along(diagonal: Diagonal, rows: SSAValue, columns: SSAValue, computed: Block) -> _Pair:
    """A loop over diagonals around the loop over the kept variable; the loop over the other one is removed."""
    kept, left_out = forall_of(diagonal.kept), forall_of(diagonal.followed)
    assert kept is not None and left_out is not None
    innermost = _innermost_of_nest(kept if kept.is_ancestor(left_out) else left_out)
    around = cut_loop(kept, "d", name_of(kept.variable))
    bound = _bind(diagonal, innermost, around.variable)
    _inline(left_out)
    first, inside = Emitter(computed).sub(Emitter(computed).index(1), rows), Block()
    emit = Emitter(inside)
    zero = emit.index(0)
    if diagonal.followed is diagonal.minuend:
        lo, hi = emit.max(zero, emit.sub(zero, around.variable)), emit.min(rows, emit.sub(columns, around.variable))
    else:
        lo, hi = emit.max(zero, around.variable), emit.min(columns, emit.add(rows, around.variable))
    if kept.bounds:
        lo, hi = emit.max(kept.bounds[0], lo), emit.min(kept.bounds[1], hi)
    # Operations emitted before the range of the outer loop is set follow when known extents are reused.
    set_range(around, first, columns, computed)
    set_range(kept, lo, hi, inside)
    return around.variable, bound


def _across(diagonal: Diagonal, loop: ForallOp, rows: SSAValue, columns: SSAValue, computed: Block) -> _Pair:
    """In place of the inner loop, one over the diagonals that meet the coordinate of the outer one."""
    offset, emit = loop.variable, Emitter(computed)
    bound = _bind(diagonal, _innermost_of_nest(loop), offset)
    offset.name_hint = "d"
    if diagonal.followed is diagonal.minuend:
        lo, hi = emit.sub(emit.index(0), diagonal.kept), emit.sub(columns, diagonal.kept)
    else:
        after = emit.add(diagonal.kept, emit.index(1))
        lo, hi = emit.sub(after, rows), after
    set_range(loop, lo, hi, computed)
    return offset, bound


def _innermost_of_nest(loop: ForallOp) -> ForallOp:
    """The last of the loops that are directly inside of each other: a `let` between them would fix their order."""
    while (below := only_forall(loop.body.block)) is not None:
        loop = below
    return loop


def _bind(diagonal: Diagonal, innermost: ForallOp, offset: SSAValue) -> SSAValue:
    """A `let` of the variable that follows, around everything in a loop."""
    inside, outside = create_block((_index,), (diagonal.followed.name_hint,)), innermost.body.block
    diagonal.followed.replace_all_uses_with(inside.args[0])
    Emitter(inside).take(operations_of(outside))
    emit = Emitter(outside)
    compute = emit.add if diagonal.followed is diagonal.minuend else emit.sub
    emit.insert(LetOp.of(compute(diagonal.kept, offset), create_region(inside)))
    return inside.args[0]


def _inline(loop: ForallOp) -> None:
    """Replace a loop by its body."""
    block = loop.parent
    assert block is not None
    move_before(loop.body.block, loop)
    erase_operation(loop)


def _index_by_level(access: Access, offsets: Mapping[_Pair, SSAValue]) -> None:
    indices: list[SSAValue] = []
    format = format_of(access.tensor.type)
    for level in format.levels:
        index, other = access.indices[level.expression.dimension], level.expression.other
        indices.append(index if other is None else offsets[(index, access.indices[other])])
    fixed = list(access.operands)[: len(access.operands) - len(access.indices)]
    access.operands = [*fixed, *indices]
    access.protocols = by_level(access.protocols, format)
