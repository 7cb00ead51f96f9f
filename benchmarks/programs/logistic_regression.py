"""Logistic regression with an L1 penalty: forty steps of soft thresholding (ISTA)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import irtensor as it
from benchmarks.inputs import random_csr
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"samples": 40, "features": 20, "count": 150, "steps": 5}
STEP = 0.05


def make(samples: int = 50_000, features: int = 20_000, count: int = 2_000_000, steps: int = 40) -> Program:
    x = random_csr(samples, features, count)
    generator = np.random.default_rng(1)
    hidden = np.where(generator.random(features) < 0.05, generator.standard_normal(features), 0.0)
    label = np.where(x @ hidden + 0.1 * generator.standard_normal(samples) > 0.0, 1.0, -1.0)
    threshold = STEP * 1e-4 * samples

    def descend(moved: Callable[[Any], Any]) -> Any:
        """`moved` takes a step along the gradient."""
        w = np.zeros(features)
        for _ in range(steps):
            u = moved(w)
            w = np.sign(u) * np.maximum(np.abs(u) - threshold, 0.0)
        return w

    def ours() -> Any:
        weight = it.compile("g[i] = y[i] / (1 + exp(y[i] * sum(j, X[i,j] * w[j])))", formats={"X": it.CSR})
        return descend(lambda w: w + STEP * it.einsum("ij,i->j", x, weight(X=x, w=w, y=label)))

    def few() -> Any:
        """A whole step is one statement."""
        moved = it.compile(
            "u[j] = w[j] + step * sum(i, X[i,j] * y[i] / (1 + exp(y[i] * sum(k, X[i,k] * w[k]))))",
            formats={"X": it.CSR},
        )
        return descend(lambda w: moved(X=x, w=w, y=label, step=STEP))

    def with_scipy() -> Any:
        transposed = x.T.tocsr()
        return descend(lambda w: w + STEP * (transposed @ (label / (1.0 + np.exp(label * (x @ w))))))

    def with_torch(torch: Any) -> Any:
        parts = [torch.from_numpy(part.astype(np.int64)) for part in (x.indptr, x.indices)]
        matrix = torch.sparse_csr_tensor(*parts, torch.from_numpy(x.data), size=x.shape)
        transposed, y = matrix.t().to_sparse_csr(), torch.from_numpy(label)

        def moved(w: Any) -> Any:
            weight = y / (1.0 + torch.exp(y * (matrix @ torch.from_numpy(w))))
            return w + STEP * (transposed @ weight).numpy()

        return lambda: descend(moved)

    def expected() -> Any:
        i, j = x.nonzero()

        def moved(w: Any) -> Any:
            weight = label / (1.0 + np.exp(label * np.bincount(i, x.data * w[j], samples)))
            return w + STEP * np.bincount(j, x.data * weight[i], features)

        return descend(moved)

    title = f"Logistic regression with L1, {samples:,} × {features:,}, {x.nnz:,} entries, {steps} steps"
    return Program(title, {OURS: ours, FEW: few, "SciPy": with_scipy}, expected, {"PyTorch": with_torch})
