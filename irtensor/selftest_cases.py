"""Small statements of all kinds with their results by NumPy, for `irtensor.cuda.selftest`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from irtensor.named_formats import BCSR, COO, CSC, CSF, CSR, DCSR, DIA, ELL


class Case(NamedTuple):
    """A statement with its formats and operands, and the result."""

    statement: str
    formats: dict[str, Any]
    operands: dict[str, Any]
    expected: Any


def _matrix(rows: int, columns: int, seed: int, dtype: Any = np.float64, density: float = 0.3) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(seed)
    values = random.integers(1, 9, (rows, columns)) * (random.random((rows, columns)) < density)
    return (values * (1 + 2j) if np.dtype(dtype).kind == "c" else values).astype(dtype)


A, B, S = _matrix(13, 9, 1), _matrix(9, 7, 2), _matrix(13, 7, 3)
x, P, Q = np.arange(9.0), np.arange(13 * 4.0).reshape(13, 4), np.arange(4 * 7.0).reshape(4, 7)


def products_with_a_vector() -> Iterator[Case]:
    for format in (
        CSR,
        CSC,
        COO(2),
        DCSR,
        BCSR(2, 3),
        ELL,
        DIA,
        "csr, pos = i32, crd = i32",
        "csr, pos = i16, crd = i8",
    ):
        yield Case("y[i] = A[i,j] * x[j]", {"A": format}, {"A": A, "x": x}, A @ x)


def products_with_numbers() -> Iterator[Case]:
    yield Case("y[i] = A[i,j] * x[j]", {}, {"A": A, "x": x}, A @ x)
    yield Case("y[i] = A[i,j] * x[j]", {"A": "csr"}, {"A": np.zeros((0, 9)), "x": x}, np.zeros(0))
    yield Case("y[i] = A[i,j] * x[j]", {"A": "csr"}, {"A": np.zeros((5, 9)), "x": x}, np.zeros(5))
    yield Case(
        "y[i] = a * A[i,j] * x[j] + b", {"A": "csr"}, {"A": A, "x": x, "a": 2.0, "b": np.float64(3)}, 2 * A @ x + 3
    )
    yield Case("s = A[i,j] * x[j]", {"A": "csr"}, {"A": A, "x": x}, (A @ x).sum())


def of_other_types() -> Iterator[Case]:
    for dtype in (np.float32, np.int32, np.int64, np.complex128):
        a = _matrix(11, 9, 4, dtype)
        v = np.arange(9).astype(dtype)
        yield Case("y[i] = A[i,j] * x[j]", {"A": "csr"}, {"A": a, "x": v}, a @ v)
        yield Case("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", "csr"), {"A": a, "B": 2 * a}, 3 * a)
    a, b = _matrix(11, 9, 5) > 4, _matrix(11, 9, 6) > 2
    yield Case("C[i,j] = A[i,j] & B[i,j]", dict.fromkeys("ABC", "csr"), {"A": a, "B": b}, a & b)


def of_matrices() -> Iterator[Case]:
    csr = CSR
    yield Case("C[i,k] = A[i,j] * B[j,k]", {"A": csr}, {"A": A, "B": B}, A @ B)
    yield Case("C[i,j] = S[i,j] * P[i,k] * Q[k,j]", {"S": csr, "C": csr}, {"S": S, "P": P, "Q": Q}, S * (P @ Q))
    a, b = _matrix(13, 7, 7), _matrix(13, 7, 8)
    for format in ("csr", "dcsr", "coo", "csr, pos = i32, crd = i32", "csr, pos = i16, crd = i8"):
        yield Case("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", format), {"A": a, "B": b}, a + b)


def of_several_matrices() -> Iterator[Case]:
    csr, a, b, c = CSR, _matrix(13, 7, 7), _matrix(13, 7, 8), _matrix(13, 7, 9)
    yield Case("D[i,j] = A[i,j] + B[i,j] + C[i,j]", dict.fromkeys("ABCD", csr), {"A": a, "B": b, "C": c}, a + b + c)
    yield Case("C[i,j] = A[i,j] * B[i,j]", dict.fromkeys("ABC", csr), {"A": a, "B": b}, a * b)
    yield Case("C[i,k] = A[i,j] * B[j,k]", dict.fromkeys("ABC", csr), {"A": A, "B": B}, A @ B)
    masked = (S != 0) * (A @ B)
    formats = dict.fromkeys("ABCM", csr)
    yield Case("C[i,k] = M[i,k] * A[i,j] * B[j,k]", formats, {"M": (S != 0) * 1.0, "A": A, "B": B}, masked)
    empty = np.zeros((13, 7))
    yield Case("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", csr), {"A": empty, "B": empty}, empty)


def of_higher_rank() -> Iterator[Case]:
    random = np.random.default_rng(10)
    t = random.integers(1, 9, (5, 6, 7)) * (random.random((5, 6, 7)) < 0.2) * 1.0
    v, f, g = np.arange(7.0), np.arange(18.0).reshape(6, 3), np.arange(21.0).reshape(7, 3)
    csf = CSF(3)
    yield Case("C[i,j] = T[i,j,k] * v[k]", {"T": csf, "C": DCSR}, {"T": t, "v": v}, t @ v)
    yield Case("C[i,j] = T[i,j,k] * v[k]", {"T": csf}, {"T": t, "v": v}, t @ v)
    expected = np.einsum("ijk,jr,kr->ir", t, f, g)
    yield Case("M[i,r] = T[i,j,k] * F[j,r] * G[k,r]", {"T": csf}, {"T": t, "F": f, "G": g}, expected)


def of_other_operators() -> Iterator[Case]:
    d = np.where(A == 0, np.inf, A)
    formats = {"A": CSR.with_fill(np.inf)}
    yield Case("y[i] = min(j, A[i,j] + x[j])", formats, {"A": d, "x": x}, (d + x).min(1))
    yield Case("y[i] = max(j, A[i,j] * x[j])", {"A": "csr"}, {"A": A, "x": x}, (A * x).max(1))


def larger_ones() -> Iterator[Case]:
    """What takes several blocks of threads, and rows that are longer than one."""
    random = np.random.default_rng(11)
    a = random.integers(1, 5, (1500, 700)) * (random.random((1500, 700)) < 0.02) * 1.0
    a[3], a[7:90] = 1.0, 0.0
    b = random.integers(1, 5, (700, 400)) * (random.random((700, 400)) < 0.01) * 1.0
    v = np.arange(700) % 7.0
    for format in (CSR, CSC, COO(2)):
        yield Case("y[i] = A[i,j] * v[j]", {"A": format}, {"A": a, "v": v}, a @ v)
    yield Case("C[i,k] = A[i,j] * B[j,k]", {"A": CSR}, {"A": a, "B": b}, a @ b)
    yield Case("C[i,k] = A[i,j] * B[j,k]", dict.fromkeys("ABC", CSR), {"A": a, "B": b}, a @ b)
    yield Case(
        "C[i,j] = A[i,j] + B[j,i]", {"A": CSR, "B": CSC, "C": CSR}, {"A": b, "B": np.tril(b.T)}, b + np.tril(b.T).T
    )


# In groups of about the same time.
GROUPS = (
    (products_with_a_vector, products_with_numbers, of_other_operators),
    (of_other_types, of_higher_rank),
    (of_matrices, of_several_matrices),
    (larger_ones,),
)
