"""Element types a tensor can have, and fill values as elements of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.fill_values import FillValue, fill_text
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.element_types import BFLOAT16, dtype_of, is_rounded, is_supported
from irtensor.storage.level_storage import Array
from irtensor.storage.masked_arrays import refuse_masked

_NAMES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
_LISTED = f"supported are {', '.join(_NAMES)}"
_SUPPORTED: dict[Any, np.dtype[Any]] = {np.dtype(name): np.dtype(name) for name in _NAMES if name != BFLOAT16}


def element_dtype(
    dtype: Any, subject: str = "tensor", help: str = f"convert it with .astype; {_LISTED}"
) -> np.dtype[Any]:
    """The native element type for `dtype`; UserError [unsupported-dtype] if tensors cannot hold it."""
    if isinstance(dtype, np.dtype) and (found := _SUPPORTED.get(dtype)) is not None:
        return found
    try:
        native = dtype_of(dtype).newbyteorder("=")
    except TypeError as error:
        raise UserError("unsupported-dtype", f"{subject}: {dtype!r} is not a dtype ({error})") from None
    if native not in _SUPPORTED and is_supported(native):
        _SUPPORTED[native] = native
    if native not in _SUPPORTED:
        raise UserError("unsupported-dtype", f"{subject} has dtype {native}", help=help)
    return _SUPPORTED[native]


def conversion_dtype(source: np.dtype[Any], wanted: Any) -> np.dtype[Any]:
    """The element type that elements of `source` are converted to; UserError [unsupported-dtype]."""
    target = element_dtype(wanted, "the result", _LISTED)
    if source.kind == "c" and target.kind not in "cb":
        message = f"cannot convert dtype {source} to {target} without losing the imaginary part"
        raise UserError("unsupported-dtype", message, help="take the real part in the statement: real(A[i,j])")
    return target


def element_values(values: Any, subject: str = "tensor") -> Array:
    """`values` as an array of a supported native type; copied only if its byte order or kind demands it."""
    if type(values) is np.ndarray and values.dtype in _SUPPORTED and values.flags.aligned:
        return values
    refuse_masked(values, subject)
    try:
        array = np.asarray(values)
    except ValueError as error:
        # What the object itself refuses, such as an array of a GPU.
        if isinstance(error, UserError):
            raise
        raise UserError(
            "unsupported-dtype",
            f"{subject} is not a rectangular array of numbers: {error}",
        ) from None
    # Kernels use vector instructions that need each element aligned.
    return np.require(array, element_dtype(array.dtype, subject), "A")


def fill_element(format: TensorFormat, dtype: np.dtype[Any]) -> Any:
    """The fill value of a format as an element of `dtype`; UserError [bad-fill] if it cannot be one."""
    fill: FillValue = format.fill
    if fill is None:
        return dtype.type(0)
    element = None
    try:
        with np.errstate(all="ignore"):
            if not isinstance(fill, complex) or dtype.kind == "c":
                element = dtype.type(fill)
    except (OverflowError, ValueError):
        pass
    # Rounding to a narrower float is fine; an integer or bool must be hit exactly, and a finite value stay finite.
    if element is None or (element != fill and (dtype.kind in "biu" or bool(np.isinf(element)))):
        raise UserError(
            "bad-fill",
            f"fill value {fill_text(fill)} is not a value of dtype {dtype}",
            help="give a fill of the element type, or convert the values with .astype",
        )
    return element


def is_fill(values: Array, fill: Any) -> Array:
    """Which values equal the fill value, where NaN equals NaN."""
    return np.isnan(values) if np.isnan(fill) else values == fill


def same_bits(values: Array, others: Array) -> Array:
    """Which values are the same as others, bit for bit: NaN equals NaN, and -0.0 differs from 0.0."""
    if not is_rounded(values.dtype):
        return np.equal(values, others)
    words = np.dtype(f"u{min(values.itemsize, 8)}")
    left, right = (np.ascontiguousarray(array).view(words) for array in np.broadcast_arrays(values, others))
    same = left == right
    return same if values.itemsize <= 8 else same.reshape(-1, values.itemsize // 8).all(axis=1)


def same_fill(left: Any, right: Any) -> bool:
    return bool(left == right) or bool(np.isnan(left) and np.isnan(right))


def check_shape(shape: Sequence[int] | int) -> tuple[int, ...]:
    """A shape as a tuple of Python ints; UserError [bad-shape] unless all are integers in 0..2^63-1."""
    try:
        sequence = (shape,) if isinstance(shape, int) else tuple(shape)
        extents = tuple(int(extent.__index__()) for extent in sequence)
    except (TypeError, AttributeError, NotImplementedError):
        help = "write an integer per dimension: shape=(3, 4)"
        raise UserError("bad-shape", f"shape {shape!r} is not a tuple of integers", help=help) from None
    for dimension, extent in enumerate(extents):
        if not 0 <= extent < 2**63:
            raise UserError(
                "bad-shape",
                f"shape {extents}: extent {extent} of dimension {dimension} is out of range 0..2^63-1",
                help="an extent is the number of coordinates: at least one more than the largest",
            )
    return extents
