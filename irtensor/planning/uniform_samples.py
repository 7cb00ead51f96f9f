"""Operands like given ones, for measurements: as dense, with entries anywhere, and no larger than is needed."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, prod
from typing import Any

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.late_imports import load_for
from irtensor.storage.make_tensors import tensor_of_entries
from irtensor.storage.symmetric_entries import with_mirrors

_MOST_ELEMENTS = 1 << 17
_SEED = 0


def uniform_samples(operands: Sequence[Any], most: int = _MOST_ELEMENTS) -> list[Any]:
    """An operand of the same type, format and density for each, with ones where it has entries.

    All extents shrink alike, so that operands fit together, until no operand stores more than about `most` elements.
    """
    random = np.random.default_rng(_SEED)
    sizes = [(len(one.shape), one.size if _is_dense(one) else one.nnz) for one in operands]
    scale = min([1.0, *[(most / size) ** (1 / rank) for rank, size in sizes if size > most]])
    return [_sample(one, size, scale, random) for one, (_, size) in zip(operands, sizes, strict=True)]


def _sample(operand: Any, size: int, scale: float, random: np.random.Generator) -> Any:
    shape = tuple([ceil(extent * scale) for extent in operand.shape])
    if _is_dense(operand):
        ones = np.ones(shape, operand.dtype)
        return ones if type(operand) is np.ndarray else _on_device(ones, operand.device)
    count = round(size * prod(shape) / (prod(operand.shape) or 1))
    coordinates, one = _coordinates(shape, count, random), np.ones(1, operand.dtype)[0]
    if operand.format.symmetric:
        coordinates = _mirrored(coordinates, operand.format)
    sample = tensor_of_entries(coordinates, one, shape=shape, format=operand.format)
    if not operand.is_on_device:
        return sample
    load_for("cards")
    from irtensor.interop.device_copies import copied_tensor

    return copied_tensor(sample, operand.device)


def _is_dense(operand: Any) -> bool:
    return getattr(operand, "format", None) is None


def _coordinates(shape: tuple[int, ...], count: int, random: np.random.Generator) -> np.ndarray:
    """About so many different elements, uniformly distributed."""
    if 2 * count >= prod(shape):
        return np.array(np.unravel_index(random.permutation(prod(shape))[:count], shape))
    # A few of them are the same where that is likely.
    rows = np.array([random.integers(0, extent, count) for extent in shape])
    return np.unique(rows, axis=1)


def _mirrored(coordinates: np.ndarray, format: TensorFormat) -> np.ndarray:
    """The coordinates and all their mirrors, each once."""
    exchanged = list(format.symmetric)
    coordinates[exchanged] = np.sort(coordinates[exchanged], axis=0)
    once = np.unique(coordinates, axis=1)
    return np.array(with_mirrors(list(once), np.ones(once.shape[1]), format)[0])


def _on_device(array: np.ndarray, device: int) -> Any:
    load_for("cards")
    from irtensor.interop.device_copies import copied_array

    return copied_array(array, device)
