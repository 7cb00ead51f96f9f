"""Cases over matrices: products with dense operands, element-wise operations, the cost of a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import irtensor as it
from benchmarks import peers
from benchmarks.case import OURS, Case, same_values
from benchmarks.inputs import CSR, poisson, random_csr, vector
from benchmarks.mlir_sparsifier import calls as mlir
from benchmarks.references import sddmm_by_numpy, sddmm_in_pieces
from irtensor.core.tensor_format import TensorFormat

# MLIR's words for the levels of CSR.
SPARSE = "dense, compressed"


def _spmv(title: str, goal: float, a: Any, format: TensorFormat | None = None) -> Case:
    x = vector(a.shape[1])
    ours = it.Tensor.from_scipy(a, format)
    calls = {
        OURS: lambda: it.einsum("ij,j->i", ours, x),
        "SciPy": lambda: a @ x,
        **peers.product_with_dense(a, x),
        **mlir("y(i) = A(i,j) * x(j)", "ij", A=ours, x=x),
    }
    return Case(title, goal, calls)


def spmv(scale: float) -> Case:
    size = int(1_000_000 * scale)
    return _spmv(f"SpMV, CSR {size:,}, 10 per row", 1.4, random_csr(size, size, 10 * size))


def spmv_mesh(scale: float) -> Case:
    extent = round(100 * scale ** (1 / 3))
    return _spmv(f"SpMV, Poisson on a grid {extent}³, 7 per row", 1.0, poisson(extent))


def spmv_hypersparse(scale: float) -> Case:
    size = int(4_000_000 * scale)
    a = random_csr(size, size, size // 10)
    return _spmv(f"SpMV, DCSR {size:,}, 0.1 per row", 1.0, a, it.DCSR)


def spmm(scale: float) -> Case:
    rows, width = int(100_000 * scale), 32
    a, b = random_csr(rows, rows, 10 * rows), vector(rows, width)
    ours = it.Tensor.from_scipy(a)
    calls = {
        OURS: lambda: it.einsum("ik,kj->ij", ours, b),
        "SciPy": lambda: a @ b,
        **peers.product_with_dense(a, b),
        **mlir("C(i,j) = A(i,k) * B(k,j)", "ikj", A=ours, B=b),
    }
    return Case(f"SpMM, CSR {rows:,}, 10 per row, {width} columns", 4.0, calls)


def _sddmm(scale: float, rowwise: bool) -> Case:
    rows, depth = int(50_000 * scale), 64
    a = random_csr(rows, rows, 10 * rows)
    c = vector(rows, depth)
    d = vector(rows, depth) if rowwise else vector(depth, rows)
    ours = it.Tensor.from_scipy(a)
    right = d.T if rowwise else d
    subscripts = "ij,ik,jk->ij" if rowwise else "ij,ik,kj->ij"
    calls: peers.Calls = {
        OURS: lambda: it.einsum(subscripts, ours, c, d, format=CSR),
        "NumPy": lambda: sddmm_by_numpy(a, c, right.T),
        "NumPy in pieces": lambda: sddmm_in_pieces(a, c, right.T),
        **peers.sampled_product(a, c, right),
        **mlir(f"S(i,j) = A(i,j) * C(i,k) * {'D(j,k)' if rowwise else 'D(k,j)'}", "ijk", SPARSE, A=ours, C=c, D=d),
    }
    return Case(f"SDDMM, CSR {rows:,}, k = {depth}, {subscripts}", 4.0, calls, same_values)


def sddmm(scale: float) -> Case:
    return _sddmm(scale, True)


def sddmm_strided(scale: float) -> Case:
    return _sddmm(scale, False)


def product(scale: float) -> Case:
    rows = int(200_000 * scale)
    a, b = random_csr(rows, rows, 20 * rows), random_csr(rows, rows, 20 * rows, 7)
    # Half of the entries of one operand are in the other as well.
    b = (a + b).tocsr()
    x, y = it.Tensor.from_scipy(a), it.Tensor.from_scipy(b)
    calls = {
        OURS: lambda: it.einsum("ij,ij->ij", x, y, format=CSR),
        "SciPy": lambda: a.multiply(b),
        **peers.product(a, b),
        **mlir("C(i,j) = A(i,j) * B(i,j)", "ij", SPARSE, A=x, B=y),
    }
    return Case(f"CSR .* CSR, {rows:,}, 20 and 40 per row", 1.7, calls)


def _sum(*tensors: it.Tensor) -> Callable[[], Any]:
    names = "ABCD"[: len(tensors)]
    notation = "S[i,j] = " + " + ".join(f"{name}[i,j]" for name in names)
    kernel = it.compile(notation, formats={"S": CSR})
    return lambda: kernel(*tensors)


def addition(scale: float) -> Case:
    rows = int(200_000 * scale)
    a, b = random_csr(rows, rows, 20 * rows), random_csr(rows, rows, 20 * rows, 7)
    x, y = it.Tensor.from_scipy(a), it.Tensor.from_scipy(b)
    calls = {
        OURS: _sum(x, y),
        "SciPy": lambda: a + b,
        **peers.addition(a, b),
        **mlir("S(i,j) = A(i,j) + B(i,j)", "ij", SPARSE, A=x, B=y),
    }
    return Case(f"CSR + CSR, {rows:,}, 20 per row", 1.0, calls)


def addition_of_four(scale: float) -> Case:
    rows = int(200_000 * scale)
    a, b, c, d = (random_csr(rows, rows, 10 * rows, seed) for seed in range(4))
    calls = {OURS: _sum(*map(it.Tensor.from_scipy, (a, b, c, d))), "SciPy": lambda: a + b + c + d}
    return Case(f"A + B + C + D, CSR {rows:,}, 10 per row", 1.0, calls)


def small_spmv(scale: float) -> Case:
    return _spmv("SpMV, CSR 1,000, 10 per row: the call counts", 1.0, random_csr(1000, 1000, 10_000))


CASES: dict[str, Callable[[float], Case]] = {
    "spmv": spmv,
    "spmv_mesh": spmv_mesh,
    "spmv_hypersparse": spmv_hypersparse,
    "small_spmv": small_spmv,
    "spmm": spmm,
    "sddmm": sddmm,
    "sddmm_strided": sddmm_strided,
    "product": product,
    "addition": addition,
    "addition_of_four": addition_of_four,
}
