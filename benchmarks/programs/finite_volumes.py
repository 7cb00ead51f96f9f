"""Transport on a grid by finite volumes: what flows through an edge is taken from the cell upwind. Ten steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks.inputs import narrow
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"extent": 8, "steps": 3}
STEP = 0.2


def make(extent: int = 500, steps: int = 10) -> Program:
    cells = np.arange(extent**2).reshape(extent, extent)
    left = np.concatenate([cells[:, :-1].ravel(), cells[:-1].ravel()])
    right = np.concatenate([cells[:, 1:].ravel(), cells[1:].ravel()])
    generator = np.random.default_rng(1)
    order = generator.permutation(left.size)
    left, right = left[order], right[order]
    speed = generator.standard_normal(left.size)
    start = generator.random(extent**2)
    edges = np.arange(left.size + 1)
    # The cell upwind of each edge, as a matrix with one entry in a row.
    source = np.where(speed > 0.0, left, right)
    shape, columns = (left.size, start.size), source.astype(np.int32)
    upwind = it.Tensor.from_buffers(shape, "dense, point, crd = i32", [None, columns], np.ones(left.size))
    ones = np.concatenate([-np.ones(left.size), np.ones(left.size)])
    both = (np.concatenate([left, right]), np.concatenate([edges[:-1], edges[:-1]]))
    difference = narrow(sp.csr_array((ones, both), shape=(start.size, left.size)))

    def transport(moved: Callable[[Any], Any]) -> Any:
        u = start
        for _ in range(steps):
            u = moved(u)
        return u

    def ours() -> Any:
        flux = it.compile("f[e] = c[e] * sum(j, S[e,j] * u[j])", formats={"S": upwind.format})
        add = it.compile("n[i] = u[i] + step * sum(e, D[i,e] * f[e])", formats={"D": it.CSR})
        return transport(lambda u: add(u=u, step=STEP, D=difference, f=flux(c=speed, S=upwind, u=u)))

    def few() -> Any:
        step = it.compile(
            "n[i] = u[i] + step * sum(e, D[i,e] * c[e] * sum(j, S[e,j] * v[j]))",
            formats={"D": it.CSR, "S": upwind.format},
        )
        return transport(lambda u: step(u=u, v=u, D=difference, S=upwind, c=speed, step=STEP))

    def with_scipy() -> Any:
        return transport(lambda u: u + STEP * (difference @ (speed * u[source])))

    def with_numpy() -> Any:
        def moved(u: Any) -> Any:
            flux = STEP * speed * u[source]
            return u + np.bincount(right, flux, u.size) - np.bincount(left, flux, u.size)

        return transport(moved)

    title = f"Finite volumes, {extent}² cells, {left.size:,} edges, {steps} steps"
    return Program(title, {OURS: ours, FEW: few, "SciPy": with_scipy, "NumPy": with_numpy}, with_numpy)
