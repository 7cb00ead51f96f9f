"""How large operands are taken to be where programs of least asymptotic cost are told apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# The extent of unknown dimensions, and the entries of an operand in such dimensions: ten in a row of a matrix.
_EXTENT = 10_000.0
_ENTRIES = 10.0


@dataclass(frozen=True)
class OperandSizes:
    """Extents by index variable, and by operand the share of its coordinates at which it has an entry.

    Entries are taken to be anywhere with the same probability. With more modes an operand has more of them, in a
    smaller share of what there is. `slices` has, by operand and modes, how many coordinates in these modes there are at
    which it has an entry, where that is known.
    """

    extents: Mapping[str, float] = field(default_factory=dict[str, float])
    shares: Mapping[str, float] = field(default_factory=dict[str, float])
    slices: Mapping[tuple[str, frozenset[int]], float] = field(default_factory=dict[tuple[str, frozenset[int]], float])

    @property
    def known(self) -> bool:
        """Whether any size is known."""
        return bool(self.extents)

    def extent(self, index: str) -> float:
        return self.extents.get(index, _EXTENT)

    def share(self, operand: str, rank: int) -> float:
        return self.shares.get(operand, _ENTRIES * _EXTENT ** (-rank / 2))
