"""Cuts loops into blocks: by coordinates, at stored entries of a tensor, and fused nests in lexicographic order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.arith import MinSIOp, SelectOp
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.concrete_index.blocks import block_of
from irtensor.dialects.concrete_index.concrete_index import ForallOp
from irtensor.dialects.concrete_index.index_ranges import EntryOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.expect import expect
from irtensor.passes.analysis.iteration_graph import (
    name_of,
)
from irtensor.passes.analysis.ranges import computes_range, foralls_in, is_whole, needed_by
from irtensor.passes.concrete_index.support.counted_entries import (
    Entries,
    counted_entries,
    entries_of,
    refused_cut,
    stores_all,
    those_that_read,
)
from irtensor.passes.concrete_index.support.earlier_cut import EarlierCut, depends_on_itself, earlier_cut
from irtensor.passes.concrete_index.support.loop_ranges import (
    FUSED,
    check_count,
    check_new_names,
    compute_before,
    cut_loop,
    is_multiple,
    loop_range,
    nests_named,
    set_range,
)
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.schedule.support.counted_elements import CountedElements, known_total
from irtensor.passes.support.emit import Emitter


class Cut(NamedTuple):
    """A step that cuts loops: into blocks of `size` entries or coordinates, or into `parts` blocks."""

    step: str
    variable: str
    outer: str
    inner: str
    tensor: str | None
    size: int | None = None
    parts: int | None = None


def cut_loops(module: ModuleOp, cut: Cut) -> None:
    """Put every loop over a variable, or nest that is fused under that name, inside a loop over blocks."""
    # Of the two sides of a temporary, only the one that reads the operand has a loop that it can cut.
    nests = those_that_read(nests_named(module, cut.variable, cut.step), cut.tensor)
    what, count = ("parts", cut.parts) if cut.size is None else ("size", cut.size)
    assert count is not None
    check_count(cut.step, what, count, nests[0][0])
    check_new_names(cut.step, [nest[0] for nest in nests], (cut.outer, cut.inner))
    record_step(cut.step, [nest[0] for nest in nests])
    for nest in nests:
        own = cut if cut.tensor is not None else cut._replace(tensor=counted_entries(nest))
        if own.tensor is not None and stores_all(nest, own.tensor) and _has_coordinates(nest):
            own = own._replace(tensor=None)
        if len(nest) == 1 and own.tensor is None:
            _cut_range(nest[0], own)
        else:
            _cut_nest(nest, own)


def _has_coordinates(nest: Sequence[ForallOp]) -> bool:
    """Whether a nest is cut by coordinates where no operand is given: it is not a block of entries."""
    part = earlier_cut(nest) if len(nest) > 1 else None
    return part is None or part.tensor is None


def _cut_range(loop: ForallOp, cut: Cut) -> None:
    """Put a loop over coordinates inside one over blocks of equally many."""
    lo, hi = loop_range(loop, cut.step)
    around = cut_loop(loop, cut.outer, cut.inner)
    computed = Block()
    emit = Emitter(computed)
    first, length = block_of(lo, hi) or (lo, None)
    # Blocks without a limit are all full.
    total = emit.sub(hi, lo) if length is None or isinstance(hi.owner, MinSIOp) else length
    per = _set_blocks(around, total, cut, emit)
    window = Block()
    emit = Emitter(window)
    start = emit.add(first, emit.mul(around.variable, per))
    end = emit.add(start, per)
    if cut.size is None or not is_multiple(total, cut.size):
        end = emit.min(hi, end)
    # Of a fixed number of blocks some may have nothing.
    set_range(loop, emit.min(hi, start) if cut.size is None else start, end, window)


def _set_blocks(around: ForallOp, total: SSAValue, cut: Cut, emit: Emitter, least: int = 0) -> SSAValue:
    """Give the loop over blocks its range; gives how much of the total, which `emit` has computed, a block has."""
    number = cut.parts if cut.size is None else cut.size
    assert number is not None
    rounded = emit.add(total, emit.index(number - 1))
    given = emit.index(number)
    found = emit.divide(rounded, given)
    if cut.size is None:
        blocks, per = given, found
    else:
        blocks, per = emit.max(found, emit.index(least)) if least else found, given
    (per,) = set_range(around, emit.index(0), blocks, emit.block, per)
    return per


def _cut_nest(nest: Sequence[ForallOp], cut: Cut) -> None:
    """Put a nest inside a loop over blocks; every coordinate is in the block that has begun last before it.

    The first block begins at the first coordinate and the last ends at the last, so that coordinates which the tensor
    does not store belong to one block as well. Of a nest that has been cut, a part is cut in the same way.
    """
    had_window = bool(nest[0].bounds)
    _cut_part(nest, cut, _part_of(nest, cut), had_window)


def cut_into_entries(nest: Sequence[ForallOp], outer: str, inner: str, size: SSAValue) -> ForallOp:
    """Put an earlier cut's part inside a loop of `size` iterations, which is given: each has one entry, or combination.

    Whatever is between an entry and the next one belongs to it. Iterations behind the part have nothing.
    """
    part = _left_of(nest)
    assert part is not None
    tensor = part.tensor
    around = (
        _cut_into_combinations(nest, outer, inner, part)
        if tensor is None
        else _cut_part(nest, Cut("reorder", "", outer, inner, name_of(tensor), size=1), part, True)
    )
    emit = Emitter(Block())
    # Where nothing is stored, there are coordinates in the first block all the same.
    iterations = size if tensor is None or constant_index(size) is not None else emit.max(size, emit.index(1))
    set_range(around, emit.index(0), iterations, emit.block)
    return around


def _cut_into_combinations(nest: Sequence[ForallOp], outer: str, inner: str, part: EarlierCut) -> ForallOp:
    """The same for combinations of coordinates: in each iteration every loop has one coordinate, or the first has
    none."""
    limit = expect(nest[0].bounds[1].owner, Operation).operands[0]
    around = cut_loop(nest[0], outer, inner if len(nest) == 1 else name_of(nest[0].variable))
    computed = Block()
    emit = Emitter(computed)
    number = emit.add(part.first, around.variable)
    inside = emit.select(emit.compare("slt", number, part.end), number, part.total(emit))
    coordinates = part.coordinates_of(inside, emit)
    one = emit.index(1)
    ends = [
        emit.min(limit, emit.add(coordinates[0], one)),
        *(emit.add(coordinate, one) for coordinate in coordinates[1:]),
    ]
    values = compute_before(nest[0], computed, (emit.min(limit, coordinates[0]), *coordinates[1:], *ends))
    for number, loop in enumerate(nest):
        loop.operands = (values[number], values[number + len(nest)])
        loop.attributes[FUSED] = StringAttr(inner)
    return around


def _cut_part(nest: Sequence[ForallOp], cut: Cut, part: CountedElements | EarlierCut, had_window: bool) -> ForallOp:
    ranges = [loop_range(loop, cut.step, part.tensor) for loop in nest]
    around = cut_loop(nest[0], cut.outer, cut.inner if len(nest) == 1 else name_of(nest[0].variable))
    emit = Emitter(Block())
    total = known_total(around, part, emit) if isinstance(part, CountedElements) else part.total(emit)
    if isinstance(part, EarlierCut):
        total = emit.max(emit.sub(emit.min(total, part.end), part.first), emit.index(0))
    # There are coordinates even where nothing is stored.
    least = 0 if isinstance(part, CountedElements) and part.entries is None else 1
    per = _set_blocks(around, total, cut, emit, least)
    computed = Block()
    emit = Emitter(computed)
    first = emit.mul(around.variable, per)
    if isinstance(part, EarlierCut):
        first = _within(part, emit.add(part.first, first), emit)
    is_first = emit.compare("eq", around.variable, emit.index(0))
    corner = part.corner if isinstance(part, EarlierCut) else [lo for lo, _ in ranges]
    starts = [emit.select(is_first, lo, at) for lo, at in zip(corner, part.coordinates_of(first, emit), strict=True)]
    ends = list(part.coordinates_of(_within(part, emit.add(first, per), emit), emit))
    if len(nest) == 1:
        (lo, hi), one_start, one_end = ranges[0], starts[0], ends[0]
        set_range(nest[0], emit.max(lo, one_start) if had_window else one_start, emit.min(hi, one_end), computed)
        return around
    last = emit.min(ranges[0][1], emit.add(ends[0], emit.index(1)))
    *corners, last = compute_before(nest[0], computed, (*starts, *ends, last))
    starts, ends = corners[: len(nest)], corners[len(nest) :]
    nest[0].operands = (starts[0], last)
    _set_inner_ranges(nest, ranges, starts, ends)
    for loop in nest:
        loop.attributes[FUSED] = StringAttr(cut.inner)
    return around


def _within(part: CountedElements | EarlierCut, number: SSAValue, emit: Emitter) -> SSAValue:
    """A number, or the one past the last of a part if that is less."""
    return emit.min(part.end, number) if isinstance(part, EarlierCut) else number


def _part_of(nest: Sequence[ForallOp], cut: Cut) -> CountedElements | EarlierCut:
    """What of a nest is cut, and by which numbers."""
    entries = None if cut.tensor is None else entries_of(nest, cut.step, cut.tensor)
    tensor = None if entries is None else entries.tensor
    part = _left_of(nest)
    if part is not None and len(nest) == 1 and part.tensor is tensor:
        return part
    if depends_on_itself(nest):
        if part is None:
            problem = f"loop {name_of(nest[0].variable)}, which is fused with others, has been cut alone"
            raise refused_cut(cut.step, nest, problem, "cut the fused loops before one of them")
        # Of a block of entries, parts have entries; in any other, those of an operand are from corner to corner.
        if entries is None or tensor is part.tensor:
            return part
        return _entries_between(nest, entries, part.corner, part.after)
    if entries is not None:
        for loop in nest[1:]:
            if not is_whole(loop):
                problem = f"loop {name_of(loop.variable)} runs over a part of its coordinates, in each iteration of "
                problem += name_of(nest[0].variable)
                raise refused_cut(cut.step, nest, problem, "omit tensor=, or fuse loops before they are split")
    if entries is not None and nest[0].bounds and not is_whole(nest[0]):
        lo, hi = nest[0].bounds
        zeros = [None] * (len(nest) - 1)
        return _entries_between(nest, entries, (lo, *zeros), (hi, *zeros))
    _compute_first([bound for loop in nest for bound in loop.bounds], nest)
    return CountedElements(entries, tuple(loop_range(loop, cut.step, tensor) for loop in nest))


def _entries_between(
    nest: Sequence[ForallOp],
    entries: Entries,
    corner: Sequence[SSAValue | None],
    after: Sequence[SSAValue | None],
) -> EarlierCut:
    """The entries of an operand from some coordinates up to others in lexicographic order; None is the first one."""
    emit, levels = Emitter(Block()), len(nest)
    ends = [[emit.index(0) if one is None else one for one in coordinates] for coordinates in (corner, after)]
    numbers = [entries.counted(levels, emit, coordinates) for coordinates in ends]
    begins, behind = (entries.at(number, levels, emit) for number in numbers)
    first, end, *found = compute_before(nest[0], emit.block, (*numbers, *begins, *ends[0], *behind))
    parts = (tuple(found[start : start + levels]) for start in range(0, 3 * levels, levels))
    begins, corner, after = parts
    return EarlierCut(corner, begins, first, end, after)


def _left_of(nest: Sequence[ForallOp]) -> EarlierCut | None:
    """The part that an earlier cut gave a nest, computed before all of it: reordered loops compute it inside."""
    part = earlier_cut(nest)
    if part is not None:
        _compute_first([*part.corner, *part.coordinates, *part.after, part.first, part.end], nest)
    return part


def _compute_first(values: Sequence[SSAValue], nest: Sequence[ForallOp]) -> None:
    """Compute values, which depend on no loop of a nest, before the nest."""
    parent = nest[0].parent
    assert parent is not None
    chain = [nest[0], *foralls_in(nest[0].body.block)]
    around = chain[: chain.index(nest[-1])]
    between = [op for loop in around for op in loop.body.block.ops if computes_range(op)]
    # What else is there, ranges of loops inside of the nest may need for each iteration of an outer one.
    for op in list(needed_by(values, between)):
        op.detach()
        parent.insert_op_before(op, nest[0])


def _set_inner_ranges(
    nest: Sequence[ForallOp],
    ranges: Sequence[tuple[SSAValue, SSAValue]],
    starts: Sequence[SSAValue],
    ends: Sequence[SSAValue],
) -> None:
    """Under the first coordinates of the outer loops an inner one begins late, under their last it ends early."""
    for depth in range(1, len(nest)):
        computed = Block()
        emit = Emitter(computed)
        lo, hi = ranges[depth]
        end = ends[depth] if depth + 1 == len(nest) else emit.add(ends[depth], emit.index(1))
        if depth + 1 < len(nest) or _may_end_before(hi, end):
            end = emit.min(hi, end)
        at_start = _all_equal(nest[:depth], starts, emit)
        at_end = _all_equal(nest[:depth], ends, emit)
        set_range(nest[depth], emit.select(at_start, starts[depth], lo), emit.select(at_end, end, hi), computed)


def _may_end_before(hi: SSAValue, end: SSAValue) -> bool:
    """Whether a range may end before an entry that is behind a block: it is a block of something else."""
    if not isinstance(hi.owner, SelectOp):
        return False
    last, owner = hi.owner.operands[1].owner, end.owner
    return isinstance(owner, EntryOp) and not (isinstance(last, EntryOp) and last.tensor is owner.tensor)


def _all_equal(loops: Sequence[ForallOp], corner: Sequence[SSAValue], emit: Emitter) -> SSAValue:
    conditions = [emit.compare("eq", loop.variable, at) for loop, at in zip(loops, corner, strict=False)]
    result = conditions[0]
    for condition in conditions[1:]:
        result = emit.both(result, condition)
    return result
