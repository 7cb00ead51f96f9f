"""Random tensors whose entries fit into structured levels, together with the dense arrays they stand for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import irtensor as it


def structured_operand(
    format: str, shape: tuple[int, ...], random: np.random.Generator, share: float = 0.5
) -> tuple[it.Tensor, np.ndarray]:
    """A tensor in an unblocked format, and its dense meaning. Levels choose among the coordinates that they can hold."""
    read = it.Format(format)
    order, names = read.dimension_order, [level.format.name for level in read.levels]
    dense = np.full(shape, 0.0 if read.fill is None else float(read.fill))
    for path in _paths(names, [shape[dimension] for dimension in order], random, share, ()):
        at = [0] * len(shape)
        for dimension, coordinate in zip(order, path, strict=True):
            at[dimension] = coordinate
        dense[tuple(at)] = random.integers(1, 6)
    return it.Tensor.from_numpy(dense, read), dense


def _paths(
    names: list[str], extents: list[int], random: np.random.Generator, share: float, above: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """The coordinates of entries, from the outermost level on."""
    if not names:
        yield above
        return
    for coordinate in _coordinates(names[0], extents[0], random, share, above):
        yield from _paths(names[1:], extents[1:], random, share, (*above, int(coordinate)))


def _coordinates(
    name: str, extent: int, random: np.random.Generator, share: float, above: tuple[int, ...]
) -> np.ndarray | range:
    """Coordinates that one fiber of a level may have."""
    found = np.flatnonzero(random.random(extent) < share)
    return found[: random.integers(2)] if name == "point" else found
