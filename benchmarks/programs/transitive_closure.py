"""Transitive closure of a relation: it is joined with itself until nothing is added."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks.inputs import CSR, random_csr
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"things": 30, "pairs": 25}


def make(things: int = 3000, pairs: int = 2700) -> Program:
    a = random_csr(things, things, pairs).astype(bool)

    def ours() -> Any:
        closure = it.as_tensor(a)
        while True:
            longer = closure | it.einsum("ij,jk->ik", closure, closure, semiring=it.OR_AND, format=CSR)
            if longer.nnz == closure.nnz:
                return closure
            closure = longer

    def few() -> Any:
        join = it.compile("R[i,k] = A[i,k] | or(j, B[i,j] & C[j,k])", formats=dict.fromkeys("RABC", CSR))
        closure = it.as_tensor(a)
        while True:
            longer = join(A=closure, B=closure, C=closure)
            if longer.nnz == closure.nnz:
                return closure
            closure = longer

    def with_scipy() -> Any:
        closure = a
        while True:
            longer = closure + closure @ closure
            if longer.nnz == closure.nnz:
                return closure
            closure = longer

    def with_graphblas(graphblas: Any) -> Any:
        def call() -> Any:
            closure = graphblas.io.from_scipy_sparse(a)
            while True:
                count = closure.nvals
                closure(graphblas.binary.lor).update(graphblas.semiring.lor_land(closure @ closure))
                if closure.nvals == count:
                    return sp.csr_array(graphblas.io.to_scipy_sparse(closure))

        return call

    def expected() -> Any:
        """Warshall, a row at a time."""
        reach = a.toarray()
        for middle in range(things):
            reach[np.flatnonzero(reach[:, middle])] |= reach[middle]
        return sp.csr_array(reach)

    title = f"Transitive closure, {things:,} things, {a.nnz:,} pairs"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
