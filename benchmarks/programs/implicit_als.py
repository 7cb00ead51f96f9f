"""Matrix factors of what users have listened to, by alternating least squares with weights: one sweep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import irtensor as it
from benchmarks.inputs import narrow, random_csr
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"users": 20, "items": 15, "count": 60, "rank": 4}
LEAST = 0.1


def make(users: int = 6000, items: int = 4000, count: int = 240_000, rank: int = 32) -> Program:
    weights = random_csr(users, items, count)
    transposed = narrow(weights.T)
    start = np.random.default_rng(1).random((items, rank)) / rank

    def sweep(solved: Callable[[Any, Any, Any], Any]) -> Any:
        """Factors of the rows of a matrix, from those of its columns and what all rows have in common."""
        common = LEAST * np.eye(rank)
        user = solved(weights, start, start.T @ start + common)
        return user, solved(transposed, user, user.T @ user + common)

    def ours() -> Any:
        def solved(matrix: Any, y: Any, common: Any) -> Any:
            squares = it.einsum("ui,ip,iq->upq", matrix, y, y) + common
            right = it.einsum("ui,ip->up", matrix, y) + it.einsum("ui,ip->up", matrix.astype(bool), y)
            return np.linalg.solve(squares, right[:, :, None])[:, :, 0]

        return sweep(solved)

    def few() -> Any:
        squares = it.compile("G[u,p,q] = H[p,q] + sum(i, R[u,i] * Y[i,p] * Z[i,q])", formats={"R": it.CSR})
        right = it.compile("b[u,p] = where(R[u,i] != 0, R[u,i] + 1, 0) * Y[i,p]", formats={"R": it.CSR})

        def solved(matrix: Any, y: Any, common: Any) -> Any:
            return np.linalg.solve(squares(R=matrix, Y=y, Z=y, H=common), right(R=matrix, Y=y)[:, :, None])[:, :, 0]

        return sweep(solved)

    def with_scipy() -> Any:
        def solved(matrix: Any, y: Any, common: Any) -> Any:
            squares = (matrix @ (y[:, :, None] * y[:, None, :]).reshape(len(y), -1)).reshape(-1, rank, rank) + common
            right = matrix @ y + matrix.astype(bool) @ y
            return np.linalg.solve(squares, right[:, :, None])[:, :, 0]

        return sweep(solved)

    def with_numpy() -> Any:
        def solved(matrix: Any, y: Any, common: Any) -> Any:
            factors = np.empty((matrix.shape[0], rank))
            for user, (first, last) in enumerate(zip(matrix.indptr, matrix.indptr[1:], strict=False)):
                rows, weight = y[matrix.indices[first:last]], matrix.data[first:last]
                factors[user] = np.linalg.solve(common + (rows.T * weight) @ rows, rows.T @ (weight + 1.0))
            return factors

        return sweep(solved)

    title = f"Implicit ALS, {users:,} × {items:,}, {weights.nnz:,} entries, rank {rank}"
    return Program(title, {OURS: ours, FEW: few, "SciPy": with_scipy, "NumPy": with_numpy}, with_numpy)
