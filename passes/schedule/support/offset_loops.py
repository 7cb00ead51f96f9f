"""Loops over offsets in blocks, which may go outside of the loop over the blocks.

A loop over the coordinates or entries of one block goes inside of the loop that counts blocks. It becomes a loop over
the offsets that any block has, and inside of both loops the coordinates at the offset in the block, if there is one,
are bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects.arith import AddiOp, DivSIOp, MaxSIOp, MinSIOp, SubiOp
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.concrete_index.blocks import block_of, least_of
from irtensor.dialects.concrete_index.concrete_index import ForallOp, LetOp
from irtensor.dialects.concrete_index.index_ranges import EntryCountOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.ranges import computes_range, sources
from irtensor.passes.concrete_index.support.earlier_cut import earlier_cut
from irtensor.passes.concrete_index.support.loop_ranges import (
    FOLLOWS,
    FUSED,
    cut_loop,
    erase_unused,
    fused_name,
    set_range,
)
from irtensor.passes.concrete_index.support.recorded_steps import definition_of
from irtensor.passes.schedule.support.cut_nest import cut_into_entries
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in


def free_of(nest: Sequence[ForallOp], outer: SSAValue) -> bool:
    """Let the range of a loop, or of loops that are fused, depend no more on a variable; says whether that can be.

    A loop that counts the blocks within a block counts as many as a whole one has. Any other becomes one over offsets.
    """
    if any(FOLLOWS in loop.attributes for loop in nest):
        # They are at one offset already.
        return False
    if len(nest) == 1 and _count_as_in_whole_blocks(nest[0], outer):
        return True
    end = _end(nest)
    if end is None:
        return False
    first, size = end
    if outer in sources(size) and not _take_as_whole(_totals_of(size), outer):
        return False
    name = name_of(nest[0].variable) if len(nest) == 1 else fused_name(nest[0])
    assert name is not None
    _, size = _end(nest) or end
    tags = {tag: nest[0].attributes.pop(tag) for tag in list(nest[0].attributes) if tag not in (FUSED, FOLLOWS)}
    bounds = [bound.owner for loop in nest for bound in loop.bounds if isinstance(bound.owner, Operation)]
    if earlier_cut(nest) is not None:
        around = cut_into_entries(nest, name, _new_name(nest, name), size)
    else:
        around = _cut_into_coordinates(nest[0], first, size, name)
    around.attributes.update(tags)
    for bound in dict.fromkeys(bounds):
        erase_unused(bound)
    for loop in nest:
        loop.attributes[FOLLOWS] = UnitAttr()
    return True


def _cut_into_coordinates(loop: ForallOp, first: SSAValue, size: SSAValue, name: str) -> ForallOp:
    """Put a loop over the coordinates of a block inside one over offsets, each with at most one coordinate."""
    end = loop.bounds[1]
    around = cut_loop(loop, name, _new_name([loop], name))
    computed = Block()
    emit = Emitter(computed)
    at = emit.add(first, around.variable)
    set_range(loop, emit.min(end, at), emit.min(end, emit.add(at, emit.index(1))), computed)
    emit = Emitter(Block())
    set_range(around, emit.index(0), size, emit.block)
    return around


def _end(nest: Sequence[ForallOp]) -> tuple[SSAValue, SSAValue] | None:
    """Where a block begins, as a coordinate or the number of an entry, and how many it has unless it is the last."""
    part = earlier_cut(nest)
    if part is not None:
        return block_of(part.first, part.end)
    return block_of(*nest[0].bounds) if len(nest) == 1 and nest[0].bounds else None


def _count_as_in_whole_blocks(loop: ForallOp, outer: SSAValue) -> bool:
    """Let a loop over the blocks within a block count as many as there are in a whole one."""
    return bool(loop.bounds) and _take_as_whole(list(_totals_of(loop.bounds[1])), outer)


def _totals_of(value: SSAValue) -> Iterator[SubiOp | MaxSIOp]:
    """The differences of two ends of blocks that a number of blocks, or the size of some, is computed from."""
    owner = value.owner
    if isinstance(owner, SubiOp | MaxSIOp) and _size_of_total(owner) is not None:
        yield owner
    elif isinstance(owner, MaxSIOp | MinSIOp | DivSIOp | AddiOp):
        for operand in owner.operands:
            yield from _totals_of(operand)


def _size_of_total(total: SubiOp | MaxSIOp) -> SSAValue | None:
    """The greatest size of a block, from the expression of its end without its beginning."""
    difference = total.operands[0].owner if isinstance(total, MaxSIOp) else total
    if not isinstance(difference, SubiOp) or (total is not difference and constant_index(total.operands[1]) != 0):
        return None
    end, first = difference.operands
    found = block_of(first, end)
    if found is None and total is not difference and isinstance(end.owner, MinSIOp):
        found = block_of(first, end.owner.rhs)
    if found is not None:
        return found[1]
    # Of the entries in a window there are no more than there are in all.
    counts = (one for one in least_of(end) if isinstance(one.owner, EntryCountOp) and not one.owner.before)
    return next(counts, None)


def _take_as_whole(totals: Iterable[SubiOp | MaxSIOp], outer: SSAValue) -> bool:
    """Let blocks within a block be as in a whole one wherever they depend on the block; then some may have nothing."""
    changed = False
    for total in list(totals):
        size = _size_of_total(total)
        result = total.results[0]
        if size is None or outer not in sources(result) or outer in sources(size):
            continue
        loops = list(_loops_by(result))
        if not all(map(_can_be_empty, loops)):
            return False
        for loop in loops:
            _begin_at_limit(loop)
        result.replace_all_uses_with(size)
        erase_unused(total)
        if constant_index(size) is not None:
            _compute_known(size)
        changed = True
    return changed


def _compute_known(value: SSAValue) -> None:
    """Compute numbers of blocks, and their sizes, that are known as a value is."""
    for use in list(value.uses):
        op = use.operation
        numbers = [constant_index(operand) for operand in op.operands]
        if isinstance(op, AddiOp | DivSIOp) and None not in numbers and op.parent is not None:
            emit = Emitter(Block())
            combine = emit.add if isinstance(op, AddiOp) else emit.divide
            known = combine(*op.operands)
            for new in list(emit.block.ops):
                new.detach()
                op.parent.insert_op_before(new, op)
            op.results[0].replace_all_uses_with(known)
            erase_unused(op)
            _compute_known(known)


def _loops_by(value: SSAValue) -> Iterator[ForallOp]:
    """The loops over windows that are computed from a value, or from the variable of a loop that it is the range of."""
    waiting, seen = [value], set[Operation]()
    while waiting:
        for use in waiting.pop().uses:
            user = use.operation
            if user in seen:
                continue
            seen.add(user)
            if isinstance(user, ForallOp):
                waiting.append(user.variable)
                if constant_index(user.bounds[0]) != 0:
                    yield user
            elif computes_range(user):
                waiting += user.results


def _can_be_empty(loop: ForallOp) -> bool:
    """Whether a window ends at a limit, be it of coordinates or of numbers of entries."""
    return isinstance(loop.bounds[1].owner, MinSIOp) or FUSED in loop.attributes


def _begin_at_limit(loop: ForallOp) -> None:
    """Let a window that would begin behind its limit begin there, and have nothing."""
    lo, hi = loop.bounds
    found = block_of(lo, hi)
    if found is not None and lo is found[0] and isinstance(hi.owner, MinSIOp):
        emit = Emitter(Block())
        set_range(loop, emit.min(hi.owner.lhs, lo), hi, emit.block)


def _new_name(nest: Sequence[ForallOp], inner: str) -> str:
    """A name for coordinates at offsets in blocks, which no loop has yet: what the names of both loops begin with."""
    outer = next((name_of(variable) for variable in sources(nest[0].bounds[0])), inner)
    length = next((n for n, pair in enumerate(zip(outer, inner, strict=False)) if pair[0] != pair[1]), len(inner))
    shared = inner[:length].rstrip("_0123456789")
    loops = operations_in(definition_of(nest[0]) or nest[0], ForallOp, LetOp)
    taken = {name_of(op.variable) for op in loops} | {inner}
    names = (shared, f"{inner}_at", *(f"{inner}_at{n}" for n in range(2, len(taken) + 2)))
    return next(name for name in names if name and name not in taken)
