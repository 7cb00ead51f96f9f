"""The part of a tensor that a key takes: a statement that computes coordinates, `B[i,j] = A[2*i + n, J[j]]`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irtensor.core.coordinate_format import coordinate_format
from irtensor.core.storage_levels import Level, LevelExpression
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import Access, Coordinate, Index, Statement, accesses
from irtensor.frontend.extents_of_result import extent_operands, with_extents
from irtensor.named_formats import CSF
from irtensor.storage.make_tensors import tensor_of_array
from irtensor.tensors.joined import outermost_format
from irtensor.tensors.outermost_range import outermost_range
from irtensor.tensors.selection_key import Listed, Part, Range, Selection, read_selection
from irtensor.tensors.tensor_dimensions import replace_levels, with_dimensions
from irtensor.tensors.wide_results import evaluate_wide, wide_enough

# Each step is a kernel of its own: larger ones go through an array of coordinates.
_LARGEST_STEP = 16
# Levels that stay what they are if other levels are missing around them.
_PLAIN = ("dense", "compressed", "bitmap", "hashed")


def selected(tensor: Any, key: Any) -> Any:
    """The part of a tensor that a key of NumPy's takes: a number where it has no dimensions, else a tensor.

    Raises UserError [unsupported-index], [rank-mismatch], [index-out-of-range], [extent-mismatch].
    """
    selection = read_selection(key, tensor.shape)
    if tensor.format.is_dense:
        return _of_dense(tensor, selection)
    tensor, selection = _narrowed(tensor, selection)
    new = [k for k, one in enumerate(selection.order) if one is None]
    selection = selection._replace(order=tuple([one for one in selection.order if one is not None]))
    if selection.order != tuple(range(tensor.ndim)) or not all(map(_is_whole, selection.parts, tensor.shape)):
        tensor = _taken(tensor, selection)
    if not new:
        return tensor
    return with_dimensions(tensor if selection.order else tensor_of_array(tensor), new)


def _of_dense(tensor: Any, selection: Selection) -> Any:
    """A view of the elements where NumPy gives one."""
    arrays = [one.array for one in selection.parts if isinstance(one, Listed)]
    key = tuple([_numpy_part(one) for one in selection.parts])
    part = tensor.to_numpy()[key]
    # What stands where is known, and NumPy has the dimensions of arrays side by side or in front.
    kept = [k for k, one in enumerate(selection.parts) if isinstance(one, Range)]
    if arrays:
        advanced = [k for k, one in enumerate(selection.parts) if not isinstance(one, Range)]
        together = advanced[-1] - advanced[0] + 1 == len(advanced)
        first = sum(1 for k in kept if k < advanced[0]) if together else 0
        own: list[int] = [*kept[:first], *(~k for k in range(len(selection.shape))), *kept[first:]]
    else:
        own = kept
    wanted = [one for one in selection.order if one is not None]
    part = np.transpose(part, [own.index(one) for one in wanted]) if wanted != own else part
    for k, one in enumerate(selection.order):
        if one is None:
            part = np.expand_dims(part, k)
    return tensor_of_array(part) if selection.order else part


def _numpy_part(part: Part) -> Any:
    match part:
        case Range(start, step, length):
            end = start + step * length
            return slice(start, end if end >= 0 else None, step)
        case Listed(array):
            return array
        case _:
            return part


def _is_whole(part: Part, extent: int) -> bool:
    return isinstance(part, Range) and part == (0, 1, extent)


def _narrowed(tensor: Any, selection: Selection) -> tuple[Any, Selection]:
    """The tensor with the range of its outermost dimension that is asked for, whose values are shared."""
    dimension = tensor.format.levels[0].expression.dimension
    part = selection.parts[dimension]
    if isinstance(part, int):
        start, count, rest = part, 1, 0
    elif isinstance(part, Range) and part.step == 1:
        start, count, rest = part.start, part.length, Range(0, 1, part.length)
    else:
        return tensor, selection
    if count == tensor.shape[dimension]:
        return tensor, selection
    found = outermost_range(tensor, dimension, start, start + count)
    if found is None:
        return tensor, selection
    parts = (*selection.parts[:dimension], rest, *selection.parts[dimension + 1 :])
    return found, selection._replace(parts=parts)


def _taken(tensor: Any, selection: Selection) -> Any:
    """The parts of a tensor, along dimensions with lists by way of a tensor in which that dimension is the outermost.

    There, lists are found where they begin. Otherwise each coordinate is searched in each list, which is only less work
    for few.
    """
    several = sum(isinstance(part, Listed) for part in selection.parts) > 1
    for dimension, part in enumerate(selection.parts):
        if not _is_searched(tensor, dimension, part) or _count(selection) <= tensor.nnz:
            continue
        if isinstance(part, Range):
            tensor = _gathered(tensor, dimension, np.arange(part.length) * part.step + part.start)
            selection = _with_whole(selection, dimension, part.length)
        elif isinstance(part, Listed) and part.array.ndim == 1 and not several:
            tensor = _gathered(tensor, dimension, part.array)
            selection = _with_whole(selection, dimension, part.array.size)._replace(shape=())
            order = tuple([dimension if one == ~0 else one for one in selection.order])
            selection = selection._replace(order=order)
    is_done = selection.order == tuple(range(tensor.ndim)) and all(map(_is_whole, selection.parts, tensor.shape))
    return tensor if is_done else _evaluated(tensor, selection)


def _gathered(tensor: Any, dimension: int, array: np.ndarray) -> Any:
    """The tensor with the coordinates of an array along a dimension, stored as before."""
    parts = tuple([Listed(array) if k == dimension else Range(0, 1, n) for k, n in enumerate(tensor.shape)])
    order = tuple([~0 if k == dimension else k for k in range(tensor.ndim)])
    moved = tensor.to_format(outermost_format(tensor.format, dimension))
    taken = _evaluated(moved, Selection(parts, order, array.shape))
    stored = tensor.format.with_mirrors.with_values.unstructured.without_diagonals
    return taken.to_format(stored.with_widths(taken.format.position_width, taken.format.coordinate_width))


def _with_whole(selection: Selection, dimension: int, extent: int) -> Selection:
    """A selection that takes all coordinates of a dimension."""
    whole = Range(0, 1, extent)
    return selection._replace(parts=(*selection.parts[:dimension], whole, *selection.parts[dimension + 1 :]))


def _count(selection: Selection) -> int:
    """How many elements the result has."""
    return math.prod(_extent(one, selection) for one in selection.order)


def _is_searched(tensor: Any, dimension: int, part: Part) -> bool:
    """Whether the coordinates of a part are looked for in lists, which only those in order are found along."""
    if isinstance(part, int) or (isinstance(part, Range) and 0 < part.step <= _LARGEST_STEP):
        return False
    if _is_whole(part, tensor.shape[dimension]):
        return False
    levels = [level for level in tensor.format.levels if level.expression.dimension == dimension]
    return any(level.format.properties.lists_segments or level.format.name == "singleton" for level in levels)


def _evaluated(tensor: Any, selection: Selection) -> Any:
    names = {one: f"i{k}" for k, one in enumerate(selection.order)}
    operands: dict[str, Any] = {"A": tensor}
    indices = tuple(
        [_index(part, k, selection, names, tensor.shape[k], operands) for k, part in enumerate(selection.parts)]
    )
    target = tuple(names.values())
    statement = Statement(Access("result", target), None, Access("A", indices))
    shape = tuple([_extent(one, selection) for one in selection.order])
    known = {name for access in accesses(statement.expression) for name in access.plain_indices}
    statement, extents = with_extents(statement, [name for name in target if name not in known])
    operands |= extent_operands(statement, extents, shape)
    format = _format_of(tensor, selection, shape) if shape else None
    return evaluate_wide(statement, operands, format)


def _extent(one: int | None, selection: Selection) -> int:
    assert one is not None
    if one < 0:
        return selection.shape[~one]
    part = selection.parts[one]
    assert isinstance(part, Range)
    return part.length


def _index(
    part: Part,
    dimension: int,
    selection: Selection,
    names: dict[int | None, str],
    extent: int,
    operands: dict[str, Any],
) -> Index:
    """The index of a dimension of the tensor; what it reads becomes part of `operands`."""
    if _is_whole(part, extent):
        return names[dimension]
    name = f"n{dimension}"
    match part:
        case Range(start, step, length) if abs(step) > _LARGEST_STEP:
            operands[name] = np.arange(length) * step + start
            return Coordinate(((Access(name, (names[dimension],)), 1),))
        case Range(start, step, _):
            operands[name] = np.asarray(start)
            return Coordinate(((names[dimension], step), (Access(name), 1)))
        case Listed(array):
            # Along a dimension in which it is repeated, the array has no index.
            own = [k for k in range(array.ndim) if array.shape[k] == _common(selection, array, k)]
            operands[name] = array[tuple([slice(None) if k in own else 0 for k in range(array.ndim)])]
            first = len(selection.shape) - array.ndim
            return Coordinate(((Access(name, tuple([names[~(first + k)] for k in own])), 1),))
        case _:
            operands[name] = np.asarray(part)
            return Coordinate(((Access(name), 1),))


def _common(selection: Selection, array: np.ndarray, dimension: int) -> int:
    return selection.shape[len(selection.shape) - array.ndim + dimension]


def _format_of(tensor: Any, selection: Selection, shape: tuple[int, ...]) -> TensorFormat:
    """The format of the tensor with the dimensions of the result."""
    format = tensor.format.with_mirrors.with_values.unstructured
    rank = len(shape)
    if selection.order == tuple(range(tensor.ndim)):
        return wide_enough(format.without_diagonals.with_fill(None), shape, (tensor.format,))
    if all(level.expression.form == "whole" and level.format.name in _PLAIN for level in format.levels):
        levels = _levels_of(format, selection)
        plain = replace_levels(format.whole, rank, levels, {}) if levels else CSF(rank)
    else:
        plain = coordinate_format(rank) if format.structure == coordinate_format(tensor.ndim).structure else CSF(rank)
    return wide_enough(plain.with_fill(None), shape, (tensor.format,))


def _levels_of(format: TensorFormat, selection: Selection) -> list[Level]:
    """The levels of the dimensions that are left, and those of arrays where the first of them has a level."""
    found: list[Level] = []
    done: set[int] = set()
    for level in format.levels:
        part = selection.parts[level.expression.dimension]
        own: Sequence[int] = ()
        if isinstance(part, Range):
            own = (level.expression.dimension,)
        elif isinstance(part, Listed):
            own = [~k for k in range(len(selection.shape))]
        for one in own:
            if one not in done:
                done.add(one)
                found.append(replace(level, expression=LevelExpression(selection.order.index(one))))
    # A row of a matrix in rows is a list.
    unique = all(level.format.unique and level.format.ordered for level in found)
    return found if unique or not any(level.format.name == "compressed" for level in found) else []
