"""The operator of the coarser grid in algebraic multigrid: R A P for smoothed aggregates of 3 x 3 points."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks.inputs import CSR, narrow
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"extent": 9}


def make(extent: int = 300) -> Program:
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(extent, extent))
    a = narrow(sp.kronsum(line, line))
    groups = extent // 3
    aggregate = sp.csr_array((np.ones(extent), (range(extent), np.minimum(np.arange(extent) // 3, groups - 1))))
    p = narrow((sp.eye_array(extent**2) - a / 6.0) @ sp.kron(aggregate, aggregate, format="csr"))
    r = narrow(p.T)

    def ours() -> Any:
        return it.einsum("ij,jq->iq", it.einsum("pi,ij->pj", r, a, format=CSR), p, format=CSR)

    def few() -> Any:
        return it.einsum("pi,ij,jq->pq", r, a, p, format=CSR)

    def with_scipy() -> Any:
        return r @ a @ p

    def with_graphblas(graphblas: Any) -> Any:
        times = graphblas.semiring.plus_times
        left, middle, right = map(graphblas.io.from_scipy_sparse, (r, a, p))
        return lambda: times(times(left @ middle).new() @ right).new().wait()

    def expected() -> Any:
        """The sum over the operator's entries, a diagonal at a time."""
        total = sp.csr_array((p.shape[1], p.shape[1]))
        for offset in (-extent, -1, 0, 1, extent):
            rows = np.arange(max(0, -offset), extent**2 - max(0, offset))
            weights = sp.diags_array(a.diagonal(offset))
            total += p[rows].T @ weights @ p[rows + offset]
        return total

    title = f"Galerkin product R A P, {extent}² points, {a.nnz:,}, {p.nnz:,} entries"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
