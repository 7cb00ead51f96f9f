"""NumPy's functions that put tensors together: sparse tensors give sparse ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.fill_values import fill_text
from irtensor.frontend.arguments import as_integer
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.interop.as_tensor import as_tensor
from irtensor.storage.element_types import same_fill
from irtensor.tensors.elementwise import elementwise
from irtensor.tensors.joined import joined, outermost_format
from irtensor.tensors.tensor_dimensions import check_axis, with_dimensions

_MODES = ("constant", "edge", "wrap", "reflect", "symmetric")


def concatenate(tensors: Sequence[Any], axis: int = 0) -> Any:
    """Tensors one behind the other along a dimension; others have equal extents.

    The result is stored as the first sparse tensor, in time of the stored entries; of dense arrays alone it is an
    array. Raises UserError [bad-argument], [rank-mismatch], [extent-mismatch], [fill-mismatch].

    >>> A = it.Tensor.from_numpy(np.eye(2), "csr")
    >>> it.concatenate([A, 2 * A], axis=1).to_numpy()
    array([[1., 0., 2., 0.],
           [0., 1., 0., 2.]])
    """
    parts = _given(tensors)
    rank = parts[0].ndim
    if any(part.ndim != rank for part in parts) or not rank:
        shapes = " and ".join(dict.fromkeys(str(part.shape) for part in parts))
        help = "irtensor.stack puts tensors side by side along a new dimension"
        raise UserError("rank-mismatch", f"tensors of shapes {shapes} are not joined along a dimension", help=help)
    dimension = check_axis(axis, rank)
    for part in parts:
        if any(
            one != other
            for k, (one, other) in enumerate(zip(part.shape, parts[0].shape, strict=True))
            if k != dimension
        ):
            message = f"shapes {parts[0].shape} and {part.shape} differ in a dimension other than {dimension}"
            raise UserError("extent-mismatch", message, help="give the axis in which they may differ")
    return _joined(parts, dimension)


def stack(tensors: Sequence[Any], axis: int = 0) -> Any:
    """Tensors of one shape side by side along a new dimension, as `concatenate`.

    >>> a = it.Tensor.from_numpy(np.array([0.0, 1.0, 0.0]), "compressed")
    >>> it.stack([a, 3 * a]).to_numpy()
    array([[0., 1., 0.],
           [0., 3., 0.]])
    """
    parts = _given(tensors)
    shapes = dict.fromkeys(part.shape for part in parts)
    if len(shapes) > 1:
        message = f"tensors of shapes {' and '.join(map(str, shapes))} are not side by side"
        raise UserError("extent-mismatch", message, help="irtensor.concatenate joins along a dimension that they have")
    dimension = check_axis(axis, parts[0].ndim + 1)
    return _joined([with_dimensions(part, [dimension]) for part in parts], dimension)


def roll(tensor: Any, shift: int | Sequence[int], axis: int | Sequence[int] | None = None) -> Any:
    """The tensor with its elements moved along a dimension; those that leave it come in at the other end.

    A tensor of one dimension needs no `axis`. Raises UserError [bad-argument].

    >>> it.roll(it.Tensor.from_numpy(np.array([1.0, 2.0, 0.0]), "compressed"), 1).to_numpy()
    array([0., 1., 2.])
    """
    (result,) = _given([tensor])
    if axis is None and result.ndim != 1:
        message = f"a tensor of {result.ndim} dimensions is moved along one of them"
        raise UserError("bad-argument", message, help="give axis=")
    axes = [0] if axis is None else list(axis) if isinstance(axis, Sequence) else [axis]
    shifts = list(shift) if isinstance(shift, Sequence) else [shift] * len(axes)
    if len(shifts) != len(axes):
        raise UserError("bad-argument", f"{len(shifts)} shifts are not for {len(axes)} dimensions")
    for one, by in zip(axes, shifts, strict=True):
        dimension = check_axis(one, result.ndim)
        extent = result.shape[dimension]
        cut = -as_integer("shift", by) % extent if extent else 0
        if cut:
            before = (slice(None),) * dimension
            result = as_tensor(concatenate([result[*before, cut:], result[*before, :cut]], dimension))
    return _as_given(result)


def flip(tensor: Any, axis: int | Sequence[int] | None = None) -> Any:
    """The tensor with the order of its elements reversed along dimensions, by default all.

    >>> it.flip(it.Tensor.from_numpy(np.array([1.0, 2.0, 0.0]), "compressed")).to_numpy()
    array([0., 2., 1.])
    """
    (given,) = _given([tensor])
    axes = range(given.ndim) if axis is None else axis if isinstance(axis, Sequence) else [axis]
    reversed = {check_axis(one, given.ndim) for one in axes}
    back, whole = slice(None, None, -1), slice(None)
    return _as_given(given[tuple([back if k in reversed else whole for k in range(given.ndim)])] if reversed else given)


def pad(tensor: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Any:
    """The tensor with more coordinates before and behind those of each dimension, as many as `pad_width` says.

    `pad_width` is that of `numpy.pad`. New elements of mode "constant" have the fill value; those of "edge", "wrap",
    "reflect" and "symmetric" are elements of the tensor. Raises UserError [bad-argument], [fill-mismatch].

    >>> it.pad(it.Tensor.from_numpy(np.array([1.0, 2.0]), "compressed"), (2, 1)).to_numpy()
    array([0., 0., 1., 2., 0.])
    """
    (result,) = _given([tensor])
    if mode not in _MODES:
        raise UserError("bad-argument", f"{mode!r} is not a mode of padding", help=f"modes are {', '.join(_MODES)}")
    if constant_values is not None and not same_fill(constant_values, result.fill_value):
        message = f"the tensor is padded with {constant_values}, and its fill value is {result.fill_value}"
        raise UserError("fill-mismatch", message, help=f"store that: T.to_numpy(), or T.with_fill({constant_values})")
    try:
        widths = np.broadcast_to(np.asarray(pad_width), (result.ndim, 2))
    except ValueError:
        message = f"pad_width is {pad_width!r} for a tensor of {result.ndim} dimensions"
        raise UserError("bad-argument", message, help="give a pair for each dimension") from None
    if widths.dtype.kind not in "iu" or (widths < 0).any():
        raise UserError("bad-argument", f"pad_width is {pad_width!r}", help="widths are integers from 0 on")
    for dimension, (before, behind) in enumerate(widths.tolist()):
        if not before and not behind:
            continue
        if mode == "constant":
            parts = [_empty(result, dimension, before), result, _empty(result, dimension, behind)]
            result = as_tensor(concatenate(parts, dimension))
            continue
        if not result.shape[dimension]:
            raise UserError(
                "bad-argument", f"dimension {dimension} has no element to pad it with, as mode {mode!r} does"
            )
        along: Any = np.pad(np.arange(result.shape[dimension]), (before, behind), mode=mode)
        result = result[*[slice(None)] * dimension, along]
    return _as_given(result)


def where(condition: Any, x: Any, y: Any) -> Any:
    """Elements of `x` where a condition holds, else those of `y`, with NumPy's broadcasting.

    >>> A = it.Tensor.from_numpy(np.array([[1.0, 0.0], [5.0, 2.0]]), "csr")
    >>> it.where(A > 1, A, 0)
    Tensor(shape=(2, 2), dtype=float64, nnz=3, format='(i, j) -> (i : dense, j : compressed)')
    """
    dtype = getattr(condition, "dtype", None)
    if dtype is None or dtype.kind != "b":
        condition = elementwise("ne", np.asarray(condition) if dtype is None else condition, 0)
    result = elementwise("where", condition, x, y)
    if result is NotImplemented:
        types = ", ".join(type(one).__name__ for one in (condition, x, y))
        raise UserTypeError("bad-argument", f"where is of arrays, tensors and numbers, not of {types}")
    return result


def _given(tensors: Any) -> list[Any]:
    """Tensors of one dtype."""
    if not isinstance(tensors, list | tuple) or not tensors:
        shown = "no tensor" if isinstance(tensors, list | tuple) else f"a {type(tensors).__name__}"
        raise UserTypeError("bad-argument", f"tensors to join are given as a list, got {shown}", help="write [A, B]")
    parts = [as_tensor(one) for one in tensors]
    dtype = np.result_type(*[part.dtype for part in parts])
    return [part.astype(dtype) for part in parts]


def _as_given(tensor: Any) -> Any:
    """A dense result as an array, as that of operators is."""
    return tensor.to_numpy() if hasattr(tensor, "format") and tensor.format.is_dense else tensor


def _joined(parts: Sequence[Any], dimension: int) -> Any:
    sparse = [part for part in parts if not part.format.is_dense]
    if not sparse:
        return np.concatenate([part.to_numpy() for part in parts], dimension)
    fill = sparse[0].fill_value
    for part in sparse:
        if not same_fill(part.fill_value, fill):
            texts = " and ".join(fill_text(one.item()) for one in (fill, part.fill_value))
            help = "T.with_fill(...) gives another one, where all elements are stored; or join T.to_numpy()"
            raise UserError("fill-mismatch", f"tensors with fill values {texts} have none in common", help=help)
    wanted = sparse[0].format
    format = outermost_format(wanted, dimension)
    result = joined([part.to_format(_like(format, part)) for part in parts], dimension)
    stored = wanted.with_mirrors.with_values.unstructured
    if result.format.structure == stored.structure:
        return result
    return result.to_format(stored.with_widths(result.format.position_width, result.format.coordinate_width))


def _like(format: Any, part: Any) -> Any:
    """A format with widths for a tensor."""
    widths = part.format if part.has_indices else format
    return format.with_widths(max(widths.position_width, 32), max(widths.coordinate_width, 32))


def _empty(tensor: Any, dimension: int, extent: int) -> Any:
    """A tensor without entries, of an extent along a dimension and else of the shape of another."""
    from irtensor.tensors.tensor_dimensions import from_entries

    shape = tuple(extent if k == dimension else other for k, other in enumerate(tensor.shape))
    if tensor.format.is_dense:
        return as_tensor(np.full(shape, tensor.fill_value, tensor.dtype))
    return from_entries(np.zeros((tensor.ndim, 0), np.int64), np.zeros(0, tensor.dtype), shape, tensor)
