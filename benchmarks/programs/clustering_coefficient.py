"""Clustering coefficients: which part of the pairs of a node's neighbours are neighbours of each other."""

from __future__ import annotations

from typing import Any

import numpy as np

import irtensor as it
from benchmarks.programs.graphs import friends
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"nodes": 40, "count": 200}


def make(nodes: int = 1 << 14, count: int = 150_000) -> Program:
    a = friends(nodes, count)

    def part(pairs: Any, degree: Any) -> Any:
        return pairs / np.maximum(degree * (degree - 1.0), 1.0)

    def ours() -> Any:
        return part(it.einsum("ij,ik,kj->i", a, a, a), it.einsum("ij->i", a))

    def few() -> Any:
        kernel = it.compile(
            "c[i] = sum(j, k, A[i,j] * B[i,k] * C[k,j]) / max(sum(l, D[i,l]) * (sum(l, D[i,l]) - 1), 1)",
            formats=dict.fromkeys("ABCD", it.CSR),
        )
        return kernel(A=a, B=a, C=a, D=a)

    def with_scipy() -> Any:
        return part(a.multiply(a @ a).sum(axis=1), a.sum(axis=1))

    def with_graphblas(graphblas: Any) -> Any:
        matrix, total = graphblas.io.from_scipy_sparse(a), graphblas.monoid.plus

        def call() -> Any:
            closed = graphblas.semiring.plus_pair(matrix @ matrix.T).new(mask=matrix.S)
            pairs, degree = (each.reduce_rowwise(total).new().to_dense(fill_value=0.0) for each in (closed, matrix))
            return part(pairs, degree)

        return call

    def expected() -> Any:
        """Sets of neighbours."""
        near = [set(a.indices[a.indptr[i] : a.indptr[i + 1]].tolist()) for i in range(nodes)]
        pairs = np.array([sum(len(near[i] & near[j]) for j in near[i]) for i in range(nodes)], float)
        return part(pairs, np.array([len(each) for each in near], float))

    title = f"Clustering coefficients, {nodes:,} nodes, {a.nnz:,} edges"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
