"""What the benchmarks compute with: random and mesh matrices, random tensors; 32-bit indices, sorted, no duplicates."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from irtensor.tensors.tensor import Tensor

CSR = "dense, compressed, pos = i32, crd = i32"
CSF = "compressed, compressed, compressed, pos = i32, crd = i32"


def vector(extent: int, *more: int) -> Any:
    """A dense array of random numbers."""
    return np.random.default_rng(1).random((extent, *more))


def random_csr(rows: int, columns: int, stored: int, seed: int = 0) -> Any:
    """A CSR array with entries at uniform coordinates."""
    generator = np.random.default_rng(seed)
    keys = np.unique(generator.integers(0, rows * columns, stored))
    row, column = np.divmod(keys, columns)
    positions = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=rows))))
    parts = (generator.random(len(keys)), column.astype(np.int32), positions.astype(np.int32))
    return sp.csr_array(parts, shape=(rows, columns))


def narrow(matrix: Any) -> Any:
    """A SciPy matrix as a CSR array with sorted 32-bit indices."""
    array = sp.csr_array(matrix)
    array.sort_indices()
    parts = (array.data, array.indices.astype(np.int32), array.indptr.astype(np.int32))
    return sp.csr_array(parts, shape=array.shape)


def poisson(extent: int) -> Any:
    """The 7-point Laplacian of a cube of `extent` points on each side, in CSR."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(extent, extent))
    matrix = sp.csr_array(sp.kronsum(sp.kronsum(line, line), line))
    matrix.sum_duplicates()
    return matrix


def _with_random_values(matrix: Any) -> Any:
    array = narrow(matrix)
    array.data = np.random.default_rng(0).random(array.nnz)
    return array


def fem27(extent: int) -> Any:
    """A CSR array in which each point of a cube is coupled with its 26 neighbours and itself."""
    line = sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(extent, extent))
    return _with_random_values(sp.kron(sp.kron(line, line), line))


def laplacian(extent: int) -> Any:
    """A CSR array with the pattern of the 5-point Laplacian of a square of `extent` points on each side."""
    line = sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(extent, extent))
    return _with_random_values(sp.kronsum(line, line))


def banded(size: int, width: int) -> Any:
    """A CSR array with that many diagonals on both sides of the main one."""
    offsets = list(range(-width, width + 1))
    return _with_random_values(sp.diags_array([1.0] * len(offsets), offsets=offsets, shape=(size, size)))


def blocked(pattern: Any, size: int) -> Any:
    """A BSR array with a dense block of random numbers in the place of each entry of a CSR array."""
    values = np.random.default_rng(0).random((pattern.nnz, size, size))
    shape = (size * pattern.shape[0], size * pattern.shape[1])
    return sp.bsr_array((values, pattern.indices, pattern.indptr), shape=shape)


def short_blocks(rows: int, per_row: int, mean: int, same: int, seed: int = 0) -> Any:
    """A CSR array with so many blocks of consecutive entries in each row, half to one and a half times as long as the
    mean, with gaps of random lengths between them: near the diagonal, as in matrices of meshes whose nodes are
    numbered along them. Groups of rows, so many in each, have the same blocks.
    """
    generator = np.random.default_rng(seed)
    groups = rows // same
    widths = generator.integers(mean // 2, mean + mean // 2 + 1, (groups, per_row))
    begins = np.cumsum(generator.integers(1, 4 * mean, (groups, per_row)) + widths, axis=1) - widths
    span = int((begins + widths).max())
    columns = -(-max(rows, span) // same) * same
    middle = same * np.arange(groups)[:, None] - span // 2
    begins += np.clip(middle, 0, columns - span)
    lengths, begins = (np.repeat(array, same, axis=0) for array in (widths, begins))
    positions = np.concatenate(([0], np.cumsum(lengths.sum(axis=1))))
    lengths, begins = lengths.reshape(-1), begins.reshape(-1)
    starts = np.cumsum(lengths) - lengths
    coordinates = np.arange(int(lengths.sum())) + np.repeat(begins - starts, lengths)
    parts = (generator.random(coordinates.size), coordinates.astype(np.int32), positions.astype(np.int32))
    return sp.csr_array(parts, shape=(groups * same, columns))


def gallery(name: str) -> Any:
    """The real part of an example matrix of PyAMG."""
    from pyamg.gallery import load_example

    matrix = sp.csr_array(load_example(name)["A"].real)
    matrix.sum_duplicates()
    return narrow(matrix)


def _skewed(generator: Any, stored: int, levels: int) -> Any:
    """Pairs of coordinates below 2**levels, each half of each square drawn with its own chance (R-MAT)."""
    row, column = np.zeros(stored, np.int64), np.zeros(stored, np.int64)
    for _ in range(levels):
        drawn = generator.random(stored)
        row = 2 * row + (drawn >= 0.76)
        column = 2 * column + ((drawn >= 0.57) & (drawn < 0.76) | (drawn >= 0.95))
    return row, column


def power_law_csr(rows: int, stored: int, seed: int = 0) -> Any:
    """A square CSR array in which few rows and columns have most of the entries, as in graphs of people and pages."""
    generator = np.random.default_rng(seed)
    row, column = _skewed(generator, stored, max(1, (rows - 1).bit_length()))
    names = generator.permutation(rows)
    matrix = sp.csr_array(sp.coo_array((np.ones(stored), (names[row % rows], names[column % rows])), (rows, rows)))
    matrix.sum_duplicates()
    matrix.data = generator.random(matrix.nnz)
    return narrow(matrix)


def lower_triangle(matrix: Any) -> Any:
    """The edges of an undirected graph, each once, as ones below the diagonal."""
    lower = sp.csr_array(sp.tril(matrix + matrix.T, -1))
    lower.data = np.ones(lower.nnz)
    return lower


def blocks(rows: int, per_row: int, size: int) -> Any:
    """A CSR array of dense blocks, as finite elements with several unknowns per node give."""
    return blocks_on(random_csr(rows, rows, per_row * rows), size)


def blocks_on(pattern: Any, size: int) -> Any:
    """A CSR array with a dense block in the place of each entry of another."""
    matrix = sp.csr_array(sp.kron(pattern, np.ones((size, size)), format="csr"))
    matrix.sum_duplicates()
    return matrix


def random_csf(shape: tuple[int, int, int], stored: int, seed: int = 0, format: str = CSF) -> Tensor:
    """A tensor with entries at uniform coordinates, in CSF or another format."""
    generator = np.random.default_rng(seed)
    keys = np.unique(generator.integers(0, shape[0] * shape[1] * shape[2], stored))
    coordinates = np.array(np.unravel_index(keys, shape))
    return Tensor.from_coo(coordinates, generator.random(len(keys)), shape=shape, format=format)


def fibres_as_rows(tensor: Tensor) -> Any:
    """The non-empty fibres of a CSF tensor as the rows of a CSR array, for SciPy, which has no tensors."""
    positions: Any = tensor.levels[2].positions
    coordinates: Any = tensor.levels[2].coordinates
    parts: Any = (tensor.values, coordinates, positions)
    return sp.csr_array(parts, shape=(len(positions) - 1, tensor.shape[2]))


def matricised(coordinates: Any, values: Any, shape: tuple[int, ...]) -> Any:
    """A 3-tensor as a CSR array whose columns are pairs (j, k)."""
    i, j, k = coordinates
    rows, middle, inner = shape
    parts = (values, (i.astype(np.int32), (j.astype(np.int64) * inner + k).astype(np.int32)))
    matrix = sp.csr_array(sp.coo_array(parts, shape=(rows, middle * inner)))
    matrix.sum_duplicates()
    return matrix
