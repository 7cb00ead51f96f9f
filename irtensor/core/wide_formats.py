"""Formats with the index widths of others, and with widths for tensors of any size."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from irtensor.core.tensor_format import TensorFormat

# Narrower integers are for numbers that are known to fit.
_LEAST = 32


@lru_cache(maxsize=256)  # bounded, so few formats are kept alive; asked for in many calls
def with_widths_of(format: TensorFormat, other: TensorFormat) -> TensorFormat:
    """The format with the widths of another one, if they have the same levels; else with those of its widest level, but
    of 32 bits at least: what fits one format may not fit the other.
    """
    position, coordinate = other.position_width, other.coordinate_width
    if format.structure == other.structure:
        return replace(format, levels=other.levels, position_width=position, coordinate_width=coordinate)
    return for_all_sizes(format.with_widths(position, coordinate))


def for_all_sizes(format: TensorFormat) -> TensorFormat:
    """The format for tensors that are converted to it, whatever they store: with no integers of 8 or 16 bits."""
    position = format.position_width if format.position_width >= _LEAST else 64
    numbers = [format.coordinate_width_of(number) for number in range(len(format.levels))]
    coordinates = [width if width >= _LEAST else 64 for width in numbers]
    return format.with_level_widths([position] * len(coordinates), coordinates)
