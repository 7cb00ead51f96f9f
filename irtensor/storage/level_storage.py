"""The arrays of one level of a stored tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from irtensor.core.argument_layout import array_width
from irtensor.core.index_widths import WIDTHS
from irtensor.core.level_properties import LevelArray
from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.fixed_attribute import fixed_attribute

IntegerArray = np.ndarray[tuple[int], np.dtype[np.signedinteger[Any]]]
Array = np.ndarray[Any, np.dtype[Any]]


def _array(name: str, doc: str) -> Any:
    help = "make a tensor of other arrays: Tensor.from_buffers(shape, format, levels, values)"
    return fixed_attribute(name, "a level", help, doc)


class LevelStorage:
    """Arrays of one level, by the names that its format gives them (`LevelArray`).

    Segment offsets, coordinates and flags are None where the format has none. Which arrays they are is fixed, as
    tensors share levels, and kernels keep the arrays' addresses.
    """

    __slots__ = ("_coordinates", "_flags", "_kept", "_named", "_positions", "entries", "unlike")

    def __init__(
        self,
        positions: IntegerArray | None = None,
        coordinates: IntegerArray | None = None,
        flags: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None,
    ) -> None:
        given = (("positions", positions), ("coordinates", coordinates), ("flags", flags))
        self._name({name: array for name, array in given if array is not None})

    @staticmethod
    def of(arrays: dict[str, Any]) -> LevelStorage:
        """A level of arrays by name, in the order of its format; it keeps the dictionary."""
        level = LevelStorage.__new__(LevelStorage)
        level._name(arrays)
        return level

    def __getstate__(self) -> object:
        # Protocols 0 and 1 of pickle ask a class with slots for a method of its own.
        return super().__getstate__()

    def _name(self, arrays: dict[str, Any]) -> None:
        self._named = arrays
        # NumPy resizes no array in place to which there are two references.
        self._kept = tuple(arrays.values())
        self._positions = arrays.get("positions")
        self._coordinates = arrays.get("coordinates")
        self._flags = arrays.get("flags")
        # Levels that were found to store the same coordinates have the same object here, others None or another one.
        self.entries: object = None
        # The coordinates of the last level that was found to store other ones, as many.
        self.unlike: ref[Array] | None = None

    positions: IntegerArray | None = _array("positions", "Where each segment begins, or how long all are.")
    coordinates: IntegerArray | None = _array("coordinates", "The coordinate at each position.")
    flags: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = _array("flags", "Whether each position is stored.")

    def arrays(self) -> list[Array]:
        """Those that the level has, in kernel order."""
        return list(self._kept)

    def named(self) -> dict[str, Array]:
        """The same with their names."""
        return dict(self._named)

    def array(self, name: str) -> Any:
        """The array of a name, or None if the level has none."""
        return self._named.get(name)

    def mapped(self, function: Callable[[Any], Any]) -> LevelStorage:
        """A level of what a function makes of each array."""
        return LevelStorage.of({name: function(array) for name, array in self._named.items()})

    def __repr__(self) -> str:
        return f"LevelStorage({', '.join(f'{name}={array!r}' for name, array in self._named.items())})"


DENSE_LEVEL = LevelStorage()
_DTYPES = {width: np.dtype(f"i{width // 8}") for width in WIDTHS}


def width_dtype(width: int) -> np.dtype[Any]:
    """The integer type of a positions or coordinates array of so many bits."""
    return _DTYPES[width]


def array_dtype(format: TensorFormat, level: int, array: LevelArray) -> np.dtype[Any]:
    """The type of the elements of an array of a level."""
    width = array_width(format, level, array)
    return np.dtype(np.bool_) if width is None else _DTYPES[width]


def in_order(level: LevelStorage, format: TensorFormat, number: int) -> LevelStorage:
    """The level with its arrays in the order in which kernels take them, if it has those of its format."""
    wanted, given = format.levels[number].format.properties.arrays, level.named()
    names = [array.name for array in wanted]
    if [*given] == names or given.keys() != {*names}:
        return level
    return LevelStorage.of({name: given[name] for name in names})


def index_dtypes(format: TensorFormat, level: int) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """The integer types of the positions and of the coordinates of a level."""
    return _DTYPES[format.position_width_of(level)], _DTYPES[format.coordinate_width_of(level)]
