"""Strict triangle level: as a triangle, without the diagonal."""

from __future__ import annotations

from irtensor.levels.triangle.code import TriangleLevel


class StrictTriangleLevel(TriangleLevel):
    """A block from 0 to before the coordinate above, and a gap."""

    def __init__(self) -> None:
        super().__init__(strict=True)
