"""`hoist-producers`: what is computed into a temporary stands outside of the loops that it does not depend on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from irtensor.dialects.concrete_index import WhereOp
from irtensor.passes.concrete_index.loop_paths import move_inside
from irtensor.passes.concrete_index.recorded_steps import recorded_steps
from irtensor.passes.concrete_index.reorder import forall_chains
from irtensor.passes.concrete_index.where_laws import uses_within
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class HoistProducersPass(TensorPass):
    """Compute a temporary once, where each iteration of the innermost loops around it would compute it again.

    Before: `forall %i { forall %j { where produce (%t) { forall %k { assign add %p(%i, %k) into %t[] } }
             consume (%u) { assign %q(%j, %u) into %y[%i, %j] } } }`
    After:  `forall %i { where produce (%t) { forall %k { assign add %p(%i, %k) into %t[] } }
             consume (%u) { forall %j { assign %q(%j, %u) into %y[%i, %j] } } }`
    A definition that a schedule has arranged stays as it is.
    Source: law L2 of Kjolstad et al. 2019 (workspaces, section 3.3), from right to left.
    """

    name = "hoist-producers"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {"choose-loop-order": "the order says which loops are innermost"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for chain in forall_chains(op):
            where = chain[-1].body.block.last_op
            if not isinstance(where, WhereOp) or recorded_steps(chain[0]):
                continue
            producer = where.producer.block
            loops = list(takewhile(lambda loop: not uses_within(loop.variable, producer), reversed(chain)))
            if loops:
                move_inside(where, loops[::-1])
