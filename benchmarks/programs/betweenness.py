"""Betweenness from sixteen nodes (Brandes): shortest paths are counted outwards, and shared out on the way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import irtensor as it
from benchmarks.programs.graphs import busiest, friends
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"nodes": 40, "count": 100, "sources": 4}
Step = Callable[..., Any]


def make(nodes: int = 1 << 14, count: int = 150_000, sources: int = 16) -> Program:
    a = friends(nodes, count)
    starts = busiest(a, sources)

    def brandes(forward: Step, backward: Step) -> Any:
        """The number of paths of new nodes; and the values passed on to the level before."""
        paths = np.zeros((nodes, sources))
        paths[starts, range(sources)] = 1.0
        levels = [paths.copy()]
        while (found := forward(levels[-1], paths)).any():
            paths += found
            levels.append(found)
        share, divisor = np.zeros_like(paths), np.maximum(paths, 1.0)
        for level, before in zip(levels[:0:-1], levels[-2::-1], strict=True):
            share = backward(share, level, before, divisor)
        share[starts, range(sources)] = 0.0
        return share.sum(axis=1)

    def with_scipy() -> Any:
        def forward(frontier: Any, paths: Any) -> Any:
            return (a @ frontier) * (paths == 0.0)

        def backward(share: Any, level: Any, before: Any, divisor: Any) -> Any:
            return share + (a @ ((level > 0.0) * (1.0 + share) / divisor)) * before

        return brandes(forward, backward)

    def ours() -> Any:
        forward = it.compile("F[i,s] = where(P[i,s] == 0, sum(j, A[i,j] * X[j,s]), 0)", formats={"A": it.CSR})
        passed = it.compile("V[j,s] = where(L[j,s] > 0, (1 + S[j,s]) / P[j,s], 0)")
        backward = it.compile("R[i,s] = S[i,s] + B[i,s] * sum(j, A[i,j] * V[j,s])", formats={"A": it.CSR})
        return brandes(
            lambda frontier, paths: forward(A=a, X=frontier, P=paths),
            lambda share, level, before, divisor: backward(
                A=a, S=share, B=before, V=passed(L=level, S=share, P=divisor)
            ),
        )

    def few() -> Any:
        forward = it.compile("F[i,s] = where(P[i,s] == 0, sum(j, A[i,j] * X[j,s]), 0)", formats={"A": it.CSR})
        backward = it.compile(
            "R[i,s] = S[i,s] + B[i,s] * sum(j, A[i,j] * where(L[j,s] > 0, (1 + S[j,s]) / P[j,s], 0))",
            formats={"A": it.CSR},
        )
        return brandes(
            lambda frontier, paths: forward(A=a, X=frontier, P=paths),
            lambda share, level, before, divisor: backward(A=a, S=share, L=level, B=before, P=divisor),
        )

    def with_graphblas(graphblas: Any) -> Any:
        matrix, dense = graphblas.io.from_scipy_sparse(a), graphblas.Matrix.from_dense
        times, second = graphblas.binary.times, graphblas.semiring.plus_second
        reached = graphblas.Matrix.from_coo(starts, range(sources), 1.0, nrows=nodes, ncols=sources)

        def call() -> Any:
            paths, levels = reached.dup(), [reached]
            while levels[-1].nvals:
                found = second(matrix @ levels[-1]).new(mask=~paths.S)
                paths(graphblas.binary.plus).update(found)
                levels.append(found)
            share = dense(np.zeros((nodes, sources)))
            for level, before in zip(levels[-2:0:-1], levels[-3::-1], strict=True):
                passed = share.apply(graphblas.binary.plus, right=1.0).new(mask=level.S)
                passed = passed.ewise_mult(paths, graphblas.binary.truediv).new()
                back = second(matrix @ passed).new(mask=before.S)
                share(graphblas.binary.plus).update(back.ewise_mult(paths, times))
            dependent = share.to_dense(fill_value=0.0)
            dependent[starts, range(sources)] = 0.0
            return dependent.sum(axis=1)

        return call

    def expected() -> Any:
        """Brandes' algorithm, a node at a time."""
        total = np.zeros(nodes)
        near = [a.indices[a.indptr[i] : a.indptr[i + 1]].tolist() for i in range(nodes)]
        for start in starts.tolist():
            order, depth, paths = [start], {start: 0}, {start: 1.0}
            for node in order:
                for other in near[node]:
                    if other not in depth:
                        depth[other], paths[other] = depth[node] + 1, 0.0
                        order.append(other)
                    if depth[other] == depth[node] + 1:
                        paths[other] += paths[node]
            share = dict.fromkeys(order, 0.0)
            for node in reversed(order):
                for other in near[node]:
                    if depth[other] == depth[node] - 1:
                        share[other] += paths[other] / paths[node] * (1.0 + share[node])
                total[node] += share[node] if node != start else 0.0
        return total

    title = f"Betweenness from {sources} nodes, {nodes:,} nodes, {a.nnz:,} edges"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
