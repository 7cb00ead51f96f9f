"""Sparse arrays of CuPy and PyTorch on a GPU as tensors and back, sharing memory."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from irtensor.compiler.device.device_checks import check_device_tensor
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import for_all_sizes
from irtensor.interop.cuda_arrays import read_interface
from irtensor.interop.optional_library import optional_library
from irtensor.named_formats import BCSR, COO, CSC, CSR, block_size
from irtensor.runtime import cuda_device
from irtensor.runtime.cuda_driver import LEGACY_STREAM
from irtensor.storage.element_types import same_fill
from irtensor.storage.level_storage import DENSE_LEVEL, LevelStorage
from irtensor.storage.stored_device_array import DeviceMemory, StoredDeviceArray, make_device_array, number_array
from irtensor.storage.stored_device_tensor import StoredDeviceTensor, make_device_tensor

# Tensors of sparse arrays, by id of these: the arrays' contents were checked when the tensor was made.
_shared: dict[int, tuple[weakref.ref[Any], tuple[Any, ...], StoredDeviceTensor]] = {}
_TORCH_LAYOUTS = ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_coo")


def is_cuda_sparse(value: Any) -> bool:
    """Whether it is a sparse array of CuPy, or a sparse tensor of PyTorch on a GPU."""
    library = type(value).__module__.partition(".")[0]
    if library == "cupyx":
        return hasattr(value, "tocoo")
    return library == "torch" and bool(getattr(value, "is_cuda", False)) and _layout(value) != "strided"


def tensor_of_sparse(value: Any, subject: str) -> StoredDeviceTensor:
    """The tensor of a sparse array, which shares its memory; checked once, as long as the array keeps its memory.

    Raises UserError [cuda-conversion] for an array that would have to be converted, and [bad-storage].
    """
    format, arrays, shape = _parts(value, subject)
    key = (format, shape, *[(array.memory.address, array.size) for array in arrays])
    known = _shared.get(id(value))
    if known is not None and known[0]() is value and known[1] == key:
        return known[2]
    if format == COO(len(shape)).with_widths(format.position_width, format.coordinate_width):
        arrays = [_ends(arrays), *arrays]
    tensor = make_device_tensor(shape, format, _levels(format, arrays), arrays[-1])
    check_device_tensor(tensor, subject)
    number = id(value)
    _shared[number] = (weakref.ref(value, lambda _: _shared.pop(number, None)), key, tensor)
    return tensor


def forget_checked() -> None:
    """Check sparse arrays anew when they are seen next."""
    _shared.clear()


def shared_array(value: Any, subject: str) -> StoredDeviceArray:
    """An array of another library, whose memory stays on its own stream. Raises UserError."""
    other = read_interface(value, subject)
    stream = LEGACY_STREAM if other.stream is None else other.stream
    if not other.address:
        # CUDA has no allocation of zero bytes, and kernels may read element 0.
        return make_device_array(other.shape, other.dtype, DeviceMemory.of_size(cuda_device.device(), 0, stream))
    card = cuda_device.device_at(other.address, subject)
    return make_device_array(
        other.shape, other.dtype, DeviceMemory(card, other.address, stream, value, other.read_only)
    )


def _parts(value: Any, subject: str) -> tuple[TensorFormat, list[StoredDeviceArray], tuple[int, ...]]:
    """The format, the index arrays that there are and last the values, and the shape."""
    shape = tuple(int(extent) for extent in value.shape)
    layout = value.format if type(value).__module__.startswith("cupyx") else _layout(value)
    if layout in ("csr", "csc"):
        if not getattr(value, "has_canonical_format", True):
            raise _not_canonical(subject, value, "call .sum_duplicates(), which sorts them as well")
        arrays = [shared_array(part, subject) for part in (value.indptr, value.indices, value.data)]
        format = CSR if layout == "csr" else CSC
    elif layout in ("coo", "sparse_coo"):
        format, arrays = COO(len(shape)), _coordinates(value, subject)
    elif layout in _TORCH_LAYOUTS and len(shape) == 2:
        format, arrays = _compressed(value, layout, subject)
    else:
        message = f"{subject}, a {type(value).__name__} of shape {shape} stored '{layout}', has no format here"
        raise UserError("cuda-conversion", message, help="convert it to csr, csc or coo")
    width = 8 * arrays[0].dtype.itemsize
    return format.with_widths(width, width), arrays, shape


def _compressed(value: Any, layout: str, subject: str) -> tuple[TensorFormat, list[StoredDeviceArray]]:
    """A matrix of PyTorch's, by rows, by columns or in blocks."""
    by_column = layout == "sparse_csc"
    index = (value.ccol_indices(), value.row_indices()) if by_column else (value.crow_indices(), value.col_indices())
    positions, coordinates, values = (shared_array(part, subject) for part in (*index, value.values()))
    if layout == "sparse_bsr" and values.ndim == 3:
        format = BCSR(*values.shape[1:])
        values = make_device_array((values.size,), values.dtype, values.memory)
    else:
        format = CSC if by_column else CSR
    return format, [positions, coordinates, values]


def _coordinates(value: Any, subject: str) -> list[StoredDeviceArray]:
    """A list of coordinates for each dimension, and the values."""
    if hasattr(value, "is_coalesced"):
        if not value.is_coalesced():
            raise _not_canonical(subject, value, "call .coalesce()")
        parts = [*value.indices(), value.values()]
    else:
        if not getattr(value, "has_canonical_format", True):
            raise _not_canonical(subject, value, "call .sum_duplicates()")
        parts = [value.row, value.col, value.data]
    return [shared_array(part, subject) for part in parts]


def _ends(arrays: list[StoredDeviceArray]) -> StoredDeviceArray:
    """Positions for lists of coordinates, which neither library has."""
    memory = arrays[-1].memory
    return number_array(np.array([0, arrays[-1].size], arrays[0].dtype), memory.device, memory.stream)


def _levels(format: TensorFormat, arrays: list[StoredDeviceArray]) -> tuple[LevelStorage, ...]:
    """The storage of levels, which take their arrays in order."""
    rest: Any = iter(arrays)
    stored = [level.format.properties.arrays for level in format.levels]
    return tuple(
        LevelStorage.of({array.name: next(rest) for array in arrays}) if arrays else DENSE_LEVEL for arrays in stored
    )


def _layout(value: Any) -> str:
    return str(getattr(value, "layout", "torch.strided")).removeprefix("torch.")


def _not_canonical(subject: str, value: Any, help: str) -> UserError:
    message = f"{subject}, a {type(value).__name__} of shape {tuple(value.shape)}, may store an element several times"
    return UserError("cuda-conversion", message, help=help)


def tensor_to_cupy(tensor: StoredDeviceTensor) -> Any:
    """See `DeviceTensor.to_cupy`."""
    cupy = optional_library("cupy", "arrays are made by")
    sparse = optional_library("cupyx.scipy.sparse", "sparse arrays are made by")
    layout, arrays = _exported(tensor, ("csr", "csc", "coo"), "CuPy")
    *index, values = (cupy.asarray(array) for array in arrays)
    if layout == "coo":
        made = sparse.coo_matrix((values, tuple(index)), shape=tensor.shape)
        made.has_canonical_format = True
        return made
    build = sparse.csr_matrix if layout == "csr" else sparse.csc_matrix
    return build((values, index[1], index[0]), shape=tensor.shape)


def tensor_to_torch(tensor: StoredDeviceTensor) -> Any:
    """See `DeviceTensor.to_torch`."""
    torch = optional_library("torch", "tensors are made by")
    layout, arrays = _exported(tensor, ("csr", "csc", "bsr", "coo"), "PyTorch")
    device = f"cuda:{tensor.device}"
    *index, values = (torch.as_tensor(array, device=device) for array in arrays)
    if layout == "coo":
        return torch.sparse_coo_tensor(torch.stack(index), values, tensor.shape, is_coalesced=True)
    build = getattr(torch, f"sparse_{layout}_tensor")
    return build(index[0], index[1], values, tensor.shape)


def _exported(
    tensor: StoredDeviceTensor, layouts: tuple[str, ...], library: str
) -> tuple[str, list[StoredDeviceArray]]:
    """The layout that a library has for the format, and the arrays in its order: index, then values."""
    if not same_fill(tensor.fill_value, 0):
        message = f"{library} has no fill value, but the tensor's is {tensor.fill_value}"
        raise UserError("fill-mismatch", message, help="export .levels and .values themselves")
    plain = tensor.format.with_fill(None).with_widths(64, 64)
    arrays = tensor.device_buffers()
    rank = len(tensor.shape)
    if (wide := for_all_sizes(tensor.format)) != tensor.format:
        message = f"{library} has indices of 32 and 64 bits, and the tensor is stored {tensor.format}"
        help = f"convert it on the host: .to_host().to_format('{wide}').to_device()"
        raise UserError("cuda-conversion", message, help=help)
    if plain in (CSR, CSC):
        return ("csr" if plain == CSR else "csc"), arrays
    if plain == COO(rank) and rank >= 2 and "coo" in layouts and (rank == 2 or "bsr" in layouts):
        return "coo", arrays[1:]
    size = block_size(plain, tensor.shape)
    if size is not None and "bsr" in layouts:
        values = tensor.device_values
        blocks = (values.size // (size[0] * size[1]), *size)
        return "bsr", [*arrays[:-1], make_device_array(blocks, values.dtype, values.memory)]
    message = f"{library} has no layout for a tensor of shape {tensor.shape} stored {tensor.format}"
    raise UserError("cuda-conversion", message, help=f"its layouts are {', '.join(layouts)}")
