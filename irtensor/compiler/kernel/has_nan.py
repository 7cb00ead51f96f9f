"""Whether a result has a NaN, asked in the time of one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from irtensor.frontend.element_types import is_rounded, is_stored


@np.errstate(all="ignore")  # Squares of large numbers are infinite.
def has_nan(result: Any) -> bool:
    """Whether an array or a number has a NaN."""
    if not isinstance(result, np.ndarray):
        return bool(result != result)
    if not is_rounded(result.dtype):
        return False
    if is_stored(result.dtype):
        return bool(np.isnan(result).any())
    if is_stored(result.dtype):
        return bool(np.isnan(result).any())
    # Squares are not negative, so infinities do not cancel: the sum is NaN where an element is.
    flat = result.reshape(-1)
    if result.dtype.kind == "c":
        flat = np.ascontiguousarray(flat).view(flat.real.dtype)
    total = flat.dot(flat)
    return bool(total != total)
