"""Which lists of a result can be read again in any order of their segments, once its index exists."""

from __future__ import annotations

from irtensor.core.tensor_format import TensorFormat
from irtensor.passes.analysis.iteration_graph import can_locate


def levels_found_by_segment(format: TensorFormat) -> set[int]:
    """The lists that begin where the index says, whatever was visited before: below located levels, or one another.

    Entries of other lists are counted from the first one on: those of the outermost level, and those below levels that
    are located in each entry of a list: whether it is an entry is known only together with those below.
    """
    found: set[int] = set()
    listed: int | None = None
    for number, level in enumerate(format.levels):
        if can_locate(format, number):
            continue
        properties = level.format.properties
        follows = listed is None or (listed == number - 1 and listed in found)
        if number > 0 and follows and (properties.has_positions or properties.pattern.branchless):
            found.add(number)
        listed = number
    return found
