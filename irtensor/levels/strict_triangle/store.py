"""Strict triangle level: as a triangle, without the diagonal."""

from __future__ import annotations

from irtensor.levels.triangle.store import TriangleStore


class StrictTriangleStore(TriangleStore):
    """A position for each coordinate before that above, of all positions of the level above."""

    def __init__(self) -> None:
        super().__init__(strict=True)
