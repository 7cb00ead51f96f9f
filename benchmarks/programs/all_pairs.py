"""Shortest paths between all pairs of nodes by blocks (Floyd and Warshall)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.csgraph import floyd_warshall

import irtensor as it
from benchmarks.programs.graphs import friends
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"nodes": 24, "count": 60, "block": 8}


def make(nodes: int = 1024, count: int = 8000, block: int = 64) -> Program:
    a = friends(nodes, count, weights=True)
    lengths = np.where(a.toarray() > 0.0, a.toarray(), np.inf)
    np.fill_diagonal(lengths, 0.0)

    def by_blocks(through: Callable[[Any, Any, Any], Any]) -> Any:
        """`through` gives the lesser of lengths and those of two paths in a row."""
        paths = lengths
        for start in range(0, nodes, block):
            here = slice(start, start + block)
            middle = paths[here, here]
            for _ in range((block - 1).bit_length()):
                middle = through(middle, middle, middle)
            row = through(paths[here], middle, paths[here])
            column = through(paths[:, here], paths[:, here], middle)
            paths = through(paths, column, row)
        return paths

    def ours() -> Any:
        return by_blocks(lambda r, x, y: np.minimum(r, it.einsum("ik,kj->ij", x, y, semiring=it.MIN_PLUS)))

    def few() -> Any:
        kernel = it.compile("R[i,j] min= X[i,k] + Y[k,j]")
        return by_blocks(lambda r, x, y: kernel(R=r, X=x, Y=y))

    def with_scipy() -> Any:
        return floyd_warshall(a, directed=False)

    def with_numpy() -> Any:
        paths = lengths.copy()
        for k in range(nodes):
            np.minimum(paths, paths[:, k, None] + paths[k], out=paths)
        return paths

    title = f"All pairs, {nodes:,} nodes, blocks of {block}"
    # NumPy's is the textbook's three lines.
    return Program(title, {OURS: ours, FEW: few, "SciPy": with_scipy, "NumPy": with_numpy}, with_numpy)
