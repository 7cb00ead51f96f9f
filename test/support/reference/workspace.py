"""What the interpreter of the lattice takes a workspace for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irtensor.dialects.storage import storage


@dataclass
class Workspace:
    """Components written since it was emptied, by their coordinates in level order."""

    op: storage.WorkspaceOp
    extents: tuple[int, ...]
    values: dict[tuple[int, ...], Any] = field(default_factory=dict)

    @property
    def initial(self) -> Any:
        return storage.fill_of(self.op.result.type)

    def place(self, path: tuple[int, ...]) -> None:
        assert path[-1] < self.extents[len(path) - 1], f"{path} lies outside a workspace of {self.extents}"

    def prefixes(self, level: int) -> list[tuple[int, ...]]:
        """The coordinates of what is stored, down to a level, in order."""
        return sorted({path[: level + 1] for path in self.values})

    def listed(self, level: int) -> np.ndarray:
        """What a level lists, in order: coordinates where each parent has a list, positions where one is for all."""
        is_one = storage.format_of(self.op.result.type).levels[level].format.workspace == "set"
        listed = [self.position(prefix) if is_one else prefix[-1] for prefix in self.prefixes(level)]
        return np.array([*listed, -1], np.int64)

    def stored(self, level: int) -> int:
        """How many entries a level stores."""
        return len(self.prefixes(level))

    def position(self, prefix: tuple[int, ...]) -> int:
        """Where a prefix is: slots of maps are numbered in order of coordinates, though any order would do."""
        if not prefix:
            return 0
        if self._has_slots(len(prefix) - 1):
            return self.prefixes(len(prefix) - 1).index(prefix)
        return self.position(prefix[:-1]) * self.extents[len(prefix) - 1] + prefix[-1]

    def child(self, level: int, parent: int, coordinate: int) -> int | None:
        """The position below another one, if there is one."""
        if not self._has_slots(level):
            return parent * self.extents[level] + coordinate
        for number, prefix in enumerate(self.prefixes(level)):
            if prefix[-1] == coordinate and self.position(prefix[:-1]) == parent:
                return number
        return None

    def size(self, level: int) -> int:
        """Positions of a level."""
        if level < 0:
            return 1
        return len(self.prefixes(level)) if self._has_slots(level) else self.size(level - 1) * self.extents[level]

    def parts(self, level: int) -> np.ndarray:
        """Where the list of each parent position of a level begins."""
        parents = [self.position(prefix[:-1]) for prefix in self.prefixes(level)]
        return np.searchsorted(parents, range(self.size(level - 1) + 1))

    def flags(self, level: int) -> np.ndarray:
        """Whether each position of a level is stored."""
        flags = np.zeros(self.size(level) + 1, bool)
        flags[[self.position(prefix) for prefix in self.prefixes(level)]] = True
        return flags

    def pairs(self, level: int) -> dict[tuple[int, int], int]:
        """The position below each parent position at each coordinate that a map stores."""
        return {(self.position(path[:-1]), path[-1]): n for n, path in enumerate(self.prefixes(level))}

    def _has_slots(self, level: int) -> bool:
        return storage.format_of(self.op.result.type).levels[level].format.workspace == "map"

    def elements(self) -> np.ndarray:
        """The values of all positions."""
        array = np.full(self.size(len(self.extents) - 1) + 1, self.initial, object)
        for path, value in self.values.items():
            array[self.position(path)] = value
        return array
