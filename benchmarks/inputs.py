"""What the benchmarks compute with: random and mesh matrices, random tensors; 32-bit indices, sorted, no duplicates."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from irtensor.tensor import Tensor

CSR = "dense, compressed, pos = i32, crd = i32"
CSF = "compressed, compressed, compressed, pos = i32, crd = i32"


def vector(extent: int, *more: int) -> Any:
    """A dense array of random numbers."""
    return np.random.default_rng(1).random((extent, *more))


def random_csr(rows: int, columns: int, stored: int, seed: int = 0) -> Any:
    """A CSR array with entries at uniform places."""
    generator = np.random.default_rng(seed)
    keys = np.unique(generator.integers(0, rows * columns, stored))
    row, column = np.divmod(keys, columns)
    positions = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=rows))))
    parts = (generator.random(len(keys)), column.astype(np.int32), positions.astype(np.int32))
    return sp.csr_array(parts, shape=(rows, columns))


def poisson(extent: int) -> Any:
    """The 7-point Laplacian of a cube of `extent` points on each side, in CSR."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(extent, extent))
    matrix = sp.csr_array(sp.kronsum(sp.kronsum(line, line), line))
    matrix.sum_duplicates()
    return matrix


def blocks(rows: int, per_row: int, size: int) -> Any:
    """A CSR array of dense blocks, as finite elements with several unknowns per node give."""
    pattern = random_csr(rows, rows, per_row * rows)
    matrix = sp.csr_array(sp.kron(pattern, np.ones((size, size)), format="csr"))
    matrix.sum_duplicates()
    return matrix


def random_csf(shape: tuple[int, int, int], stored: int, seed: int = 0) -> Tensor:
    """A CSF tensor with entries at uniform places."""
    generator = np.random.default_rng(seed)
    keys = np.unique(generator.integers(0, shape[0] * shape[1] * shape[2], stored))
    coordinates = np.array(np.unravel_index(keys, shape))
    return Tensor.from_coo(coordinates, generator.random(len(keys)), shape=shape, format=CSF)


def fibres_as_rows(tensor: Tensor) -> Any:
    """The fibres of a CSF tensor as the rows of a CSR array, empty ones left out: what SciPy can hold of it."""
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
