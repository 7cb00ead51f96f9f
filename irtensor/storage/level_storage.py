"""The arrays of one level of a stored tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

IntegerArray = np.ndarray[tuple[int], np.dtype[np.signedinteger[Any]]]
Array = np.ndarray[Any, np.dtype[Any]]


# Not frozen: that takes four times as long to make, and every call of a kernel with a sparse result makes some.
@dataclass(slots=True, eq=False)
class LevelStorage:
    """Arrays of one level: segment offsets, coordinates, and for every position whether it is stored.

    Each is None where the level format has none.
    """

    positions: IntegerArray | None = None
    coordinates: IntegerArray | None = None
    flags: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None

    def arrays(self) -> list[Array]:
        """Those that the level has, in kernel order."""
        return [array for array in (self.positions, self.coordinates, self.flags) if array is not None]


DENSE_LEVEL = LevelStorage()


def width_dtype(width: int) -> np.dtype[Any]:
    """The integer type of a positions or coordinates array of so many bits."""
    return np.dtype(np.int32) if width == 32 else np.dtype(np.int64)
