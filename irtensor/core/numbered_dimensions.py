"""Which levels are counted where the entries of a tensor in blocks are numbered by dimension."""

from __future__ import annotations

from typing import NamedTuple

from irtensor.core.tensor_format import TensorFormat


class NumberedDimension(NamedTuple):
    """A dimension along which entries are counted."""

    dimension: int
    levels: range
    """The counted levels: its only one, or that of its blocks, or both."""
    size: int
    """How many coordinates of the dimension a counted entry has: the size of a block, unless coordinates are
    counted."""
    padded: bool
    """Whether a block may go on behind the last coordinate."""


class NotNumbered(NamedTuple):
    """Why the entries along some dimensions are not numbered."""

    problem: str
    level: int | None = None


def dimensions_in_order(format: TensorFormat) -> tuple[int, ...]:
    """The dimensions in the order in which their first levels are stored."""
    return tuple(dict.fromkeys(format.dimension_order))


def numbered_dimensions(format: TensorFormat, first: int, count: int) -> tuple[NumberedDimension, ...] | NotNumbered:
    """The `count` dimensions from the `first` one in this order, with the levels at which their entries are counted.

    These follow each other in the order of the dimensions; the levels below them have every element of a block.
    """
    levels = format.levels
    counted = dimensions_in_order(format)[first : first + count]
    number = format.dimension_order.index(counted[0])
    last = format.dimension_order.index(counted[-1])
    found: list[tuple[int, range]] = []
    for dimension in counted:
        if number == len(levels) or levels[number].expression.dimension != dimension:
            return NotNumbered("has levels of other dimensions between")
        start, number = number, number + 1
        follows = number < len(levels) and levels[number].expression.dimension == dimension
        if follows and (number < last or not levels[number].format.pattern.full):
            number += 1
        found.append((dimension, range(start, number)))
    for below in range(number, len(levels)):
        if levels[below].expression.dimension in counted and not levels[below].format.pattern.full:
            return NotNumbered("does not have every element of a block", below)
    return tuple(
        NumberedDimension(
            dimension,
            own,
            1 if len(own) > 1 else levels[own.start].expression.factor,
            levels[own.start].expression.factor > 1,
        )
        for dimension, own in found
    )
