"""k-means of sparse rows (Lloyd): five iterations."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks.inputs import random_csr
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"rows": 60, "columns": 15, "count": 300, "clusters": 3, "steps": 2}


def make(
    rows: int = 40_000, columns: int = 2000, count: int = 1_600_000, clusters: int = 24, steps: int = 5
) -> Program:
    x = random_csr(rows, columns, count)
    start = x[np.random.default_rng(1).choice(rows, clusters, replace=False)].toarray()

    def members(label: Any) -> Any:
        """A row for each row of x, with a one at its cluster."""
        return sp.csr_array((np.ones(rows), label, np.arange(rows + 1)), shape=(rows, clusters))

    def lloyd(nearest: Callable[[Any], Any], total: Callable[[Any], Any]) -> Any:
        """`nearest` gives the cluster of each row, `total` the sums of each cluster's rows."""
        centres = start
        for _ in range(steps):
            label = nearest(centres)
            size = np.bincount(label, minlength=clusters)[:, None]
            centres = np.where(size > 0, total(label) / np.maximum(size, 1), centres)
        return centres

    def ours() -> Any:
        return lloyd(
            lambda c: np.argmin((c * c).sum(axis=1) - 2.0 * it.einsum("ij,kj->ik", x, c), axis=1),
            lambda label: it.einsum("ik,ij->kj", members(label), x),
        )

    def few() -> Any:
        """The distance is one statement."""
        distance = it.compile("D[i,k] = sum(j, C[k,j] * C[k,j]) - 2 * sum(j, X[i,j] * B[k,j])", formats={"X": it.CSR})
        return lloyd(
            lambda c: np.argmin(distance(X=x, C=c, B=c), axis=1),
            lambda label: it.einsum("ik,ij->kj", members(label), x),
        )

    def with_scipy() -> Any:
        return lloyd(
            lambda c: np.argmin((c * c).sum(axis=1) - 2.0 * (x @ c.T), axis=1),
            lambda label: (members(label).T.tocsr() @ x).toarray(),
        )

    def with_sklearn(_: Any) -> Callable[[], Any]:
        from sklearn.cluster import KMeans

        def call() -> Any:
            settings: Any = dict(n_init=1, max_iter=steps, tol=0.0, algorithm="lloyd")
            model = KMeans(clusters, init=start, **settings)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return model.fit(x).cluster_centers_

        return call

    def expected() -> Any:
        """A slice of rows at a time, dense."""
        slices = [slice(first, first + 2000) for first in range(0, rows, 2000)]

        def total(label: Any) -> Any:
            parts = (np.eye(clusters)[label[part]].T @ x[part].toarray() for part in slices)
            return sum(parts, np.zeros((clusters, columns)))

        return lloyd(
            lambda c: np.concatenate(
                [np.argmin((c * c).sum(axis=1) - 2.0 * (x[part].toarray() @ c.T), axis=1) for part in slices]
            ),
            total,
        )

    title = f"k-means, {rows:,} × {columns:,}, {x.nnz:,} entries, {clusters} clusters, {steps} iterations"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"scikit-learn": with_sklearn})
