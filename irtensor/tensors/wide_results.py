"""Results of Python's operators in indices that are wide enough for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from irtensor.core.diagnostics import UserError
from irtensor.late_imports import load_for

# Errors that name an operand, which the user of an operator or a method has not named.
_ABOUT_OPERANDS = ("operand-on-host", "cuda-conversion")
# Helps for callers without a kernel that could be asked for a format, and with operands that may be SciPy's.
_HELP = {
    "copy it: .to_device()": "copy it: irtensor.as_tensor(x).to_device()",
    "ask for the format in which it is computed, and convert it: .to_host().to_format(...)": (
        "store the operands in the format in which it is computed: .to_host().to_format(...).to_device()"
    ),
}
_SIDES = {1: {"A": "the tensor"}, 2: {"A": "the left operand", "B": "the right operand"}}


def read_formats(operands: Sequence[Any]) -> tuple[Any, ...]:
    """The formats of the operands that have indices."""
    return tuple([one.format for one in operands if getattr(one, "has_indices", False)])


@lru_cache(maxsize=1024)
def wide_enough(format: Any, shape: tuple[int, ...], read: tuple[Any, ...]) -> Any:
    """A result's format with indices as wide as in all `read_formats`, and as its shape needs."""
    from irtensor.storage.index_overflow import with_wide_coordinates

    levels = range(len(format.levels))
    positions = [format.position_width_of(level) for level in levels]
    coordinates = [format.coordinate_width_of(level) for level in levels]
    for one in read:
        # The levels of others are other ones.
        alike = one.structure == format.structure
        for level in levels:
            position = one.position_width_of(level) if alike else one.position_width
            coordinate = one.coordinate_width_of(level) if alike else one.coordinate_width
            positions[level] = max(positions[level], position)
            coordinates[level] = max(coordinates[level], coordinate)
    return with_wide_coordinates(format.with_level_widths(positions, coordinates), shape)


def evaluate_wide(statement: Any, operands: dict[str, Any], format: Any) -> Any:
    """The value of a statement, with wide indices where there are more entries than narrow ones count."""
    load_for("expressions")
    from irtensor.api.expression import evaluate

    try:
        return evaluate(statement, operands, format=format)
    except UserError as error:
        if error.slug in _ABOUT_OPERANDS:
            raise _renamed(error, len(operands)) from None
        if error.slug != "index-overflow" or format is None:
            raise
        return evaluate(statement, operands, format=format.with_widths(64, 64))


def _renamed(error: UserError, count: int) -> UserError:
    """The same error in words of who wrote an operator: operands by their sides, and no kernel to compile."""
    sides = _SIDES.get(count, {})
    message = re.sub(r"\boperand ([A-C])\b", lambda found: sides.get(found[1], found[0]), error.message)
    help = None if error.help is None else error.help.partition("; or compile ")[0]
    return UserError(error.slug, message, help=help and _HELP.get(help, help))
