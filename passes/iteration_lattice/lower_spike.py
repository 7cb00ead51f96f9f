"""`lower-spike`: split a range into the gap before its last coordinate and that coordinate."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    SpikeOp,
)
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.iteration_lattice.support.coiteration import (
    UNIT,
    count_copies,
    emit_coiterate,
    nests_of,
    replace,
    rewrite_all,
    waits_for_others,
)
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.pass_base import TensorPass


class LowerSpikePass(TensorPass):
    """All spikes of a loop end with it: the gaps hold up to the last coordinate, the tails at it.

    Before: `coiterate %c to %e over (spike %gap, %tail) { body }`
    After:  `coiterate %c to %e - 1 over (run %gap) { body }; coiterate unit %e - 1 to %e over (run %tail) { body }`
    """

    name = "lower-spike"
    accepts = ("iteration_lattice.coiterate",)
    leaves = ("iteration_lattice", "iteration_lattice.coiterate", "storage", "algebra", "loop")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_all(op, lower_spike)


def lower_spike(op: CoiterateOp) -> bool:
    """Split one coiterate at the spikes' tails."""
    spikes = dict(nests_of(op, SpikeOp))
    if not spikes or waits_for_others(op, SpikeOp):
        return False
    before, at_end = create_block(), create_block()
    emit = Emitter(before)
    last = op.lo if op.unit is not None else emit.sub(op.hi, emit.index(1))

    def nests(part: str) -> list[SSAValue]:
        return [getattr(spikes[number], part) if number in spikes else nest for number, nest in enumerate(op.nests)]

    acts = op.unit is None and emit_coiterate(emit, op.body.block, op.lo, last, nests("gap"))
    emit_coiterate(Emitter(at_end), op.body.block, last, op.hi, nests("tail"), UNIT, last=True)
    if acts:
        count_copies((before, at_end))
    move_before(before, op)
    replace(op, at_end)
    return True
