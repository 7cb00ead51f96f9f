"""Text of IR of checks that look at the coordinates of positions in several levels of a tensor on a GPU.

It is text, so that code which is on disk is found without what reads IR.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from irtensor.compiler.device.device_function import DeviceFunction


class LevelArrays(NamedTuple):
    """The arrays of a level: the types of its positions and coordinates, as `i32`, and whether it has others."""

    positions: str | None
    coordinates: str | None
    flags: bool
    branchless: bool
    equal_segments: bool

    @property
    def has_holes(self) -> bool:
        """Whether there may be positions at which nothing is stored."""
        return self.flags or self.equal_segments


class Path(NamedTuple):
    """Where a position lies: the number of its parent above some levels, its coordinates in them, whether it is used.

    Values are written as in IR. Levels whose coordinates follow from others have none.
    """

    parent: str
    coordinates: list[str | None]
    used: str | None


class Code:
    """Lines of IR; each method adds one and gives the value that it makes."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.zero = self.value("arith.constant 0 : index")
        self.one = self.value("arith.constant 1 : index")
        self.unit = self.value("arith.constant 1 : i64")

    def value(self, text: str) -> str:
        self.lines.append(f"%{len(self.lines)} = {text}")
        return f"%{len(self.lines) - 1}"

    def line(self, text: str) -> None:
        self.lines.append(text)

    def both(self, operation: str, a: str, b: str, type: str = "index") -> str:
        """An operation of `arith` on two values."""
        return self.value(f"arith.{operation} {a}, {b} : {type}")

    def compare(self, predicate: str, a: str, b: str, type: str = "index") -> str:
        return self.value(f"arith.cmpi {predicate}, {a}, {b} : {type}")

    def load(self, buffer: str, index: str, type: str) -> str:
        """An element as an index."""
        return self.value(f"arith.index_cast {self.value(f'loop.load {buffer}[{index}] : {type}')} : {type} to index")

    def any(self, conditions: Sequence[str]) -> str:
        found, *more = conditions
        for condition in more:
            found = self.both("ori", found, condition, "i1")
        return found

    def all(self, conditions: Sequence[str]) -> str:
        found, *more = conditions
        for condition in more:
            found = self.both("andi", found, condition, "i1")
        return found

    def is_outside(self, value: str, first: str, end: str) -> str:
        """Whether a value is below the first, or not below the end."""
        return self.any([self.compare("slt", value, first), self.compare("sge", value, end)])

    def begin(self, first: str, end: str) -> str:
        """Begin a parallel loop; gives its index."""
        self.line(f"loop.parallel %q{len(self.lines)} = {first} to {end} {{")
        return f"%q{len(self.lines) - 1}"

    def end(self, wrong: str) -> None:
        """End the loop: count an iteration in which a condition holds."""
        self.line(f"loop.if {wrong} {{ loop.atomic %wrong[{self.zero}] (%old: i64) {{")
        self.line(f"%new{len(self.lines)} = arith.addi %old, {self.unit} : i64")
        self.line(f"loop.yield %new{len(self.lines) - 1} : i64 }} }} }}")

    def function(self, name: str, parameters: Sequence[str], title: str) -> DeviceFunction:
        lines = "\n  ".join([*self.lines, "func.return"])
        signature = ", ".join([*parameters, "%wrong: !loop.buffer<i64>"])
        return DeviceFunction(f"func.func @{name}({signature}) {{\n  {lines}\n}}", name, title)

    def climb(self, levels: Sequence[LevelArrays], position: str, at_root: bool = True) -> Path:
        """The way from a position of the last level to the one above the first, or with `at_root`, to the root."""
        coordinates: list[str | None] = []
        conditions: list[str] = []
        for number in reversed(range(len(levels))):
            level, is_root = levels[number], at_root and number == 0
            if level.flags:
                byte = self.value(f"loop.load %flags_{number}[{position}] : i8")
                conditions.append(self.value(f"arith.trunci {byte} : i8 to i1"))
            if level.coordinates is None:
                coordinates.append(None if level.branchless else self._parent_index(number, position, is_root))
            else:
                coordinate = self.load(f"%crd_{number}", position, level.coordinates)
                coordinates.append(coordinate)
                if level.equal_segments:
                    conditions.append(self.compare("sge", coordinate, self.zero))
                    conditions.append(self.compare("slt", coordinate, f"%extent_{number}"))
            position = self._parent(level, number, position, is_root)
        return Path(position, coordinates[::-1], self.all(conditions) if conditions else None)

    def _parent_index(self, number: int, position: str, is_root: bool) -> str:
        index = position if is_root else self.both("remsi", position, f"%extent_{number}")
        return self.both("addi", index, f"%first_{number}")

    def _parent(self, level: LevelArrays, number: int, position: str, is_root: bool) -> str:
        if level.branchless:
            return position
        if is_root:
            return self.zero
        if level.coordinates is None:
            return self.both("divsi", position, f"%extent_{number}")
        if level.equal_segments:
            return self.both("divsi", position, f"%slots_{number}")
        searched = f"%pos_{number}[{self.zero} to %parents_{number}], {position} : {level.positions}"
        after = self.value(f"loop.upper_bound {searched}")
        return self.both("maxsi", self.both("subi", after, self.one), self.zero)


def parameters_of(levels: Sequence[LevelArrays], numbers: Sequence[str] = ()) -> list[str]:
    """The parameters of a function that looks at levels, with further numbers."""
    names = [f"%{what}_{k}" for k in range(len(levels)) for what in ("extent", "first", "parents", "slots")]
    found = [f"{name}: index" for name in ("%count", *names, *numbers)]
    for number, level in enumerate(levels):
        for name, type in (("pos", level.positions), ("crd", level.coordinates), ("flags", "i8" * level.flags)):
            if type:
                found.append(f"%{name}_{number}: !loop.buffer<{type}>")
    return found
