"""The formats that operands are converted to: with levels in the order of the loops, and read as protocols ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from irtensor.core.level_format import LIST, LevelFormat
from irtensor.core.storage_levels import Level
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.concrete_index.concrete_index import AccessOp
from irtensor.dialects.concrete_index.protocols import APPEND, LOCATE, STEP, WIDENED, supports
from irtensor.passes.analysis.iteration_graph import can_locate


def reordered(format: TensorFormat, order: Sequence[int]) -> TensorFormat:
    """The same level formats over the dimensions, or parts of them, in another order; lists in place of tables.

    Levels that have all coordinates stay as they are where they are below no other lists than before: the offsets in a
    block, or the columns of stored rows where they go outside. The other formats keep their order, not their levels:
    below a list that was not above it, such a level would take the room of coordinates that are not stored. In lists of
    tuples, whose levels follow each other, all formats keep their order. A structure stays where it is below the same
    levels as before, and so do blocks; below others, entries may not have it, and are listed.
    """
    full = [level.format.pattern.full for level in format.levels]
    in_a_row = any(level.format.pattern.branchless for level in format.levels)
    bounded = [bool(format.bounding_levels(number)) for number in range(len(format.levels))]
    same = {
        source
        for position, source in enumerate(order)
        if (list(order[:position]) if bounded[source] else sorted(order[:position])) == [*range(source)]
    }
    structured = {
        number
        for number, level in enumerate(format.levels)
        if level.format.pattern.structured or level.format.properties.has_pieces
    }
    staying = structured & same | {
        source
        for position, source in enumerate(order)
        if full[source] and not in_a_row and all(full[above] or above < source for above in order[:position])
    }
    others = iter(
        LIST if number in structured else level.format
        for number, level in enumerate(format.levels)
        if number not in staying
    )
    levels = [
        format.levels[source] if source in staying else replace(format.levels[source], format=next(others))
        for source in order
    ]
    return replace(format, levels=tuple(levels)).listed


def in_order_of_loops(format: TensorFormat, order: Sequence[int]) -> TensorFormat:
    """The format whose levels loops can bind in an order: the same where only what finds any coordinate is early."""
    return _in_order_of_loops(format, tuple(order))


# A search asks for the same orders thousands of times.
@lru_cache(1024)
def _in_order_of_loops(format: TensorFormat, order: tuple[int, ...]) -> TensorFormat:
    positions = [order.index(level) for level in range(len(format.levels))]
    for level in range(1, len(positions)):
        found = all(can_locate(format, deeper) for deeper in range(level, len(positions)))
        if positions[level] < positions[level - 1] and not found:
            return reordered(format, order)
    return format


def format_to_read(format: TensorFormat, order: Sequence[int], protocols: Sequence[str]) -> TensorFormat:
    """The format that can be read by the protocols of its dimensions in loops that bind its levels in an order.

    A loop steps through the coordinates below those that the loops outside of it have bound. They are together only in
    a level below those of these loops, also where a coordinate of a deeper level can be found.
    """
    for number, level in enumerate(format.levels):
        outside = order[: order.index(number)]
        if protocols[level.expression.dimension] == STEP and any(other > number for other in outside):
            return supporting(reordered(format, order), protocols)
    return supporting(in_order_of_loops(format, order), protocols)


def supporting(format: TensorFormat, protocols: Sequence[str]) -> TensorFormat:
    """The format that can be read by the protocols of its dimensions, with its levels in the same order.

    A level stays as it is if it can be read so, else a new tensor has what it needs: lists for levels that are stepped
    through; for located levels, a table over the outermost dimension and hash tables below. Source: Ahrens 2022,
    section 7.8.
    """
    asked = [protocols[level.expression.dimension] for level in format.levels]
    supported = [supports(one.format.properties, protocol) for one, protocol in zip(format.levels, asked, strict=True)]
    if all(supported):
        return format
    # To go through one dimension costs nothing, but the room for each of several is that of their product.
    first, below = WIDENED[None, LOCATE], WIDENED[WIDENED[None, APPEND], LOCATE]
    levels: list[Level] = []
    for number, (level, protocol) in enumerate(zip(format.levels, asked, strict=True)):
        name = WIDENED[None, STEP] if protocol == STEP else below if number else first
        # Lists of tuples stand and fall together.
        stays = supported[number] and level.format.unique and not level.format.pattern.branchless
        levels.append(level if stays else replace(level, format=LevelFormat(name)))
    return replace(format, levels=tuple(levels))


def supporting_access(format: TensorFormat, access: AccessOp) -> TensorFormat:
    """The format, or what can be read by the protocols of an access, if it has any; blocks and diagonals stay."""
    if access.protocols is None or format.is_blocked or format.has_diagonals:
        return format
    return supporting(format, [protocol.data for protocol in access.protocols])
