"""How many bits the integers of index arrays have, and which of them hold which numbers."""

from __future__ import annotations

from typing import Any

from irtensor.core.diagnostics import UserError

WIDTHS = (8, 16, 32, 64)

# The arrays that have a width: how formats write it, the field of a level or format, and which levels have the array.
WIDTH_FIELDS = (("pos", "position_width", "has_positions"), ("crd", "coordinate_width", "stores_coordinates"))


def check_width(name: str, width: Any, where: str = "") -> None:
    """Raise UserError [bad-format] for a value that is not a width of `pos` or `crd`."""
    if type(width) is not int or width not in WIDTHS:
        *rest, last = map(str, WIDTHS)
        help = f"widths are {', '.join(rest)} and {last}"
        if type(width) is not int:
            raise UserError("bad-format", f"{where}width of {name} is a {type(width).__name__}", help=f"{help}, an int")
        raise UserError("bad-format", f"{where}width of {name} is {width} bits", help=help)


def greatest_of(width: int) -> int:
    """The greatest number that a signed integer of so many bits holds."""
    return 2 ** (width - 1) - 1


def holds(width: int, least: int, greatest: int) -> bool:
    """Whether a signed integer of so many bits holds each number from the least to the greatest."""
    return least >= -greatest_of(width) - 1 and greatest <= greatest_of(width)


def least_width(least: int, greatest: int) -> int:
    """The narrowest width that holds these numbers; the widest if none does."""
    return next((width for width in WIDTHS if holds(width, least, greatest)), WIDTHS[-1])
