"""Non-negative matrix factors with the least Kullback-Leibler divergence, by multiplicative updates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks.inputs import CSR, random_csr
from benchmarks.programs.nmf import factors, with_scikit_learn
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"rows": 20, "columns": 15, "count": 400, "rank": 3}


def make(rows: int = 20_000, columns: int = 8000, count: int = 640_000, rank: int = 20, steps: int = 3) -> Program:
    v = random_csr(rows, columns, count)
    start = factors(rows, columns, rank)

    def iterate(left: Callable[[Any, Any], Any], right: Callable[[Any, Any], Any]) -> Any:
        """`left` and `right` give what the factors are multiplied with, before they are divided by sums."""
        w, h = start
        for _ in range(steps):
            w = w * left(w, h) / h.sum(axis=1)
            h = h * right(w, h) / w.sum(axis=0)[:, None]
        return w, h

    def ours() -> Any:
        kernel = it.compile("Q[i,j] = V[i,j] / sum(k, W[i,k] * H[k,j])", formats={"V": CSR, "Q": CSR})
        return iterate(
            lambda w, h: it.einsum("ij,kj->ik", kernel(V=v, W=w, H=h), h),
            lambda w, h: it.einsum("ik,ij->kj", w, kernel(V=v, W=w, H=h)),
        )

    def few() -> Any:
        formats = {"V": CSR}
        left = it.compile("R[i,k] = sum(j, V[i,j] / sum(l, W[i,l] * H[l,j]) * H[k,j])", formats=formats)
        right = it.compile("R[k,j] = sum(i, W[i,k] * V[i,j] / sum(l, W[i,l] * H[l,j]))", formats=formats)
        return iterate(
            lambda w, h: left(V=v, W=w, H=h),
            lambda w, h: right(V=v, W=w, H=h),
        )

    def with_scipy() -> Any:
        i, j = v.nonzero()

        def quotients(w: Any, h: Any) -> Any:
            return sp.csr_array((v.data / np.einsum("nk,nk->n", w[i], h.T[j]), v.indices, v.indptr), shape=v.shape)

        return iterate(lambda w, h: quotients(w, h) @ h.T, lambda w, h: (quotients(w, h).T @ w).T)

    def expected() -> Any:
        """A slice of rows at a time, dense."""
        slices = [slice(first, first + 500) for first in range(0, rows, 500)]

        def quotients(part: slice, w: Any, h: Any) -> Any:
            return v[part].toarray() / (w[part] @ h)

        return iterate(
            lambda w, h: np.vstack([quotients(part, w, h) @ h.T for part in slices]),
            lambda w, h: sum((w[part].T @ quotients(part, w, h) for part in slices), np.zeros_like(h)),
        )

    title = f"NMF, Kullback-Leibler, {rows:,} × {columns:,}, {v.nnz:,} entries, rank {rank}, {steps} iterations"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    makers = {"scikit-learn": with_scikit_learn(v, start, "kullback-leibler", steps)}
    return Program(title, calls, expected, makers)
