"""A table of sums by three factors, from observations that have one level of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks.programs.program import OURS, Program

SMALL = {"observations": 200, "levels": (5, 8, 3)}


def make(observations: int = 1_000_000, levels: tuple[int, int, int] = (50, 400, 12)) -> Program:
    generator = np.random.default_rng(1)
    factors = [generator.integers(0, count, observations) for count in levels]
    weight = generator.random(observations)

    def ours() -> Any:
        table = it.compile("T[a[n], b[n], c[n]] += w[n]", extents={"T": levels})
        return table(*factors, weight)

    def with_numpy() -> Any:
        keys = np.ravel_multi_index(factors, levels)
        return np.bincount(keys, weight, int(np.prod(levels))).reshape(levels)

    def with_scipy() -> Any:
        rows = factors[0] * levels[1] + factors[1]
        size = (levels[0] * levels[1], levels[2])
        return sp.coo_array((weight, (rows, factors[2])), shape=size).toarray().reshape(levels)

    def with_torch(torch: Any) -> Any:
        tensors = [torch.from_numpy(part) for part in (*factors, weight)]

        def call() -> Any:
            *at, values = tensors
            table = torch.zeros(levels, dtype=torch.float64)
            return table.index_put_(tuple(at), values, accumulate=True).numpy()

        return call

    def expected() -> Any:
        table = np.zeros(levels)
        np.add.at(table, tuple(factors), weight)
        return table

    title = f"Contingency table, {observations:,} observations, {' × '.join(map(str, levels))} levels"
    calls = {OURS: ours, "NumPy": with_numpy, "SciPy": with_scipy}
    return Program(title, calls, expected, {"PyTorch": with_torch})
