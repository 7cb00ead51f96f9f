"""Random operands for tests: any storage of a format, together with the dense array it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import overload

import numpy as np
from reference.build_storage import build_storage

from irtensor.core.tensor_format import TensorFormat
from irtensor.tensors.tensor import Tensor

# Share of elements stored, and share of the outermost slices that are left empty.
PATTERNS: dict[str, tuple[float, float]] = {
    "sparse": (0.35, 0.0),
    "holes": (0.6, 0.5),
    "full": (1.0, 0.0),
    "empty": (0.0, 0.0),
}


@overload
def random_operand(
    shape: tuple[int, ...], format: None, pool: np.ndarray, pattern: str, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]: ...
@overload
def random_operand(
    shape: tuple[int, ...], format: TensorFormat, pool: np.ndarray, pattern: str, random: np.random.Generator
) -> tuple[Tensor, np.ndarray]: ...
@overload
def random_operand(
    shape: tuple[int, ...], format: TensorFormat | None, pool: np.ndarray, pattern: str, random: np.random.Generator
) -> tuple[Tensor | np.ndarray, np.ndarray]: ...
def random_operand(
    shape: tuple[int, ...],
    format: TensorFormat | None,
    pool: np.ndarray,
    pattern: str,
    random: np.random.Generator,
) -> tuple[Tensor | np.ndarray, np.ndarray]:
    """An operand with values from `pool`, in storage of the format (None: a plain array), and its dense meaning."""
    # What is dense has no elements that are not stored, so it needs no fill value that suits the operator.
    stored_share, empty_share = PATTERNS["full" if format is not None and format.is_dense else pattern]
    if format is None:
        array = np.asarray(random.choice(pool, shape))
        return array, array
    coordinates = [c for c in product(*map(range, shape)) if random.random() < stored_share]
    for dimension, extent in enumerate(shape):
        empty = {c for c in range(extent) if random.random() < empty_share}
        coordinates = [c for c in coordinates if c[dimension] not in empty]
    fill = np.array(0 if format.fill is None else format.fill).astype(pool.dtype)
    # One entry in eight stores the fill value explicitly, but where entries have no values.
    explicit = (random.random(len(coordinates)) < 0.125) & (not format.is_dense) & (not format.is_pattern)
    values = np.where(explicit, fill, random.choice(pool, len(coordinates)))
    dense = np.full(shape, fill, pool.dtype)
    for coordinate, value in zip(coordinates, values, strict=True):
        dense[coordinate] = value
    if format.is_blocked and not format.has_diagonals:
        return Tensor.from_numpy(dense, format), dense
    if format.allows_duplicates:
        coordinates, values = _with_duplicates(coordinates, values, random)
    return build_storage(coordinates, values.astype(pool.dtype), shape, format, random), dense


def _with_duplicates(
    coordinates: Sequence[tuple[int, ...]], values: np.ndarray, random: np.random.Generator
) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """Store every second element in two parts that add up; the sum of booleans is "or"."""
    twice = [k for k in range(len(coordinates)) if random.random() < 0.5]
    extra = np.full(len(twice), values.dtype != np.bool_, values.dtype)
    parts = values.copy()
    if values.dtype != np.bool_:
        parts[twice] -= extra
    return [*coordinates, *(coordinates[k] for k in twice)], np.concatenate([parts, extra])
