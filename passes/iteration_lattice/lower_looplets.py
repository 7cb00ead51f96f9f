"""`lower-looplets`: all looplet rewrites together, by priority, until every coiterate is lowered."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    JumperOp,
    LookupOp,
    RunOp,
    SequenceOp,
    SpikeOp,
    StepperOp,
    SwitchOp,
    ThunkOp,
    UnfurlOp,
)
from irtensor.dialects.iteration_lattice.lattice_entries import EntryCountOp, EntryNumberOp, EntryOp
from irtensor.passes.iteration_lattice.lower_entry import lower_entry
from irtensor.passes.iteration_lattice.lower_jumper import lower_jumper
from irtensor.passes.iteration_lattice.lower_lookup import lower_lookup
from irtensor.passes.iteration_lattice.lower_run import lower_run
from irtensor.passes.iteration_lattice.lower_sequence import lower_sequence
from irtensor.passes.iteration_lattice.lower_spike import lower_spike
from irtensor.passes.iteration_lattice.lower_stepper import lower_stepper
from irtensor.passes.iteration_lattice.lower_switch import lower_switch
from irtensor.passes.iteration_lattice.lower_thunk import lower_thunk
from irtensor.passes.iteration_lattice.place_ranges import place_ranges
from irtensor.passes.iteration_lattice.support.coiteration import PRIORITY, Rewrite
from irtensor.passes.iteration_lattice.unfurl import unfurl
from irtensor.passes.support.pass_base import TensorPass, option
from irtensor.passes.support.wrong_stage import wrong_stage

_ENTRIES = frozenset((EntryOp, EntryCountOp, EntryNumberOp))


@dataclass(frozen=True)
class LowerLoopletsPass(TensorPass):
    """Lower coiterates outermost first, each by the first rewrite of the priority list that applies.

    The order is that of Ahrens 2024, figure 9: code and constants before choices, choices before loops.
    """

    name = "lower-looplets"
    accepts = ("iteration_lattice.coiterate",)
    leaves = ("iteration_lattice", "storage", "algebra", "loop")
    max_points: int = option("The most combinations of phases that get a loop each.", 3)
    max_cases: int = option("The most cases of a merge that get a body each.", 7)
    gallop: bool = option("Whether sorted lists search each other's coordinates in every intersection.", False)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrites: dict[type[Operation], Rewrite] = {
            UnfurlOp: lambda coiterate: unfurl(coiterate, self.gallop),
            ThunkOp: lower_thunk,
            RunOp: lower_run,
            SwitchOp: lower_switch,
            SequenceOp: lambda coiterate: lower_sequence(coiterate, self.max_points),
            JumperOp: lower_jumper,
            StepperOp: lambda coiterate: lower_stepper(coiterate, self.max_cases),
            SpikeOp: lower_spike,
            LookupOp: lambda coiterate: place_ranges(coiterate) or lower_lookup(coiterate),
        }
        _lower_inside(op, rewrites)


def _lower_inside(op: Operation, rewrites: dict[type[Operation], Rewrite]) -> None:
    for region in op.regions:
        for block in region.blocks:
            _lower_block(block, rewrites)


def _lower_block(block: Block, rewrites: dict[type[Operation], Rewrite]) -> None:
    op = block.first_op
    while op is not None:
        if type(op) is CoiterateOp:
            before = op.prev_op
            looplets = {type(nest.owner) for nest in op.nests} or {LookupOp}
            if not any(looplet in looplets and rewrites[looplet](op) for looplet in PRIORITY):
                raise _cannot_lower(op)
            # The rewrite put its outcome where the loop was: look at that next.
            op = block.first_op if before is None or before.parent is not block else before
            continue
        if type(op) in _ENTRIES:
            op = _next_after_entry(op)
            continue
        if op.regions:
            _lower_inside(op, rewrites)
        op = op.next_op


def _next_after_entry(op: Operation) -> Operation | None:
    assert isinstance(op, EntryOp | EntryCountOp | EntryNumberOp)
    after = op.next_op
    if not lower_entry(op):
        message, help = "the fiber of the entries is not resolved to positions of a tensor", "start from storage.root"
        raise wrong_stage(op, LowerLoopletsPass.name, message, help)
    return after


def _cannot_lower(op: CoiterateOp) -> Exception:
    """What to raise where no rewrite applies: some nest is not described here, or a rewrite is missing."""
    for number, nest in enumerate(op.nests):
        owner = nest.owner
        if isinstance(owner, UnfurlOp | ThunkOp):
            message = f"the fiber of nest {number} is not resolved to positions of a tensor"
            help = "start from storage.root or storage.fiber"
        elif isinstance(owner, StepperOp) and op.unit is not None:
            message = f"nest {number} goes from entry to entry, but the loop is over a single coordinate"
            help = "omit unit, or describe the nest by what a search finds"
        elif isinstance(owner, Block) or owner.dialect_name() != op.dialect_name():
            message = f"nest {number} of this loop is not defined by a looplet operation"
            help = "describe it by the looplets of iteration_lattice"
        else:
            continue
        return wrong_stage(op, LowerLoopletsPass.name, message, help)
    looplets = ", ".join(
        sorted({nest.owner.name.rpartition(".")[2] for nest in op.nests if isinstance(nest.owner, Operation)})
    )
    message, help = f"no rewrite lowers a loop over these nests: {looplets}", "describe them by other looplets"
    return wrong_stage(op, LowerLoopletsPass.name, message, help)
