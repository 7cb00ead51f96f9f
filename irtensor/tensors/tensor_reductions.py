"""Reductions of a Tensor over some of its dimensions, computed by kernels: sums, extremes, means and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.arguments import as_flag
from irtensor.frontend.expression_tree import Access, Apply, Expression, Literal, Reduce, Statement
from irtensor.tensors.wide_results import evaluate_wide


def reduced(tensor: Any, operator: str, axis: Any, keepdims: bool, dtype: Any = None) -> Any:
    """The elements of each slice over `axis` combined: a scalar, or a Tensor if this one is sparse, or an array.

    `axis` is None for all dimensions, a number, or a tuple of them. Sums and products of integers are of 64 bits.
    """
    axes = _axes(axis, tensor.ndim)
    if dtype is not None:
        tensor = tensor.astype(dtype)
    elif operator in ("add", "mul") and tensor.dtype.kind in "biu":
        tensor = tensor.astype(np.uint64 if tensor.dtype.kind == "u" else np.int64)
    if operator in ("min", "max"):
        _check_not_empty(tensor.shape, axes, operator)
    result = _combined(tensor, operator, axes)
    return _with_axes(result, axes, tensor.shape) if as_flag("keepdims=", keepdims) else result


def mean(tensor: Any, axis: Any, keepdims: bool, dtype: Any = None) -> Any:
    """The sum over the number of elements, those that are not stored included; of integers in float64."""
    if dtype is None and tensor.dtype.kind in "biu":
        dtype = np.float64
    count = math.prod(tensor.shape[k] for k in _axes(axis, tensor.ndim))
    total = reduced(tensor, "add", axis, keepdims, dtype)
    if tensor.is_on_device:
        from irtensor.tensors.elementwise import elementwise

        return elementwise("div", total, float(count))
    with np.errstate(all="ignore"):
        return total / float(count)


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    from irtensor.tensors.tensor_dimensions import check_axis

    if axis is None:
        return tuple(range(rank))
    axes = [check_axis(one, rank) for one in (axis if isinstance(axis, tuple | list) else (axis,))]
    if len(set(axes)) < len(axes):
        raise UserError("bad-argument", f"axis {axis!r} has a dimension twice")
    return tuple(sorted(axes))


def _check_not_empty(shape: Sequence[int], axes: Sequence[int], operator: str) -> None:
    empty = [k for k in axes if shape[k] == 0]
    if empty and all(extent for k, extent in enumerate(shape) if k not in axes):
        message = f"a tensor of shape {tuple(shape)} has no {operator} over dimension {empty[0]}, which has no elements"
        raise UserError("empty-reduction", message)


def _combined(tensor: Any, operator: str, axes: tuple[int, ...]) -> Any:
    if not axes:
        # Nothing is combined, but a test of elements is one.
        return (tensor != 0) if operator in ("and", "or") and tensor.dtype.kind != "b" else tensor
    statement = _statement(operator, tensor.ndim, axes, tensor.dtype.kind != "b")
    return evaluate_wide(statement, {"A": tensor}, _result_format(tensor, axes))


@lru_cache(maxsize=1024)
def _statement(operator: str, rank: int, axes: tuple[int, ...], compares: bool) -> Statement:
    indices = tuple(f"i{k}" for k in range(rank))
    body: Expression = Access("A", indices)
    if operator in ("and", "or") and compares:
        body = Apply("ne", (body, Literal(0)))
    kept = tuple(index for k, index in enumerate(indices) if k not in axes)
    return Statement(Access("result", kept), None, Reduce(operator, tuple(indices[k] for k in axes), body))


def _result_format(tensor: Any, axes: Sequence[int]) -> Any:
    """A list for each dimension that is left, in the order of the levels; none for scalars and dense tensors."""
    kept = [k for k in range(tensor.ndim) if k not in axes]
    if not kept or tensor.format is None or tensor.format.is_dense:
        return None
    from irtensor.named_formats import CSF

    first = dict.fromkeys(level.expression.dimension for level in tensor.format.levels)
    order = [kept.index(k) for k in (*first, *kept) if k in kept]
    return CSF(len(kept), list(dict.fromkeys(order)))


def _with_axes(result: Any, axes: tuple[int, ...], shape: Sequence[int]) -> Any:
    """The result with the dimensions that are gone, of extent one."""
    full = tuple(1 if k in axes else extent for k, extent in enumerate(shape))
    if isinstance(result, np.ndarray | np.generic):
        return np.reshape(result, full)
    if result.format is None:
        return result.reshaped(full)
    if len(result.shape) == len(shape):
        return result
    from irtensor.tensors.tensor_dimensions import with_dimensions

    return with_dimensions(result, axes)
