"""The index of a result that is given to `compute`: whether it is that of the result, and values for one that is."""

from __future__ import annotations

from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.check_storage import check_arrays
from irtensor.storage.conversion import Source
from irtensor.storage.convert_format import change_widths
from irtensor.storage.convert_runs import RUNS, convert_runs, runs_with_values
from irtensor.storage.level_storage import LevelStorage
from irtensor.storage.stored_tensor import StoredTensor, make_tensor


def check_index(index: Any, shape: tuple[int, ...], format: TensorFormat) -> None:
    """Raise UserError [index-mismatch] for what cannot be the index of a result of this shape and format."""
    if not isinstance(index, StoredTensor):
        raise UserError(
            "index-mismatch",
            f"the index of the result is a Tensor, not {type(index).__name__}",
            help="make it with assemble(), or take an earlier result",
        )
    if index.format != format or index.shape != shape:
        raise UserError(
            "index-mismatch",
            f"the index is for shape {index.shape}, stored {index.format}; the result has shape {shape}, "
            f"stored {format}",
            help="make it with assemble() of the same kernel",
        )


def empty_result(index: Any, shape: tuple[int, ...], format: TensorFormat) -> StoredTensor:
    """A result without elements, with the arrays of its index. Raises UserError [index-mismatch]."""
    check_index(index, shape, format)
    return make_tensor(index.shape, index.format, index.levels, index.values.copy())


def stored_index(index: StoredTensor, format: TensorFormat) -> StoredTensor:
    """An index that a kernel has written, in the format that the result is converted to.

    Runs stay apart: they have no values yet.
    """
    held = index.held()
    source = Source(index.shape, index.format, held.levels, held.values)
    moved = convert_runs(source, format, joins=False) if RUNS.takes(source.format, format) else None
    if moved is None:
        return index.to_format(format)
    return make_tensor(index.shape, format, change_widths(moved[0], format), moved[1]).made_of(index)


def values_for(index: Any, result: StoredTensor) -> StoredTensor:
    """A result that was computed as a whole, with the arrays of its index, which has to be the same.

    The runs of an index may be parts of those of the result, where neighbours turned out to be equal.
    Raises UserError [index-mismatch].
    """
    check_index(index, result.shape, result.format)
    given, found, values = index.held().levels, result.held().levels, result.values
    if not all(map(_is_equal, given[:-1], found[:-1])):
        raise other_index()
    if given and not _is_equal(given[-1], found[-1]):
        check_arrays(index.shape, index.format, given, index.values, "index")
        of_runs = runs_with_values(index.format, index.shape, given[-1], found[-1], values)
        if of_runs is None:
            raise other_index()
        values = of_runs
    return make_tensor(index.shape, index.format, given, values)


def _is_equal(given: LevelStorage, found: LevelStorage) -> bool:
    """Whether two levels have the same arrays."""
    arrays, others = given.named(), found.named()
    return arrays.keys() == others.keys() and all(np.array_equal(arrays[name], others[name]) for name in arrays)


def other_index() -> UserError:
    """The error for operands that lead to another index than the one given."""
    return UserError(
        "index-mismatch",
        "the operands have entries that the index of the result does not have, or the other way round",
        help="assemble() the index again from operands with these coordinates, or call the kernel itself",
    )
