"""Cutting: a nest over a range that may end before the nest does.

The tail of a spike is at the end of the spike's range. Where a loop gets a part of the range, the tail is not at the
end of that part.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import CoiterateOp, RunOp, SequenceOp, SpikeOp, SwitchOp
from irtensor.passes.support.emit import Emitter


def with_end(nest: SSAValue, end: SSAValue, emit: Emitter) -> SSAValue:
    """The same nest, whose range ends at `end`, in a form that holds in each part of the range: it says where it ends.

    `spike %gap, %tail` becomes `sequence until %end - 1 nests (run %gap), (run %tail)`.
    """
    owner = nest.owner
    if isinstance(owner, SpikeOp):
        gap, tail = (emit.insert(RunOp.of(payload)).result for payload in (owner.gap, owner.tail))
        return emit.insert(SequenceOp.of([emit.sub(end, emit.index(1))], [gap, tail])).result
    if isinstance(owner, SequenceOp):
        nests = [with_end(part, last, emit) for part, last in zip(owner.nests, [*owner.ends, end], strict=True)]
        return nest if nests == list(owner.nests) else emit.insert(_with_nests(owner, nests)).result
    if isinstance(owner, SwitchOp):
        sides = [with_end(side, end, emit) for side in (owner.positive, owner.negative)]
        unchanged = sides == [owner.positive, owner.negative]
        return nest if unchanged else emit.insert(SwitchOp.of(owner.condition, *sides)).result
    return nest


def before_end(nest: SSAValue, emit: Emitter) -> SSAValue:
    """The nest over a part of its range that does not reach its end: a spike is its gap there."""
    owner = nest.owner
    if isinstance(owner, SpikeOp):
        return emit.insert(RunOp.of(owner.gap)).result
    if isinstance(owner, SequenceOp):
        last = before_end(owner.nests[-1], emit)
        if last is owner.nests[-1]:
            return nest
        return emit.insert(_with_nests(owner, [*owner.nests[:-1], last])).result
    if isinstance(owner, SwitchOp):
        sides = [before_end(side, emit) for side in (owner.positive, owner.negative)]
        unchanged = sides == [owner.positive, owner.negative]
        return nest if unchanged else emit.insert(SwitchOp.of(owner.condition, *sides)).result
    return nest


def _with_nests(sequence: SequenceOp, nests: Sequence[SSAValue]) -> SequenceOp:
    within, inside = sequence.within is not None, sequence.inside is not None
    return SequenceOp.of(sequence.ends, nests, within=within, inside=inside)


def ends_in_entry(nest: SSAValue) -> bool:
    """Whether the last coordinate of a nest's range may have another payload than those before it."""
    owner = nest.owner
    if isinstance(owner, SequenceOp):
        return ends_in_entry(owner.nests[-1])
    if isinstance(owner, SwitchOp):
        return ends_in_entry(owner.positive) or ends_in_entry(owner.negative)
    return isinstance(owner, SpikeOp)


def ends_explicitly(op: CoiterateOp, emit: Emitter) -> bool:
    """Let the spikes among a loop's nests say where they end, as the loop is to be cut; says whether there are any."""
    changed = False
    for number, nest in enumerate(op.nests):
        if isinstance(nest.owner, SpikeOp):
            op.operands[2 + number] = with_end(nest, op.hi, emit)
            changed = True
    return changed
