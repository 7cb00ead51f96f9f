"""Connected components: each node takes the least label of its neighbours until no label changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csgraph

import irtensor as it
from benchmarks.programs.graphs import friends
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"nodes": 60, "count": 60}


def make(nodes: int = 1 << 16, count: int = 500_000) -> Program:
    a = friends(nodes, count)
    start = np.arange(nodes, dtype=float)

    def settle(step: Callable[[Any], Any]) -> Any:
        label = start
        while not np.array_equal(label, less := step(label)):
            label = less
        return label

    def ours() -> Any:
        least = it.compile("m[i] = min(j, where(A[i,j] != 0, l[j], inf))", formats={"A": it.CSR})
        return settle(lambda label: np.minimum(label, least(A=a, l=label)))

    def few() -> Any:
        least = it.compile("m[i] min= where(A[i,j] != 0, l[j], l[i])", formats={"A": it.CSR})
        return settle(lambda label: least(A=a, l=label))

    def with_scipy() -> Any:
        count, number = csgraph.connected_components(a, directed=False)
        least = np.full(count, nodes)
        np.minimum.at(least, number, np.arange(nodes))
        return least[number].astype(float)

    def with_graphblas(graphblas: Any) -> Any:
        matrix = graphblas.io.from_scipy_sparse(a)

        def call() -> Any:
            label = graphblas.Vector.from_dense(start)
            while True:
                before = label.dup()
                label(graphblas.binary.min).update(graphblas.semiring.min_second(matrix @ label))
                if label.isequal(before):
                    return label.to_dense()

        return call

    def expected() -> Any:
        """Union-find, an edge at a time."""
        parent = list(range(nodes))

        def root(node: int) -> int:
            while parent[node] != node:
                parent[node] = node = parent[parent[node]]
            return node

        for one, other in zip(*(part.tolist() for part in a.nonzero()), strict=True):
            low, high = sorted((root(one), root(other)))
            parent[high] = low
        return np.array([root(node) for node in range(nodes)], float)

    title = f"Connected components, {nodes:,} nodes, {a.nnz:,} edges"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
