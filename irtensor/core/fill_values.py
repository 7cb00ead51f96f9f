"""Fill values: the numbers that a format may have for elements that are not stored, and how it writes them."""

from __future__ import annotations

import cmath
import math
from typing import Any, cast

from irtensor.core.diagnostics import UserError

FillValue = int | float | complex | bool | None


def fill_text(fill: FillValue) -> str:
    """A fill value as the format grammar writes it: `inf`, `true`, `1.5`, `(0.0, 1.0)`."""
    if fill is None:
        return "0"
    if isinstance(fill, bool):
        return "true" if fill else "false"
    if isinstance(fill, complex):
        return f"({fill_text(fill.real)}, {fill_text(fill.imag)})"
    text = repr(fill)
    # MLIR's lexer knows a float by its point: 1e-05 is written 1.0e-05.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def canonical_fill(fill: FillValue) -> FillValue:
    """Plain Python number (NumPy scalars come in too); positive zeros become None; one NaN."""
    if fill is not None and type(fill) not in (int, float, complex, bool):
        if getattr(fill, "shape", None) == ():
            fill = cast("Any", fill).item()
        if type(fill) not in (int, float, complex, bool):
            help = "give an int, float, complex or bool"
            raise UserError("bad-format", f"fill value {fill!r} is not a number", help=help)
    if fill is None or (fill == 0 and math.copysign(1, fill.real) > 0 and math.copysign(1, fill.imag) > 0):
        return None
    if isinstance(fill, complex) and cmath.isnan(fill):
        return complex(math.nan, math.nan)
    return fill
