"""How many coordinates a level has, and which is the first, from the extents of its tensor."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.storage.storage import DimOp, format_of
from irtensor.passes.support.emit import Emitter


def level_extent(emit: Emitter, tensor: SSAValue, level: int) -> SSAValue:
    """Number of coordinates of a level; of blocks, a partial last one counts."""
    expression = format_of(tensor.type).levels[level].expression
    if expression.form == "mod":
        return emit.index(expression.factor)
    extent = emit.insert(DimOp.of(tensor, expression.dimension)).result
    if expression.form == "whole":
        return extent
    if expression.other is not None:
        other = emit.insert(DimOp.of(tensor, expression.other)).result
        return emit.max(emit.sub(emit.add(extent, other), emit.index(1)), emit.index(0))
    return emit.divide(emit.add(extent, emit.index(expression.factor - 1)), emit.index(expression.factor))


def offsets_in_block(emit: Emitter, whole: SSAValue, block: SSAValue, size: SSAValue) -> SSAValue:
    """How many elements of a block of some size are within an extent: the rest of the last one is padding."""
    return emit.min(size, emit.sub(whole, emit.mul(block, size)))


def position_in(emit: Emitter, tensor: SSAValue, level: int, coordinate: SSAValue) -> SSAValue:
    """The number of a coordinate among those of its level: diagonals begin below 0."""
    other = format_of(tensor.type).levels[level].expression.other
    if other is None:
        return coordinate
    extent = emit.insert(DimOp.of(tensor, other)).result
    return emit.add(coordinate, emit.sub(extent, emit.index(1)))
