"""scipy.sparse arrays and matrices as tensors and back, sharing memory wherever both agree on the layout."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.level_format import LIST
from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import for_all_sizes, with_widths_of
from irtensor.interop.optional_library import optional_library
from irtensor.interop.other_arrays import refuse_sparse
from irtensor.named_formats import BCSR, COO, CSC, CSF, CSR, DIA, block_size
from irtensor.storage.check_storage import check_arrays
from irtensor.storage.conversion import Source
from irtensor.storage.convert_diagonals import DIAGONALS, has_blocks
from irtensor.storage.convert_format import change_widths, check_rank
from irtensor.storage.element_types import element_values, same_fill
from irtensor.storage.index_overflow import check_coordinate_widths
from irtensor.storage.level_storage import DENSE_LEVEL, Array, LevelStorage
from irtensor.storage.make_tensors import tensor_of_entries
from irtensor.storage.masked_arrays import refuse_masked
from irtensor.storage.sort_coordinates import is_sorted
from irtensor.storage.stored_tensor import StoredTensor, make_tensor

# SciPy has the elements of a diagonal by column.
_DIA = TensorFormat.parse("(i, j) -> (j - i : compressed, j : range, i : offset)")
_NARROW_EXTENT = 1 << 31
_sparse: Any = None
_RELAXED = "compressed(nonunique, nonordered)"


def is_scipy_sparse(value: Any) -> bool:
    """Whether `value` is a scipy.sparse array or matrix, without importing SciPy."""
    return any(base.__module__.startswith("scipy.sparse") for base in type(value).__mro__) and hasattr(value, "tocoo")


def tensor_from_scipy(array: Any, format: TensorFormat | None, check: bool) -> StoredTensor:
    """See `Tensor.from_scipy`."""
    if not is_scipy_sparse(array):
        refuse_sparse(array, "the argument of from_scipy")
        message = f"{type(array).__name__} is not a scipy.sparse array or matrix"
        raise UserError("bad-argument", message, help="use Tensor.from_numpy for NumPy arrays")
    if format is not None:
        check_rank(format, len(array.shape))
    flat = array.format in ("csr", "csc", "bsr", "coo", "dia")
    elements = element_values(array.data, "the array") if flat else None
    match array.format:
        case "csr" | "csc" | "bsr":
            tensor = _from_compressed(array, elements, check)
        case "coo":
            tensor = _from_coordinates(array, elements)
        case "dia":
            tensor = _from_diagonals(array, elements)
        case _:
            whole = array.tocoo()
            tensor = _from_coordinates(whole, element_values(whole.data, "the array"))
            # lil has a list per row: positions of rows cost no more. dok is of any size.
            if format is None and array.format == "lil":
                tensor = tensor.to_format(CSR.with_widths(*_widths(tensor)))
    # Wide indices are those of a format that says nothing; narrow ones are asked for.
    is_wide = format is not None and for_all_sizes(format) == format
    if format is None:
        return tensor
    narrow = format.with_widths(*_widths(tensor))
    return tensor.to_format(narrow if is_wide and narrow.with_values == tensor.format else format)


def _widths(tensor: StoredTensor) -> tuple[int, int]:
    return tensor.format.position_width, tensor.format.coordinate_width


def _width(array: Array) -> int:
    return 32 if array.dtype == np.int32 else 64


def _index_array(array: Any) -> Array:
    """An index array as int32 or int64, native and contiguous; shared where it is so already."""
    refuse_masked(array, "index array")
    array = np.asarray(array)
    dtype = np.int32 if array.dtype.newbyteorder("=") == np.int32 else np.int64
    if array.dtype.kind not in "iu":
        raise UserError("bad-storage", f"index array has dtype {array.dtype}, expected int32 or int64")
    return np.ascontiguousarray(array, dtype=dtype)


def _from_compressed(array: Any, elements: Any, check: bool) -> StoredTensor:
    shape = tuple(int(extent) for extent in array.shape)
    positions, coordinates = _index_array(array.indptr), _index_array(array.indices)
    if positions.ndim != 1 or coordinates.ndim != 1 or not positions.size:
        raise UserError("bad-storage", f"the {array.format} array's indptr and indices are not flat arrays")
    # SciPy allows spare room behind the last entry. Without, its own array is held, no view: who locks one locks both.
    stored = int(positions[-1])
    coordinates = coordinates[:stored]
    elements = elements if len(elements) == stored else elements[:stored]
    if len(shape) == 1:
        format, levels = CSF(1), (LevelStorage(positions, coordinates),)
    elif array.format == "bsr":
        if elements.ndim != 3:
            raise UserError("bad-storage", f"the bsr array's data has {elements.ndim} dimensions, expected 3")
        # Blocks of one element, which SciPy makes where it finds no larger ones, are none.
        blocks = max(array.blocksize) > 1
        format = BCSR(*(int(size) for size in array.blocksize)) if blocks else CSR
        levels = (DENSE_LEVEL, LevelStorage(positions, coordinates), *[DENSE_LEVEL] * (2 * blocks))
        elements = elements.reshape(-1)
    else:
        format = CSR if array.format == "csr" else CSC
        levels = (DENSE_LEVEL, LevelStorage(positions, coordinates))
    format = format.with_widths(_width(positions), _width(coordinates))
    values = np.ascontiguousarray(elements)
    name = f"scipy {array.format} array"
    try:
        check_arrays(shape, format, levels, values, name, content=check)
    except UserError as error:
        if error.slug != "bad-storage":
            raise
        return _from_unsorted(array, shape, format, levels, values, error)
    return make_tensor(shape, format, levels, values)


def _from_unsorted(
    array: Any,
    shape: tuple[int, ...],
    format: TensorFormat,
    levels: tuple[LevelStorage, ...],
    values: Array,
    error: UserError,
) -> StoredTensor:
    """A copy in canonical order of an array that is valid but for order or duplicates; else raise `error`."""
    relaxed = TensorFormat.parse(str(CSR if format.is_blocked else format).replace("compressed", _RELAXED))
    relaxed = relaxed.with_widths(format.position_width, format.coordinate_width)
    try:
        if not format.is_blocked:
            check_arrays(shape, relaxed, levels, values)
            return make_tensor(shape, relaxed, levels, values).to_format(format)
        _check_blocks(shape, relaxed, format, levels, values)
    except UserError:
        raise error from None
    # Whole blocks add up, so blocks are sorted and summed by SciPy, on a copy.
    whole = array.copy()
    whole.sum_duplicates()
    return _from_compressed(whole, element_values(whole.data), True)


def _check_blocks(
    shape: tuple[int, ...], relaxed: TensorFormat, format: TensorFormat, levels: tuple[LevelStorage, ...], values: Array
) -> None:
    """Check a bsr array as a matrix of whole blocks."""
    blocks = tuple(format.level_extent(level, shape) for level in (0, 1))
    coordinates = levels[1].coordinates
    assert coordinates is not None
    size = format.levels[2].expression.factor * format.levels[3].expression.factor
    count, rest = divmod(values.size, size)
    check_arrays(blocks, relaxed, levels[:2], np.zeros(count + (rest > 0), bool))


def _from_diagonals(array: Any, elements: Any) -> StoredTensor:
    """The data as it is, if it has a row per diagonal, in order, and an element for each column; else a copy."""
    rows, columns = (int(extent) for extent in array.shape)
    offsets = _index_array(array.offsets)
    if offsets.ndim != 1 or elements.ndim != 2 or elements.shape[0] != offsets.size:
        message = f"the dia array has data of shape {elements.shape} for offsets of shape {offsets.shape}"
        raise UserError("bad-storage", message)
    order = np.argsort(offsets, kind="stable")
    order = order[(offsets[order] > -rows) & (offsets[order] < columns)]
    if order.size < offsets.size or (order[1:] < order[:-1]).any():
        offsets, elements = offsets[order], elements[order]
    if elements.shape[1] != columns:
        # SciPy has fewer columns of data where the last are not stored, and may have more.
        kept = min(elements.shape[1], columns)
        whole = np.zeros((offsets.size, columns), elements.dtype)
        whole[:, :kept] = elements[:, :kept]
        elements = whole
    width = _width(offsets)
    positions = np.array([0, offsets.size], dtype=offsets.dtype)
    levels = (LevelStorage(positions, offsets), DENSE_LEVEL, DENSE_LEVEL)
    values = np.ascontiguousarray(elements).reshape(-1)
    tensor = make_tensor((rows, columns), _DIA.with_widths(width, width), levels, values)
    tensor.check("scipy dia array")
    return tensor


def _from_coordinates(array: Any, elements: Any) -> StoredTensor:
    shape = tuple(int(extent) for extent in array.shape)
    coordinates = [_index_array(row) for row in (array.coords if hasattr(array, "coords") else (array.row, array.col))]
    width = max((_width(row) for row in coordinates), default=64)
    dtype = np.int32 if width == 32 else np.int64
    coordinates = [row.astype(dtype, copy=False) for row in coordinates]
    format = COO(len(shape)).with_widths(width, width)
    if shape and is_sorted(coordinates):
        positions = np.array([0, elements.size], dtype=dtype)
        levels = [LevelStorage(positions, coordinates[0]), *(LevelStorage(None, row) for row in coordinates[1:])]
        tensor = make_tensor(shape, format, tuple(levels), np.ascontiguousarray(elements))
        try:
            tensor.check("scipy coo array")
            return tensor
        except UserError:
            pass  # duplicates are combined, and bad coordinates refused, below
    return tensor_of_entries(coordinates, elements, shape=shape, format=format)


def unmerged_entries(array: Any) -> tuple[list[Array], Array, TensorFormat] | None:
    """Coordinates and values as an array has them where it may have several for one element, and the format that
    `Tensor.from_scipy` would give it; None where it has one for each.
    """
    if array.format not in ("csr", "csc", "bsr", "coo") or array.has_canonical_format:
        return None
    whole = array.tocoo(copy=False)
    coordinates = [_index_array(row) for row in (whole.coords if hasattr(whole, "coords") else (whole.row, whole.col))]
    formats = {"csr": CSR, "csc": CSC}
    format = formats.get(array.format, COO(2)) if len(coordinates) == 2 else COO(len(coordinates))
    width = max((_width(row) for row in coordinates), default=64)
    return coordinates, element_values(whole.data, "the array"), format.with_widths(width, width)


def tensor_to_scipy(tensor: StoredTensor) -> Any:
    """See `Tensor.to_scipy`."""
    sparse = _scipy_sparse()
    # What has no values gets them: SciPy's arrays have some.
    tensor = tensor.whole
    tensor = _as_theirs(tensor.to_format(tensor.format.with_values))
    if tensor.format.fill is not None and not same_fill(tensor.fill_value, 0):
        raise UserError(
            "fill-mismatch",
            f"scipy.sparse has no fill value, but the tensor's is {tensor.fill_value}",
            help="use to_coo() for the stored entries, or to_numpy() for all",
        )
    shape, values = tensor.shape, tensor.values
    if not shape:
        raise UserError("rank-mismatch", "scipy.sparse has no arrays of rank 0", help="use to_numpy()")
    fits = max(shape) <= _NARROW_EXTENT and values.size < _NARROW_EXTENT
    levels, plain, build = _as_indices(tensor, tensor.from_narrow and fits)
    if build is not None:
        listed = levels[1]
        return getattr(sparse, build)((values, listed.coordinates, listed.positions), shape=shape)
    if (size := block_size(plain, shape)) is not None:
        blocks = values.reshape(-1, *size)
        return sparse.bsr_array((blocks, levels[1].coordinates, levels[1].positions), shape=shape)
    if plain in (DIA, _DIA):
        diagonals = tensor.to_format(for_all_sizes(with_widths_of(_DIA, tensor.format)))
        offsets = diagonals.levels[0].coordinates
        assert offsets is not None
        data = diagonals.values.reshape(offsets.size, shape[1])
        return sparse.dia_array((data, offsets), shape=shape)
    if plain == COO(len(shape)):
        array = _coo_array(tuple(level.coordinates for level in levels), values, shape)
        array.has_canonical_format = True
        return array
    coordinates, values = tensor.to_coo()
    if tensor.from_narrow and max(shape) <= _NARROW_EXTENT:
        coordinates = coordinates.astype(np.int32)
    return _coo_array(tuple(coordinates), values, shape)


def _as_theirs(tensor: StoredTensor) -> StoredTensor:
    """The tensor in the format of SciPy's that is nearest to one of blocks: rows, blocks of one size, or diagonals."""
    listed, diagonals = _nearest(tensor.format)
    if diagonals is not None:
        held = tensor.held()
        check_coordinate_widths(diagonals, tensor.shape)
        moved = DIAGONALS.convert(Source(tensor.shape, tensor.format, held.levels, held.values), diagonals)
        return tensor if moved is None else make_tensor(tensor.shape, diagonals, *moved).made_of(tensor)
    return tensor if listed is None else tensor.to_format(listed)


@lru_cache(maxsize=256)
def _nearest(format: TensorFormat) -> tuple[TensorFormat | None, TensorFormat | None]:
    """The format with lists in place of lists of blocks, if there are such, and the format of diagonals that blocks of
    rows or columns may be in. A call has no time to find out again.
    """
    if has_blocks(format):
        return None, with_widths_of(_DIA, format)
    levels = [replace(one, format=LIST) if one.format.properties.has_pieces else one for one in format.levels]
    return None if levels == list(format.levels) else replace(format, levels=tuple(levels)), None


def _as_indices(
    tensor: StoredTensor, narrow: bool
) -> tuple[tuple[LevelStorage, ...], TensorFormat, Literal["csr_array", "csc_array"] | None]:
    """The levels with integers of 32 or 64 bits, the only ones that SciPy has; the same arrays if they are. The format
    of these, without fill value and widths, and which of SciPy's classes has the arrays as they are.

    Those of tensors that were made of narrow ones have 32, unless a number does not fit.
    """
    levels = tensor.levels
    format, plain, build = _as_wide(tensor.format, 32 if narrow else 64)
    if format is not None:
        # To look at each number again takes as long as all else.
        levels = change_widths(levels, format, fits=narrow)
    return levels, plain, build


@lru_cache(maxsize=256)
def _as_wide(
    format: TensorFormat, most: int
) -> tuple[TensorFormat | None, TensorFormat, Literal["csr_array", "csc_array"] | None]:
    """The format with integers of 32 bits at least, and of so many at most, None if it has; the rest see `_as_indices`.

    A call has no time to find out again.
    """
    levels = range(len(format.levels))
    positions, coordinates = (
        [min(max(width(level), 32), most) for level in levels]
        for width in (format.position_width_of, format.coordinate_width_of)
    )
    wide = format.with_level_widths(positions, coordinates)
    plain = format.with_fill(None).with_widths(64, 64)
    return (
        None if wide == format else wide,
        plain,
        "csr_array" if plain == CSR else "csc_array" if plain == CSC else None,
    )


def _scipy_sparse() -> Any:
    """SciPy's sparse module, imported on first use. Raises UserError [missing-library]."""
    global _sparse
    # To import an imported module takes a microsecond.
    if _sparse is None or sys.modules.get("scipy.sparse") is not _sparse:
        _sparse = optional_library("scipy.sparse", "sparse arrays are made by")
    return _sparse


def _coo_array(coordinates: tuple[Any, ...], values: Array, shape: tuple[int, ...]) -> Any:
    sparse = _scipy_sparse()
    try:
        return sparse.coo_array((values, coordinates), shape=shape)
    except (ValueError, TypeError) as error:
        message = f"this version of SciPy makes no coo_array of rank {len(shape)}: {error}"
        raise UserError("rank-mismatch", message, help="use to_coo(), or SciPy 1.15 or later") from None
