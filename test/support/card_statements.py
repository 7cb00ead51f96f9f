"""Statements for `target="cuda"` with NumPy's results: child processes of cuda_stub run them on an emulated card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import irtensor as it


class Case(NamedTuple):
    """A statement with its formats and operands, and the result."""

    statement: str
    formats: dict[str, Any]
    operands: dict[str, Any]
    expected: Any


def run(case: Case) -> str:
    """Nothing if the result is right."""
    kernel = it.compile(case.statement, formats=case.formats, target="cuda")
    given = {name: on_card(value, case.formats.get(name)) for name, value in case.operands.items()}
    result = kernel(**given)
    is_sparse = case.statement[0] in case.formats
    if not isinstance(result, it.Tensor if is_sparse else it.DeviceArray):
        return f"a {type(result).__name__}"
    found = result.to_numpy()
    if found.dtype != case.expected.dtype or found.shape != case.expected.shape:
        return f"{found.dtype} {found.shape}, not {case.expected.dtype} {case.expected.shape}"
    if not np.allclose(found, case.expected, rtol=1e-5, equal_nan=True):
        return f"{found.tolist()}, not {case.expected.tolist()}"
    if is_sparse:
        result.to_host().check()
    return ""


def on_card(value: Any, format: Any) -> Any:
    """An operand on the card, stored in a format; numbers are passed as they are."""
    if not isinstance(value, np.ndarray):
        return value
    return it.cuda.to_device(value) if format is None else it.Tensor.from_numpy(value, format).to_device()


def matrix(rows: int, columns: int, seed: int, dtype: Any = np.float64, density: float = 0.3) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(seed)
    values = random.integers(1, 9, (rows, columns)) * (random.random((rows, columns)) < density)
    return (values * (1 + 2j) if np.dtype(dtype).kind == "c" else values).astype(dtype)


A, B, S = matrix(13, 9, 1), matrix(9, 7, 2), matrix(13, 7, 3)
x, P, Q = np.arange(9.0), np.arange(13 * 4.0).reshape(13, 4), np.arange(4 * 7.0).reshape(4, 7)


def products_with_a_vector() -> Iterator[Case]:
    for format in (it.CSR, it.CSC, it.COO(2), it.DCSR, it.BCSR(2, 3), it.ELL, it.DIA, "csr, pos = i32, crd = i32"):
        yield Case("y[i] = A[i,j] * x[j]", {"A": format}, {"A": A, "x": x}, A @ x)


def products_with_numbers() -> Iterator[Case]:
    yield Case("y[i] = A[i,j] * x[j]", {}, {"A": A, "x": x}, A @ x)
    yield Case("y[i] = A[i,j] * x[j]", {"A": "csr"}, {"A": np.zeros((0, 9)), "x": x}, np.zeros(0))
    yield Case("y[i] = A[i,j] * x[j]", {"A": "csr"}, {"A": np.zeros((5, 9)), "x": x}, np.zeros(5))
    yield Case("y[i] = a * A[i,j] * x[j] + b", {"A": "csr"}, {"A": A, "x": x, "a": 2.0, "b": np.float64(3)}, 2 * A @ x + 3)
    yield Case("s = A[i,j] * x[j]", {"A": "csr"}, {"A": A, "x": x}, (A @ x).sum())


def of_other_types() -> Iterator[Case]:
    for dtype in (np.float32, np.int32, np.int64, np.complex128):
        a = matrix(11, 9, 4, dtype)
        v = np.arange(9).astype(dtype)
        yield Case("y[i] = A[i,j] * x[j]", {"A": "csr"}, {"A": a, "x": v}, a @ v)
        yield Case("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", "csr"), {"A": a, "B": 2 * a}, 3 * a)
    a, b = matrix(11, 9, 5) > 4, matrix(11, 9, 6) > 2
    yield Case("C[i,j] = A[i,j] & B[i,j]", dict.fromkeys("ABC", "csr"), {"A": a, "B": b}, a & b)


def of_matrices() -> Iterator[Case]:
    csr = it.CSR
    yield Case("C[i,k] = A[i,j] * B[j,k]", {"A": csr}, {"A": A, "B": B}, A @ B)
    yield Case("C[i,j] = S[i,j] * P[i,k] * Q[k,j]", {"S": csr, "C": csr}, {"S": S, "P": P, "Q": Q}, S * (P @ Q))
    a, b = matrix(13, 7, 7), matrix(13, 7, 8)
    for format in ("csr", "dcsr", "coo", "csr, pos = i32, crd = i32"):
        yield Case("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", format), {"A": a, "B": b}, a + b)


def of_several_matrices() -> Iterator[Case]:
    csr, a, b, c = it.CSR, matrix(13, 7, 7), matrix(13, 7, 8), matrix(13, 7, 9)
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
    csf = it.CSF(3)
    yield Case("C[i,j] = T[i,j,k] * v[k]", {"T": csf, "C": it.DCSR}, {"T": t, "v": v}, t @ v)
    yield Case("C[i,j] = T[i,j,k] * v[k]", {"T": csf}, {"T": t, "v": v}, t @ v)
    expected = np.einsum("ijk,jr,kr->ir", t, f, g)
    yield Case("M[i,r] = T[i,j,k] * F[j,r] * G[k,r]", {"T": csf}, {"T": t, "F": f, "G": g}, expected)


def of_other_operators() -> Iterator[Case]:
    d = np.where(A == 0, np.inf, A)
    formats = {"A": it.CSR.with_fill(np.inf)}
    yield Case("y[i] = min(j, A[i,j] + x[j])", formats, {"A": d, "x": x}, (d + x).min(1))
    yield Case("y[i] = max(j, A[i,j] * x[j])", {"A": "csr"}, {"A": A, "x": x}, (A * x).max(1))


GROUPS = (
    (products_with_a_vector, products_with_numbers, of_other_operators),
    (of_other_types, of_higher_rank),
    (of_matrices, of_several_matrices),
)
