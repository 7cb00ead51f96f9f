"""Canonical polyadic factors of a sparse tensor by alternating least squares: three sweeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import irtensor as it
from benchmarks.inputs import matricised, random_csf
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"shape": (8, 7, 6), "count": 100, "rank": 3}
EINSUM = ("ijk,jr,kr->ir", "ijk,ir,kr->jr", "ijk,ir,jr->kr")
STATEMENTS = (
    "A[i,r] = sum(s, sum(j, k, X[i,j,k] * P[j,s] * Q[k,s]) * G[s,r])",
    "B[j,r] = sum(s, sum(i, k, X[i,j,k] * P[i,s] * Q[k,s]) * G[s,r])",
    "C[k,r] = sum(s, sum(i, j, X[i,j,k] * P[i,s] * Q[j,s]) * G[s,r])",
)


def make(
    shape: tuple[int, int, int] = (600, 500, 400), count: int = 400_000, rank: int = 16, sweeps: int = 3
) -> Program:
    x = random_csf(shape, count)
    coordinates, values = x.to_coo()
    generator = np.random.default_rng(1)
    start = [generator.random((extent, rank)) for extent in shape]

    def als(solved: Callable[[int, Any, Any, Any], Any]) -> Any:
        """`solved` gives the factor of a mode from the two others and the inverse of their Grams' product."""
        factors = list(start)
        for _ in range(sweeps):
            for mode in range(3):
                p, q = (factors[other] for other in range(3) if other != mode)
                factors[mode] = solved(mode, p, q, np.linalg.pinv((p.T @ p) * (q.T @ q)))
        return tuple(factors)

    def ours() -> Any:
        return als(lambda mode, p, q, inverse: it.einsum(EINSUM[mode], x, p, q) @ inverse)

    def few() -> Any:
        kernels = [it.compile(statement, formats={"X": it.CSF(3)}) for statement in STATEMENTS]
        return als(lambda mode, p, q, inverse: kernels[mode](X=x, P=p, Q=q, G=inverse))

    def with_scipy() -> Any:
        """Unfolded times the row-wise Kronecker product."""
        return als(lambda mode, p, q, inverse: unfolded[mode] @ (p[:, None] * q[None]).reshape(-1, rank) @ inverse)

    def with_numpy() -> Any:
        """Rows of the factors, gathered for the entries; those of one row follow each other after a sort."""

        def solved(mode: int, p: Any, q: Any, inverse: Any) -> Any:
            first, second = (coordinates[other] for other in range(3) if other != mode)
            products = values[:, None] * p[first] * q[second]
            return np.stack([np.bincount(coordinates[mode], c, shape[mode]) for c in products.T], 1) @ inverse

        return als(solved)

    modes = [(0, 1, 2), (1, 0, 2), (2, 0, 1)]
    unfolded = [matricised(coordinates[list(order)], values, tuple(shape[mode] for mode in order)) for order in modes]
    title = f"CP by ALS, {' × '.join(map(str, shape))}, {values.size:,} entries, rank {rank}, {sweeps} sweeps"
    return Program(title, {OURS: ours, FEW: few, "SciPy": with_scipy, "NumPy": with_numpy}, with_numpy)
