"""`lower-switch`: choose between two nests by a branch around the loop."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from irtensor.core.diagnostics import UserError
from irtensor.dialects.iteration_lattice.iteration_lattice import CoiterateOp, IfOp, SwitchOp
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.iteration_lattice.support.coiteration import (
    count_copies,
    emit_coiterate,
    exceeds_most_loops,
    facts_of,
    nests_of,
    replace,
    rewrite_all,
)
from irtensor.passes.iteration_lattice.support.specialize import discard
from irtensor.passes.iteration_lattice.support.switch_select import SwitchSelect
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.pass_base import TensorPass

# Switches that are branched on where their payloads could be selected: as many bodies as twice their number.
_MOST_BRANCHES = 2
# Switches that are branched on in any case, and how many of their combinations may then need a body of their own.
_MOST_ALTERNATIVES = 6
_MOST_CASES = 256


class LowerSwitchPass(TensorPass):
    """Turn a loop over a switch into a branch with one loop per alternative; empty alternatives vanish.

    Before: `coiterate ... over (switch %c, %n, %m) { body }`
    After:  `if %c { coiterate ... over %n { body } } else { coiterate ... over %m { body } }`
    Where there are more than two switches between an entry and the fill value, or where the loop's code has been copied
    often already, their payloads are selected instead: branches would be a body for every combination of entries. What
    has no such form is branched on, up to a limit.
    """

    name = "lower-switch"
    accepts = ("iteration_lattice.coiterate",)
    leaves = ("iteration_lattice", "iteration_lattice.coiterate", "storage", "algebra", "loop")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_all(op, lower_switch)


def lower_switch(op: CoiterateOp) -> bool:
    """Branch on the first switch of one coiterate."""
    switches = nests_of(op, SwitchOp)
    if not switches:
        return False
    crowded = exceeds_most_loops(op, 2 ** len(switches))
    if len(switches) > _MOST_BRANCHES or crowded:
        select = SwitchSelect.of(op, switches)
        if len(select.switches) > (0 if crowded else 1):
            selected = create_block()
            if not select.emit(Emitter(selected)):
                discard(selected)
            replace(op, selected)
            return True
        if len(switches) > _MOST_ALTERNATIVES:
            _check_alternatives(op, switches)
    number, switch = switches[0]
    facts = facts_of(op)._replace(live=None)
    branches: list[Block] = []
    effect = False
    for alternative in (switch.positive, switch.negative):
        block = create_block()
        nests = [*op.nests[:number], alternative, *op.nests[number + 1 :]]
        effect |= emit_coiterate(Emitter(block), op.body.block, op.lo, op.hi, nests, facts)
        branches.append(block)
    count_copies(branches)
    outer = create_block()
    if effect:
        outer.add_op(IfOp.of(switch.condition, create_region(branches[0]), create_region(branches[1])))
    else:
        for block in branches:
            discard(block)
    replace(op, outer)
    return True


def _check_alternatives(op: CoiterateOp, switches: list[tuple[int, SwitchOp]]) -> None:
    """Refuse a loop in which branches would be too many bodies."""
    if SwitchSelect(op, switches).presence.distinct_sets(_MOST_CASES) is None:
        index = op.body.block.args[0].name_hint
        raise UserError(
            "too-many-cases",
            f"loop {index} looks up {len(switches)} operands, and each combination of them that is stored at a "
            f"coordinate needs code of its own: more than {_MOST_CASES}",
            op=op,
            help="compute the statement in parts",
        )
