"""Where a list is searched for a coordinate that was read from it: at the position that it was read from.

Blocks of entries begin and end at coordinates of entries. What such a coordinate is computed from tells the position at
which it is found, so that most searches have nothing left to do.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from xdsl.dialects.arith import AddiOp, IndexCastOp, MaxSIOp, MinSIOp, MuliOp, SelectOp
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.loop.loop_memory import LoadOp, LowerBoundOp
from irtensor.dialects.storage.storage import DimOp, format_of, is_array
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.support.emit import Emitter, compares

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
        case IndexCastOp() if isinstance(load := owner.input.owner, LoadOp) and _lists(fiber, load):
            return _Range(load.index, load.index)
        case AddiOp() if constant_index(owner.rhs) == 1 and fiber.format.unique:
            return _behind(emit, whole, _between(emit, fiber, whole, owner.lhs, depth - 1))
        case SelectOp() if (position := _numbered(emit, fiber, whole, owner)) is not None:
            return _Range(position, position)
        case SelectOp() | MinSIOp() | MaxSIOp():
            return _chosen(emit, fiber, whole, owner, depth)
        case _:
            return None


def _behind(emit: Emitter, whole: _Range, found: _Range | None) -> _Range | None:
    """Behind an entry is the next one."""
    if found is None or found.first is not found.last:
        return None
    position = emit.min(emit.add(found.first, emit.index(1)), whole.last)
    return _Range(position, position)


def _chosen(emit: Emitter, fiber: Fiber, whole: _Range, op: SelectOp | MinSIOp | MaxSIOp, depth: int) -> _Range | None:
    """The position of a choice of two coordinates is the choice of their positions."""
    match op:
        case SelectOp():
            choose = partial(emit.select, op.cond)
        case MinSIOp():
            choose = emit.min
        case MaxSIOp():
            choose = emit.max
    found = [_between(emit, fiber, whole, one, depth - 1) for one in op.operands[-2:]]
    if found[0] is None and found[1] is None:
        return None
    lhs, rhs = found[0] or whole, found[1] or whole
    first, is_known = choose(lhs.first, rhs.first), lhs.first is lhs.last and rhs.first is rhs.last
    return _Range(first, first if is_known else choose(lhs.last, rhs.last))


def _numbered(emit: Emitter, fiber: Fiber, whole: _Range, op: SelectOp) -> SSAValue | None:
    """The position of an entry by its number: the choice is its coordinate, or behind the last one the extent.

    Before: `select (%begin + %n < %end), (crd at %begin + %n, or at 0), extent`
    The first block begins where the list does: its number is 0, so that this need not be asked.
    """
    is_first, chosen = _is_zero_test(op) and constant_index(op.lhs) == 0, op.rhs.owner
    position = _entry_position(fiber, chosen if is_first and isinstance(chosen, SelectOp) else op)
    if position is None or (is_first and not _counts_from(op.cond.owner, position)):
        return None
    # Behind the last entry there may be further blocks, which have nothing.
    return emit.min(position, whole.last)


def _entry_position(fiber: Fiber, op: SelectOp) -> SSAValue | None:
    """The position from which a coordinate is read, whether there is an entry or not."""
    cast, past = op.lhs.owner, op.rhs.owner
    load = cast.input.owner if isinstance(cast, IndexCastOp) else None
    if not isinstance(load, LoadOp) or not _lists(fiber, load):
        return None
    safe = load.index.owner
    if not isinstance(safe, SelectOp) or safe.cond is not op.cond or not compares(op.cond.owner, "slt"):
        return None
    is_last = isinstance(past, DimOp) and _is_extent(fiber, past)
    return safe.lhs if is_last and safe.lhs is op.cond.owner.lhs else None


def _is_zero_test(op: SelectOp) -> bool:
    test = op.cond.owner
    return isinstance(test, ApplyOp) and test.operator == StringAttr("eq") and constant_index(test.arguments[1]) == 0


def _counts_from(test: Operation | Block, position: SSAValue) -> bool:
    """Whether a position is that of the first entry where a test, of a number for being 0, holds."""
    number = position.owner.rhs.owner if isinstance(position.owner, AddiOp) else None
    return isinstance(test, ApplyOp) and isinstance(number, MuliOp) and number.lhs is test.arguments[0]


def _lists(fiber: Fiber, load: LoadOp) -> bool:
    """Whether a load reads an entry of the fiber, in whose list no coordinate is twice."""
    source = load.buffer.owner
    return (
        fiber.by_entries
        and fiber.format.unique
        and is_array(source, "coordinates")
        and source.tensor is fiber.tensor
        and source.level.value.data == fiber.level
    )


def _is_extent(fiber: Fiber, op: DimOp) -> bool:
    """Whether all coordinates of a fiber are before a number."""
    expression = format_of(fiber.type).levels[fiber.level].expression
    is_whole = expression.form == "whole" and op.dimension.value.data == expression.dimension
    return is_whole and op.tensor is fiber.tensor
