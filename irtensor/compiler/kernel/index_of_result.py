"""The index of a result that is given to `compute`: whether it is that of the result, and values for one that is."""

from __future__ import annotations

from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
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


def values_for(index: Any, result: StoredTensor) -> StoredTensor:
    """A result that was computed as a whole, with the arrays of its index, which has to be the same.

    Raises UserError [index-mismatch].
    """
    check_index(index, result.shape, result.format)
    for given, found in zip(index.levels, result.levels, strict=True):
        arrays = (given.positions, found.positions), (given.coordinates, found.coordinates), (given.flags, found.flags)
        for one, other in arrays:
            if one is not other and (one is None or other is None or not np.array_equal(one, other)):
                raise other_index()
    return make_tensor(index.shape, index.format, index.levels, result.values)


def other_index() -> UserError:
    """The error for operands that lead to another index than the one given."""
    return UserError(
        "index-mismatch",
        "the operands have entries that the index of the result does not have, or the other way round",
        help="assemble() the index again from operands with these coordinates, or call the kernel itself",
    )
