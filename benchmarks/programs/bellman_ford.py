"""Shortest paths from one node: edges of nodes that have come nearer are relaxed until none does (Bellman and Ford)."""

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

    def relax(step: Callable[[Any, Any], Any]) -> Any:
        """A step has the distances, and those before, from which it sees which nodes have come nearer."""
        before = np.full(nodes, np.inf)
        distance = before.copy()
        distance[source] = 0.0
        while not np.array_equal(distance, before):
            before, distance = distance, step(distance, before)
        return distance

    def ours() -> Any:
        step = it.compile(
            "n[j] = min(i, where(c[i], s[i] + A[i,j], inf))", formats={"A": "dense, compressed, fill = inf"}
        )
        lengths = it.as_tensor(a).with_fill(np.inf)
        return relax(lambda d, before: np.minimum(d, step(c=d < before, s=d, A=lengths)))

    def few() -> Any:
        step = it.compile(
            "d[j] min= where(s[i] < b[i], s[i] + A[i,j], inf)", formats={"A": "dense, compressed, fill = inf"}
        )
        lengths = it.as_tensor(a).with_fill(np.inf)
        return relax(lambda d, before: step(d=d, s=d, b=before, A=lengths))

    def with_graphblas(graphblas: Any) -> Any:
        matrix = graphblas.io.from_scipy_sparse(a)

        def call() -> Any:
            distance = graphblas.Vector.from_dense(np.full(nodes, np.inf))
            nearer = graphblas.Vector.from_coo([source], 0.0, dtype=float, size=nodes)
            while nearer.nvals:
                distance(nearer.S).update(nearer)
                found = graphblas.semiring.min_plus(nearer @ matrix).new()
                nearer = found.dup(mask=found.ewise_mult(distance, graphblas.binary.lt).new().V)
            return distance.to_dense()

        return call

    def with_scipy() -> Any:
        return dijkstra(a, indices=[source])[0]

    def expected() -> Any:
        start, end = a.nonzero()

        def step(distance: Any, _: Any) -> Any:
            shorter = distance.copy()
            np.minimum.at(shorter, end, distance[start] + a.data)
            return shorter

        return relax(step)

    title = f"Bellman-Ford, {nodes:,} nodes, {a.nnz:,} edges"
    # SciPy's own is Dijkstra's, which looks at each edge once.
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
