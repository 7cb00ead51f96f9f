"""The levels of a storage format: which coordinate each stores, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from irtensor.core.index_widths import WIDTH_FIELDS
from irtensor.core.level_format import LevelFormat, bad_format

ExpressionForm = Literal["whole", "floordiv", "mod", "minus"]


@dataclass(frozen=True)
class LevelExpression:
    """The coordinate a level stores: a dimension's whole coordinate, its quotient or remainder by `factor`, or a
    diagonal, the coordinate minus that of the dimension `other`, which may be negative.
    """

    dimension: int
    form: ExpressionForm = "whole"
    factor: int = 1
    other: int | None = None

    def __post_init__(self) -> None:
        if self.dimension < 0:
            raise bad_format(f"dimension {self.dimension} is negative")
        if self.form not in ("whole", "floordiv", "mod", "minus"):
            help = "expressions are whole, floordiv, mod and minus"
            raise bad_format(f"unknown level expression '{self.form}'", help)
        if self.form in ("whole", "minus") and self.factor != 1:
            raise bad_format(f"a whole dimension has factor 1, not {self.factor}")
        if (self.form == "minus") != (self.other is not None) or self.other == self.dimension:
            raise bad_format("a diagonal is the difference of two dimensions")
        if not isinstance(self.factor, int) or not 1 <= self.factor < 2**31:
            raise bad_format(f"block factor {self.factor!r} is not a number from 1 to 2147483647")

    def text(self, names: Sequence[str]) -> str:
        name = names[self.dimension]
        if self.other is not None:
            return f"{name} - {names[self.other]}"
        return name if self.form == "whole" else f"{name} {self.form} {self.factor}"

    def first(self, shape: Sequence[int]) -> int:
        """The least coordinate of this expression."""
        return 0 if self.other is None else 1 - shape[self.other]

    def extent(self, shape: Sequence[int]) -> int:
        """Number of coordinates of this expression; the last block of an extent that does not divide is padded."""
        extent = shape[self.dimension]
        if self.form == "whole":
            return extent
        if self.other is not None:
            return max(extent + shape[self.other] - 1, 0)
        return -(-extent // self.factor) if self.form == "floordiv" else self.factor


@dataclass(frozen=True)
class Level:
    """One storage axis: which coordinate it stores, and how; a width is None where it is that of the format."""

    expression: LevelExpression
    format: LevelFormat
    position_width: int | None = None
    coordinate_width: int | None = None

    def __str__(self) -> str:
        widths = [(name, getattr(self, field)) for name, field, _ in WIDTH_FIELDS]
        return self.format.text(*[f"{name} = i{width}" for name, width in widths if width is not None])


def dimension_names(rank: int) -> tuple[str, ...]:
    """Names of dimensions in canonical text: i, j, k, ... up to eight, d0, d1, ... beyond."""
    return tuple("ijklmnop"[:rank]) if rank <= 8 else tuple(f"d{dimension}" for dimension in range(rank))


def level_text(level: Level, rank: int) -> str:
    """A level as it prints inside a format of some dimensions: `j floordiv 2 : compressed`."""
    return f"{level.expression.text(dimension_names(rank))} : {level}"
