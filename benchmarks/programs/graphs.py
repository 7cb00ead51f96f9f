"""Graphs of the programs: R-MAT, in which few nodes have most of the edges, as CSR arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.inputs import narrow, power_law_csr


def links(nodes: int, count: int) -> Any:
    """A directed graph without loops, as ones."""
    matrix = power_law_csr(nodes, count)
    matrix.setdiag(0.0)
    matrix.eliminate_zeros()
    matrix.data[:] = 1.0
    return narrow(matrix)


def friends(nodes: int, count: int, weights: bool = False) -> Any:
    """An undirected graph without loops: ones, or whole numbers from 1 to 255 as lengths."""
    drawn = links(nodes, count)
    upper = sp.csr_array(sp.triu(drawn + drawn.T, 1))
    upper.data[:] = 1.0
    if weights:
        upper.data = np.random.default_rng(1).integers(1, 256, upper.nnz).astype(float)
    return narrow(upper + upper.T)


def busiest(matrix: Any, count: int = 1) -> Any:
    """The nodes of most edges."""
    return np.argsort(-np.diff(matrix.indptr), kind="stable")[:count]
