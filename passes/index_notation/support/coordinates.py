"""Coordinates that index notation computes, as index arithmetic of `concrete_index`."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, StringAttr, i1, i64
from xdsl.ir import Block, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp, CastOp
from irtensor.dialects.algebra.scalar_types import is_unsigned
from irtensor.dialects.concrete_index.concrete_index import LetOp
from irtensor.dialects.concrete_index.index_ranges import ExtentOp
from irtensor.dialects.index_notation.affine import AffineOp
from irtensor.dialects.index_notation.bounded import ClampOp, IsInsideOp, WrapOp
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.support.emit import Emitter

_index = IndexType()
ComputedCoordinate = AffineOp | ClampOp | WrapOp


def emit_coordinate(op: ComputedCoordinate, of: Callable[[SSAValue], SSAValue], block: Block) -> SSAValue:
    """Append what computes a coordinate; `of` gives what its operands have become."""
    emit = Emitter(block)
    if isinstance(op, AffineOp):
        return _affine(op, of, emit)
    coordinate = of(op.coordinate)
    extent = emit.insert(ExtentOp.of(op.tensor, op.dimension.value.data)).result
    if isinstance(op, ClampOp):
        last = emit.sub(extent, emit.index(1))
        return emit.max(emit.index(0), emit.min(coordinate, last))
    return _modulo(coordinate, extent, emit)


def emit_is_inside(op: IsInsideOp, of: Callable[[SSAValue], SSAValue], block: Block) -> SSAValue:
    """Append what asks whether a coordinate is inside of its dimension."""
    emit, coordinate = Emitter(block), of(op.coordinate)
    extent = emit.insert(ExtentOp.of(op.tensor, op.dimension.value.data)).result
    zero = emit.index(0)
    above = emit.insert(ApplyOp.of(StringAttr("ge"), (coordinate, zero), i1)).result
    below = emit.insert(ApplyOp.of(StringAttr("lt"), (coordinate, extent), i1)).result
    return emit.insert(ApplyOp.of(StringAttr("and"), (above, below), i1)).result


def bind_coordinate(coordinate: SSAValue, name: str | None, block: Block) -> LetOp:
    """Append a `let` of a coordinate, with nothing in it yet."""
    body = create_block((_index,), (name,))
    let = LetOp.of(coordinate, create_region(body))
    Emitter(block).insert(let)
    return let


def _affine(op: AffineOp, of: Callable[[SSAValue], SSAValue], emit: Emitter) -> SSAValue:
    total: SSAValue | None = None
    is_natural = op.offset.value.data >= 0
    for term, factor in op.summands:
        value = of(term)
        if is_unsigned(value.type):
            value = emit.insert(CastOp.of(value, i64)).result
        if value.type != _index:
            value = emit.to_index(value)
        # Variables are coordinates from 0 on; elements of tensors may be anything.
        is_natural &= factor > 0 and isinstance(term.owner, Block)
        if total is None:
            total = emit.mul(value, emit.index(factor)) if factor != 1 else value
        elif factor < 0:
            total = emit.sub(total, _times(value, -factor, emit))
        else:
            total = emit.add(total, _times(value, factor, emit))
    offset = op.offset.value.data
    if total is None:
        total = emit.index(offset)
    elif offset < 0:
        total = emit.sub(total, emit.index(-offset))
    elif offset:
        total = emit.add(total, emit.index(offset))
    if op.divisor.value.data == 1:
        # An index that is a variable goes through the whole dimension. A coordinate that equals one need not.
        is_variable = isinstance(total.owner, Block)
        return emit.insert(arith.AddiOp(total, emit.index(0))).result if is_variable else total
    divisor = emit.index(op.divisor.value.data)
    return emit.divide(total, divisor) if is_natural else _divided_down(total, divisor, emit)


def _times(value: SSAValue, factor: int, emit: Emitter) -> SSAValue:
    return value if factor == 1 else emit.mul(value, emit.index(factor))


def _divided_down(value: SSAValue, divisor: SSAValue, emit: Emitter) -> SSAValue:
    """The quotient rounded down, of a number that may be negative."""
    return emit.divide(emit.sub(value, _modulo(value, divisor, emit)), divisor)


def _modulo(value: SSAValue, divisor: SSAValue, emit: Emitter) -> SSAValue:
    """The remainder of a division rounded down: a number from 0 up to the divisor."""
    left = emit.insert(arith.RemSIOp(value, divisor)).result
    return emit.insert(arith.RemSIOp(emit.add(left, divisor), divisor)).result
