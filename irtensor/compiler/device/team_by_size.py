"""How many threads of a GPU share an iteration whose schedule does not say it: as many as operands have work for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from irtensor.core.schedule_words import team_for


class LaneIterations(NamedTuple):
    """What says how many iterations threads share: the extent of a dimension, or the mean length of a level's segments.

    `operand` and `number`, of a dimension or a level, count from 0.
    """

    operand: int
    role: Literal["extent", "positions"]
    number: int

    def mean(self, operands: Sequence[Any]) -> float:
        """How many iterations there are on average."""
        tensor = operands[self.operand]
        if self.role == "extent":
            return tensor.shape[self.number]
        level = tensor.levels[self.number]
        return level.coordinates.size / max(1, level.positions.size - 1)

    def describe(self, names: Sequence[str]) -> str:
        """What it is, for people."""
        name = names[self.operand]
        if self.role == "extent":
            return f"the extent of dimension {self.number} of {name}"
        return f"the mean length of the segments in level {self.number} of {name}"


def team_by_size(iterations: Sequence[LaneIterations], operands: Sequence[Any]) -> int:
    """How many threads share an iteration of a call with these operands."""
    return team_for(max(one.mean(operands) for one in iterations))
