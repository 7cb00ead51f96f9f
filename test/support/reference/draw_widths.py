"""Index widths of tensors of a few entries, drawn for each level."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from irtensor.core.tensor_format import TensorFormat

# Small tensors have more than 127 entries, but no extent that is as large.
_POSITIONS, _COORDINATES = (16, 32, 64), (8, 16, 32, 64)


def with_drawn_widths(format: TensorFormat, choice: Callable[[Sequence[int]], int]) -> TensorFormat:
    """The format with widths that all levels have, or each level its own; `choice` takes one of several numbers."""
    levels = range(len(format.levels))
    if choice((0, 1)):
        positions, coordinates = ([choice(widths) for _ in levels] for widths in (_POSITIONS, _COORDINATES))
        return format.with_level_widths(positions, coordinates)
    position = choice((32, 64))
    return format.with_widths(position, choice((32, position)))
