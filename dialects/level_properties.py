"""What is true of each level format, whatever its configuration, and which arrays it stores."""

from __future__ import annotations

from typing import Literal, NamedTuple


class LevelArray(NamedTuple):
    """An array that a level format stores beside the values."""

    name: str
    """The name in operations of the `storage` dialect, and the attribute of a stored level."""
    short: str
    """The name in the arguments of kernels."""
    holds: Literal["position", "coordinate", "flag"]
    """What its elements are: integers as wide as positions or as coordinates, or booleans."""
    length: Literal["entries", "parents", "segments", "one"]
    """How many elements it has: one for each position of the level, one for each position of the level above, one more
    than that, or a single one."""

    @property
    def is_per_entry(self) -> bool:
        """Whether it has an element for each position of its level, and not for those above."""
        return self.length == "entries"

    def known_levels(self, level: int) -> int:
        """How many levels have to have positions that follow from extents for its length to follow from them, too."""
        return level + self.is_per_entry

    def static_length(self, positions: int) -> int:
        """Its length, where those levels have so many positions."""
        return positions + (self.length == "segments") if self.length != "one" else 1


POSITIONS = LevelArray("positions", "pos", "position", "segments")
SLOTS_PER_PARENT = LevelArray("positions", "pos", "position", "one")
COORDINATES = LevelArray("coordinates", "crd", "coordinate", "entries")
FLAGS = LevelArray("flags", "flags", "flag", "entries")
SLOTS = LevelArray("slots", "slots", "position", "entries")


class LevelProperties(NamedTuple):
    """What is true of every use of a level format, whatever its configuration."""

    arrays: tuple[LevelArray, ...] = ()  # what it stores, in the order of kernels' arguments
    full: bool = False  # each segment holds every coordinate of the level
    branchless: bool = False  # each parent position has exactly one child
    compact: bool = False  # no unlabeled positions between coordinates
    may_relax: bool = False  # can be declared nonunique or nonordered
    needs_coordinates_above: bool = False  # only makes sense below a level that stores coordinates
    inserts: bool = False  # an entry is written, and found, at any coordinate in constant time
    positional: bool = False  # position = parent * extent + coordinate, stored or not
    equal_segments: bool = False  # as many positions per parent for every parent; `pos` holds that number alone
    unordered: bool = False  # coordinates are in no order
    workspace_only: bool = False  # records what is stored in memory of its own, which no caller can pass
    lists_all: bool = False  # a set of all its positions, whose number follows from the extents of the levels above
    looks_up: bool = False  # is listed, and where another list leads, looked up in constant time
    has_slots: bool = False  # positions are numbered in order of insertion (`slots` lists them in order of coordinates)
    along_diagonals: bool = False  # only makes sense below a level that stores the difference of two dimensions
    in_workspace: str | None = None  # the level format that is the same and records what is stored
    written_as: str | None = None  # the level format that has the same entries where loops do not write this one
    without_parent: str | None = None  # the same where the level above does not list coordinates any more

    def array(self, name: str) -> LevelArray | None:
        """The array of a name, or None if the format stores none."""
        return next((array for array in self.arrays if array.name == name), None)

    @property
    def listed(self) -> LevelArray | None:
        """The array of the coordinates of its entries, or None if they follow from positions."""
        return next((array for array in self.arrays if array.holds == "coordinate" and array.is_per_entry), None)

    @property
    def has_segments(self) -> bool:
        """Whether the entries of its parents follow each other, and an array says where those of each begin."""
        return any(array.holds == "position" and array.length == "segments" for array in self.arrays)

    @property
    def has_positions(self) -> bool:
        """Whether it stores where the segments of its parents begin, or how long they are."""
        return any(array.holds == "position" for array in self.arrays)

    @property
    def has_coordinates(self) -> bool:
        """Whether it stores coordinates."""
        return any(array.holds == "coordinate" for array in self.arrays)

    @property
    def has_flags(self) -> bool:
        """Whether it stores for every position if that holds an entry."""
        return any(array.holds == "flag" for array in self.arrays)

    @property
    def is_array(self) -> bool:
        """Whether it stores every coordinate, and nothing beside what is below."""
        return self.full and self.positional

    @property
    def follows(self) -> bool:
        """Whether its coordinate follows from those of the levels above."""
        return self.branchless and self.positional

    @property
    def has_padding(self) -> bool:
        """Whether coordinates that the levels above say nothing of have a position."""
        return self.along_diagonals and not self.branchless

    @property
    def numbers_entries(self) -> bool:
        """Whether positions count entries, so that one is found, with its parent, by its number."""
        return self.compact and not self.along_diagonals and not self.workspace_only

    @property
    def is_written(self) -> bool:
        """Whether loops write it, and not another one for it.

        How many slots a parent has, or which diagonals there are, is known at the end of loops.
        """
        return self.written_as is None
