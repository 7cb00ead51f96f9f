"""Statements for kernels of a GPU with what NumPy computes: run emulated, and on a card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import irtensor as it

Array = np.ndarray[Any, Any]
FORMATS = {"csr": it.CSR, "csc": it.CSC, "dcsr": it.DCSR, "coo": it.COO(2)}
SHAPE = {"A": (23, 17), "B": (23, 17), "D": (17, 11), "X": (17, 5), "P": (23, 4), "Q": (4, 17), "x": (17,), "z": (23,)}
# What is stored, and what the result is.
DENSE: dict[str, tuple[str, Callable[..., Any]]] = {
    "y[i] = A[i,j] * x[j]": ("A", lambda A, x: A @ x),
    "y[j] = A[i,j] * z[i]": ("A", lambda A, z: A.T @ z),
    "C[i,k] = A[i,j] * X[j,k]": ("A", lambda A, X: A @ X),
    "s = A[i,j] * B[i,j]": ("AB", lambda A, B: (A * B).sum()),
    "y[i] = max(j, A[i,j])": ("A", lambda A: A.max(1)),
    "y[i] = sum(j, exp(A[i,j]) * x[j])": ("A", lambda A, x: np.exp(A) @ x),
    "s = max(i, min(j, A[i,j] + B[i,j]))": ("AB", lambda A, B: (A + B).min(1).max()),
    "y[i] = A[i,j] * D[j,k]": ("AD", lambda A, D: A @ D.sum(1)),
}
SPARSE: dict[str, tuple[str, Callable[..., Any]]] = {
    "C[i,j] = A[i,j] + B[i,j]": ("AB", lambda A, B: A + B),
    "C[i,j] = A[i,j] * B[i,j]": ("AB", lambda A, B: A * B),
    "C[i,j] = 2 * A[i,j]": ("A", lambda A: 2 * A),
    "C[i,j] = A[i,j] * P[i,k] * Q[k,j]": ("A", lambda A, P, Q: A * (P @ Q)),
    "C[i,k] = A[i,j] * D[j,k]": ("AD", lambda A, D: A @ D),
}
# Formats of an operand and of a result between which nothing has to be converted, which a card does not do.
OF_ONE_ORDER = [(format, result) for format in FORMATS for result in FORMATS if (format == "csc") == (result == "csc")]
# How sparse results are assembled.
SCHEDULES = [None, "assemble(C, insert)"]


def arrays_of(names: list[str], density: float, dtype: Any = float) -> dict[str, Array]:
    """Operands by their names, of which the stored ones have so many elements that are not zero, and empty rows."""
    random = np.random.default_rng(1)
    made = {name: random.integers(1, 9, SHAPE[name]).astype(dtype) for name in names}
    for name in names:
        if name in "ABD":
            made[name] *= random.random(SHAPE[name]) < density
            made[name][3:6] = 0
    return made


def names_of(statement: str) -> list[str]:
    """The operands of a statement."""
    return [name for name in SHAPE if f"{name}[" in statement.partition("=")[2]]


def formats_of(statement: str, format: str, result: str | None = None) -> dict[str, Any]:
    """The formats of what is stored, and of a sparse result, by the names of formats."""
    stored = (DENSE if result is None else SPARSE)[statement][0]
    return {**dict.fromkeys(stored, FORMATS[format]), **({} if result is None else {"C": FORMATS[result]})}


def is_there(array: Any) -> Any:
    """The operand as it is: for kernels that read the memory of the host."""
    return array


def on_card(operand: Any) -> Any:
    """An operand copied to the card; a number stays."""
    if isinstance(operand, it.Tensor):
        return operand.to_device()
    return it.cuda.to_device(operand) if np.ndim(operand) else operand


PLACES: dict[str, Callable[[Any], Any]] = {"cuda-emulated": is_there, "cuda": on_card}


def run(statement: str, formats: dict[str, Any], arrays: dict[str, Array], target: str, **options: Any) -> Any:
    """What a kernel for a target gives, as an array of NumPy; a sparse result has been checked."""
    kernel = it.compile(statement, formats=formats, target=target, **options)
    stored = {n: it.Tensor.from_numpy(array, formats[n]) if n in formats else array for n, array in arrays.items()}
    found = kernel(**{name: PLACES[target](operand) for name, operand in stored.items()})
    if isinstance(found, it.Tensor):
        found.to_host().check()
    return found if isinstance(found, np.ndarray | np.generic) else found.to_numpy()


def compare_dense(statement: str, format: str, density: float, target: str) -> None:
    """A statement of DENSE gives what NumPy gives."""
    arrays = arrays_of(names_of(statement), density)
    found = run(statement, formats_of(statement, format), arrays, target)
    np.testing.assert_allclose(found, DENSE[statement][1](**arrays), rtol=1e-12)


def compare_sparse(statement: str, format: str, result: str, schedule: str | None, target: str) -> None:
    """A statement of SPARSE gives what NumPy gives, in a format, assembled in a way."""
    arrays = arrays_of(names_of(statement), 0.3)
    options = {} if schedule is None else {"schedule": it.schedule(schedule)}
    found = run(statement, formats_of(statement, format, result), arrays, target, **options)
    np.testing.assert_allclose(found, SPARSE[statement][1](**arrays), rtol=1e-12)


ELEMENTS = ["float32", "int64", "int32", "bool", "complex128"]


def compare_elements(dtype: str, target: str) -> None:
    """A product with a vector of elements of a type."""
    arrays = arrays_of(["A", "x"], 0.4, dtype)
    found = run("y[i] = A[i,j] * x[j]", {"A": it.CSR}, arrays, target)
    # True and True are two.
    expected = arrays["A"] @ arrays["x"] if dtype != "bool" else arrays["A"].astype(int) @ arrays["x"]
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def compare_many_rows(target: str) -> None:
    """Where rows begin is computed by several blocks, in tiles."""
    random = np.random.default_rng(0)
    A, B = (np.where(random.random((5000, 4)) < 0.3, 1.0, 0.0) for _ in range(2))
    found = run("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", it.CSR), {"A": A, "B": B}, target)
    np.testing.assert_array_equal(found, A + B)
