"""Conjugate gradients with the diagonal as preconditioner, for a 27-point operator on a cube."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg

import irtensor as it
from benchmarks.inputs import narrow
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"extent": 5}
PRECISION = 1e-8


def make(extent: int = 40) -> Program:
    line = sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(extent, extent))
    near = sp.kron(sp.kron(line, line), line, format="csr")
    generator = np.random.default_rng(1)
    points = extent**3
    a = narrow(sp.diags_array(27.0 + generator.random(points)) - near)
    b = generator.random(points)
    diagonal = a.diagonal()
    limit = PRECISION * np.linalg.norm(b)

    def ours() -> Any:
        x, r = np.zeros(points), b.copy()
        z = r / diagonal
        p, rz = z, r @ z
        while np.linalg.norm(r) > limit:
            q = it.einsum("ij,j->i", a, p)
            alpha = rz / (p @ q)
            x, r = x + alpha * p, r - alpha * q
            z = r / diagonal
            before, rz = rz, r @ z
            p = z + rz / before * p
        return x

    def few() -> Any:
        """Vector updates are statements, and the preconditioner is part of them."""
        more = it.compile("y[i] = x[i] + alpha * p[i]")
        next_p = it.compile("q[i] = r[i] / d[i] + beta * p[i]")
        size = it.compile("s = r[i] * r[i] / d[i]")
        x, r, p = np.zeros(points), b, b / diagonal
        rz = size(r=r, d=diagonal)
        while np.sqrt(it.einsum("i,i->", r, r)) > limit:
            q = it.einsum("ij,j->i", a, p)
            alpha = rz / it.einsum("i,i->", p, q)
            x, r = more(x=x, alpha=alpha, p=p), more(x=r, alpha=-alpha, p=q)
            before, rz = rz, size(r=r, d=diagonal)
            p = next_p(r=r, d=diagonal, p=p, beta=rz / before)
        return x

    def with_scipy() -> Any:
        return cg(a, b, rtol=PRECISION, M=sp.diags_array(1.0 / diagonal))[0]

    def expected() -> Any:
        """Jacobi's iteration, which is longer."""
        x = np.zeros(points)
        while np.linalg.norm(r := b - a @ x) > 1e-3 * limit:
            x += r / diagonal
        return x

    title = f"Conjugate gradients with Jacobi, 27 points, {extent}³, {a.nnz:,} entries"
    return Program(title, {OURS: ours, FEW: few, "SciPy": with_scipy}, expected, tolerance=1e-6)
