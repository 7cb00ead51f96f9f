"""PageRank: twenty steps from equal ranks; ranks of pages without links are spread over all."""

from __future__ import annotations

from typing import Any

import numpy as np

import irtensor as it
from benchmarks.programs.graphs import links
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"pages": 60, "count": 300, "steps": 5}
DAMPING = 0.85


def make(pages: int = 1 << 17, count: int = 1_500_000, steps: int = 20) -> Program:
    a = links(pages, count)
    degree = np.asarray(a.sum(axis=1))
    without = degree == 0.0
    divisor = np.maximum(degree, 1.0)

    def iterate(step: Any) -> Any:
        rank = np.full(pages, 1.0 / pages)
        for _ in range(steps):
            rank = step(rank, (DAMPING * rank[without].sum() + 1.0 - DAMPING) / pages)
        return rank

    def ours() -> Any:
        return iterate(lambda rank, rest: DAMPING * it.einsum("ij,i->j", a, rank / divisor) + rest)

    def few() -> Any:
        step = it.compile("y[j] = damping * sum(i, A[i,j] * x[i] / d[i]) + rest", formats={"A": it.CSR})
        return iterate(lambda rank, rest: step(A=a, x=rank, d=divisor, damping=DAMPING, rest=rest))

    def with_scipy() -> Any:
        transposed = a.T.tocsr()
        return iterate(lambda rank, rest: DAMPING * (transposed @ (rank / divisor)) + rest)

    def with_graphblas(graphblas: Any) -> Any:
        matrix = graphblas.io.from_scipy_sparse(a)
        vector, along = graphblas.Vector.from_dense, graphblas.semiring.plus_second

        def step(rank: Any, rest: float) -> Any:
            moved = along(matrix.T @ vector(rank / divisor)).new()
            return DAMPING * moved.to_dense(fill_value=0.0) + rest

        return lambda: iterate(step)

    def expected() -> Any:
        source, target = a.nonzero()

        def step(rank: Any, rest: float) -> Any:
            return DAMPING * np.bincount(target, (rank / divisor)[source], pages) + rest

        return iterate(step)

    title = f"PageRank, {pages:,} pages, {a.nnz:,} links, {steps} steps"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
