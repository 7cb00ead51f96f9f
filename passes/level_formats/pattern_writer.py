"""Assembles only the index of a result: the same appends, without values (Kjolstad et al. 2019, section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.ir import SSAValue

from irtensor.passes.level_formats.result_writer import FilledArray, ResultWriter
from irtensor.passes.support.emit import Emitter


class PatternWriter(ResultWriter):
    """State of a result whose positions and coordinates are made."""

    stores_values = False

    def _arrays(self, level: int, emit: Emitter) -> Iterator[FilledArray]:
        return (array for array in super()._arrays(level, emit) if array.name != "values")

    def fill_below(self, level: int, position: SSAValue, blocks: Mapping[int, SSAValue], emit: Emitter) -> None:
        """A pattern has no values, be they within the extents or in the padding of blocks."""
