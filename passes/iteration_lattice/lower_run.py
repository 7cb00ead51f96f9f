"""`lower-run`: substitute payloads that are the same at every coordinate, and simplify what they reach."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from irtensor.dialects.iteration_lattice.iteration_lattice import CoiterateOp, RunOp
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.iteration_lattice.support.coiteration import (
    emit_coiterate,
    facts_of,
    nests_of,
    replace,
    rewrite_all,
)
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.pass_base import TensorPass


class LowerRunPass(TensorPass):
    """Replace the payload of a run by its value; loops whose bodies then do nothing disappear.

    Before: `coiterate ... over (run %zero), %x { (%i, %a, %b): update add mul(%a, %b) into %s }`
    After:  nothing, because 0 * b is 0 and adding 0 changes nothing
    """

    name = "lower-run"
    accepts = ("iteration_lattice.coiterate",)
    leaves = ("iteration_lattice", "iteration_lattice.coiterate", "storage", "algebra", "loop")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_all(op, lower_run)


def lower_run(op: CoiterateOp) -> bool:
    """Substitute the runs of one coiterate."""
    if not nests_of(op, RunOp):
        return False
    block = create_block()
    nests = tuple(op.nests)
    emit_coiterate(Emitter(block), op.body.block, op.lo, op.hi, nests, facts_of(op), last=True)
    replace(op, block)
    return True
