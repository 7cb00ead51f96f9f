"""`fuse-equal-loops`: loops over the same range that compute the same sum or function in each iteration are one."""

from __future__ import annotations

from collections.abc import Container, Hashable, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import remark
from irtensor.dialects.loop.loop import ForOp, GetOp, LoadOp, SetOp
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.speed.support.equal_functions import EqualFunction, equal_functions, functions_in
from irtensor.passes.speed.support.equal_sums import Equality, equal_sums, has_loops, share_sums
from irtensor.passes.speed.support.memory_effects import Effects, effects_of
from irtensor.passes.support.operations_in import operations_between, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class FuseEqualLoopsPass(TensorPass):
    """Let a loop do what another one behind it does, if both compute the same sum, or the same function of elements.

    Before: `for %j { %t = cell; for %k { set ..., %t }; set exp(get %t) * %v[%j], %a };
             for %j { %u = cell; for %k { set ..., %u }; set exp(get %u), %b }`
    After:  `for %j { %t = cell; for %k { set ..., %t }; set exp(get %t) * %v[%j], %a; set exp(get %t), %b }`
    That is the numerator and the denominator of a weighted mean. The ranges are the same, neither loop reads what the
    other one writes, and each combines its values in the same order as before, so that the bits of a result stay. It is
    never more work: the iterations of one loop are gone, and what both compute. A function is one that a library
    computes; a loop inside of one of the loops may compute it, and reads its value then. Loops that share nothing are
    left apart, as vectors suit short ones better.
    """

    name = "fuse-equal-loops"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"simplify-loops": "equal values outside of the loops are then one value each"}
    before = {"divide-parallel-loops": "a loop has one range for its parts"}

    def on_function(self, function: FuncOp) -> None:
        _fuse_in(function.body.block)


def _fuse_in(block: Block) -> None:
    """Fuse loops of a block, and loops inside the remaining ones."""
    loops = [op for op in operations_of(block) if type(op) is ForOp and (has_loops(op) or functions_in(op))]
    for number, first in enumerate(loops):
        for second in loops[number + 1 :]:
            if first.parent is block and second.parent is block:
                _fuse(first, second)
    for op in operations_of(block):
        for region in op.regions:
            for inner in region.blocks:
                _fuse_in(inner)


def _fuse(first: ForOp, second: ForOp) -> None:
    """Make one loop of two, if they share a sum or a function and nothing keeps them apart."""
    if first.attributes != second.attributes:
        return
    parts = _movable(first, second)
    if parts is None:
        return
    needed, changing = parts
    blocks = first.body.block, second.body.block
    outside = Equality(changing)
    inside = outside.in_loops(second, first)
    if not outside.of_ranges(second, first):
        return
    shares_sums = share_sums(blocks, inside)
    functions = equal_functions(first, second, inside)
    if not shares_sums and not functions:
        return
    what = "sum" if shares_sums else "function"
    remark(f"two loops along the same range are one, because both compute the same {what}", by="fuse-equal-loops")
    sums = list(equal_sums(blocks, inside))
    assert first.parent is not None
    for op in needed:
        op.detach()
        first.parent.insert_op_before(op, first)
    for loop, cells, others in sums:
        erase_operation(loop)
        for cell, other in zip(cells, others, strict=True):
            cell.cell.replace_all_uses_with(other.cell)
            erase_operation(cell)
    second.induction.replace_all_uses_with(first.induction)
    _join(blocks, functions)
    erase_operation(second)
    _compute_once(blocks[0], outside, {other.cell for _, _, others in sums for other in others})


def _join(blocks: tuple[Block, Block], functions: Sequence[EqualFunction]) -> None:
    """Put the operations of the second block into the first: in front, where inner loops of that read what they
    compute."""
    read = [one for one in functions if one.second.parent is blocks[1] and one.first.parent is not blocks[0]]
    start = blocks[0].first_op if read else None
    for op in operations_of(blocks[1]):
        op.detach()
        if start is None:
            blocks[0].add_op(op)
        else:
            blocks[0].insert_op_before(op, start)
    # Equal ones outside of inner loops are found with all other values.
    known = [(one.second, one.first) for one in read] if read else [(one.first, one.second) for one in functions]
    for kept, other in known:
        if kept.parent is blocks[0] and other.parent is not blocks[0]:
            other.results[0].replace_all_uses_with(kept.results[0])
            erase_operation(other)


def _movable(first: ForOp, second: ForOp) -> tuple[list[Operation], frozenset[SSAValue]] | None:
    """The operations between two loops that have to be before both, if what the second does can be done in the first.

    With the memory that any of it changes.
    """
    between = operations_between(first, second)
    own, after = effects_of(first), effects_of(second)
    effects = [effects_of(op) for op in between]
    if own is None or after is None or own.conflict_with(after):
        return None
    needed: list[Operation] = []
    moved: list[tuple[Operation, Effects]] = [(second, after)]
    for op, effect in zip(reversed(between), reversed(effects), strict=True):
        if effect is None:
            return None
        if _depends(op, effect, moved):
            if effect.conflict_with(own):
                return None
            moved.append((op, effect))
            needed.append(op)
    changing = own.writes.union(after.writes, *(effect.writes for effect in effects if effect is not None))
    return needed[::-1], changing


def _depends(op: Operation, effect: Effects, moved: Sequence[tuple[Operation, Effects]]) -> bool:
    """Whether something that is moved uses what an operation computes, or has to come after what it does."""
    users = [use.operation for result in op.results for use in result.uses]
    return any(
        effect.conflict_with(other) or any(one is user or one.is_ancestor(user) for user in users)
        for one, other in moved
    )


def _compute_once(block: Block, equality: Equality, complete: Container[SSAValue]) -> None:
    """Use what a block has computed already where it computes that again; `complete` are cells of the shared sums."""
    known: dict[Hashable, SSAValue] = {}
    ready: set[SSAValue] = set()
    for op in operations_of(block):
        if isinstance(op, ForOp):
            ready |= {inner.cell for inner in operations_in(op, SetOp) if inner.cell in complete}
        is_same = (isinstance(op, LoadOp) and equality.is_constant(op.buffer)) or (
            isinstance(op, GetOp) and op.cell in ready
        )
        if not is_same and not is_pure(op):
            continue
        value = op.results[0]
        key = (type(op), *op.operands, *op.properties.items(), *op.attributes.items(), value.type)
        if known.setdefault(key, value) is not value:
            value.replace_all_uses_with(known[key])
            erase_operation(op)
