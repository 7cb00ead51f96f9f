"""Random tensors whose entries fit into structured levels, together with the dense arrays they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

import irtensor as it

# The level is the outermost, the innermost, or between others.
PLACES = (
    "{}",
    "dense, {}",
    "compressed, {}",
    "{}, dense",
    "{}, compressed",
    "{}, {}",
    "(i, j) -> (j : dense, i : {})",
    "dense, {}, dense",
    "dense, {}, compressed",
    "compressed, {}, dense",
    "compressed, {}, compressed",
    "{}, dense, {}",
)
# The same for levels that are bounded by the coordinate above.
TRIANGULAR = (
    "dense, {}",
    "dense, {}, {}",
    "dense, dense, {}",
    "compressed, dense, {}",
    "dense, {}, dense",
    "dense, {}, compressed",
    "(i, j) -> (j : dense, i : {})",
)


def structured_operand(
    format: str, shape: tuple[int, ...], random: np.random.Generator, share: float = 0.5
) -> tuple[it.Tensor, np.ndarray]:
    """A tensor in an unblocked format, and its dense meaning; its entries fit into the levels."""
    read = it.Format(format)
    order, names = read.dimension_order, [level.format.name for level in read.levels]
    dense = np.full(shape, 0 if read.fill is None else read.fill, np.float64)
    for path, value in _entries(names, [shape[dimension] for dimension in order], random, share):
        at = [0] * len(shape)
        for dimension, coordinate in zip(order, path, strict=True):
            at[dimension] = coordinate
        dense[tuple(at)] = value
    return it.Tensor.from_numpy(dense, read), dense


def _entries(
    names: list[str], extents: list[int], random: np.random.Generator, share: float, above: int = 0
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Paths to entries from the outermost of some levels on, and their values; `above` is the coordinate above."""
    if not names:
        yield (), int(random.integers(1, 6))
        return
    name, found = names[0], np.flatnonzero(random.random(extents[0]) < share)
    if name == "point":
        found = found[: random.integers(2)]
    if name.endswith("triangle"):
        found = found[found < above + (name == "triangle")]
    if name == "interval" and found.size:
        below = list(_entries(names[1:], extents[1:], random, share))
        for coordinate, (path, value) in product(range(found[0], found[-1] + 1), below):
            yield (coordinate, *path), value
        return
    for coordinate in found:
        for path, value in _entries(names[1:], extents[1:], random, share, int(coordinate)):
            yield (int(coordinate), *path), value
