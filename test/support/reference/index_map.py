"""What the interpreters take a map from pairs of integers to slots for."""

from __future__ import annotations

from typing import Any

import numpy as np


class IndexMap:
    """Slots of pairs (outer, coordinate), in order of insertion; of at most `capacity`, if one is given.

    What lies in `memory` is not looked at, but that it begins empty and is large enough.
    """

    def __init__(
        self,
        capacity: int | None = None,
        memory: np.ndarray[Any, Any] | None = None,
        full: np.ndarray[Any, Any] | None = None,
    ) -> None:
        self.slots: dict[tuple[int, int], int] = {}
        self.capacity, self.full = capacity, full
        if memory is not None and capacity is not None:
            assert len(memory) >= 8 * capacity + 32 and not memory[: 4 * capacity + 1].any(), "no room, or not empty"

    def insert(self, outer: int, coordinate: int) -> tuple[np.int64, bool]:
        assert outer >= 0 and coordinate >= 0, f"({outer}, {coordinate}) is put into a map of pairs from 0 up"
        present = (outer, coordinate) in self.slots
        if not present and len(self.slots) == self.capacity:
            assert self.full is not None, f"a map of {self.capacity} pairs is full"
            self.full[0] = 1
            return np.int64(0), True
        return np.int64(self.slots.setdefault((outer, coordinate), len(self.slots))), present

    def find(self, outer: int, coordinate: int) -> tuple[np.int64, bool]:
        return np.int64(self.slots.get((outer, coordinate), 0)), (outer, coordinate) in self.slots

    def list_into(
        self,
        parents: int,
        positions: np.ndarray[Any, Any],
        coordinates: np.ndarray[Any, Any],
        slots: np.ndarray[Any, Any],
        unordered: bool,
    ) -> None:
        ordered = sorted(self.slots, key=lambda pair: pair[0]) if unordered else sorted(self.slots)
        assert all(outer < parents for outer, _ in ordered), f"a pair is beyond {parents} parents"
        assert len(positions) > parents and min(len(coordinates), len(slots)) >= max(len(ordered), 1), (
            "no room for the list"
        )
        positions[: parents + 1] = np.searchsorted([outer for outer, _ in ordered], range(parents + 1))
        coordinates[0] = slots[0] = 0
        coordinates[: len(ordered)] = [coordinate for _, coordinate in ordered]
        slots[: len(ordered)] = [self.slots[pair] for pair in ordered]
