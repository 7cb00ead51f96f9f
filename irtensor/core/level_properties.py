"""The properties of each level format, whatever its configuration, and the arrays it stores."""

from __future__ import annotations

from typing import Literal, NamedTuple


class LevelArray(NamedTuple):
    """An array that a level format stores beside the values."""

    name: str
    """The name in operations of the `storage` dialect, and in a stored level, whose `array(name)` it is."""
    short: str
    """The name in the arguments of kernels."""
    holds: Literal["position", "coordinate", "end", "flag"]
    """What its elements are: integers as wide as positions or as coordinates, or booleans. An end is behind a
    coordinate, so that it may be the extent, and so is where something without coordinates begins."""
    length: Literal["entries", "parents", "segments", "pieces", "bounds", "one"]
    """How many elements it has: one for each position of the level, one for each position of the level above, one more
    than that, one for each piece of several positions, one more than there are pieces, or a single one."""

    @property
    def is_per_entry(self) -> bool:
        """Whether it has an element for each position of its level, and not for those above."""
        return self.length == "entries"

    def known_levels(self, level: int) -> int:
        """How many levels have to have positions that follow from extents for its length to follow from them, too."""
        return level + (self.is_per_entry or self.length in ("pieces", "bounds"))

    def static_length(self, positions: int) -> int:
        """Its length, where those levels have so many positions."""
        return positions + (self.length in ("segments", "bounds")) if self.length != "one" else 1


POSITIONS = LevelArray("positions", "pos", "position", "segments")
SLOTS_PER_PARENT = LevelArray("positions", "pos", "position", "one")
RUN_BEGINS = LevelArray("begins", "beg", "coordinate", "entries")
COORDINATES = LevelArray("coordinates", "crd", "coordinate", "entries")
FLAGS = LevelArray("flags", "flags", "flag", "entries")
ENDS = LevelArray("ends", "crd", "end", "parents")
BEGINS = LevelArray("begins", "beg", "end", "parents")
OFFSETS = LevelArray("offsets", "ofs", "position", "segments")
SLOTS = LevelArray("slots", "slots", "position", "entries")
BLOCK_ENDS = LevelArray("ends", "crd", "end", "pieces")
BLOCK_OFFSETS = LevelArray("offsets", "ofs", "position", "bounds")


class Pattern(NamedTuple):
    """Which coordinates a level stores below each of its parents."""

    full: bool = False  # every one
    branchless: bool = False  # exactly one
    single: bool = False  # one, or none
    unordered: bool = False  # some, in no order
    may_relax: bool = False  # some, which may be declared nonunique or nonordered
    needs_coordinates_above: bool = False  # those of tuples, so the level above has to list coordinates as well
    along_diagonals: bool = False  # those of a diagonal, whose number the level above stores
    fills_gaps: bool = False  # those of a range, be they entries or not: others hold the fill value
    bounded_by_above: bool = False  # those up to the coordinate of the level above
    structured: bool = False  # those that a structure has, such as a single one: entries elsewhere may not fit

    @property
    def has_padding(self) -> bool:
        """Whether coordinates that the levels above say nothing of have a position."""
        return self.along_diagonals and not self.branchless


# What the positions of a level are, to whose number work is proportional: each holds an entry; some hold none; or one
# may stand for several coordinates.
Pieces = Literal["entries", "slots", "runs"]


class Access(NamedTuple):
    """How the position of a coordinate is found; with none of these, by stepping through a list, or by searching it."""

    positional: bool = False  # it is parent * extent + coordinate, be there an entry or not
    inserts: bool = False  # in constant time, also to write an entry anywhere
    looks_up: bool = False  # in constant time where another list leads a loop
    computed: bool = False  # in another way from that of the parent and coordinates: each has as many, stored or not


class LevelProperties(NamedTuple):
    """The properties of every use of a level format, whatever its configuration."""

    arrays: tuple[LevelArray, ...] = ()
    """What it stores, in the order of kernels' arguments."""
    pattern: Pattern = Pattern()
    pieces: Pieces = "slots"
    access: Access = Access()
    workspace: Literal["set", "map"] | None = None
    """What records the entries of a level that no caller can pass: a set of positions, whose number follows from
    extents, or a map, which numbers positions in the order of insertion."""
    in_workspace: str | None = None
    """The level format that is the same and records entries."""
    written_as: str | None = None
    """The level format that has the same entries, where loops do not write this one."""
    written_at_once: bool = False
    """Whether loops that come in its order write this one all the same, with its values, if the entries fit."""
    joined_from: str | None = None
    """The level of runs that loops write innermost where those with equal values are joined after the kernel."""
    without_parent: str | None = None
    """The same where the level above does not list coordinates any more."""
    below_full: str | None = None
    """The level format that this one is below a level that stores every coordinate."""

    def array(self, name: str) -> LevelArray | None:
        """The array of a name, or None if the format stores none."""
        return next((array for array in self.arrays if array.name == name), None)

    @property
    def entry_coordinates(self) -> LevelArray | None:
        """The array of its coordinates, of runs that of their ends; None if they follow from positions."""
        listed = (array for array in reversed(self.arrays) if array.holds == "coordinate" and array.is_per_entry)
        return next(listed, None)

    @property
    def has_segments(self) -> bool:
        """Whether the entries of its parents follow each other, and an array says where those of each begin."""
        return any(array.holds == "position" and array.length == "segments" for array in self.arrays)

    @property
    def is_empty_without_parents(self) -> bool:
        """Whether a fiber of no parents has no entries, as a list between two positions, and reads no other's."""
        pattern = self.pattern
        if pattern.full or pattern.unordered or pattern.structured or self.access.positional:
            return False
        return pattern.branchless or self.has_segments or self.equal_segments

    @property
    def has_pieces(self) -> bool:
        """Whether it lists blocks of consecutive coordinates, each with a position for every coordinate."""
        return any(array.length == "pieces" for array in self.arrays)

    @property
    def has_positions(self) -> bool:
        """Whether it stores where the segments of its parents begin, or how long they are."""
        return any(array.holds == "position" for array in self.arrays)

    @property
    def has_coordinates(self) -> bool:
        """Whether it stores coordinates."""
        return any(array.holds == "coordinate" for array in self.arrays)

    @property
    def has_ends(self) -> bool:
        """Whether it stores where ranges of coordinates end."""
        return any(array.holds == "end" for array in self.arrays)

    @property
    def stores_coordinates(self) -> bool:
        """Whether it has an array as wide as coordinates."""
        return self.has_coordinates or self.has_ends

    @property
    def lists_segments(self) -> bool:
        """Whether it lists the coordinates of the entries of each parent in a segment."""
        return self.has_segments and self.entry_coordinates is not None and self.pieces == "entries"

    @property
    def has_flags(self) -> bool:
        """Whether it stores for every position if that holds an entry."""
        return any(array.holds == "flag" for array in self.arrays)

    @property
    def has_known_positions(self) -> bool:
        """Whether the number of its positions follows from that of its parents and from extents."""
        return self.access.positional or self.access.computed

    @property
    def is_array(self) -> bool:
        """Whether it stores every coordinate, and nothing beside its children."""
        return self.pattern.full and self.access.positional

    @property
    def follows(self) -> bool:
        """Whether its coordinate follows from those of the levels above."""
        return self.pattern.branchless and self.access.positional

    @property
    def is_single(self) -> bool:
        """Whether it stores at most one coordinate for each position of the level above."""
        return self.pattern.branchless or self.pattern.single

    @property
    def equal_segments(self) -> bool:
        """Whether every parent has as many positions, a number that is stored once."""
        return any(array.length == "one" for array in self.arrays)

    @property
    def numbers_entries(self) -> bool:
        """Whether positions count entries, so that one is found, with its parent, by its number."""
        return self.pieces == "entries" and not self.pattern.along_diagonals and self.workspace is None

    @property
    def takes_ranges(self) -> bool:
        """Whether loops write the same children to a range of coordinates at once."""
        return self.pieces == "runs" and self.is_written

    @property
    def is_written(self) -> bool:
        """Whether loops write it, and not another one for it.

        How many slots a parent has, or which diagonals there are, is known at the end of loops.
        """
        return self.written_as is None or self.written_at_once
