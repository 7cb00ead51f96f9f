"""The arrays of one level of a stored tensor."""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np

from irtensor.dialects.index_widths import WIDTHS
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.storage.fixed_attribute import fixed_attribute

IntegerArray = np.ndarray[tuple[int], np.dtype[np.signedinteger[Any]]]
Array = np.ndarray[Any, np.dtype[Any]]


def _array(name: str, doc: str) -> Any:
    help = "make a tensor of other arrays: Tensor.from_buffers(shape, format, levels, values)"
    return fixed_attribute(name, "a level", help, doc)


class LevelStorage:
    """Arrays of one level: segment offsets, coordinates, and for every position whether it is stored.

    Each is None where the level format has none. Which arrays they are is fixed, as tensors share levels, and kernels
    keep the arrays' addresses.
    """

    __slots__ = ("_coordinates", "_flags", "_kept", "_positions", "entries", "unlike")

    def __init__(
        self,
        positions: IntegerArray | None = None,
        coordinates: IntegerArray | None = None,
        flags: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None,
    ) -> None:
        self._positions = positions
        self._coordinates = coordinates
        self._flags = flags
        # Levels that were found to store the same coordinates have the same object here, others None or another one.
        self.entries: object = None
        # The coordinates of the last level that was found to store other ones, in as many places.
        self.unlike: ref[Array] | None = None
        # NumPy resizes no array in place to which there are two references.
        self._kept = positions, coordinates, flags

    positions: IntegerArray | None = _array("positions", "Where each segment begins, or how long all are.")
    coordinates: IntegerArray | None = _array("coordinates", "The coordinate at each position.")
    flags: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = _array("flags", "Whether each position is stored.")

    def arrays(self) -> list[Array]:
        """Those that the level has, in kernel order."""
        return [array for array in self._kept if array is not None]

    def __repr__(self) -> str:
        return f"LevelStorage(positions={self.positions!r}, coordinates={self.coordinates!r}, flags={self.flags!r})"


DENSE_LEVEL = LevelStorage()
_DTYPES = {width: np.dtype(f"i{width // 8}") for width in WIDTHS}


def width_dtype(width: int) -> np.dtype[Any]:
    """The integer type of a positions or coordinates array of so many bits."""
    return _DTYPES[width]


def index_dtypes(format: TensorFormat, level: int) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """The integer types of the positions and of the coordinates of a level."""
    return _DTYPES[format.position_width_of(level)], _DTYPES[format.coordinate_width_of(level)]
