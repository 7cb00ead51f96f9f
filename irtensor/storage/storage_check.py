"""The state of a check of a stored tensor, whose levels are checked from the outermost on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.sort_coordinates import distinct_starts, sorted_order


class StorageCheck:
    """The state of a check, and what checks of level formats have in common.

    `count` is the number of positions of the level above, `paths` gives each of them a number that is equal for
    equal coordinate paths; None while all paths are distinct. `used_above` says which of them hold entries, as
    `LevelStore.used` does.
    """

    def __init__(self, shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage], name: str):
        self.shape = shape
        self.format = format
        self.levels = levels
        self.name = name
        self.count = 1
        self.paths: Array | None = None
        self.ordered_so_far = True
        self.used_above: Callable[[], Array | None] = lambda: None

    def extent(self, number: int) -> int:
        """How many coordinates a level has."""
        return self.format.level_extent(number, self.shape)

    def fail(self, number: int | None, problem: str, help: str | None = None) -> NoReturn:
        """Raise UserError [bad-storage] about a level, or about the values."""
        level = "" if number is None else f" level {number} ({self.format.level_text(number)}):"
        help = help or "build the tensor with Tensor.from_coo, which sorts and checks"
        raise UserError("bad-storage", f"'{self.name}'{level} {problem}", help=help)

    def check_array(self, number: int | None, label: str, array: Any, dtype: np.dtype[Any]) -> None:
        """Refuse what cannot be an array of a level, or the values."""
        if not isinstance(array, np.ndarray):
            self.fail(number, f"{label} is a {type(array).__name__}, not a NumPy array")
        if array.ndim != 1:
            self.fail(
                number,
                f"{label} has {array.ndim} dimensions, expected 1",
                "pass a flat array",
            )
        if array.dtype != dtype or not array.dtype.isnative:
            self.fail(
                number,
                f"{label} has dtype {array.dtype}, expected {dtype}",
                "convert the array with .astype, or give the format other widths with format.with_widths(pos, crd)",
            )
        if not array.flags.c_contiguous or not array.flags.aligned:
            self.fail(
                number,
                f"{label} is not contiguous and aligned in memory",
                "pass numpy.ascontiguousarray(...)",
            )

    def refuse_duplicates(self, number: int, extent: int) -> None:
        """Refuse equal paths above a level that stores every coordinate, or has slots for so many, of each."""
        if self.paths is not None and extent:
            order = np.argsort(self.paths, kind="stable")
            at = int(np.argmax(self.paths[order][1:] == self.paths[order][:-1]))
            self.fail(
                number,
                f"positions {order[at]} and {order[at + 1]} above it store the same coordinates, "
                "so this level would store elements twice",
                f"add duplicates up with Tensor.from_coo; a {self.format.levels[number].format} level is unique",
            )
        self.paths = None

    def check_range(self, number: int, coordinates: Array, extent: int | None = None) -> None:
        """Refuse coordinates that are none of a level, or of its first `extent` ones."""
        extent = self.extent(number) if extent is None else extent
        first = self.format.levels[number].expression.first(self.shape)
        past = first + extent
        if not coordinates.size or (int(coordinates.min()) >= first and int(coordinates.max()) < past):
            return
        at = int(np.argmax((coordinates < first) | (coordinates >= past)))
        self.fail(
            number,
            f"coordinates[{at}] is {coordinates[at]}, outside {first}..{past - 1}"
            if extent
            else f"coordinates[{at}] is {coordinates[at]}, but the level has extent 0",
            "coordinates count from 0" if first == 0 else "a diagonal is the difference of two coordinates from 0",
        )

    def check_ends(self, number: int, label: str, ends: Array) -> None:
        """Refuse exclusive ends of ranges that are not within the coordinates of a level."""
        extent = self.extent(number)
        outside = (ends < 1) | (ends > extent)
        if outside.any():
            at = int(np.argmax(outside))
            where = f"outside 1..{extent}" if extent else "but the level has extent 0"
            self.fail(number, f"{label}[{at}] is {ends[at]}, {where}", "an end is one more than the last coordinate")

    def check_segments(
        self, number: int, positions: Array, children: int, content: bool, listed: str = "coordinates"
    ) -> None:
        """Refuse positions that do not delimit a segment of the children for each parent; `listed` has one of each."""
        self.check_delimiters(number, "positions", positions, content)
        if positions[-1] != children:
            self.fail(
                number,
                f"positions ends with {positions[-1]}, but there are {children} {listed}",
                f"the last position is the number of {listed}",
            )

    def check_delimiters(
        self,
        number: int,
        label: str,
        delimiters: Array,
        content: bool,
        help: str | None = None,
        parents: str = "parent positions",
    ) -> None:
        """Refuse an array that does not say where the segment of each parent begins, from 0 on."""
        if delimiters.size != self.count + 1:
            found = f"{label} has {delimiters.size} entries, expected {self.count + 1}"
            self.fail(number, found, f"one more than the {self.count} {parents}")
        if delimiters[0] != 0:
            self.fail(number, f"{label}[0] is {delimiters[0]}, expected 0")
        if content and (decreasing := delimiters[1:] < delimiters[:-1]).any():
            at = int(np.argmax(decreasing))
            found = f"{label} decrease from {delimiters[at]} to {delimiters[at + 1]} at entries {at}, {at + 1}"
            self.fail(number, found, help)

    def first_wrong_neighbour(self, positions: Array, right: Array) -> int | None:
        """The first entry that is not `right` beside the one before it, which is below the same parent; None if all
        are."""
        wrong = ~right
        starts = positions[(positions > 0) & (positions <= right.size)]
        wrong[starts - 1] = False
        return int(np.argmax(wrong)) + 1 if wrong.any() else None

    def check_siblings(self, number: int) -> None:
        """Order and uniqueness of coordinates below one coordinate path, which may be stored at several positions."""
        level, format = self.levels[number], self.format.levels[number].format
        coordinates: Array = level.array("coordinates")
        self.ordered_so_far &= format.ordered
        if self.paths is None and level.positions is None:
            return  # each path has one child, so distinct paths stay distinct
        if self.paths is None and level.positions is not None and format.unique and format.ordered:
            rising = np.empty(coordinates.size + 1, bool)
            np.greater(coordinates[1:], coordinates[:-1], out=rising[1:-1])
            # The first of a segment follows none, nor does what follows the last.
            rising[level.positions] = True
            if not rising.all():
                self.fail_order(number, coordinates, int(np.argmin(rising)) - 1, "are not increasing")
            return
        above = self._paths_above(level)
        if format.ordered:
            falling = (coordinates[1:] < coordinates[:-1]) & (above[1:] == above[:-1])
            if falling.any():
                self.fail_order(number, coordinates, int(np.argmax(falling)), "decrease")
        self._number_paths(number, above, coordinates)

    def fail_order(self, number: int, coordinates: Array, at: int, verb: str) -> NoReturn:
        """Raise UserError [bad-storage] about two neighbours."""
        self.fail(
            number,
            f"coordinates[{at}] and [{at + 1}] {verb}: {coordinates[at]}, {coordinates[at + 1]}",
            "sort the entries with Tensor.from_coo, or declare the level nonordered or nonunique",
        )

    def _paths_above(self, level: LevelStorage) -> Array:
        paths = np.arange(self.count, dtype=np.int64) if self.paths is None else self.paths
        return paths if level.positions is None else np.repeat(paths, np.diff(level.positions))

    def _number_paths(self, number: int, above: Array, coordinates: Array) -> None:
        """Equal numbers for equal paths through this level; refuse equal paths where the level is unique."""
        bound = int(above.max()) + 1 if above.size else 1
        first = self.format.levels[number].expression.first(self.shape)
        keys = [above, coordinates.astype(np.int64, copy=False) - first]
        order = None if self.ordered_so_far else sorted_order(keys, [bound, self.extent(number)])
        if order is not None:
            keys = [key[order] for key in keys]
        starts = distinct_starts(keys)
        distinct = bool(starts.all())
        if not distinct and self.format.levels[number].format.unique:
            at = int(np.argmin(starts))
            first, second = (at - 1, at) if order is None else (int(order[at - 1]), int(order[at]))
            self.fail(
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
