"""What is true of each level format, whatever its configuration."""

from __future__ import annotations

from typing import NamedTuple


class LevelProperties(NamedTuple):
    """What is true of every use of a level format, whatever its configuration."""

    full: bool  # each segment holds every coordinate of the level
    branchless: bool  # each parent position has exactly one child
    compact: bool  # no unlabeled positions between coordinates
    has_positions: bool  # stores segment offsets (`pos`)
    has_coordinates: bool  # stores explicit coordinates (`crd`)
    may_relax: bool  # can be declared nonunique or nonordered
    needs_coordinates_above: bool  # only makes sense below a level that stores coordinates
    inserts: bool  # an entry is written, and found, at any coordinate in constant time
    positional: bool = False  # position = parent * extent + coordinate, stored or not
    has_flags: bool = False  # stores for every position whether it holds an entry
    equal_segments: bool = False  # as many positions per parent for every parent; `pos` holds that number alone
    unordered: bool = False  # coordinates are in no order
    workspace_only: bool = False  # records what is stored in memory of its own, which no caller can pass
    lists_all: bool = False  # a set of all its positions, whose number follows from the extents of the levels above
    looks_up: bool = False  # is listed, and where another list leads, looked up in constant time
    has_slots: bool = False  # positions are numbered in order of insertion (`slots` lists them in order of coordinates)
    along_diagonals: bool = False  # only makes sense below a level that stores the difference of two dimensions
    in_workspace: str | None = None  # the level format that is the same and records what is stored

    @property
    def numbers_entries(self) -> bool:
        """Whether positions count entries, so that one is found, with its parent, by its number."""
        return self.compact and not self.along_diagonals and not self.workspace_only

    @property
    def is_written(self) -> bool:
        """Whether loops write it: how many slots a parent has, or which diagonals there are, they know at the end."""
        return not self.equal_segments and not self.along_diagonals


# One line per level format: full, branchless, compact, pos, crd, may relax, needs coordinates above, inserts.
LEVEL_PROPERTIES: dict[str, LevelProperties] = {
    "dense": LevelProperties(True, False, True, False, False, False, False, True, positional=True),
    "compressed": LevelProperties(False, False, True, True, True, True, False, False),
    "singleton": LevelProperties(False, True, True, False, True, True, True, False),
    "bitmap": LevelProperties(
        *(False, False, False, False, False, False, False, True),
        positional=True,
        has_flags=True,
        in_workspace="accumulator",
    ),
    "hashed": LevelProperties(
        *(False, False, False, True, True, False, False, True),
        equal_segments=True,
        unordered=True,
        looks_up=True,
        in_workspace="map",
    ),
    "padded": LevelProperties(False, False, False, True, True, False, False, False, equal_segments=True),
    "range": LevelProperties(
        *(False, False, False, False, False, False, False, True), positional=True, along_diagonals=True
    ),
    "offset": LevelProperties(
        *(False, True, True, False, False, False, False, True), positional=True, along_diagonals=True
    ),
    "accumulator": LevelProperties(
        *(False, False, False, False, True, False, False, True),
        positional=True,
        workspace_only=True,
        lists_all=True,
        looks_up=True,
    ),
    "map": LevelProperties(False, False, True, True, True, False, False, True, workspace_only=True, has_slots=True),
}


# Those whose arrays the library makes, checks and reads; passes may know others, which are added from outside.
STORED_LEVELS = frozenset(LEVEL_PROPERTIES)
