"""Validation of storage arrays: everything generated code relies on is true, or a UserError says which fact is not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.level_stores import store_of
from irtensor.storage.element_types import element_dtype, fill_element, is_fill
from irtensor.storage.index_overflow import check_coordinate_widths
from irtensor.storage.level_storage import Array, LevelStorage, array_dtype
from irtensor.storage.pattern_values import is_true_values, true_values
from irtensor.storage.storage_check import StorageCheck
from irtensor.storage.stored_levels import check_stored
from irtensor.storage.symmetric_entries import check_extents, decreasing
from irtensor.storage.unpack_coordinates import stored_coordinates, stored_positions


def check_arrays(
    shape: tuple[int, ...],
    format: TensorFormat,
    levels: Sequence[LevelStorage],
    values: Array | None,
    name: str = "tensor",
    content: bool = True,
) -> Array:
    """Raise UserError [bad-storage] that names tensor, level, position and value at the first violation.

    Gives the values: those of a pattern are not given, but follow from its levels.
    Raises UserError [index-overflow] where coordinates of a level have too few bits for its extent. With `content`
    false only what costs no pass over the arrays is checked: presence, type, rank and length.
    """
    check_stored(format, name)
    if format.rank != len(shape):
        raise UserError(
            "rank-mismatch",
            f"'{name}' has rank {len(shape)}, its format {format} has {format.rank}",
            help=f"give a format of {len(shape)} dimensions",
        )
    if len(levels) != len(format.levels):
        message = f"'{name}' has storage for {len(levels)} levels, but its format {format} has {len(format.levels)}"
        help = "give one for each level, None for one that stores no arrays"
        raise UserError("bad-storage", message, help=help)
    check_coordinate_widths(format, shape)
    check_extents(shape, format, f"'{name}'")
    if format.is_pattern:
        _check_no_values(values, name, format)
    elif values is None:
        raise UserError("bad-storage", f"'{name}' is given no values", help="a format without any has leaf = pattern")
    check = _Check(shape, format, levels, true_values(0) if values is None else values, name)
    check.run(content)
    return check.values


def _check_no_values(values: Array | None, name: str, format: TensorFormat) -> None:
    """Raise UserError [bad-storage] if a pattern is given values other than its own, which take no memory."""
    if values is not None and not is_true_values(values):
        message = f"'{name}' is given {values.size} values of dtype {values.dtype}, but a pattern stores none"
        raise UserError(
            "bad-storage", message, help=f"omit them, or use the format with values: '{format.with_values}'"
        )


def check_values(
    shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage], present: Array, given: Array
) -> None:
    """Raise UserError [bad-storage] unless an array can take the place of the stored elements of a valid tensor."""
    check_replacement(present, given)
    _Check(shape, format, levels, given, "tensor").run_on_values()


def check_replacement(present: Any, given: Any) -> None:
    """Raise UserError [bad-storage] unless an array has the shape and type of the one whose place it takes."""
    help = None
    if given.ndim == 0:
        help = "to set them all: T.values[...] = number"
    elif given.dtype != present.dtype:
        help = f"convert the array: .astype({str(present.dtype)!r}), or the tensor: T.astype(...)"
    elif given.shape != present.shape:
        help = "a tensor of other entries is made by Tensor.from_coo, or Tensor.from_buffers"
    if help is not None:
        found = f"shape {given.shape} and dtype {given.dtype}"
        message = f"values of {found} do not take the place of those of shape {present.shape} and dtype {present.dtype}"
        raise UserError("bad-storage", message, help=help)


class _Check:
    """A check of all arrays of a tensor."""

    def __init__(
        self,
        shape: tuple[int, ...],
        format: TensorFormat,
        levels: Sequence[LevelStorage],
        values: Array,
        name: str,
    ):
        self.shape, self.format, self.levels, self.values = shape, format, levels, values
        self.storage = StorageCheck(shape, format, levels, name)

    def run(self, content: bool) -> None:
        element_dtype(self.values.dtype, f"'{self.storage.name}'")
        fill_element(self.format, self.values.dtype)
        if not self.format.is_pattern:
            self.storage.check_array(None, "values", self.values, self.values.dtype)
        for number in range(len(self.levels)):
            self._check_level(number, content)
        if self.format.is_pattern and not self.values.size:
            self.values = true_values(self.storage.count)
        if self.values.size != self.storage.count:
            found = f"{self.values.size} values for {self.storage.count} positions"
            self.storage.fail(None, found, "values has one entry each")
        if content:
            self._check_padding()
            self._check_offsets()
            self._check_stored_part()

    def run_on_values(self) -> None:
        """Check the facts about values alone."""
        self.storage.check_array(None, "values", self.values, self.values.dtype)
        self._check_padding()
        self._check_stored_part()

    def _check_level(self, number: int, content: bool) -> None:
        format, storage = self.format.levels[number].format, self.storage
        given = self.levels[number].named()
        for array in format.properties.arrays:
            if array.name not in given:
                storage.fail(number, f"{array.name} are missing")
            dtype = array_dtype(self.format, number, array)
            storage.check_array(number, array.name, given.pop(array.name), dtype)
        for name in given:
            storage.fail(number, f"has {name}, which this level does not store")
        storage.used_above = partial(stored_positions, self.shape, self.format, self.levels[:number])
        store_of(self.format, number).check(storage, number, content)

    def _check_padding(self) -> None:
        """Elements of a block beyond the shape hold the fill value, so that kernels may read whole blocks."""
        padded = self.format.padded_dimensions(self.shape)
        if not padded or not self.values.size:
            return
        coordinates = stored_coordinates(self.shape, self.format, self.levels, self.values.size)
        stored = stored_positions(self.shape, self.format, self.levels)
        fill = fill_element(self.format, self.values.dtype)
        wrong = ~is_fill(self.values, fill) if stored is None else ~is_fill(self.values, fill) & stored
        for dimension in padded:
            outside = (coordinates.dimensions[dimension] >= self.shape[dimension]) & coordinates.of(wrong)
            if outside.any():
                at = int(coordinates.of(np.arange(wrong.size))[np.argmax(outside)])
                self.storage.fail(
                    None,
                    f"values[{at}] is {self.values[at]}, but it lies beyond extent {self.shape[dimension]} of "
                    f"dimension {dimension}, in the padding of a block, which holds the fill value {fill}",
                )

    def _check_offsets(self) -> None:
        """Entries listed along diagonals lie inside the shape; those of a range that do not are padding."""
        followed = unpadded_diagonals(self.format)
        if not followed or not self.values.size:
            return
        stored = stored_positions(self.shape, self.format, self.levels)
        position = np.arange(self.values.size) if stored is None else np.flatnonzero(stored)
        coordinates = stored_coordinates(self.shape, self.format, self.levels, self.values.size, position)
        for dimension in followed:
            found = coordinates.dimensions[dimension]
            outside = (found < 0) | (found >= self.shape[dimension])
            if outside.any():
                at = int(np.argmax(outside))
                text = f"values[{coordinates.of(position)[at]}] lies at {found[at]} of dimension {dimension}"
                self.storage.fail(None, f"{text}, outside 0..{self.shape[dimension] - 1}")

    def _check_stored_part(self) -> None:
        """Entries of a symmetric tensor have coordinates that do not decrease; there is only the fill elsewhere."""
        if not self.format.symmetric or not self.values.size:
            return
        stored = stored_positions(self.shape, self.format, self.levels)
        position = np.arange(self.values.size) if stored is None else np.flatnonzero(stored)
        coordinates = stored_coordinates(self.shape, self.format, self.levels, self.values.size, position)
        position = coordinates.of(position)
        wrong = decreasing([coordinates.dimensions[one] for one in self.format.symmetric])
        if self.format.may_hold_fill:
            wrong &= ~is_fill(self.values[position], fill_element(self.format, self.values.dtype))
        if wrong.any():
            at = int(np.argmax(wrong))
            coordinate = tuple(int(row[at]) for row in coordinates.dimensions)
            text = f"values[{position[at]}] is {self.values[position[at]]} at {coordinate}"
            self.storage.fail(
                None,
                f"{text}, and of mirrors in a format that is {self.format.symmetric_text} only the one is stored whose "
                "coordinates do not decrease",
                "build the tensor with Tensor.from_coo, of all entries, which keeps one of the mirrors",
            )


def unpadded_diagonals(format: TensorFormat) -> tuple[int, ...]:
    """The dimensions in which entries along diagonals are listed, so that all of them are inside of the shape."""
    formats = {level.expression.dimension: level.format for level in format.levels[1:]}
    pairs = [(one.expression.dimension, one.expression.other) for one in format.levels]
    return tuple(
        dimension
        for one, other in pairs
        if other is not None and not any(formats[each].pattern.has_padding for each in (one, other))
        for dimension in (one, other)
    )
