"""`hoist-producers`: producers of temporaries stand outside of the loops that they do not depend on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from irtensor.core.diagnostics import remark
from irtensor.dialects.concrete_index.concrete_index import ForallOp, WhereOp
from irtensor.passes.analysis.find_expression import term_computed
from irtensor.passes.analysis.iteration_graph import loops_called, name_of
from irtensor.passes.analysis.ranges import lets_in
from irtensor.passes.concrete_index.support.loop_paths import move_inside
from irtensor.passes.concrete_index.support.recorded_steps import recorded_steps
from irtensor.passes.concrete_index.support.where_laws import (
    lift_out_of_consumer,
    lift_out_of_producer,
    loops_needed,
    sink_let,
    sink_values,
    uses_within,
)
from irtensor.passes.schedule.reorder import forall_chains
from irtensor.passes.support.pass_base import TensorPass


class HoistProducersPass(TensorPass):
    """Compute a temporary once, where each iteration of the innermost loops around it would compute it again.

    Before: `forall %i { forall %j { where produce (%t) { forall %k { assign add %p(%i, %k) into %t[] } }
             consume (%u) { assign %q(%j, %u) into %y[%i, %j] } } }`
    After:  `forall %i { where produce (%t) { forall %k { assign add %p(%i, %k) into %t[] } }
             consume (%u) { forall %j { assign %q(%j, %u) into %y[%i, %j] } } }`
    One that depends on a loop does not keep others inside: they are exchanged first, be they computed for what depends
    on them or beside it.
    A definition that a schedule has arranged stays as it is.
    Source: laws L2, L4 and L5 of Kjolstad et al. 2019 (workspaces, section 3.3), L2 and L4 from right to left.
    """

    name = "hoist-producers"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {"choose-loop-order": "the order says which loops are innermost"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # What leaves loops, and their names: a producer leaves one chain of loops after the other.
        left: dict[WhereOp, tuple[str, list[str]]] = {}
        while any(_hoist(chain, left) for chain in forall_chains(op) if not recorded_steps(chain[0])):
            pass
        for where, (term, names) in left.items():
            remark(f"{term} is computed outside of {loops_called(names)}", where, by=self.name, about=[term])


def _hoist(chain: list[ForallOp], left: dict[WhereOp, tuple[str, list[str]]]) -> bool:
    """Move a producer that is computed in the innermost loop of a chain out of all loops that it does not depend on."""
    lets, inner = lets_in(chain[-1].body.block)
    for *outer, where in _paths(inner):
        producer = where.producer.block
        needed = loops_needed(producer)
        loops = list(takewhile(lambda loop, needed=needed: loop.variable not in needed, reversed(chain)))
        if loops and lets:
            for let in reversed(lets):
                sink_let(let)
            return True
        depends = any(uses_within(one.consumer.block.args[0], producer) for one in outer)
        if loops and not depends and all(sink_values(one) for one in (*outer, where)):
            term, names = left.get(where) or (str(term_computed(where)), [])
            left[where] = term, [*(name_of(loop.variable) for loop in loops[::-1]), *names]
            for one in reversed(outer):
                _lift(where, one)
            move_inside(where, loops[::-1])
            return True
    return False


def _paths(block: Block, around: tuple[WhereOp, ...] = ()) -> Iterator[tuple[WhereOp, ...]]:
    """Temporaries that are computed in a block, each after those that have it inside of one side, outermost first."""
    where = block.last_op
    if isinstance(where, WhereOp):
        yield (*around, where)
        yield from _paths(where.consumer.block, (*around, where))
        yield from _paths(where.producer.block, (*around, where))


def _lift(where: WhereOp, outer: WhereOp) -> None:
    """Exchange a where with the one around it, which its producer does not depend on."""
    if where.parent is outer.producer.block:
        lift_out_of_producer(where, outer)
    else:
        lift_out_of_consumer(where, outer)
