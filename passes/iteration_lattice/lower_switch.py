"""`lower-switch`: choose between two nests by a branch around the loop."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region

from irtensor.dialects.iteration_lattice import CoiterateOp, IfOp, SwitchOp
from irtensor.passes.emit import Emitter
from irtensor.passes.iteration_lattice.coiteration import emit_coiterate, nests_of, replace, rewrite_all
from irtensor.passes.iteration_lattice.specialize import discard
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class LowerSwitchPass(TensorPass):
    """Turn a loop over a switch into a branch with one loop per alternative; empty alternatives vanish.

    Before: `coiterate ... over (switch %c, %n, %m) { body }`
    After:  `if %c { coiterate ... over %n { body } } else { coiterate ... over %m { body } }`
    """

    name = "lower-switch"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_all(op, lower_switch)


def lower_switch(op: CoiterateOp) -> bool:
    """Branch on the first switch of one coiterate."""
    switches = nests_of(op, SwitchOp)
    if not switches:
        return False
    number, switch = switches[0]
    branches: list[Block] = []
    effect = False
    for alternative in (switch.positive, switch.negative):
        block = Block()
        nests = [*op.nests[:number], alternative, *op.nests[number + 1 :]]
        unit, full = op.unit is not None, op.full is not None
        effect |= emit_coiterate(Emitter(block), op.body.block, op.lo, op.hi, nests, unit=unit, full=full)
        branches.append(block)
    outer = Block()
    if effect:
        outer.add_op(IfOp.of(switch.condition, Region(branches[0]), Region(branches[1])))
    else:
        for block in branches:
            discard(block)
    replace(op, outer)
    return True
