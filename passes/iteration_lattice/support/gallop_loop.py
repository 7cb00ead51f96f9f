"""Loops for galloping merges: search every operand for the largest coordinate instead of stepping to it."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import MergeOp
from irtensor.dialects.loop.loop import ConditionOp, IfOp, WhileOp
from irtensor.passes.iteration_lattice.support.coiteration import inline_region
from irtensor.passes.support.emit import Emitter


def emit_search(op: MergeOp, k: int, key: SSAValue, positions: list[SSAValue], emit: Emitter) -> None:
    """Move cursor `k` to its first chunk that ends at `key` or later.

    Steps double until they overshoot, then a binary search narrows the last one: the cost is logarithmic in the
    distance, not in the length of the list.
    """
    behind = emit.insert(IfOp.of(_is_before(op, k, key, positions, positions[k], emit)))
    outer = Emitter(behind.then.block)
    outer.set(emit_jump(op, k, key, positions, outer), op.cursors[k])


def emit_jump(op: MergeOp, k: int, key: SSAValue, positions: list[SSAValue], emit: Emitter) -> SSAValue:
    """The first position after that of cursor `k`, which is before `key`, whose chunk is not; the end of the list if
    there is none."""
    low = emit.cell(positions[k])
    step = emit.cell(emit.index(1))

    def is_before(position: SSAValue, inner: Emitter) -> SSAValue:
        return _is_before(op, k, key, positions, position, inner)

    def in_list(position: SSAValue, inner: Emitter) -> tuple[SSAValue, SSAValue]:
        """Whether a position is in the list, and one that can be read in any case."""
        inside = inner.compare("slt", position, op.ends[k])
        return inside, inner.select(inside, position, positions[k])

    gallop = emit.insert(WhileOp.of())
    condition = Emitter(gallop.condition.block)
    inside, safe = in_list(condition.add(condition.get(low), condition.get(step)), condition)
    condition.insert(ConditionOp.of(condition.both(inside, is_before(safe, condition))))
    inner = Emitter(gallop.body.block)
    inner.set(inner.add(inner.get(low), inner.get(step)), low)
    inner.set(inner.add(inner.get(step), inner.get(step)), step)

    # The chunk at `low` is before the key; the one at `high`, if there is one, is not.
    high = emit.cell(emit.min(emit.add(emit.get(low), emit.get(step)), op.ends[k]))
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
