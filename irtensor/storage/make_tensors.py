"""Tensors of arrays that a user, or another library, has: of elements, of coordinates and values, of buffers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from irtensor.core.coordinate_format import coordinate_format
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.interop.other_arrays import refuse_sparse
from irtensor.storage.check_storage import check_arrays
from irtensor.storage.convert_format import check_rank, pack_array
from irtensor.storage.element_types import check_shape, element_values, fill_element
from irtensor.storage.level_storage import DENSE_LEVEL, Array
from irtensor.storage.pack_coordinates import pack
from irtensor.storage.pattern_values import check_pattern_dtype
from irtensor.storage.read_arguments import (
    LevelArrays,
    check_bounds,
    coordinate_rows,
    entry_values,
    inferred_shape,
    level_storages,
)
from irtensor.storage.sort_coordinates import Combine
from irtensor.storage.stored_tensor import StoredTensor, make_tensor

# How values for one element are combined: by one word for all, or as their type says.
Policy = str | Callable[[np.dtype[Any]], str | Combine]


def tensor_of_array(array: Any, format: TensorFormat | Callable[[int], TensorFormat] | None = None) -> StoredTensor:
    """See `Tensor.from_numpy`; a format may be given as a function of the rank."""
    if type(array) is not np.ndarray:
        refuse_sparse(array, "the array")
    elements = element_values(array, "array")
    if format is None:
        # The way of every dense operand of a kernel call, so kept short.
        chosen = TensorFormat.dense(elements.ndim)
        levels = (DENSE_LEVEL,) * elements.ndim
        return make_tensor(elements.shape, chosen, levels, np.ascontiguousarray(elements).ravel())
    chosen = format(elements.ndim) if callable(format) else format
    check_rank(chosen, elements.ndim)
    check_pattern_dtype(chosen, elements.dtype, "the array")
    return make_tensor(elements.shape, chosen, *pack_array(elements, chosen))


def as_stored_tensor(result: Any) -> StoredTensor:
    """What a kernel has given, where a tensor was asked for."""
    return result if isinstance(result, StoredTensor) else tensor_of_array(result)


def tensor_of_entries(
    coordinates: Any,
    values: Any,
    *,
    shape: Sequence[int] | int | None = None,
    format: TensorFormat | Callable[[int], TensorFormat] | None = None,
    policy: Policy = "sum",
) -> StoredTensor:
    """See `Tensor.from_coo`; a format may be given as a function of the rank."""
    rows = coordinate_rows(coordinates)
    extents = inferred_shape(rows) if shape is None else check_shape(shape)
    if not rows and len(extents) == 1:
        rows: list[Array] = [np.zeros(0, dtype=np.int64)]
    if len(rows) != len(extents):
        message = f"coordinates have {len(rows)} rows, but shape {extents} has rank {len(extents)}"
        raise UserError("bad-coordinates", message, help="coordinates have shape (rank, entries)")
    elements = entry_values(values, rows)
    check_bounds(rows, extents)
    rank = len(extents)
    chosen = coordinate_format(rank) if format is None else format(rank) if callable(format) else format
    check_rank(chosen, rank)
    fill_element(chosen, elements.dtype)
    check_pattern_dtype(chosen, elements.dtype, "the tensor")
    combine = policy(elements.dtype) if callable(policy) else policy
    return make_tensor(extents, chosen, *pack(rows, elements, extents, chosen, combine))


def tensor_of_buffers(
    shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelArrays], values: Any, check: bool = True
) -> StoredTensor:
    """See `Tensor.from_buffers`; the arrays are in the memory of the host."""
    storage = level_storages(levels, format)
    elements = None if values is None else element_values(values, "values")
    return make_tensor(shape, format, storage, check_arrays(shape, format, storage, elements, content=check))
