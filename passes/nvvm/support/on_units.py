"""New loops on units of a GPU, and what each unit does of a range."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Attribute, SSAValue

from irtensor.dialects.loop.loop import ForOp, ParallelOp, UnitsAttr
from irtensor.passes.support.emit import Emitter


def on_units(emit: Emitter, count: SSAValue, units: UnitsAttr) -> ParallelOp:
    """Emit an empty loop on so many units."""
    loop = emit.insert(ParallelOp.on_units(emit.index(0), count, units))
    loop.induction.name_hint = units.word.removesuffix("s")
    return loop


class Strided:
    """A loop over every so manieth index of a range, from the one of a number on; `emit` appends to its body.

    `hints` are attributes of the loop.
    """

    def __init__(
        self,
        lower: SSAValue,
        upper: SSAValue,
        number: SSAValue,
        stride: int,
        emit: Emitter,
        hints: Mapping[str, Attribute] = {},
    ) -> None:
        first = emit.add(lower, number)
        # The bounds may be further apart than no iteration; the quotient of a negative number is no more than 0.
        loop = emit.insert(ForOp.of(emit.index(0), emit.divide_up(emit.sub(upper, first), stride)))
        loop.attributes.update(hints)
        self.emit = Emitter(loop.body.block)
        self.index = self.emit.add(first, self.emit.mul(loop.induction, self.emit.index(stride)))
