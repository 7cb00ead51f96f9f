"""Refuses operands that do not satisfy a step `bound` of the schedule; the error has their extent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from irtensor.core.diagnostics import UserError

# How an extent is computed: a number, ("dim", operand, dimension), or (operation of arith, left, right).
Extent = Any
OPERATIONS = {
    "addi": int.__add__,
    "subi": int.__sub__,
    "muli": int.__mul__,
    "divsi": int.__floordiv__,
    "minsi": min,
    "maxsi": max,
}


class BoundExtent(NamedTuple):
    """The bound that a schedule states for a variable, and how its extent is found; None where that takes stored
    entries."""

    variable: str
    kind: str
    number: int
    extent: Extent

    def is_met(self, extent: int) -> bool:
        return extent == self.number if self.kind == "exact" else extent % self.number == 0


def other_extent(bounds: Sequence[BoundExtent], operands: Sequence[Any], names: Sequence[str]) -> UserError:
    """The error for operands that, as the kernel found, do not satisfy one of the bounds."""
    found = [(bound, None if bound.extent is None else _value(bound.extent, operands)) for bound in bounds]
    broken = [(bound, extent) for bound, extent in found if extent is not None and not bound.is_met(extent)]
    bound, extent = next(iter(broken or ((bound, extent) for bound, extent in found if extent is None)))
    exactly = bound.kind == "exact"
    said = f"{'exactly' if exactly else 'a multiple of'} {bound.number}"
    actual = "another number" if extent is None else f"{extent}{_source(bound.extent, names)}"
    step = f"bound({bound.variable}, {bound.number}{'' if exactly else ', multiple'})"
    instead = f"write bound({bound.variable}, {extent})" if exactly and extent else "state a bound that they meet"
    return UserError(
        "bound-not-met",
        f"the schedule says that {bound.variable} has {said} coordinates, and for these operands it has {actual}",
        help=f"remove the step {step}, {instead}, or pass operands that satisfy it",
    )


def _value(extent: Extent, operands: Sequence[Any]) -> int:
    if isinstance(extent, int):
        return extent
    operation, left, right = extent
    if operation == "dim":
        return operands[left].shape[right]
    return OPERATIONS[operation](_value(left, operands), _value(right, operands))


def _source(extent: Extent, names: Sequence[str]) -> str:
    """Which dimension an extent is, if it is one and not computed from some."""
    if isinstance(extent, int) or extent[0] != "dim":
        return ""
    return f", dimension {extent[2]} of {names[extent[1]]}"
