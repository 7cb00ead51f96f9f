"""Matrices that a conversion between formats may spoil."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


def arrays(rows: int, columns: int) -> Iterator[np.ndarray]:
    """Empty, full, one entry, the first, the last, and what is no ordinary number."""
    rng, none = np.random.default_rng(0), np.zeros((rows, columns))
    yield none
    yield none + 2
    for at in (0, none.size // 2, none.size - 1) if none.size else ():
        one = none.copy()
        one.flat[at] = 3
        yield one
    mixed = np.repeat(rng.choice([0.0, 1.0, np.nan, -0.0, np.inf], (rows, columns)), 2, axis=1)[:, :columns]
    yield mixed
