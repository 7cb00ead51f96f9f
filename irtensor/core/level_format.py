"""The format of one level: its name and configuration, and the properties of such levels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from irtensor.core.diagnostics import UserError
from irtensor.core.level_properties import Access, LevelProperties, Pattern, Pieces
from irtensor.levels.known_levels import LEVEL_PROPERTIES


def bad_format(message: str, help: str | None = None) -> UserError:
    """The error for a format that cannot be."""
    return UserError("bad-format", message, help=help)


@dataclass(frozen=True)
class LevelFormat:
    """One kind of level with its configuration: `unique` (no path twice), `ordered` (siblings non-decreasing)."""

    name: str
    unique: bool = True
    ordered: bool = True

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Refuse a level format that another process has registered, and this one has not."""
        self.__dict__.update(state)
        self._check_name()

    def _check_name(self) -> None:
        if self.name not in LEVEL_PROPERTIES:
            known = ", ".join(name for name, level in LEVEL_PROPERTIES.items() if level.workspace is None)
            raise bad_format(f"unknown level format '{self.name}'", f"level formats are {known}")

    def __post_init__(self) -> None:
        self._check_name()
        if self.pattern.unordered:
            object.__setattr__(self, "ordered", False)
            if not self.unique:
                problem = f"level format '{self}' is impossible: a {self.name} level holds each coordinate once"
                help = "omit nonunique, or list the coordinates in a compressed(nonunique) level"
                raise bad_format(problem, help)
        # Entries numbered in order of insertion may be listed in that order.
        elif not (self.unique and (self.ordered or self.workspace == "map")) and not self.pattern.may_relax:
            relaxable = " or ".join(name for name, level in LEVEL_PROPERTIES.items() if level.pattern.may_relax)
            raise bad_format(
                f"level format '{self}' is impossible: a {self.name} level holds each coordinate once and in order",
                f"nonunique and nonordered go on {relaxable}",
            )

    @property
    def properties(self) -> LevelProperties:
        return LEVEL_PROPERTIES[self.name]

    @property
    def pattern(self) -> Pattern:
        """Which coordinates it stores."""
        return LEVEL_PROPERTIES[self.name].pattern

    @property
    def pieces(self) -> Pieces:
        """What its positions are."""
        return LEVEL_PROPERTIES[self.name].pieces

    @property
    def access(self) -> Access:
        """How a position is found."""
        return LEVEL_PROPERTIES[self.name].access

    @property
    def workspace(self) -> str | None:
        """What records its entries, if no caller can pass it."""
        return LEVEL_PROPERTIES[self.name].workspace

    @property
    def listed(self) -> LevelFormat:
        """The level with its coordinates in order."""
        return LevelFormat(self.written.name) if self.pattern.unordered else replace(self, ordered=True)

    @property
    def written(self) -> LevelFormat:
        """The level that loops write for it."""
        name = self.properties.written_as
        return self if name is None else LevelFormat(name, ordered=self.ordered)

    @property
    def without_parent(self) -> LevelFormat:
        """The level that stores the same below one that does not list coordinates."""
        name = self.properties.without_parent
        return self if name is None else replace(self, name=name)

    @property
    def alone(self) -> LevelFormat:
        """The level that stores what this one does below diagonals where there are none."""
        name = self.written.without_parent.name
        return self if name == self.name else LevelFormat(name)

    def __str__(self) -> str:
        return self.text()

    def text(self, *settings: str) -> str:
        """The level format as it is written, with further settings."""
        ordered = self.ordered or self.pattern.unordered
        words = [word for word, kept in (("nonunique", self.unique), ("nonordered", ordered)) if not kept]
        return f"{self.name}({', '.join([*words, *settings])})" if words or settings else self.name


# What copies and intermediates are stored in where nothing asks for another level: every coordinate, or a list.
ARRAY, LIST = LevelFormat("dense"), LevelFormat("compressed")
