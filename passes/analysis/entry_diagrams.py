"""Diagrams of decisions: what an expression is for each set of stored operands, without a list of the sets.

A diagram is a leaf, or a choice by whether one operand is stored. Equal diagrams are the same object, and no choice has
equal branches, so that a sum of n operands has n choices. Source: Bryant 1986 (binary decision diagrams).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from irtensor.core.operators import Scalar


@dataclass(frozen=True, eq=False)
class Leaf:
    """The value of an expression, if the set of stored operands decides it; None if it depends on their values."""

    value: Scalar | None


@dataclass(frozen=True, eq=False)
class Choice:
    """What an expression is where the operand with a number is stored, and where it is not."""

    operand: int
    stored: Diagram
    absent: Diagram


Diagram: TypeAlias = Leaf | Choice
_LAST = 1 << 62


class Diagrams:
    """Makes diagrams that share what they have in common."""

    def __init__(self) -> None:
        self._leaves: dict[tuple[type, str], Leaf] = {}
        self._choices: dict[tuple[int, Diagram, Diagram], Choice] = {}

    def leaf(self, value: Scalar | None) -> Leaf:
        # 0.0 and -0.0 differ, and NaN is NaN: repr tells that.
        return self._leaves.setdefault((type(value), repr(value)), Leaf(value))

    def choice(self, operand: int, stored: Diagram, absent: Diagram) -> Diagram:
        if stored is absent:
            return stored
        return self._choices.setdefault((operand, stored, absent), Choice(operand, stored, absent))

    def applied(
        self, function: Callable[[list[Scalar | None]], Scalar | None], arguments: Sequence[Diagram]
    ) -> Diagram:
        """The diagram of a function of expressions, which is given a value of each."""
        found: dict[tuple[Diagram, ...], Diagram] = {}

        def apply(parts: tuple[Diagram, ...]) -> Diagram:
            if parts not in found:
                first = min([part.operand if isinstance(part, Choice) else _LAST for part in parts], default=_LAST)
                if first == _LAST:
                    found[parts] = self.leaf(function([part.value for part in parts if isinstance(part, Leaf)]))
                else:
                    branches = [tuple(_branch(part, first, way) for part in parts) for way in (True, False)]
                    found[parts] = self.choice(first, *map(apply, branches))
            return found[parts]

        return apply(tuple(arguments))

    def is_complement(self, left: Diagram, right: Diagram) -> bool:
        """Whether of two conditions just one holds, everywhere."""
        return self.applied(lambda values: values[0] != values[1], (left, right)) is self.leaf(True)

    def implies(self, left: Diagram, right: Diagram) -> bool:
        """Whether a condition holds wherever another does."""
        return self.applied(lambda values: not values[0] or values[1], (left, right)) is self.leaf(True)

    def without(self, diagram: Diagram, part: Diagram) -> Diagram:
        """A condition, with one part of it false."""
        if diagram is part:
            return self.leaf(False)
        if isinstance(diagram, Leaf):
            return diagram
        branches = (self.without(branch, part) for branch in (diagram.stored, diagram.absent))
        return self.choice(diagram.operand, *branches)


def nothing_stored(diagram: Diagram) -> Scalar | None:
    """What an expression is where no operand is stored."""
    while isinstance(diagram, Choice):
        diagram = diagram.absent
    return diagram.value


def _branch(diagram: Diagram, operand: int, is_stored: bool) -> Diagram:
    if isinstance(diagram, Leaf) or diagram.operand != operand:
        return diagram
    return diagram.stored if is_stored else diagram.absent
