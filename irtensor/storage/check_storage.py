"""Validation of storage arrays: everything generated code relies on is true, or a UserError says what is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.storage.element_types import element_dtype, fill_element, is_fill
from irtensor.storage.index_overflow import check_coordinate_widths
from irtensor.storage.level_storage import Array, LevelStorage, array_dtype
from irtensor.storage.sort_coordinates import distinct_starts, sorted_order
from irtensor.storage.stored_levels import check_stored
from irtensor.storage.unpack_coordinates import stored_coordinates, stored_positions


def check_arrays(
    shape: tuple[int, ...],
    format: TensorFormat,
    levels: Sequence[LevelStorage],
    values: Array,
    name: str = "tensor",
    content: bool = True,
) -> None:
    """Raise UserError [bad-storage] that names tensor, level, position and value at the first violation.

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
    _StorageCheck(shape, format, levels, values, name).run(content)


def check_values(
    shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage], present: Array, given: Array
) -> None:
    """Raise UserError [bad-storage] unless an array can take the place of the stored elements of a valid tensor."""
    check_replacement(present, given)
    _StorageCheck(shape, format, levels, given, "tensor").run_on_values()


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


class _StorageCheck:
    """Walks the levels from the outermost.

    `count` is the number of positions of the level above, `paths` gives each of them a number that is equal for
    equal coordinate paths; None while all paths are distinct.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        format: TensorFormat,
        levels: Sequence[LevelStorage],
        values: Array,
        name: str,
    ):
        self.shape = shape
        self.format = format
        self.levels = levels
        self.values = values
        self.name = name
        self.count = 1
        self.paths: Array | None = None
        self.ordered_so_far = True

    def run(self, content: bool) -> None:
        element_dtype(self.values.dtype, f"'{self.name}'")
        fill_element(self.format, self.values.dtype)
        self._check_array(None, "values", self.values, self.values.dtype)
        for number in range(len(self.levels)):
            self._check_level(number, content)
        if self.values.size != self.count:
            self._fail(
                None,
                f"{self.values.size} values for {self.count} positions",
                "values has one entry each",
            )
        if content:
            self._check_padding()
            self._check_offsets()

    def run_on_values(self) -> None:
        """Check what is said of the values alone."""
        self._check_array(None, "values", self.values, self.values.dtype)
        self._check_padding()

    def _fail(self, number: int | None, problem: str, help: str | None = None) -> None:
        level = "" if number is None else f" level {number} ({self.format.level_text(number)}):"
        help = help or "build the tensor with Tensor.from_coo, which sorts and checks"
        raise UserError("bad-storage", f"'{self.name}'{level} {problem}", help=help)

    def _check_arrays(self, number: int) -> None:
        """Whether a level has the arrays of its format, with the types of its format."""
        wanted, given = self.format.levels[number].format.properties.arrays, self.levels[number].named()
        for array in wanted:
            if array.name not in given:
                self._fail(number, f"{array.name} are missing")
            dtype = array_dtype(self.format, number, array)
            self._check_array(number, array.name, given.pop(array.name), dtype)
        for name in given:
            self._fail(number, f"has {name}, which this level does not store")

    def _check_level(self, number: int, content: bool) -> None:
        self._check_arrays(number)
        level, properties = self.levels[number], self.format.levels[number].format.properties
        extent = self.format.level_extent(number, self.shape)
        if level.coordinates is None:
            if not properties.branchless:
                self._enter_positional(number, extent)
            if level.flags is not None:
                self._check_flags(number, level.flags, content)
            return
        if properties.equal_segments:
            self._check_slots(number, level, extent, content)
            return
        if level.positions is not None:
            self._check_positions(number, level.positions, level.coordinates.size, content)
        elif level.coordinates.size != self.count:
            found = level.coordinates.size
            self._fail(
                number,
                f"{found} coordinates for {self.count} parent positions",
                "a singleton level has one each",
            )
        if content:
            self._check_range(
                number, self._used(number), extent, self.format.levels[number].expression.first(self.shape)
            )
            self._check_siblings(number, level, extent)
        self.count = level.coordinates.size

    def _used(self, number: int) -> Array:
        """The coordinates of a level, but those of a singleton below slots only where these are used."""
        level = self.levels[number]
        assert level.coordinates is not None
        if level.positions is not None:
            return level.coordinates
        used = stored_positions(self.shape, self.format, self.levels[:number])
        return level.coordinates if used is None else level.coordinates[used]

    def _check_array(self, number: int | None, label: str, array: Any, dtype: np.dtype[Any]) -> None:
        if not isinstance(array, np.ndarray):
            self._fail(number, f"{label} is a {type(array).__name__}, not a NumPy array")
        if array.ndim != 1:
            self._fail(
                number,
                f"{label} has {array.ndim} dimensions, expected 1",
                "pass a flat array",
            )
        if array.dtype != dtype or not array.dtype.isnative:
            self._fail(
                number,
                f"{label} has dtype {array.dtype}, expected {dtype}",
                "convert the array with .astype, or give the format other widths with format.with_widths(pos, crd)",
            )
        if not array.flags.c_contiguous or not array.flags.aligned:
            self._fail(
                number,
                f"{label} is not contiguous and aligned in memory",
                "pass numpy.ascontiguousarray(...)",
            )

    def _check_flags(self, number: int, flags: Array, content: bool) -> None:
        if flags.size != self.count:
            self._fail(number, f"{flags.size} flags for {self.count} positions", "there is one for each coordinate")
        if content and flags.size and int(flags.view(np.uint8).max()) > 1:
            at = int(np.argmax(flags.view(np.uint8) > 1))
            self._fail(number, f"flags[{at}] is {flags.view(np.uint8)[at]} in memory, neither 0 nor 1")

    def _check_slots(self, number: int, level: LevelStorage, extent: int, content: bool) -> None:
        """A segment of equal length for each parent: a hash table, or a sorted list and padding."""
        positions, coordinates = level.positions, level.coordinates
        assert positions is not None and coordinates is not None
        if positions.size != 1 or positions[0] < 1:
            found = f"{positions.size} entries" if positions.size != 1 else f"entry {positions[0]}"
            self._fail(number, f"positions has {found}, expected one: the slots per parent, at least 1")
        width = int(positions[0])
        if coordinates.size != self.count * width:
            self._fail(number, f"{coordinates.size} coordinates for {self.count} parents of {width} slots")
        self._refuse_duplicates(number, coordinates.size)
        self.ordered_so_far &= self.format.levels[number].format.ordered
        if content:
            if self.format.levels[number].format.properties.unordered:
                self._check_table(number, coordinates, width, extent)
            else:
                self._check_padded(number, coordinates, width, extent)
        self.count = coordinates.size

    def _check_table(self, number: int, coordinates: Array, width: int, extent: int) -> None:
        stored = np.flatnonzero(coordinates != -1)
        self._check_range(number, coordinates[stored], extent)
        segment, place = np.divmod(stored, width)
        found = coordinates[stored].astype(np.int64, copy=False)
        order = np.lexsort((found, segment))
        twice = (segment[order][1:] == segment[order][:-1]) & (found[order][1:] == found[order][:-1])
        if twice.any():
            at = int(np.argmax(twice))
            first, second = sorted((int(stored[order[at]]), int(stored[order[at + 1]])))
            self._fail(number, f"coordinates[{first}] and [{second}] store the same path twice: {coordinates[first]}")
        # Probing ends at an empty slot, so there may be none between where it starts and where the entry is.
        home = found % width
        empty = np.zeros((self.count, 2 * width + 1), np.int64)
        empty[:, 1:] = np.cumsum(np.tile((coordinates == -1).reshape(self.count, width), 2), axis=1)
        last = home + (place - home) % width
        lost = empty[segment, last] > empty[segment, home]
        if lost.any():
            at = int(np.argmax(lost))
            self._fail(
                number,
                f"coordinates[{stored[at]}] is {found[at]}, which probing from slot {home[at]} of {width} does not "
                "reach",
                "an entry is in the first free slot from its coordinate modulo the number of slots",
            )

    def _check_padded(self, number: int, coordinates: Array, width: int, extent: int) -> None:
        self._check_range(number, coordinates, extent + 1)
        rows = coordinates.reshape(self.count, width)
        falling = (rows[:, 1:] <= rows[:, :-1]) & (rows[:, 1:] != extent)
        falling |= rows[:, 1:] < rows[:, :-1]
        if falling.any():
            row, slot = (int(part) for part in np.unravel_index(int(np.argmax(falling)), falling.shape))
            self._fail_order(number, coordinates, row * width + slot, "are not increasing")

    def _enter_positional(self, number: int, extent: int) -> None:
        self._refuse_duplicates(number, extent)
        self.count *= extent

    def _refuse_duplicates(self, number: int, extent: int) -> None:
        if self.paths is not None and extent:
            order = np.argsort(self.paths, kind="stable")
            at = int(np.argmax(self.paths[order][1:] == self.paths[order][:-1]))
            self._fail(
                number,
                f"positions {order[at]} and {order[at + 1]} above it store the same coordinates, "
                "so this level would store elements twice",
                f"add duplicates up with Tensor.from_coo; a {self.format.levels[number].format} level is unique",
            )
        self.paths = None

    def _check_positions(self, number: int, positions: Array, children: int, content: bool) -> None:
        if positions.size != self.count + 1:
            self._fail(
                number,
                f"positions has {positions.size} entries, expected {self.count + 1}",
                f"one more than the {self.count} parent positions",
            )
        if positions[0] != 0:
            self._fail(number, f"positions[0] is {positions[0]}, expected 0")
        if content:
            decreasing = positions[1:] < positions[:-1]
            if decreasing.any():
                at = int(np.argmax(decreasing))
                self._fail(
                    number,
                    f"positions decrease from {positions[at]} to {positions[at + 1]} at entries {at}, {at + 1}",
                )
        if positions[-1] != children:
            self._fail(
                number,
                f"positions ends with {positions[-1]}, but there are {children} coordinates",
                "the last position is the number of coordinates",
            )

    def _check_range(self, number: int, coordinates: Array, extent: int, first: int = 0) -> None:
        past = first + extent
        if not coordinates.size or (int(coordinates.min()) >= first and int(coordinates.max()) < past):
            return
        at = int(np.argmax((coordinates < first) | (coordinates >= past)))
        self._fail(
            number,
            f"coordinates[{at}] is {coordinates[at]}, outside {first}..{past - 1}"
            if extent
            else f"coordinates[{at}] is {coordinates[at]}, but the level has extent 0",
            "coordinates count from 0" if first == 0 else "a diagonal is the difference of two coordinates from 0",
        )

    def _check_siblings(self, number: int, level: LevelStorage, extent: int) -> None:
        """Order and uniqueness of coordinates below one coordinate path, which may be stored at several positions."""
        coordinates, format = level.coordinates, self.format.levels[number].format
        assert coordinates is not None
        self.ordered_so_far &= format.ordered
        if self.paths is None and level.positions is None:
            return  # each path has one child, so distinct paths stay distinct
        if self.paths is None and level.positions is not None and format.unique and format.ordered:
            rising = np.empty(coordinates.size + 1, bool)
            np.greater(coordinates[1:], coordinates[:-1], out=rising[1:-1])
            # The first of a segment follows none, nor does what follows the last.
            rising[level.positions] = True
            if not rising.all():
                self._fail_order(number, coordinates, int(np.argmin(rising)) - 1, "are not increasing")
            return
        above = self._paths_above(level)
        if format.ordered:
            falling = (coordinates[1:] < coordinates[:-1]) & (above[1:] == above[:-1])
            if falling.any():
                self._fail_order(number, coordinates, int(np.argmax(falling)), "decrease")
        self._number_paths(number, above, coordinates, extent)

    def _fail_order(self, number: int, coordinates: Array, at: int, verb: str) -> None:
        self._fail(
            number,
            f"coordinates[{at}] and [{at + 1}] {verb}: {coordinates[at]}, {coordinates[at + 1]}",
            "sort the entries with Tensor.from_coo, or declare the level nonordered or nonunique",
        )

    def _paths_above(self, level: LevelStorage) -> Array:
        paths = np.arange(self.count, dtype=np.int64) if self.paths is None else self.paths
        return paths if level.positions is None else np.repeat(paths, np.diff(level.positions))

    def _number_paths(self, number: int, above: Array, coordinates: Array, extent: int) -> None:
        """Equal numbers for equal paths through this level; refuse equal paths where the level is unique."""
        bound = int(above.max()) + 1 if above.size else 1
        first = self.format.levels[number].expression.first(self.shape)
        keys = [above, coordinates.astype(np.int64, copy=False) - first]
        order = None if self.ordered_so_far else sorted_order(keys, [bound, extent])
        if order is not None:
            keys = [key[order] for key in keys]
        starts = distinct_starts(keys)
        distinct = bool(starts.all())
        if not distinct and self.format.levels[number].format.unique:
            at = int(np.argmin(starts))
            first, second = (at - 1, at) if order is None else (int(order[at - 1]), int(order[at]))
            self._fail(
                number,
                f"coordinates[{first}] and [{second}] store the same path twice: {coordinates[second]}",
                "add duplicates up with Tensor.from_coo, or declare the level nonunique",
            )
        if distinct:
            self.paths = None
            return
        numbers = np.cumsum(starts) - 1
        if order is None:
            self.paths = numbers
        else:
            self.paths = np.empty_like(numbers)
            self.paths[order] = numbers

    def _check_padding(self) -> None:
        """Elements of a block beyond the shape hold the fill value, so that kernels may read whole blocks."""
        padded = self.format.padded_dimensions(self.shape)
        if not padded or not self.values.size:
            return
        coordinates = stored_coordinates(self.shape, self.format, self.levels, self.values.size)
        stored = stored_positions(self.shape, self.format, self.levels)
        fill = fill_element(self.format, self.values.dtype)
        for dimension in padded:
            outside = (coordinates[dimension] >= self.shape[dimension]) & ~is_fill(self.values, fill)
            outside = outside if stored is None else outside & stored
            if outside.any():
                at = int(np.argmax(outside))
                self._fail(
                    None,
                    f"values[{at}] is {self.values[at]}, but it lies beyond extent {self.shape[dimension]} of "
                    f"dimension {dimension}, in the padding of a block, which holds the fill value {fill}",
                )

    def _check_offsets(self) -> None:
        """Entries listed along diagonals lie inside the shape; those of a range that do not are padding."""
        formats = {level.expression.dimension: level.format.name for level in self.format.levels[1:]}
        followed = [
            (level.expression.dimension, other)
            for level in self.format.levels
            if (other := level.expression.other) is not None
            and "range" not in (formats[level.expression.dimension], formats[other])
        ]
        if not followed or not self.values.size:
            return
        stored = stored_positions(self.shape, self.format, self.levels)
        position = np.arange(self.values.size) if stored is None else np.flatnonzero(stored)
        coordinates = stored_coordinates(self.shape, self.format, self.levels, self.values.size, position)
        for dimension in (dimension for pair in followed for dimension in pair):
            outside = (coordinates[dimension] < 0) | (coordinates[dimension] >= self.shape[dimension])
            if outside.any():
                at = int(np.argmax(outside))
                text = f"values[{position[at]}] lies at {coordinates[dimension][at]} of dimension {dimension}"
                self._fail(None, f"{text}, outside 0..{self.shape[dimension] - 1}")
