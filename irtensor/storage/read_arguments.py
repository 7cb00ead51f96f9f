"""Coordinates, values and level arrays as a user passes them, made into checked NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.index_widths import holds, least_width
from irtensor.core.level_properties import LevelArray
from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.element_types import check_shape, element_values
from irtensor.storage.level_storage import DENSE_LEVEL, Array, LevelStorage, array_dtype, in_order
from irtensor.storage.masked_arrays import refuse_masked

_FLAGS = "pass an array of bools"
_INTEGERS = "pass a flat list of integers"
LevelArrays = LevelStorage | Mapping[str, Any] | tuple[Any, Any] | Sequence[int] | np.ndarray[Any, Any] | None


def level_storages(levels: Any, format: TensorFormat) -> tuple[LevelStorage, ...]:
    """The levels of a tensor as a user gives them. Raises UserError [bad-storage]."""
    return tuple(_level_storage(number, level, format) for number, level in enumerate(as_levels(levels)))


def as_levels(levels: Any) -> Iterable[Any]:
    """The arguments for each level. Raises UserError [bad-storage] for a value that is not a list."""
    if isinstance(levels, str | Mapping) or not isinstance(levels, Iterable):
        message = f"the levels are of type {type(levels).__name__}"
        raise UserError("bad-storage", message, help="give a list, None for levels without arrays")
    return levels


def arrays_by_name(number: int, level: LevelArrays, format: TensorFormat) -> dict[str, Any]:
    """The arrays of a level that a user gives in any form, by their names. Raises UserError [bad-storage]."""
    if isinstance(level, LevelStorage):
        return level.named()
    arrays = format.levels[number].format.properties.arrays if number < len(format.levels) else ()
    if len(arrays) == 1 and _is_one_array(level, arrays[0]):
        given = {arrays[0].name: level}
    elif level is None:
        given = {}
    elif isinstance(level, Mapping):
        given = level
    elif isinstance(level, tuple | list) and len(level) == 2:
        given = dict(zip(("positions", "coordinates"), level, strict=True))
    else:
        message = f"level {number}: expected (positions, coordinates), got {type(level).__name__}"
        raise UserError("bad-storage", message, help="give None for the one a level does not store")
    return {name: array for name, array in given.items() if array is not None}


def _is_one_array(level: Any, array: LevelArray) -> bool:
    """Whether a level with one array is given as that array, or as numbers, and not as the arrays of a list."""
    if array.holds == "flag":
        return not isinstance(level, Mapping)
    if isinstance(level, tuple | list):
        return all(isinstance(one, int | np.integer) for one in level)
    return level is not None and not isinstance(level, Mapping)


def _level_storage(number: int, level: LevelArrays, format: TensorFormat) -> LevelStorage:
    if isinstance(level, LevelStorage):
        refuse_masked(level.arrays(), f"level {number}")
        return in_order(level, format, number) if number < len(format.levels) else level
    given = arrays_by_name(number, level, format)
    # A level too many is refused with the others, and so are wrong arrays.
    wanted = format.levels[number].format.properties.arrays if number < len(format.levels) else ()
    arrays: dict[str, Any] = {}
    for array in wanted:
        is_flags = array.holds == "flag"
        if array.name in given or is_flags:
            values, subject = given.pop(array.name, None), f"level {number}: {array.name}"
            dtype = array_dtype(format, number, array)
            arrays[array.name] = _flags(values, number) if is_flags else _integers(values, subject, dtype)
    return LevelStorage.of({**arrays, **given}) if arrays or given else DENSE_LEVEL


def _flags(values: Any, number: int) -> Any:
    """An array of bools; lists are converted, arrays are left alone."""
    refuse_masked(values, f"level {number}: flags")
    if isinstance(values, np.ndarray):
        return values
    if values is None:
        raise UserError("bad-storage", f"level {number}: flags are missing", help="pass an array of bools")
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise UserError(
            "bad-storage", f"level {number}: flags are not an array of bools: {error}", help=_FLAGS
        ) from None
    if array.size and array.dtype.kind != "b" and not (array.dtype.kind in "iu" and np.isin(array, (0, 1)).all()):
        raise UserError("bad-storage", f"level {number}: flags have dtype {array.dtype}, expected bools", help=_FLAGS)
    return array.astype(np.bool_)


def _coordinates(values: Any, subject: str) -> Array:
    if isinstance(values, np.ndarray) and values.dtype in (np.int32, np.int64):
        return values
    return _integers(values, subject, None)


def _integers(values: Any, subject: str, dtype: np.dtype[Any] | None) -> Any:
    """An integer array; lists are converted to `dtype` (int64 if None) where they fit, arrays are left alone."""
    refuse_masked(values, subject)
    if values is None or (isinstance(values, np.ndarray) and dtype is not None):
        return values
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise UserError("bad-storage", f"{subject} is not an array of integers: {error}", help=_INTEGERS) from None
    target = np.dtype(np.int64) if dtype is None else dtype
    if array.size == 0:
        return array.astype(target) if array.dtype.kind in "iuf" else np.zeros(array.shape, target)
    if array.dtype.kind not in "iu":
        raise UserError("bad-storage", f"{subject} has dtype {array.dtype}, expected integers", help=_INTEGERS)
    limits = np.iinfo(target)
    if int(array.max()) > limits.max or int(array.min()) < limits.min:
        least, greatest = int(array.min()), int(array.max())
        beyond = f"up to {greatest}" if greatest > limits.max else f"down to {least}"
        needed = least_width(least, greatest)
        help = f"{_INTEGERS} from {limits.min} to {limits.max}"
        if dtype is not None and holds(needed, least, greatest):
            help = f"use {'pos' if subject.endswith('positions') else 'crd'} = i{needed} in the format"
        raise UserError("bad-storage", f"{subject} has values {beyond}, beyond {target}", help=help)
    return array.astype(target, copy=False)


def coordinate_rows(coordinates: Any) -> list[Array]:
    """Rows of int32 or int64 coordinates, one per dimension, all of one length; those given as such are not copied."""
    refuse_masked(coordinates, "coordinates")
    if isinstance(coordinates, np.ndarray) and coordinates.ndim not in (0, 2):
        message = f"coordinates have {coordinates.ndim} dimensions, expected (rank, entries)"
        raise UserError("bad-coordinates", message, help="for a vector pass [positions], one row")
    try:
        rows = [_coordinates(row, f"row {number}") for number, row in enumerate(coordinates)]
    except (TypeError, NotImplementedError):
        message = f"coordinates of type {type(coordinates).__name__} are not (rank, entries) integers"
        help = "give a list of coordinates for each dimension, as [[0, 1], [2, 0]]"
        raise UserError("bad-coordinates", message, help=help) from None
    except UserError as error:
        raise UserError("bad-coordinates", f"coordinates {error.message}", help=error.help) from None
    for number, row in enumerate(rows):
        if row.ndim != 1 or row.size != rows[0].size:
            message = f"coordinates row {number} has shape {row.shape}, row 0 has {rows[0].shape}"
            raise UserError(
                "bad-coordinates",
                message,
                help="coordinates have shape (rank, entries)",
            )
    return rows


def inferred_shape(rows: list[Array]) -> tuple[int, ...]:
    return check_shape([max(int(row.max()) + 1, 0) if row.size else 0 for row in rows])


def entry_values(values: Any, rows: list[Array]) -> Array:
    elements = element_values(values, "values")
    if elements.ndim == 0:
        return np.full(rows[0].size if rows else 1, elements)
    if elements.ndim != 1 or (rows and elements.size != rows[0].size):
        count = rows[0].size if rows else "any number of"
        message = f"values have shape {elements.shape}, but there are {count} coordinates"
        raise UserError("bad-coordinates", message, help="give one value per entry")
    return elements


def check_bounds(rows: list[Array], shape: tuple[int, ...]) -> None:
    for dimension, (row, extent) in enumerate(zip(rows, shape, strict=True)):
        if row.size and not (int(row.min()) >= 0 and int(row.max()) < extent):
            at = int(np.argmax((row < 0) | (row >= extent)))
            raise UserError(
                "bad-coordinates",
                f"entry {at} has coordinate {row[at]} in dimension {dimension}, outside 0..{extent - 1}",
                help="coordinates count from 0; give a larger shape= if it is too small",
            )
