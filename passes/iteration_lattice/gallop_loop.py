"""Loops for galloping merges: search every operand for the largest coordinate instead of stepping to it."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice import MergeOp
from irtensor.dialects.loop import ConditionOp, IfOp, WhileOp
from irtensor.passes.emit import Emitter
from irtensor.passes.iteration_lattice.coiteration import inline_region


def emit_search(op: MergeOp, k: int, key: SSAValue, positions: list[SSAValue], emit: Emitter) -> None:
    """Move cursor `k` to its first chunk that ends at `key` or later.

    Steps double until they overshoot, then a binary search narrows the last one: the cost is logarithmic in the
    distance, not in the length of the list.
    """
    low = emit.cell(positions[k])
    step = emit.cell(emit.index(1))

    def is_before(position: SSAValue, inner: Emitter) -> SSAValue:
        places = [position if other == k else positions[other] for other in range(len(positions))]
        return inner.compare("slt", inline_region(op.load, places, inner)[k], key)

    def in_list(position: SSAValue, inner: Emitter) -> tuple[SSAValue, SSAValue]:
        """Whether a position is in the list, and one that can be read in any case."""
        inside = inner.compare("slt", position, op.ends[k])
        return inside, inner.select(inside, position, positions[k])

    behind = emit.insert(IfOp.of(is_before(positions[k], emit)))
    outer = Emitter(behind.then.block)
    gallop = outer.insert(WhileOp.of())
    condition = Emitter(gallop.condition.block)
    inside, safe = in_list(condition.add(condition.get(low), condition.get(step)), condition)
    condition.insert(ConditionOp.of(condition.both(inside, is_before(safe, condition))))
    inner = Emitter(gallop.body.block)
    inner.set(inner.add(inner.get(low), inner.get(step)), low)
    inner.set(inner.add(inner.get(step), inner.get(step)), step)

    # The chunk at `low` is before the key; the one at `high`, if there is one, is not.
    high = outer.cell(outer.min(outer.add(outer.get(low), outer.get(step)), op.ends[k]))
    narrow = outer.insert(WhileOp.of())
    condition = Emitter(narrow.condition.block)
    distance = condition.sub(condition.get(high), condition.get(low))
    condition.insert(ConditionOp.of(condition.compare("sgt", distance, condition.index(1))))
    inner = Emitter(narrow.body.block)
    start = inner.get(low)
    middle = inner.add(start, inner.divide(inner.sub(inner.get(high), start), inner.index(2)))
    branch = inner.insert(IfOp.of(is_before(middle, inner), with_else=True))
    Emitter(branch.then.block).set(middle, low)
    Emitter(branch.otherwise.block).set(middle, high)
    outer.set(outer.get(high), op.cursors[k])
