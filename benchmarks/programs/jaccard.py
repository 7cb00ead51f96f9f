"""Jaccard similarity of neighbours: common neighbours over all neighbours of both."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks.inputs import CSR
from benchmarks.programs.graphs import friends
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"nodes": 40, "count": 200}


def make(nodes: int = 1 << 13, count: int = 80_000) -> Program:
    a = friends(nodes, count)

    def ours() -> Any:
        degree = it.einsum("ij->i", a)
        common = it.einsum("ij,ik,jk->ij", a, a, a, format=CSR)
        share = it.compile("J[i,j] = N[i,j] / (d[i] + d[j] - N[i,j])", formats={"N": CSR, "J": CSR})
        return share(N=common, d=degree)

    def few() -> Any:
        share = it.compile(
            "J[i,j] = A[i,j] * sum(k, B[i,k] * C[j,k]) / (d[i] + d[j] - sum(k, B[i,k] * C[j,k]))",
            formats=dict.fromkeys("JABC", CSR),
        )
        return share(A=a, B=a, C=a, d=it.einsum("ij->i", a))

    def with_scipy() -> Any:
        degree = np.asarray(a.sum(axis=1))
        common = a.multiply(a @ a).tocoo()
        shares = common.data / (degree[common.row] + degree[common.col] - common.data)
        return sp.csr_array((shares, (common.row, common.col)), shape=a.shape)

    def with_graphblas(graphblas: Any) -> Any:
        matrix = graphblas.io.from_scipy_sparse(a)

        def call() -> Any:
            degree = matrix.reduce_rowwise(graphblas.monoid.plus).new()
            common = graphblas.semiring.plus_pair(matrix @ matrix.T).new(float, mask=matrix.S)
            spread = degree.diag()
            rows = graphblas.semiring.any_first(spread @ matrix).new()
            columns = graphblas.semiring.any_second(matrix @ spread).new()
            both = rows.ewise_mult(columns, graphblas.binary.plus).new()
            union = both.ewise_mult(common, graphblas.binary.minus).new()
            return common.ewise_mult(union, graphblas.binary.truediv).new().wait()

        return call

    def expected() -> Any:
        """Sets of neighbours."""
        near = [set(a.indices[a.indptr[i] : a.indptr[i + 1]].tolist()) for i in range(nodes)]
        shares = sp.lil_array(a.shape)
        for i, j in zip(*a.nonzero(), strict=True):
            shares[i, j] = len(near[i] & near[j]) / len(near[i] | near[j])
        return sp.csr_array(shares)

    title = f"Jaccard similarity of neighbours, {nodes:,} nodes, {a.nnz:,} edges"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
