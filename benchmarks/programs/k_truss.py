"""The 12-truss of a graph: edges in fewer than ten triangles are removed until all that are left are in ten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.sparse as sp

import irtensor as it
from benchmarks.inputs import CSR
from benchmarks.programs.graphs import friends
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"nodes": 40, "count": 300, "least": 3}


def make(nodes: int = 1 << 13, count: int = 80_000, least: int = 10) -> Program:
    a = friends(nodes, count)

    def prune(support: Callable[[Any], Any]) -> Any:
        truss = a
        while True:
            kept = support(truss)
            kept.data = (kept.data >= least).astype(float)
            kept.eliminate_zeros()
            if kept.nnz == truss.nnz:
                return truss
            truss = kept

    def ours() -> Any:
        return prune(lambda t: it.einsum("ij,ik,jk->ij", t, t, t, format=CSR).to_scipy())

    def few() -> Any:
        keep = it.compile(
            "S[i,j] = A[i,j] * where(sum(k, B[i,k] * C[j,k]) >= least, 1.0, 0.0)",
            formats=dict.fromkeys("SABC", CSR),
        )
        truss = a
        while True:
            kept = keep(A=truss, B=truss, C=truss, least=least).to_scipy()
            kept.eliminate_zeros()
            if kept.nnz == truss.nnz:
                return truss
            truss = kept

    def with_scipy() -> Any:
        return prune(lambda t: t.multiply(t @ t).tocsr())

    def with_graphblas(graphblas: Any) -> Any:
        pair, select = graphblas.semiring.plus_pair, graphblas.select.valuege

        def call() -> Any:
            truss = graphblas.io.from_scipy_sparse(a)
            while True:
                support = pair(truss @ truss.T).new(mask=truss.S)
                kept = select(support, least).new()
                if kept.nvals == truss.nvals:
                    return sp.csr_array(graphblas.io.to_scipy_sparse(truss)).astype(bool).astype(float)
                truss = kept

        return call

    def expected() -> Any:
        """Sets of neighbours."""
        near = [set(map(int, a.indices[a.indptr[i] : a.indptr[i + 1]])) for i in range(nodes)]
        removed = True
        while removed:
            weak = [(i, j) for i in range(nodes) for j in near[i] if len(near[i] & near[j]) < least]
            for i, j in weak:
                near[i].discard(j)
            removed = bool(weak)
        entries = [(i, j) for i in range(nodes) for j in near[i]]
        rows, columns = zip(*entries, strict=True) if entries else ((), ())
        return sp.csr_array(([1.0] * len(entries), (rows, columns)), shape=a.shape)

    title = f"{least + 2}-truss, {nodes:,} nodes, {a.nnz:,} edges"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
