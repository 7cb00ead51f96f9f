"""Markov clustering: a random walk is squared, its columns are sharpened, and small chances are dropped."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

import irtensor as it
from benchmarks.inputs import CSR, narrow
from benchmarks.programs.graphs import friends
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"nodes": 40, "count": 80, "rounds": 3}
LEAST = 1e-4


def make(nodes: int = 4000, count: int = 30_000, rounds: int = 6) -> Program:
    a = friends(nodes, count) + sp.eye_array(nodes, format="csr")
    walk = narrow(a / a.sum(axis=0))

    def kept(flow: Any) -> Any:
        flow.data[flow.data < LEAST] = 0.0
        flow.eliminate_zeros()
        return flow

    def ours() -> Any:
        sharpen = it.compile("S[i,j] = M[i,j] * M[i,j]", formats={"M": CSR, "S": CSR})
        scale = it.compile("P[i,j] = S[i,j] / c[j]", formats={"P": CSR, "S": CSR})
        flow = walk
        for _ in range(rounds):
            sharp = sharpen(M=it.einsum("ij,jk->ik", flow, flow, format=CSR))
            flow = kept(scale(S=sharp, c=it.einsum("ij->j", sharp)).to_scipy())
        return flow

    def few() -> Any:
        sharpen = it.compile("S[i,k] = sum(j, A[i,j] * B[j,k]) ** 2", formats=dict.fromkeys("SAB", CSR))
        scale = it.compile("P[i,j] = S[i,j] / sum(k, T[k,j])", formats=dict.fromkeys("PST", CSR))
        flow = walk
        for _ in range(rounds):
            sharp = sharpen(A=flow, B=flow)
            flow = kept(scale(S=sharp, T=sharp).to_scipy())
        return flow

    def with_scipy() -> Any:
        flow = walk
        for _ in range(rounds):
            flow = flow @ flow
            flow.data **= 2
            flow.data /= flow.sum(axis=0)[flow.indices]
            flow = kept(flow)
        return flow

    def with_graphblas(graphblas: Any) -> Any:
        times, total = graphblas.semiring.plus_times, graphblas.monoid.plus

        def call() -> Any:
            flow = graphblas.io.from_scipy_sparse(walk)
            for _ in range(rounds):
                flow = times(flow @ flow).new()
                flow = flow.ewise_mult(flow, graphblas.binary.times).new()
                factor = flow.reduce_columnwise(total).new().apply(graphblas.unary.minv).new().diag()
                flow = graphblas.select.valuege(times(flow @ factor).new(), LEAST).new()
            return sp.csr_array(graphblas.io.to_scipy_sparse(flow))

        return call

    def expected() -> Any:
        """Dense."""
        flow = walk.toarray()
        for _ in range(rounds):
            flow = (flow @ flow) ** 2
            flow /= flow.sum(axis=0)
            flow[flow < LEAST] = 0.0
        return sp.csr_array(flow)

    title = f"Markov clustering, {nodes:,} nodes, {a.nnz:,} entries, {rounds} rounds"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
