"""The zeros that a copy of a tensor stores where the tensor stores nothing."""

from __future__ import annotations

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.level_storage import Array
from irtensor.storage.stored_tensor import StoredTensor, pattern_of
from irtensor.storage.unpack_coordinates import stored_coordinates


def added_zeros(tensor: StoredTensor, format: TensorFormat) -> list[Array] | None:
    """For each dimension the coordinates at which a format that stores them has some; None where there are none."""
    entries = pattern_of(tensor).to_format(format.with_fill(None)).held()
    rows = stored_coordinates(
        tensor.shape, format, entries.levels, entries.values.size, np.flatnonzero(~entries.values)
    ).dimensions
    inside = np.logical_and.reduce([(row >= 0) & (row < end) for row, end in zip(rows, tensor.shape, strict=True)])
    if not inside.any():
        return None
    found: list[Array] = []
    for row, extent in zip(rows, tensor.shape, strict=True):
        seen = np.zeros(extent, bool)
        seen[row[inside]] = True
        found.append(np.flatnonzero(seen))
    return found
