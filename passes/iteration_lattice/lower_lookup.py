"""`lower-lookup`: a range in which every payload can be looked up becomes a plain loop."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import CoiterateOp, LookupOp, LoopletType
from irtensor.dialects.loop.loop import ForOp
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.iteration_lattice.support.coiteration import (
    UNIT,
    emit_coiterate,
    inline_region,
    replace,
    rewrite_all,
)
from irtensor.passes.iteration_lattice.support.specialize import Copier
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.pass_base import TensorPass


class LowerLookupPass(TensorPass):
    """Turn a coiterate of lookups into a counted loop, or into its body if the range is a single coordinate.

    Before: `coiterate %lo to %hi over (lookup { (%i): load ... }) { body }`
    After:  `loop.for %i = %lo to %hi { load ...; body }`
    Where a lookup gives a nest, a coiterate over the single coordinate is left inside the loop.
    """

    name = "lower-lookup"
    accepts = ("iteration_lattice.coiterate",)
    leaves = ("iteration_lattice", "iteration_lattice.coiterate", "storage", "algebra", "loop")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_all(op, lower_lookup)


def lower_lookup(op: CoiterateOp) -> bool:
    """Lower one coiterate if all its nests are lookups."""
    lookups = [nest.owner for nest in op.nests]
    if not all(isinstance(lookup, LookupOp) for lookup in lookups):
        return False
    outer = create_block()
    if op.unit is not None:
        emit, index = Emitter(outer), op.lo
    else:
        loop = ForOp.of(op.lo, op.hi, op.attributes)
        loop.location = op.location
        outer.add_op(loop)
        emit, index = Emitter(loop.body.block), loop.induction
        index.name_hint = op.body.block.args[0].name_hint
    found: list[SSAValue] = []
    for lookup in lookups:
        assert isinstance(lookup, LookupOp)
        found.append(inline_region(lookup.body, (index,), emit, last=lookup.result.has_one_use())[0])
    if any(isinstance(value.type, LoopletType) for value in found):
        after = op.hi if op.unit is not None else emit.add(index, emit.index(1))
        emit_coiterate(emit, op.body.block, index, after, found, UNIT, last=True)
    else:
        copier = Copier({op.body.block.args[0]: index}, moves=True)
        copier.mapping.update(zip(op.body.block.args[1:], found, strict=True))
        copier.statements(op.body.block, emit)
    replace(op, outer)
    return True
