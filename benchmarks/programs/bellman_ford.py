"""Shortest paths from one node: all edges are relaxed until no distance becomes less (Bellman and Ford)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.csgraph import dijkstra

import irtensor as it
from benchmarks.programs.graphs import busiest, friends
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"nodes": 60, "count": 150}


def make(nodes: int = 1 << 15, count: int = 300_000) -> Program:
    a = friends(nodes, count, weights=True)
    source = int(busiest(a)[0])

    def relax(step: Callable[[Any], Any]) -> Any:
        distance = np.full(nodes, np.inf)
        distance[source] = 0.0
        while not np.array_equal(distance, shorter := step(distance)):
            distance = shorter
        return distance

    def ours() -> Any:
        return relax(lambda d: np.minimum(d, it.einsum("i,ij->j", d, a, semiring=it.MIN_PLUS)))

    def few() -> Any:
        step = it.compile("d[j] min= s[i] + A[i,j]", formats={"A": "dense, compressed, fill = inf"})
        lengths = it.as_tensor(a).with_fill(np.inf)
        return relax(lambda d: step(d=d, s=d, A=lengths))

    def with_graphblas(graphblas: Any) -> Any:
        matrix = graphblas.io.from_scipy_sparse(a)

        def call() -> Any:
            distance = graphblas.Vector.from_coo([source], 0.0, dtype=float, size=nodes)
            while True:
                before = distance.dup()
                distance(graphblas.binary.min).update(graphblas.semiring.min_plus(distance @ matrix))
                if distance.isequal(before):
                    return distance.to_dense(fill_value=np.inf)

        return call

    def with_scipy() -> Any:
        return dijkstra(a, indices=[source])[0]

    def expected() -> Any:
        start, end = a.nonzero()

        def step(distance: Any) -> Any:
            shorter = distance.copy()
            np.minimum.at(shorter, end, distance[start] + a.data)
            return shorter

        return relax(step)

    title = f"Bellman-Ford, {nodes:,} nodes, {a.nnz:,} edges"
    # SciPy's own is Dijkstra's, which looks at each edge once.
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
