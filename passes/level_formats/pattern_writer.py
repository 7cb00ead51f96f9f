"""Assembles only the index of a result: the same appends, without values (Kjolstad et al. 2019, section 5)."""

from __future__ import annotations

from irtensor.passes.level_formats.result_writer import ResultWriter


class PatternWriter(ResultWriter):
    """State of a result whose positions and coordinates are made."""

    @property
    def stores_values(self) -> bool:
        return False
