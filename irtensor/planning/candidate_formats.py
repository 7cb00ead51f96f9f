"""The formats in which an operand may be kept for calls to come: what levels there are, put together in the usual ways.

They do not depend on the kernel: a measurement
says which one is the fastest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from irtensor.core.level_format import ARRAY, LIST, LevelFormat
from irtensor.core.storage_levels import Level, LevelExpression
from irtensor.core.tensor_format import TensorFormat

# Extents of square blocks, along the two innermost dimensions.
_BLOCKS = (2, 3, 4, 6, 8)


def candidate_formats(source: TensorFormat) -> list[TensorFormat]:
    """Formats of the rank and the fill of an operand's.

    They go through the dimensions in the operand's order, and those by rows also with the two innermost exchanged.
    """
    order = tuple(dict.fromkeys(source.dimension_order))
    whole = [LevelExpression(dimension) for dimension in order]
    found = [*_lists(whole), *_rows(whole), *_diagonals(whole), *_rows([*whole[:-2], *reversed(whole[-2:])])]
    formats = [TensorFormat(source.rank, tuple(levels)) for levels in found]
    return [one.with_fill(source.fill) for one in dict.fromkeys(formats)]


def stores_fill(format: TensorFormat) -> bool:
    """Whether elements that are not stored in other formats may be stored in this one, with the fill value."""
    return format.stores_fill or format.is_blocked or format.has_diagonals


def order_stays(format: TensorFormat, source: TensorFormat, summed: int | None) -> bool:
    """Whether loops along a format meet the terms of each sum in the order in which they meet them along another one.

    They do where both list entries in the same order, and where the coordinates of the only dimension that is summed
    over, `summed`, grow among the entries with the same other coordinates.
    """
    if not all(level.format.ordered for level in (*format.levels, *source.levels)):
        return False
    expressions = [[level.expression for level in one.levels] for one in (format, source)]
    return expressions[0] == expressions[1] or (
        summed is not None and all([_grows(one, summed) for its in expressions for one in its])
    )


def _grows(expression: LevelExpression, summed: int) -> bool:
    return expression.other != summed


def _lists(whole: Sequence[LevelExpression]) -> Iterator[list[Level]]:
    """Arrays of lists, lists of lists, lists of coordinates, and an array."""
    rank = len(whole)
    for listed in range(rank + 1):
        yield _levels(whole, [*[ARRAY] * (rank - listed), *[LIST] * listed])
    if rank > 1:
        head, next = replace(LIST, unique=False), LevelFormat("singleton", unique=False)
        yield _levels(whole, [head, *[next] * (rank - 2), LevelFormat("singleton")])


def _rows(whole: Sequence[LevelExpression]) -> Iterator[list[Level]]:
    """Lists and slots for each row, and blocks of the two innermost dimensions."""
    if len(whole) < 2:
        return
    for level in (LIST, LevelFormat("padded")):
        yield _levels(whole, [*[ARRAY] * (len(whole) - 1), level])
    outer, inner = whole[:-2], [one.dimension for one in whole[-2:]]
    for size in _BLOCKS:
        blocks = [LevelExpression(dimension, "floordiv", size) for dimension in inner]
        offsets = [LevelExpression(dimension, "mod", size) for dimension in sorted(inner)]
        for level in (ARRAY, LIST) if outer else (ARRAY,):
            heads = [*[level] * len(outer), level, LIST]
            yield _levels([*outer, *blocks, *offsets], [*heads, ARRAY, ARRAY])


def _diagonals(whole: Sequence[LevelExpression]) -> Iterator[list[Level]]:
    """The diagonals of the two innermost dimensions."""
    if len(whole) > 1:
        *outer, row, column = whole
        diagonal = LevelExpression(column.dimension, "minus", other=row.dimension)
        along = [LIST, LevelFormat("range"), LevelFormat("offset")]
        yield _levels([*outer, diagonal, row, column], [*[ARRAY] * len(outer), *along])


def _levels(expressions: Sequence[LevelExpression], formats: Sequence[LevelFormat]) -> list[Level]:
    return [Level(*pair) for pair in zip(expressions, formats, strict=True)]
