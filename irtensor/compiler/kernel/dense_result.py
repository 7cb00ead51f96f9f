"""Memory of one dense result: an array that the kernel fills in, in row-major order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irtensor.runtime.array_address import array_address
from irtensor.runtime.result_memory import RESULT_MEMORY, SMALLEST_BLOCK


class DenseLayout:
    """What all arrays for one result of a kernel share; as `ResultLayout` for results that are stored in a format."""

    purpose = "fused"

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    def allocate(self, shape: tuple[int, ...], operands: Sequence[Any], parts: int) -> DenseResult:
        """An array of this shape. Raises MemoryError."""
        return DenseResult(empty_array(shape, self.dtype))


class DenseResult:
    """An array while a kernel runs. `arguments` are what the kernel is passed for it, after its extents."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array
        self.arguments = [array_address(array)]

    def finish(self) -> np.ndarray[Any, Any]:
        """The array that the kernel has filled in."""
        return self.array

    def discard(self) -> None:
        """Nothing is to be given back by hand."""


def empty_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Memory of a dense result: from the pool where a first touch would cost more than the pool does."""
    size = dtype.itemsize
    for extent in shape:
        size *= extent
    if size < 4 * SMALLEST_BLOCK:
        return np.empty(shape, dtype)
    try:
        return RESULT_MEMORY.empty(shape, dtype)
    except MemoryError:
        message = f"no memory for a dense result of shape {shape} and dtype {dtype}: {size} bytes"
        raise MemoryError(f"{message}; ask for a sparse one, with a format for the result") from None
