"""What the ways to convert stored tensors have in common: which formats they are for, and what they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from irtensor.core.storage_levels import LevelExpression
from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.pack_coordinates import Packed


class Source(NamedTuple):
    """A tensor that is to be stored in another format."""

    shape: tuple[int, ...]
    format: TensorFormat
    levels: Sequence[LevelStorage]
    values: Array


class Conversion(NamedTuple):
    """One way from a format to another one."""

    suits: Callable[[TensorFormat, TensorFormat], bool]
    """Whether it is for tensors in the first format that are to be in the second."""
    convert: Callable[[Source, TensorFormat], Packed | None]
    """Levels and values in the second format, with integers of any width. None where these arrays go another way."""
    mirrors: bool = False
    """Whether it reads and writes symmetric formats."""

    def takes(self, source: TensorFormat, target: TensorFormat) -> bool:
        """Whether a tensor in one format may be converted to the other in this way."""
        return (self.mirrors or not (source.symmetric or target.symmetric)) and self.suits(source, target)


def changed_levels(source: TensorFormat, target: TensorFormat) -> list[int] | None:
    """The numbers of the levels that are of another kind; None if they are not those of the same dimensions."""
    if [one.expression for one in source.levels] != [one.expression for one in target.levels]:
        return None
    pairs = zip(source.structure, target.structure, strict=True)
    return [number for number, (given, wanted) in enumerate(pairs) if given != wanted]


def keeps_rows(source: TensorFormat, target: TensorFormat) -> bool:
    """Whether rows are taken as they are, also those that have nothing but fill values, as whole rows are stored."""
    tail, kept = source.dense_tail, target.dense_tail
    if not tail or source.symmetric or target.symmetric:
        return False
    # Runs of the fill value may cover any number of coordinates, so these are not listed.
    return not source.has_runs and all(one in kept or LevelExpression(one.dimension) in kept for one in tail)
