"""References where SciPy has no such kernel: the best that its and NumPy's operations give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

# Entries handled at a time: the rows gathered for them stay in the cache.
SDDMM_PIECE, MTTKRP_PIECE = 256, 4096


def sddmm_by_numpy(pattern: Any, left: Any, right: Any) -> Any:
    """The CSR array `pattern * (left @ right.T)` as one writes it in NumPy: dot products of gathered rows."""
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    values = np.einsum("nk,nk->n", left[rows], right[pattern.indices])
    return sp.csr_array((values * pattern.data, pattern.indices, pattern.indptr), shape=pattern.shape)


def sddmm_in_pieces(pattern: Any, left: Any, right: Any) -> Any:
    """The same, with gathered rows that stay in the cache: the best that NumPy does."""
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    values = np.empty(pattern.nnz)
    for start in range(0, pattern.nnz, SDDMM_PIECE):
        piece = slice(start, start + SDDMM_PIECE)
        values[piece] = np.einsum("nk,nk->n", left[rows[piece]], right[pattern.indices[piece]])
    return sp.csr_array((values * pattern.data, pattern.indices, pattern.indptr), shape=pattern.shape)


def mttkrp_by_numpy(coordinates: Any, values: Any, extent: int, second: Any, third: Any) -> Any:
    """Products of gathered rows, added up over equal i; entries are sorted by i."""
    i, j, k = coordinates
    result = np.zeros((extent, second.shape[1]))
    for start in range(0, len(values), MTTKRP_PIECE):
        piece = slice(start, start + MTTKRP_PIECE)
        rows, products = i[piece], values[piece, None] * second[j[piece]]
        products *= third[k[piece]]
        begins = np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))
        result[rows[begins]] += np.add.reduceat(products, begins, axis=0)
    return result


def _fibers(coordinates: Any, values: Any, shape: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """The fibers (i, j, :) as rows of a matrix, their j, and the matrix that adds them up over equal i."""
    i, j, k = coordinates
    fibers, fiber_of_entry = np.unique(i.astype(np.int64) * shape[1] + j, return_inverse=True)
    count = len(fibers)
    entries = sp.csr_array((values, (fiber_of_entry, k)), shape=(count, shape[2]))
    rows, middle = np.divmod(fibers, shape[1])
    return entries, middle, sp.csr_array((np.ones(count), (rows, np.arange(count))), shape=(shape[0], count))


def mttkrp_by_scipy(coordinates: Any, values: Any, shape: tuple[int, ...]) -> Callable[[Any, Any], Any]:
    """Two sparse matrix products over the fibers (i, j, :), which are prepared outside of the timing."""
    entries, middle, gather = _fibers(coordinates, values, shape)
    return lambda second, third: gather @ ((entries @ third) * second[middle])


def sparse_mttkrp_by_scipy(coordinates: Any, values: Any, shape: tuple[int, ...]) -> Callable[[Any, Any], Any]:
    """The same for sparse factors, with a sparse result."""
    entries, middle, gather = _fibers(coordinates, values, shape)
    return lambda second, third: gather @ (entries @ third).multiply(second[middle])


def row_wise_product(left: Any, right: Any) -> Any:
    """The CSR array whose row j is the Kronecker product of the rows j of two CSR arrays (Khatri-Rao, transposed)."""
    counts, others = np.diff(left.indptr), np.diff(right.indptr)
    # Each entry on the left with all entries of the same row on the right.
    rows = np.repeat(np.arange(len(counts)), counts)
    partners = others[rows]
    begins = right.indptr[rows] - (np.cumsum(partners) - partners)
    elements = np.repeat(begins, partners) + np.arange(partners.sum())
    columns = np.repeat(left.indices.astype(np.int64) * right.shape[1], partners) + right.indices[elements]
    values = np.repeat(left.data, partners) * right.data[elements]
    positions = np.concatenate(([0], np.cumsum(counts.astype(np.int64) * others)))
    return sp.csr_array((values, columns, positions), shape=(left.shape[0], left.shape[1] * right.shape[1]))
