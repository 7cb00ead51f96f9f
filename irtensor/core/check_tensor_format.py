"""The checks of a storage format: its levels cover each dimension once, and can stand where they do."""

from __future__ import annotations

from collections.abc import Sequence

from irtensor.core.fill_values import FillValue, fill_text
from irtensor.core.level_format import bad_format
from irtensor.core.storage_levels import Level, dimension_names, level_text

MAXIMUM_RANK = 64  # far above any use; keeps a hostile text from building a huge format


def check_levels(rank: int, levels: Sequence[Level]) -> None:
    """Raise UserError [bad-format] unless the levels cover each dimension exactly once and can stand together."""
    if not 0 <= rank <= MAXIMUM_RANK:
        raise bad_format(f"rank {rank} is outside 0..{MAXIMUM_RANK}")
    names = dimension_names(rank)
    for number, level in enumerate(levels):
        if level.expression.dimension >= rank:
            dimension = level.expression.dimension
            raise bad_format(f"level {number} stores dimension {dimension}, but the rank is {rank}")
        above = levels[number - 1].format if number else None
        outer = next((one.format for one in levels[:number] if not one.format.access.positional), None)
        if level.format.workspace == "set" and outer is not None:
            raise bad_format(
                f"{_called(number, levels, rank)} is below '{outer}', which adds slots as they are "
                "needed, but it keeps a set of all slots",
                f"put the {level.format.name} level outside of the {outer.name} one, or make it a map",
            )
        if level.format.pattern.structured:
            _check_structured(number, levels, rank)
        # Runs have the coordinates of their ends, and no child for each of the others.
        lists = above is not None and above.properties.has_coordinates and above.pieces != "runs"
        if level.format.pattern.needs_coordinates_above and not lists:
            where = f"below '{above}'" if above else "outermost"
            raise bad_format(
                f"{_called(number, levels, rank)} is {where}, "
                f"but a {level.format.name} level needs a level with coordinates directly above it",
                "COO is (i : compressed(nonunique), j : singleton)",
            )
    for dimension in range(rank):
        _check_coverage(levels, dimension, names)
    _check_diagonals(rank, levels, names)


def _check_structured(number: int, levels: Sequence[Level], rank: int) -> None:
    """A structure is one of a whole dimension or of its blocks, and each of its fibers has one parent."""
    called, name = _called(number, levels, rank), levels[number].format.name
    if levels[number].expression.form in ("mod", "minus"):
        text = levels[number].expression.text(dimension_names(rank))
        raise bad_format(f"{called} is over '{text}'", f"{name} levels are over a dimension, or over its blocks")
    if levels[number].format.pattern.bounded_by_above:
        above = levels[number - 1].format if number else None
        if above is None or not (above.properties.is_array or above == levels[number].format):
            where = f"below '{above}'" if above else "outermost"
            raise bad_format(f"{called} is {where}", f"{name} levels are below a dense level, or another {name}")
        blocked = next((one for one in (number, number - 1) if levels[one].expression.form != "whole"), None)
        if blocked is not None:
            where = _called(blocked, levels, rank)
            raise bad_format(
                f"{where} is over blocks", f"{name} levels, and those above them, are over whole dimensions"
            )
    relaxed = next((outer for outer in range(number) if not levels[outer].format.unique), None)
    if relaxed is not None:
        above = _called(relaxed, levels, rank)
        raise bad_format(f"{called} is below {above}", f"{name} levels are below levels that are unique")


def _called(number: int, levels: Sequence[Level], rank: int) -> str:
    """How a message calls a level: `level 1 (j : compressed)`."""
    return f"level {number} ({level_text(levels[number], rank)})"


def _check_coverage(levels: Sequence[Level], dimension: int, names: Sequence[str]) -> None:
    every = [level.expression for level in levels if level.expression.dimension == dimension]
    found = [expression for expression in every if expression.form != "minus"]
    forms = [expression.form for expression in found]
    name = names[dimension]
    if forms == ["whole"]:
        return
    if forms == ["floordiv", "mod"] and found[0].factor == found[1].factor:
        return
    if not found:
        problem = "is stored by no level"
    else:
        problem = "is stored as " + " and ".join(f"'{expression.text(names)}'" for expression in found)
    raise bad_format(
        f"dimension {name} {problem}",
        f"store it once as '{name}', or blocked as '{name} floordiv B' and further in '{name} mod B', B the same",
    )


def _check_diagonals(rank: int, levels: Sequence[Level], names: Sequence[str]) -> None:
    """Below `j - i`, one of the two dimensions is stored, and the other follows from it (`offset`)."""
    help = "DIA is (i, j) -> (j - i : compressed, i : range, j : offset)"
    follows: dict[int, int] = {}
    for number, level in enumerate(levels):
        expression = level.expression
        if level.format.pattern.along_diagonals and expression.form != "whole":
            raise bad_format(f"{_called(number, levels, rank)} is not over a whole dimension", help)
        if expression.other is None:
            continue
        _check_diagonals_are_stored(level, _called(number, levels, rank))
        pair = (expression.dimension, expression.other)
        below = [(n, one) for n, one in enumerate(levels) if one.expression.dimension in pair and n != number]
        forms = [(one.expression.form, one.format.properties.follows) for _, one in below]
        if forms != [("whole", False), ("whole", True)] or below[0][0] < number or below[0][1].format.pattern.full:
            text = expression.text(names)
            raise bad_format(
                f"below '{text}' one of its dimensions is stored by a range or a list, and the other is its offset",
                help,
            )
        if not below[0][1].format.unique:
            text = f"{_called(below[0][0], levels, rank)} is nonunique, below '{expression.text(names)}'"
            raise bad_format(text, help)
        follows[below[1][1].expression.dimension] = number
        follows[below[0][1].expression.dimension] = number
    for number, level in enumerate(levels):
        if level.format.pattern.along_diagonals and level.expression.dimension not in follows:
            text = f"{_called(number, levels, rank)} is below no level of diagonals of its dimension"
            raise bad_format(text, help)
    if follows and any(level.expression.form in ("floordiv", "mod") for level in levels):
        raise bad_format("a format has diagonals or blocks, not both")


def _check_diagonals_are_stored(level: Level, called: str) -> None:
    """Raise UserError [bad-format] unless a level can have the numbers of diagonals as coordinates."""
    help = "store diagonals in a compressed, dense or bitmap level"
    if level.format.properties.equal_segments:
        raise bad_format(f"{called} marks unused slots by coordinates that diagonals have", help)
    if level.format.pieces == "runs" or level.format.properties.has_pieces:
        pieces = "runs" if level.format.pieces == "runs" else "blocks"
        raise bad_format(f"{called} would join diagonals to {pieces}", help)


def check_symmetric(rank: int, levels: Sequence[Level], symmetric: Sequence[int]) -> None:
    """Raise UserError [bad-format] unless dimensions can be symmetric: two or more, each with a level of its own."""
    if not symmetric:
        return
    names, help = dimension_names(rank), "write symmetric for all dimensions, or some of them as symmetric(i, j)"
    if symmetric[0] < 0 or symmetric[-1] >= rank:
        outside = next(one for one in symmetric if not 0 <= one < rank)
        raise bad_format(f"dimension {outside} is symmetric, but the rank is {rank}", help)
    text = ", ".join(names[one] for one in symmetric)
    if len(set(symmetric)) < max(len(symmetric), 2):
        raise bad_format(f"symmetric({text}): two or more different dimensions are symmetric", help)
    for number, level in enumerate(levels):
        expression = level.expression
        if expression.form != "whole" and not {expression.dimension, expression.other}.isdisjoint(symmetric):
            level_is = f"{_called(number, levels, rank)} stores a part of a coordinate"
            raise bad_format(
                f"{level_is}, and symmetric({text}) needs whole ones",
                "store each symmetric dimension in one level, without blocks and diagonals",
            )


def check_pattern(levels: Sequence[Level], fill: FillValue) -> None:
    """Raise UserError [bad-format] unless a tensor of these levels can be true at what they store, and else false."""
    if not levels:
        raise bad_format("leaf = pattern: a scalar has no entries, and would always be true", "store its value")
    if fill is not None:
        text = f"leaf = pattern with fill = {fill_text(fill)}: stored elements are true, and all others are false"
        raise bad_format(text, "omit the fill, or omit leaf = pattern, and store values")
