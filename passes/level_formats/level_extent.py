"""How many coordinates a level has, from the extents of its tensor."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.storage import DimOp, format_of
from irtensor.passes.emit import Emitter


def level_extent(emit: Emitter, tensor: SSAValue, level: int) -> SSAValue:
    """Number of coordinates of a level; of blocks, a partial last one counts."""
    expression = format_of(tensor.type).levels[level].expression
    if expression.kind == "mod":
        return emit.index(expression.factor)
    extent = emit.insert(DimOp.of(tensor, expression.dimension)).result
    if expression.kind == "whole":
        return extent
    return emit.divide(emit.add(extent, emit.index(expression.factor - 1)), emit.index(expression.factor))
