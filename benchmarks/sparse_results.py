"""Cases whose results are sparse and found out of order or from many operands: products, sums, masks, triangles."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import numpy as np

import irtensor as it
from benchmarks import peers
from benchmarks.case import OURS, Case
from benchmarks.inputs import CSR, blocks_on, fem27, lower_triangle, poisson, power_law_csr, random_csr
from benchmarks.mlir_sparsifier import calls as mlir

UNSORTED = "dense, compressed(nonordered), pos = i32, crd = i32"


def _sorted(matrix: Any) -> Any:
    matrix.sort_indices()
    return matrix


def _product(title: str, goal: float | None, a: Any, b: Any, format: str = CSR) -> Case:
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats={"C": format})
    ordered = format == CSR
    x, y = it.Tensor.from_scipy(a), it.Tensor.from_scipy(b)
    calls = {
        OURS: lambda: kernel(x, y),
        "SciPy": (lambda: _sorted(a @ b)) if ordered else (lambda: a @ b),
        **peers.sparse_product(a, b, ordered),
        **mlir("C(i,j) = A(i,k) * B(k,j)", "ikj", "dense, compressed", A=x, B=y),
    }
    return Case(title, goal, calls)


def product_uniform(scale: float) -> Case:
    rows = int(100_000 * scale)
    a, b = random_csr(rows, rows, 10 * rows), random_csr(rows, rows, 10 * rows, 5)
    return _product(f"SpGEMM, CSR {rows:,}, 10 per row", 1.3, a, b)


def product_power_law(scale: float) -> Case:
    rows = int(30_000 * scale)
    a = power_law_csr(rows, 8 * rows)
    return _product(f"SpGEMM, power law {rows:,}, 8 per row", 3.0, a, a)


def product_mesh(scale: float) -> Case:
    extent = round(25 * scale ** (1 / 3))
    a = blocks_on(poisson(extent), 3)
    return _product(f"SpGEMM, finite elements {a.shape[0]:,}, {a.nnz // a.shape[0]} per row", 1.3, a, a)


def product_of_short_rows(scale: float) -> Case:
    rows = int(300_000 * scale)
    a, b = random_csr(rows, rows, 3 * rows), random_csr(rows, rows, 3 * rows, 5)
    return _product(f"SpGEMM, CSR {rows:,}, 3 per row", 1.3, a, b)


def product_unsorted(scale: float) -> Case:
    rows = int(100_000 * scale)
    a, b = random_csr(rows, rows, 10 * rows), random_csr(rows, rows, 10 * rows, 5)
    return _product(f"SpGEMM unsorted, CSR {rows:,}, 10 per row", 1.0, a, b, UNSORTED)


def sum_of(tensors: list[it.Tensor], format: str) -> Callable[[], Any]:
    """A call that adds them up in one kernel."""
    names = "ABDEFGHIJKLMNOPQ"[: len(tensors)]
    notation = "C[i,j] = " + " + ".join(f"{name}[i,j]" for name in names)
    kernel = it.compile(notation, formats={"C": format})
    return lambda: kernel(*tensors)


def _addition(scale: float, count: int, goal: float) -> Case:
    rows = int(100_000 * scale)
    parts = [random_csr(rows, rows, 10 * rows, seed) for seed in range(count)]
    calls = {OURS: sum_of([it.Tensor.from_scipy(part) for part in parts], CSR), "SciPy": lambda: reduce(add, parts)}
    return Case(f"Sum of {count}, CSR {rows:,}, 10 per row", goal, calls)


def addition_of_five(scale: float) -> Case:
    return _addition(scale, 5, 1.2)


def addition_of_eight(scale: float) -> Case:
    return _addition(scale, 8, 1.6)


def masked_product(scale: float) -> Case:
    rows = int(50_000 * scale)
    a, b = random_csr(rows, rows, 20 * rows), random_csr(rows, rows, 20 * rows, 5)
    mask = random_csr(rows, rows, 20 * rows, 6)
    kernel = it.compile("C[i,j] = M[i,j] * A[i,k] * B[k,j]", formats={"C": CSR})
    m, x, y = map(it.Tensor.from_scipy, (mask, a, b))
    calls = {
        OURS: lambda: kernel(M=m, A=x, B=y),
        "SciPy": lambda: (a @ b).multiply(mask),
        **peers.masked_product(mask, a, b),
    }
    return Case(f"M .* (A B), CSR {rows:,}, 20 per row", 1.0, calls)


def _triangles(graph: Any, title: str) -> Case:
    lower = lower_triangle(graph)
    kernel = it.compile("s = L[i,j] * L[j,k] * L[i,k]")
    ours = it.Tensor.from_scipy(lower)
    calls: peers.Calls = {
        OURS: lambda: np.asarray(kernel(L=ours)),
        "SciPy": lambda: np.asarray((lower @ lower).multiply(lower).sum()),
        **peers.triangles(lower),
    }
    return Case(f"Triangles, {title}", 1.0, calls)


def triangles(scale: float) -> Case:
    rows = int(100_000 * scale)
    return _triangles(power_law_csr(rows, 8 * rows), f"power law {rows:,}")


def triangles_mesh(scale: float) -> Case:
    extent = max(2, round(24 * scale ** (1 / 3)))
    return _triangles(fem27(extent), f"27-point stencil on {extent}³ points")


CASES: dict[str, Callable[[float], Case]] = {
    "product_uniform": product_uniform,
    "product_power_law": product_power_law,
    "product_mesh": product_mesh,
    "product_of_short_rows": product_of_short_rows,
    "product_unsorted": product_unsorted,
    "addition_of_five": addition_of_five,
    "addition_of_eight": addition_of_eight,
    "masked_product": masked_product,
    "triangles": triangles,
    "triangles_mesh": triangles_mesh,
}
