"""Where a list is searched for a coordinate that was read from it: at the position that it was read from.

Blocks of entries begin and end at coordinates of entries. What such a coordinate is computed from tells the position at
which it is found, so that most searches have nothing left to do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from xdsl.dialects.arith import AddiOp, IndexCastOp, MaxSIOp, MinSIOp, SelectOp
from xdsl.ir import SSAValue

from irtensor.dialects.loop_memory import LoadOp, LowerBoundOp
from irtensor.dialects.storage import CoordinatesOp, DimOp, format_of
from irtensor.passes.emit import Emitter, constant_index
from irtensor.passes.level_formats.interface import Fiber

# Of values that are computed in more steps nothing is asked.
_DEPTH = 6


class _Range(NamedTuple):
    """A position from the first to the last of these, both included."""

    first: SSAValue
    last: SSAValue


def first_from(
    emit: Emitter, fiber: Fiber, coordinates: SSAValue, begin: SSAValue, end: SSAValue, key: SSAValue
) -> SSAValue:
    """The first position between `begin` and `end` of a list whose coordinate is `key` or behind it, or `end`."""
    found = _between(emit, fiber, _Range(begin, end), key, _DEPTH) or _Range(begin, end)
    if found.first is found.last:
        return found.first
    return emit.insert(LowerBoundOp.of(coordinates, found.first, found.last, key)).position


def _between(emit: Emitter, fiber: Fiber, whole: _Range, key: SSAValue, depth: int) -> _Range | None:
    """Where the first coordinate from a key on is; None where nothing is known of that."""
    if constant_index(key) == 0:
        return _Range(whole.first, whole.first)
    if depth == 0:
        return None
    owner = key.owner
    match owner:
        case DimOp() if _is_extent(fiber, owner):
            return _Range(whole.last, whole.last)
        case SelectOp():
            ends = owner.operands[1:]
            choose = partial(emit.select, owner.cond)
        case MinSIOp() | MaxSIOp():
            ends = owner.operands
            choose = emit.min if isinstance(owner, MinSIOp) else emit.max
        case AddiOp() if constant_index(owner.rhs) == 1:
            # Behind an entry is the next one.
            found = _between(emit, fiber, whole, owner.lhs, depth - 1)
            if found is None or found.first is not found.last or not fiber.format.unique:
                return None
            behind = emit.min(emit.add(found.first, emit.index(1)), whole.last)
            return _Range(behind, behind)
        case IndexCastOp() if isinstance(load := owner.input.owner, LoadOp) and _lists(fiber, load):
            return _Range(load.index, load.index)
        case _:
            return None
    found = [_between(emit, fiber, whole, one, depth - 1) for one in ends]
    if found[0] is None and found[1] is None:
        return None
    return _both(found[0] or whole, found[1] or whole, choose)


def _both(lhs: _Range, rhs: _Range, choose: Callable[[SSAValue, SSAValue], SSAValue]) -> _Range:
    """What is chosen of two positions; one value where both are known."""
    first = choose(lhs.first, rhs.first)
    is_known = lhs.first is lhs.last and rhs.first is rhs.last
    return _Range(first, first if is_known else choose(lhs.last, rhs.last))


def _lists(fiber: Fiber, load: LoadOp) -> bool:
    """Whether a load reads an entry of the fiber, in whose list no coordinate is twice."""
    source = load.buffer.owner
    return (
        fiber.by_entries
        and fiber.format.unique
        and isinstance(source, CoordinatesOp)
        and source.tensor is fiber.tensor
        and source.level.value.data == fiber.level
    )


def _is_extent(fiber: Fiber, op: DimOp) -> bool:
    """Whether all coordinates of a fiber are before a number."""
    expression = format_of(fiber.type).levels[fiber.level].expression
    is_whole = expression.kind == "whole" and op.dimension.value.data == expression.dimension
    return is_whole and op.tensor is fiber.tensor
