"""Non-negative matrix factors with the least squared error, by multiplicative updates."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import irtensor as it
from benchmarks.inputs import random_csr
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"rows": 20, "columns": 15, "count": 400, "rank": 3}


def factors(rows: int, columns: int, rank: int) -> tuple[Any, Any]:
    """Where all start."""
    generator = np.random.default_rng(1)
    return generator.random((rows, rank)), generator.random((rank, columns))


def with_scikit_learn(v: Any, start: tuple[Any, Any], loss: str, steps: int) -> Callable[[Any], Callable[[], Any]]:
    """Its updates of the same kind; that they have not converged after so few is known."""

    def make_call(_: Any) -> Callable[[], Any]:
        from sklearn.decomposition import non_negative_factorization

        def call() -> Any:
            w, h = (factor.copy() for factor in start)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found: Any = non_negative_factorization(
                    v, w, h, n_components=h.shape[0], init="custom", solver="mu", beta_loss=loss, tol=0.0,
                    max_iter=steps,
                )  # fmt: skip
            return found[0], found[1]

        return call

    return make_call


def make(rows: int = 20_000, columns: int = 8000, count: int = 640_000, rank: int = 20, steps: int = 5) -> Program:
    v = random_csr(rows, columns, count)
    start = factors(rows, columns, rank)

    def ours() -> Any:
        w, h = start
        for _ in range(steps):
            w = w * it.einsum("ij,kj->ik", v, h) / (w @ (h @ h.T))
            h = h * it.einsum("ik,ij->kj", w, v) / (w.T @ w @ h)
        return w, h

    def few() -> Any:
        update_w = it.compile(
            "R[i,k] = W[i,k] * sum(j, V[i,j] * H[k,j]) / sum(l, U[i,l] * G[l,k])", formats={"V": it.CSR}
        )
        update_h = it.compile(
            "R[k,j] = H[k,j] * sum(i, W[i,k] * V[i,j]) / sum(l, G[k,l] * J[l,j])", formats={"V": it.CSR}
        )
        w, h = start
        for _ in range(steps):
            w = update_w(W=w, U=w, V=v, H=h, G=h @ h.T)
            h = update_h(H=h, J=h, V=v, W=w, G=w.T @ w)
        return w, h

    def with_scipy() -> Any:
        w, h = start
        for _ in range(steps):
            w = w * (v @ h.T) / (w @ (h @ h.T))
            h = h * (v.T @ w).T / (w.T @ w @ h)
        return w, h

    def expected() -> Any:
        """From the entries' coordinates."""
        w, h = start
        i, j = v.nonzero()
        for _ in range(steps):
            w = w * np.stack([np.bincount(i, v.data * each[j], rows) for each in h], 1) / (w @ (h @ h.T))
            h = h * np.stack([np.bincount(j, v.data * each[i], columns) for each in w.T]) / ((w.T @ w) @ h)
        return w, h

    title = f"NMF, {rows:,} × {columns:,}, {v.nnz:,} entries, rank {rank}, {steps} iterations"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    makers = {"scikit-learn": with_scikit_learn(v, start, "frobenius", steps)}
    return Program(title, calls, expected, makers)
