"""pydata/sparse arrays (COO, GCXS, DOK) as tensors and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import for_all_sizes
from irtensor.interop.optional_library import optional_library
from irtensor.interop.other_arrays import refuse_sparse
from irtensor.late_imports import lock
from irtensor.named_formats import COO, CSC, CSF, CSR
from irtensor.storage.convert_format import change_widths, check_rank
from irtensor.storage.element_types import element_values
from irtensor.storage.level_storage import DENSE_LEVEL, Array, LevelStorage
from irtensor.storage.make_tensors import tensor_of_array, tensor_of_buffers, tensor_of_entries
from irtensor.storage.stored_tensor import StoredTensor


def is_pydata_sparse(value: Any) -> bool:
    """Whether `value` is a pydata/sparse array, without importing that library."""
    return type(value).__module__.split(".")[0] == "sparse" and hasattr(value, "fill_value")


def tensor_from_pydata(array: Any, format: TensorFormat | None) -> StoredTensor:
    """See `Tensor.from_pydata`."""
    if not is_pydata_sparse(array) or type(array).__name__ not in ("COO", "GCXS", "DOK"):
        if not is_pydata_sparse(array):
            refuse_sparse(array, "the argument of from_pydata")
        message = f"{type(array).__name__} is not a pydata/sparse COO, GCXS or DOK array"
        raise UserError("bad-argument", message)
    rank = len(array.shape)
    fill = np.asarray(array.fill_value)[()]
    if format is not None:
        check_rank(format, rank)
    compressed = type(array).__name__ == "GCXS" and rank == 2
    tensor = _from_gcxs(array, fill) if compressed else _from_coo(array, fill)
    if format is None:
        return tensor
    # A format without a fill value is for tensors of fill zero; here the array says what its fill is.
    wanted = tensor.format.fill if format.fill is None else format.fill
    return tensor.to_format(format.with_fill(wanted))


def _from_gcxs(array: Any, fill: Any) -> StoredTensor:
    format = CSR if tuple(array.compressed_axes) == (0,) else CSC
    positions, coordinates = _signed(array.indptr), _signed(array.indices)
    levels = (DENSE_LEVEL, LevelStorage(positions, coordinates))
    format = format.with_fill(fill).with_widths(positions.itemsize * 8, coordinates.itemsize * 8)
    values = np.ascontiguousarray(element_values(array.data, "the array"))
    shape = tuple(int(extent) for extent in array.shape)
    return tensor_of_buffers(shape, format, levels, values)


def _from_coo(array: Any, fill: Any) -> StoredTensor:
    whole = array if type(array).__name__ == "COO" else array.to_coo() if hasattr(array, "to_coo") else array.tocoo()
    shape = tuple(int(extent) for extent in whole.shape)
    rows = [_signed(row) for row in whole.coords]
    values = np.ascontiguousarray(element_values(whole.data, "the array"))
    format = COO(len(shape)).with_fill(fill)
    if not shape:
        return tensor_of_array(np.asarray(whole.todense()), format)
    width = max(row.itemsize for row in rows) * 8
    rows = [row.astype(np.int32 if width == 32 else np.int64, copy=False) for row in rows]
    format = format.with_widths(width, width)
    positions = np.array([0, values.size], dtype=rows[0].dtype)
    levels = tuple(LevelStorage(None if number else positions, row) for number, row in enumerate(rows))
    try:
        # pydata/sparse keeps coordinates sorted and unique, so this shares memory as a rule.
        return tensor_of_buffers(shape, format, levels, values)
    except UserError:
        return tensor_of_entries(rows, values, shape=shape, format=format)


def _signed(array: Any) -> Array:
    """Index arrays of pydata/sparse may be unsigned and narrow."""
    array = np.asarray(array)
    dtype = array.dtype if array.dtype in (np.dtype(np.int32), np.dtype(np.int64)) else np.dtype(np.int64)
    return np.ascontiguousarray(array, dtype=dtype)


def tensor_to_pydata(tensor: StoredTensor) -> Any:
    """See `Tensor.to_pydata`. Raises UserError [missing-library]."""
    sparse = optional_library("sparse", "arrays of pydata are made by")
    # It compiles by numba, whose own lock a child would find taken: a fork waits for ours.
    tensor = tensor.whole
    tensor = tensor.to_format(tensor.format.with_values)
    plain = tensor.format.with_widths(64, 64).with_fill(None)
    values, fill = tensor.values, tensor.fill_value
    # It computes with indices in their own type, which is to hold the results.
    wide = for_all_sizes(tensor.format)
    levels = change_widths(tensor.levels, wide)
    if plain in (CSR, CSC):
        axes = (0,) if plain == CSR else (1,)
        arrays = (values, levels[1].coordinates, levels[1].positions)
        with lock:
            return sparse.GCXS(arrays, shape=tensor.shape, compressed_axes=axes, fill_value=fill)
    coordinates, values = tensor.to_coo()
    ordered = plain in (COO(len(tensor.shape)), CSF(len(tensor.shape)))
    with lock:
        return sparse.COO(
            coordinates, values, shape=tensor.shape, fill_value=fill, sorted=ordered, has_duplicates=not ordered
        )
