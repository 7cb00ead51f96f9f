"""`hoist-producers`: what is computed into a temporary stands outside of the loops that it does not depend on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import takewhile

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from irtensor.dialects.concrete_index import ForallOp, WhereOp
from irtensor.passes.concrete_index.loop_paths import move_inside
from irtensor.passes.concrete_index.recorded_steps import recorded_steps
from irtensor.passes.concrete_index.reorder import forall_chains
from irtensor.passes.concrete_index.where_laws import lift_out_of_consumer, sink_values, uses_within
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class HoistProducersPass(TensorPass):
    """Compute a temporary once, where each iteration of the innermost loops around it would compute it again.

    Before: `forall %i { forall %j { where produce (%t) { forall %k { assign add %p(%i, %k) into %t[] } }
             consume (%u) { assign %q(%j, %u) into %y[%i, %j] } } }`
    After:  `forall %i { where produce (%t) { forall %k { assign add %p(%i, %k) into %t[] } }
             consume (%u) { forall %j { assign %q(%j, %u) into %y[%i, %j] } } }`
    A producer leaves the consumers of other temporaries on its way: of two sums, the second may be the one that goes.
    A definition that a schedule has arranged stays as it is.
    Source: law L2 of Kjolstad et al. 2019 (workspaces, section 3.3), from right to left.
    """

    name = "hoist-producers"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {"choose-loop-order": "the order says which loops are innermost"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # What has been moved leaves chains that were not there before.
        while any(_hoisted(chain) for chain in forall_chains(op)):
            pass


def _hoisted(chain: list[ForallOp]) -> bool:
    """Move the first producer out that does not use a loop around it, nor a temporary between it and the loop."""
    if recorded_steps(chain[0]):
        return False
    between: list[WhereOp] = []
    statement = chain[-1].body.block.last_op
    while isinstance(statement, WhereOp):
        producer = statement.producer.block
        loops = list(takewhile(partial(_unused_in, producer), reversed(chain)))
        if loops and not any(uses_within(outer.consumer.block.args[0], producer) for outer in between):
            for outer in reversed(between):
                if not (sink_values(statement) and lift_out_of_consumer(statement, outer)):
                    return False
            move_inside(statement, loops[::-1])
            return True
        between.append(statement)
        statement = statement.consumer.block.last_op
    return False


def _unused_in(block: Block, loop: ForallOp) -> bool:
    return not uses_within(loop.variable, block)
