"""`lower-thunk`: run the host code of thunks before the loop that uses them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import CoiterateOp, RunOp, ThunkOp
from irtensor.dialects.storage.storage import FiberOp, FillFiberOp, FinalizeOp, OptionalFiberOp, RootOp
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.iteration_lattice.support.absent_payload import OptionalNest
from irtensor.passes.iteration_lattice.support.coiteration import erase_unused, inline_region, nests_of, rewrite_all
from irtensor.passes.iteration_lattice.support.specialize import gap_of
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.pass_base import TensorPass


class LowerThunkPass(TensorPass):
    """Replace a thunk by its nest, its code placed before the loop; a thunk over a fill fiber becomes a run.

    Before: `%n = thunk %fiber { (%begin, %end): <code> yield %m }; coiterate ... over %n`
    After:  `<code>; coiterate ... over %m`
    """

    name = "lower-thunk"
    accepts = ("iteration_lattice.coiterate",)
    leaves = ("iteration_lattice", "iteration_lattice.coiterate", "storage", "algebra", "loop")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_all(op, lower_thunk)


def lower_thunk(op: CoiterateOp) -> bool:
    """Inline the thunks of one coiterate whose fibers are resolved."""
    found = False
    for number, thunk in nests_of(op, ThunkOp):
        block = create_block()
        emit = Emitter(block)
        bounds = fiber_bounds(thunk.fiber, emit)
        if isinstance(thunk.fiber.owner, FillFiberOp):
            nest = emit.insert(RunOp.of(gap_of(thunk, emit))).result
        elif bounds is not None:
            owner = thunk.fiber.owner
            optional = None
            if isinstance(owner, OptionalFiberOp):
                optional = OptionalNest(owner.present, gap_of(thunk, emit), emit.index(0), op.lo)
            arguments = (*bounds, *_path_of(thunk.fiber))
            nest = inline_region(thunk.body, arguments, emit, last=thunk.result.has_one_use())[0]
            nest = nest if optional is None else optional.of(nest, block, emit)
        else:
            continue
        found = True
        move_before(block, op)
        op.operands[2 + number] = nest
        erase_unused(thunk.result)
    return found


def _path_of(fiber: SSAValue) -> Sequence[SSAValue]:
    """The coordinates above a resolved fiber that its positions depend on."""
    owner = fiber.owner
    if isinstance(owner, OptionalFiberOp):
        return _path_of(owner.fiber)
    return owner.path if isinstance(owner, FiberOp) else ()


def fiber_bounds(fiber: SSAValue, emit: Emitter) -> tuple[SSAValue, SSAValue] | None:
    """First and past-the-end parent position of a resolved fiber; the root has the single parent position 0."""
    owner = fiber.owner
    if isinstance(owner, FiberOp):
        return owner.begin, owner.end
    if isinstance(owner, OptionalFiberOp) and (bounds := fiber_bounds(owner.fiber, emit)) is not None:
        zero = emit.index(0)
        begin, end = (emit.select(owner.present, bound, zero) for bound in bounds)
        return begin, end
    return (emit.index(0), emit.index(1)) if isinstance(owner, RootOp | FinalizeOp) else None
