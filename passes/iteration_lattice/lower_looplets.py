"""`lower-looplets`: all looplet rewrites together, by priority, until every coiterate is lowered."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from irtensor.dialects.iteration_lattice import CoiterateOp
from irtensor.passes.iteration_lattice.coiteration import Rewrite
from irtensor.passes.iteration_lattice.lower_jumper import lower_jumper
from irtensor.passes.iteration_lattice.lower_lookup import lower_lookup
from irtensor.passes.iteration_lattice.lower_run import lower_run
from irtensor.passes.iteration_lattice.lower_sequence import lower_sequence
from irtensor.passes.iteration_lattice.lower_spike import lower_spike
from irtensor.passes.iteration_lattice.lower_stepper import lower_stepper
from irtensor.passes.iteration_lattice.lower_switch import lower_switch
from irtensor.passes.iteration_lattice.lower_thunk import lower_thunk
from irtensor.passes.iteration_lattice.unfurl import unfurl
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class LowerLoopletsPass(TensorPass):
    """Lower coiterates outermost first, each by the first rewrite of the priority list that applies.

    The order is that of Ahrens 2024, figure 9: code and constants before choices, choices before loops.
    """

    name = "lower-looplets"
    max_points: int = 3
    max_cases: int = 7
    gallop: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrites: tuple[Rewrite, ...] = (
            lambda coiterate: unfurl(coiterate, self.gallop),
            lower_thunk,
            lower_run,
            lower_switch,
            lambda coiterate: lower_sequence(coiterate, self.max_points),
            lower_jumper,
            lambda coiterate: lower_stepper(coiterate, self.max_cases),
            lower_spike,
            lower_lookup,
        )
        _lower_inside(op, rewrites)


def _lower_inside(op: Operation, rewrites: tuple[Rewrite, ...]) -> None:
    for region in op.regions:
        for block in region.blocks:
            _lower_block(block, rewrites)


def _lower_block(block: Block, rewrites: tuple[Rewrite, ...]) -> None:
    op = block.first_op
    while op is not None:
        if isinstance(op, CoiterateOp):
            before = op.prev_op
            if not any(rewrite(op) for rewrite in rewrites):
                raise AssertionError(f"no looplet rewrite applies to {op}")
            # The rewrite put its outcome where the loop was: look at that next.
            op = block.first_op if before is None or before.parent is not block else before
            continue
        _lower_inside(op, rewrites)
        op = op.next_op
