"""The arguments of a compiled kernel: the one description that generated code and callers share.

Operands come first, in order, then results. Each tensor is passed as its extents (one index per dimension), then per
level its positions and coordinates where the level has them, then its values. Every array has a readable element 0.
Arrays of a result whose length is known beforehand are buffers that the caller allocates; the others are growable.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from irtensor.dialects.tensor_format import TensorFormat

Kind = Literal["extent", "positions", "coordinates", "values"]


class Argument(NamedTuple):
    """One argument of a tensor: `number` is the dimension of an extent, the level of an array."""

    kind: Kind
    number: int
    growable: bool = False


@lru_cache(maxsize=512)
def tensor_arguments(format: TensorFormat, is_result: bool) -> tuple[Argument, ...]:
    """The arguments that one tensor stands for, in order."""
    arguments = [Argument("extent", dimension) for dimension in range(format.rank)]
    for number, level in enumerate(format.levels):
        properties = level.format.properties
        if properties.has_positions:
            arguments.append(Argument("positions", number, is_result and not has_static_positions(format, number)))
        if properties.has_coordinates:
            arguments.append(Argument("coordinates", number, is_result))
    arguments.append(Argument("values", len(format.levels), is_result and not format.is_dense))
    return tuple(arguments)


def has_static_positions(format: TensorFormat, level: int) -> bool:
    """Whether the number of a level's parents follows from the extents alone."""
    return all(outer.format.properties.full for outer in format.levels[:level])
