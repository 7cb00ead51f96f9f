"""SciPy's .npz files (`scipy.sparse.save_npz`): the arrays of a sparse array, without pickled objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from irtensor.core.diagnostics import SourceLocation, UserError, refused_file
from irtensor.core.tensor_format import TensorFormat
from irtensor.interop.optional_library import optional_library
from irtensor.io.number_lines import UNPRINTABLE, converted_values
from irtensor.storage.convert_format import check_rank
from irtensor.storage.level_storage import Array
from irtensor.tensors.tensor import Tensor

# The arrays beside the values that each of SciPy's formats has in a file, as its constructor takes them. Those of coo
# are `coords` in newer files, and always for more than two dimensions.
_INDICES = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "dia": ("offsets",),
    "coo": ("row", "col"),
}
_HELP = "such files are written by it.write, and by scipy.sparse.save_npz"


def read_scipy_npz(
    path: str, shape: tuple[int, ...] | None, format: Callable[[int], TensorFormat] | None, dtype: np.dtype[Any] | None
) -> Tensor:
    """The sparse array in a file, in the format that it has there; see `irtensor.io.read`."""
    library = optional_library("scipy.sparse", "arrays in .npz files are made by")
    try:
        with open(path, "rb") as file:
            array = _array_in(path, file, library)
    # A path with a null character is a ValueError; so is a UserError, which is about the content.
    except (OSError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise refused_file("cannot-read", path, error) from error
    chosen = None if format is None else format(len(array.shape))
    if chosen is not None:
        check_rank(chosen, len(array.shape))
    try:
        tensor = Tensor.from_scipy(array)
    except UserError as error:
        raise _error(path, error.message, error.help or _HELP) from None
    if dtype is not None:
        _check_dtype(path, tensor.values, dtype)
        tensor = tensor.astype(dtype)
    if shape is not None and shape != tensor.shape:
        return _enlarged(path, tensor, shape, chosen)
    return tensor if chosen is None else tensor.to_format(chosen)


def _array_in(path: str, file: Any, library: Any) -> Any:
    """SciPy's array of what a file holds. Raises UserError [bad-file]."""
    try:
        with np.load(file, allow_pickle=False) as loaded:
            return _made_of({name: loaded[name] for name in loaded.files}, path, library)
    # Damage of compressed files may show as any error, and so do arrays that SciPy does not take.
    except Exception as error:
        if isinstance(error, UserError):
            raise
        reason = str(error).splitlines()[0] if str(error) else repr(error)
        raise _error(path, f"no sparse array is read from this file: {reason}") from None


def _made_of(arrays: dict[str, Array], path: str, library: Any) -> Any:
    name = _format_name(arrays.get("format"))
    if name not in _INDICES:
        found = f"its format is '{name}'" if name else "it has no format"
        raise _error(path, f"the file holds no sparse array of SciPy's: {found}", f"known are {', '.join(_INDICES)}")
    indices = ("coords",) if name == "coo" and "coords" in arrays else _INDICES[name]
    missing = [one for one in ("data", "shape", *indices) if one not in arrays]
    if missing:
        raise _error(path, f"the file holds a sparse array in format '{name}', but not its {' and '.join(missing)}")
    for one in ("shape", *indices):
        # SciPy would round others.
        if arrays[one].dtype.kind not in "iu":
            raise _error(path, f"{one} is an array of dtype {arrays[one].dtype}, and not of integers")
    given = [arrays[one] for one in indices]
    place: Any = tuple(given[0]) if indices == ("coords",) else tuple(given)
    content = (arrays["data"], place) if name == "coo" else (arrays["data"], *place)
    shape = tuple(int(extent) for extent in arrays["shape"])
    return getattr(library, f"{name}_array")(content, shape=shape)


def _format_name(array: Array | None) -> str:
    """The name of the format, which files have as bytes, and old ones as text."""
    if array is None or array.size != 1 or array.dtype.kind not in "SU":
        return ""
    name = array.reshape(-1)[0]
    return name.decode("latin-1") if isinstance(name, bytes) else str(name)


def _check_dtype(path: str, values: Array, dtype: np.dtype[Any]) -> None:
    """Raise UserError unless a dtype holds all values."""
    if values.dtype.kind == "c" and dtype.kind not in "cb":
        message = f"the file's values are complex, and dtype {dtype} would lose the imaginary part"
        help = "read it without dtype=, then take the real part in a statement: real(A[i,j])"
        raise _error(path, message, help, "unsupported-dtype")
    _, lost = converted_values(values, dtype)
    if lost is not None:
        raise _error(path, f"{values[lost]} is not a value of dtype {dtype}", "omit dtype=, or give a wider one")


def _enlarged(path: str, tensor: Tensor, shape: tuple[int, ...], format: TensorFormat | None) -> Tensor:
    """The tensor with other extents, which hold every entry."""
    if len(shape) != tensor.ndim:
        message = f"shape {shape} has rank {len(shape)}, but the file holds an array of rank {tensor.ndim}"
        raise _error(path, message, f"give a shape of {tensor.ndim} extents, or omit shape=", "rank-mismatch")
    if any(new < old for new, old in zip(shape, tensor.shape, strict=True)):
        message = f"the file's array of shape {tensor.shape} does not fit shape {shape}"
        raise _error(path, message, "omit shape=, or give larger extents")
    coordinates, values = tensor.to_coo()
    return Tensor.from_coo(coordinates, values, shape=shape, format=tensor.format if format is None else format)


def write_scipy_npz(path: str, tensor: Tensor) -> None:
    """Write a tensor as SciPy's array that is nearest to its format; see `irtensor.io.write`."""
    array = tensor.to_scipy()
    names = _INDICES[array.format]
    if array.format == "coo" and len(array.shape) != 2:
        arrays: dict[str, Any] = {"coords": np.array(array.coords)}
    else:
        arrays = {name: getattr(array, name) for name in names}
    arrays |= {"format": np.array(array.format.encode()), "shape": np.array(array.shape), "data": array.data}
    try:
        with open(path, "wb") as file:
            np.savez_compressed(file, **arrays, _is_array=np.array(True))
    except (OSError, ValueError) as error:
        raise refused_file("cannot-write", path, error) from error


def _error(path: str, message: str, help: str = _HELP, slug: str = "bad-file") -> UserError:
    return UserError(slug, message.translate(UNPRINTABLE), location=SourceLocation(path, 1, 1), help=help)
