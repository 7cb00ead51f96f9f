"""Slices of tensors in a notation: `a[2:10:3][i]` is `a[3 * i + 2]`, where `i` has three values."""

from __future__ import annotations

from typing import NamedTuple

from irtensor.core.diagnostics import UserError
from irtensor.frontend.expression_tree import Coordinate, Index, Span, format_index
from irtensor.frontend.notation.notation_errors import notation_error


class Slice(NamedTuple):
    """The elements from `start` on, each `step` further than the one before, up to `stop`, which is not one of them.

    `stop` None is the end that the step leads to.
    """

    start: int
    stop: int | None
    step: int

    @staticmethod
    def of(start: int | None, stop: int | None, step: int | None, source: str, span: Span) -> Slice:
        """A slice as it is written. Raises UserError [unsupported-index]."""
        length = 1 if step is None else step
        if length == 0:
            raise notation_error(
                "unsupported-index", "the step of a slice is 0", source, span, help="omit it, or write 1"
            )
        for number in (start, stop):
            if number is not None and number < 0:
                message = f"{number} in a slice counts from the end of a dimension, and a text knows no extents"
                help = "count from its beginning, or slice the operand: a=a[-3:]"
                raise refused(message, source, span, help)
        if start is None and length < 0:
            message = "a slice with a negative step begins at the end of a dimension, and a text knows no extents"
            help = "say where it begins, as in a[9::-1], or slice the operand: a=a[::-1]"
            raise refused(message, source, span, help)
        return Slice(start or 0, stop, length)

    @property
    def values(self) -> int | None:
        """How many elements it has; None where the extent of the dimension says that."""
        if self.stop is None:
            return None if self.step > 0 else self.start // -self.step + 1
        return max(0, -((self.start - self.stop) // self.step))

    def at(self, index: Index, source: str, span: Span | None) -> Index:
        """The coordinate of an element of the slice. Raises UserError [unsupported-index]."""
        if self.start == 0 and self.step == 1 and self.stop is None:
            return index
        if isinstance(index, Coordinate):
            # Nothing would check that it stays in the slice.
            message = f"{format_index(index)} is an index of a slice, which is indexed by variables"
            raise refused(message, source, span, "write one index for both: a[2:8][2 * i] is a[2 * i + 2]")
        return Coordinate(((index, self.step),), self.start, span=span)


def refused(message: str, source: str, span: Span | None, help: str) -> UserError:
    """The error of indices that a slice cannot have."""
    return notation_error("unsupported-index", message, source, span, help=help)
