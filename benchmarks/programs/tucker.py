"""Tucker decomposition of a sparse tensor by orthogonal iteration (HOOI): two sweeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks.inputs import random_csf
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"shape": (8, 7, 6), "count": 100, "ranks": (3, 2, 2)}
# The tensor times the matrices of two modes: in pairs, and at once.
PAIRS = (
    ("ijk,kr->ijr", "ijr,jq->iqr"),
    ("ijk,kr->ijr", "ijr,ip->jpr"),
    ("ijk,jq->iqk", "iqk,ip->kpq"),
)
CHAINS = ("ijk,jq,kr->iqr", "ijk,ip,kr->jpr", "ijk,ip,jq->kpq")


def leading(unfolded: Any, rank: int) -> Any:
    """An orthonormal basis of the leading left singular vectors, by the eigenvectors of the smaller Gram."""
    matrix = unfolded.reshape(len(unfolded), -1)
    vectors = np.linalg.eigh(matrix.T @ matrix)[1]
    basis = np.linalg.qr(matrix @ vectors[:, -rank:])[0]
    return basis * np.sign(basis[np.abs(basis).argmax(axis=0), range(basis.shape[1])])


def make(
    shape: tuple[int, int, int] = (600, 500, 400),
    count: int = 400_000,
    ranks: tuple[int, int, int] = (10, 9, 8),
    sweeps: int = 2,
) -> Program:
    x = random_csf(shape, count)
    coordinates, values = x.to_coo()
    generator = np.random.default_rng(1)
    start = [np.linalg.qr(generator.random(sizes))[0] for sizes in zip(shape, ranks, strict=True)]

    def hooi(projected: Callable[[int, Any, Any], Any]) -> Any:
        """`projected` gives the tensor, in two modes times the transposed bases, with the third mode in front."""
        bases = list(start)
        for _ in range(sweeps):
            for mode in range(3):
                bases[mode] = leading(projected(mode, *(bases[m] for m in range(3) if m != mode)), ranks[mode])
        return tuple(bases)

    def ours() -> Any:
        def projected(mode: int, p: Any, q: Any) -> Any:
            first, second = PAIRS[mode]
            return it.einsum(second, it.einsum(first, x, q), p)

        return hooi(projected)

    def few() -> Any:
        return hooi(lambda mode, p, q: it.einsum(CHAINS[mode], x, p, q))

    def with_scipy() -> Any:
        """Unfolded with pairs as rows times a matrix, then NumPy's dense product."""

        def projected(mode: int, p: Any, q: Any) -> Any:
            first = (unfolded[mode] @ q).reshape(shape[mode], -1, q.shape[1])
            return np.tensordot(first, p, (1, 0)).transpose(0, 2, 1)

        return hooi(projected)

    unfolded: list[Any] = []
    for mode, (left, right) in enumerate(((1, 2), (0, 2), (0, 1))):
        rows = coordinates[mode].astype(np.int64) * shape[left] + coordinates[left]
        sizes = (shape[mode] * shape[left], shape[right])
        unfolded.append(sp.csr_array((values, (rows, coordinates[right])), shape=sizes))

    def expected() -> Any:
        dense = x.to_numpy()
        return hooi(lambda mode, p, q: np.einsum(CHAINS[mode], dense, p, q, optimize=True))

    title = f"Tucker by HOOI, {' × '.join(map(str, shape))}, {values.size:,} entries, ranks {ranks}, {sweeps} sweeps"
    return Program(title, {OURS: ours, FEW: few, "SciPy": with_scipy}, expected, tolerance=1e-6)
