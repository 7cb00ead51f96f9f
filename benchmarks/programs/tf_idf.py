"""The ten nearest documents of some by cosine, weighted by TF-IDF."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks.inputs import CSR, random_csr
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"documents": 60, "words": 40, "count": 400, "asked": 5}
NEAREST = 10


def make(documents: int = 15_000, words: int = 20_000, count: int = 1_100_000, asked: int = 50) -> Program:
    counts = random_csr(documents, words, count)
    counts.data = np.floor(1.0 + 3.0 * counts.data)

    def nearest(similarity: Any) -> Any:
        """The similarities of the nearest, the largest first."""
        return -np.sort(np.partition(-similarity, NEAREST, axis=0)[:NEAREST], axis=0)

    def rarity(found: Any) -> Any:
        return np.log((1.0 + documents) / (1.0 + found)) + 1.0

    def ours() -> Any:
        weigh = it.compile("X[i,j] = where(C[i,j] != 0, 1 + log(C[i,j]), 0) * w[j]", formats={"C": CSR, "X": CSR})
        occurring = it.compile("d[j] = sum(i, C[i,j] != 0)", formats={"C": CSR})
        weights = weigh(C=counts, w=rarity(occurring(C=counts)))
        scale = it.compile("Y[i,j] = X[i,j] / n[i]", formats={"X": CSR, "Y": CSR})
        unit = scale(X=weights, n=np.sqrt(it.einsum("ij,ij->i", weights, weights)))
        return nearest(it.einsum("ij,qj->iq", unit, unit.to_scipy()[:asked]))

    def few() -> Any:
        weigh = it.compile(
            "X[i,j] = where(C[i,j] != 0, 1 + log(C[i,j]), 0) * (1 + log((1 + n) / (1 + sum(k, D[k,j] != 0))))",
            formats=dict.fromkeys("XCD", CSR),
        )
        cosine = it.compile(
            "S[i,q] = sum(j, X[i,j] * Q[q,j]) / sqrt(sum(j, Y[i,j] * Y[i,j])) / sqrt(sum(j, P[q,j] * P[q,j]))",
            formats=dict.fromkeys("XQYP", CSR),
        )
        x = weigh(C=counts, D=counts, n=float(documents))
        some = x.to_scipy()[:asked]
        return nearest(cosine(X=x, Y=x, Q=some, P=some))

    def with_scipy() -> Any:
        x = counts.copy()
        x.data = 1.0 + np.log(x.data)
        x = x @ sp.diags_array(rarity(np.bincount(x.indices, minlength=words)), format="csr")
        x = sp.csr_array(sp.diags_array(1.0 / np.sqrt(x.multiply(x).sum(axis=1))) @ x)
        return nearest((x @ x[:asked].T).toarray())

    def with_sklearn(_: Any) -> Callable[[], Any]:
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.metrics.pairwise import linear_kernel

        def call() -> Any:
            x: Any = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
            return nearest(linear_kernel(x, x[:asked]))

        return call

    def expected() -> Any:
        """From the entries' coordinates, a document that is asked for at a time."""
        i, j = counts.nonzero()
        values = (1.0 + np.log(counts.data)) * rarity(np.bincount(j, minlength=words))[j]
        values /= np.sqrt(np.bincount(i, values**2, documents))[i]
        similarity = np.empty((documents, asked))
        for query in range(asked):
            row = np.bincount(j[i == query], values[i == query], words)
            similarity[:, query] = np.bincount(i, values * row[j], documents)
        return nearest(similarity)

    title = f"TF-IDF and cosine, {documents:,} × {words:,}, {counts.nnz:,} entries, {asked} documents asked for"
    return Program(title, {OURS: ours, FEW: few, "SciPy": with_scipy}, expected, {"scikit-learn": with_sklearn})
