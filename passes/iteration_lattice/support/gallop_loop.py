"""Loops that gallop: a list is searched for a coordinate, from a position on, instead of stepped through."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import MergeOp
from irtensor.dialects.loop.loop import ConditionOp, IfOp, WhileOp
from irtensor.passes.iteration_lattice.support.coiteration import inline_region
from irtensor.passes.support.emit import Emitter

# Says, by code that it emits, whether the chunk at a position ends before the coordinate that is searched.
IsBefore = Callable[[SSAValue, Emitter], SSAValue]


def emit_search(op: MergeOp, k: int, key: SSAValue, positions: list[SSAValue], emit: Emitter) -> None:
    """Move cursor `k` to its first chunk that ends at `key` or later."""
    behind = emit.insert(IfOp.of(_is_before(op, k, key, positions, positions[k], emit)))
    outer = Emitter(behind.then.block)
    outer.set(emit_jump(op, k, key, positions, outer), op.cursors[k])


def emit_jump(op: MergeOp, k: int, key: SSAValue, positions: list[SSAValue], emit: Emitter) -> SSAValue:
    """The first position after that of cursor `k`, which is before `key`, whose chunk is not; the end of the list if
    there is none."""
    return first_position(
        positions[k], op.ends[k], lambda position, inner: _is_before(op, k, key, positions, position, inner), emit
    )


def first_position(begin: SSAValue, end: SSAValue, is_before: IsBefore, emit: Emitter) -> SSAValue:
    """The first position after `begin`, where `is_before` holds, at which it does not; `end` if there is none.

    Steps double until they overshoot, then a binary search narrows the last one: the cost is logarithmic in the
    distance, not in the length of the list.
    """
    low = emit.cell(begin)
    step = emit.cell(emit.index(1))

    def in_list(position: SSAValue, inner: Emitter) -> tuple[SSAValue, SSAValue]:
        """Whether a position is in the list, and one that can be read in any case."""
        inside = inner.compare("slt", position, end)
        return inside, inner.select(inside, position, begin)

    gallop = emit.insert(WhileOp.of())
    condition = Emitter(gallop.condition.block)
    inside, safe = in_list(condition.add(condition.get(low), condition.get(step)), condition)
    condition.insert(ConditionOp.of(condition.both(inside, is_before(safe, condition))))
    inner = Emitter(gallop.body.block)
    inner.set(inner.add(inner.get(low), inner.get(step)), low)
    inner.set(inner.add(inner.get(step), inner.get(step)), step)

    # The chunk at `low` is before the key; the one at `high`, if there is one, is not.
    high = emit.cell(emit.min(emit.add(emit.get(low), emit.get(step)), end))
    narrow = emit.insert(WhileOp.of())
    condition = Emitter(narrow.condition.block)
    distance = condition.sub(condition.get(high), condition.get(low))
    condition.insert(ConditionOp.of(condition.compare("sgt", distance, condition.index(1))))
    inner = Emitter(narrow.body.block)
    start = inner.get(low)
    middle = inner.add(start, inner.divide(inner.sub(inner.get(high), start), inner.index(2)))
    branch = inner.insert(IfOp.of(is_before(middle, inner), with_else=True))
    Emitter(branch.then.block).set(middle, low)
    Emitter(branch.otherwise.block).set(middle, high)
    return emit.get(high)


def _is_before(
    op: MergeOp, k: int, key: SSAValue, positions: list[SSAValue], position: SSAValue, emit: Emitter
) -> SSAValue:
    """Whether the chunk of cursor `k` at a position ends before a coordinate; the other cursors are at `positions`."""
    cursors = [position if other == k else positions[other] for other in range(len(positions))]
    return emit.compare("slt", inline_region(op.load, cursors, emit)[k], key)
