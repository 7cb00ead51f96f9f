"""Cases of a matrix times a vector: local and small matrices, blocks, coordinates, and terms added to the product."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import scipy.sparse as sp

import irtensor as it
from benchmarks import peers
from benchmarks.case import OURS, Case, same_values
from benchmarks.inputs import CSR, banded, blocked, fem27, gallery, laplacian, vector
from benchmarks.mlir_sparsifier import calls as mlir


def spmv_of(title: str, a: Any) -> Case:
    """A CSR array times a vector."""

    def theirs(ours: Any, x: Any) -> peers.Calls:
        return {**peers.product_with_dense(a, x), **mlir("y(i) = A(i,j) * x(j)", "ij", A=ours, x=x)}

    return _product(title, a, theirs)


def _product(title: str, stored: Any, theirs: Callable[[Any, Any], peers.Calls]) -> Case:
    """An array of SciPy's times a vector, beside what others do with our tensor, or the same array, and the vector."""
    x, ours = vector(stored.shape[1]), it.Tensor.from_scipy(stored)
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": ours.format})
    return Case(f"SpMV, {title}", 1.0, {OURS: lambda: kernel(ours, x), "SciPy": lambda: stored @ x, **theirs(ours, x)})


def spmv_fem(scale: float) -> Case:
    extent = round(60 * scale ** (1 / 3))
    return spmv_of(f"27 neighbours on a grid {extent}³", fem27(extent))


def spmv_banded(scale: float) -> Case:
    size = int(500_000 * scale)
    return spmv_of(f"band of 15 diagonals, {size:,}", banded(size, 7))


def spmv_laplacian(scale: float) -> Case:
    extent = round(1_000 * scale**0.5)
    return spmv_of(f"Laplacian on a grid {extent}²", laplacian(extent))


def _coordinates(title: str, a: Any) -> Case:
    coo = sp.coo_array(a)
    return _product(f"COO, {title}", coo, lambda ours, x: peers.coordinates_with_dense(coo, x))


def spmv_coo(scale: float) -> Case:
    extent = round(60 * scale ** (1 / 3))
    return _coordinates(f"27 neighbours on a grid {extent}³", fem27(extent))


def spmv_csc(scale: float) -> Case:
    extent = round(60 * scale ** (1 / 3))
    columns = sp.csc_array(fem27(extent))
    title = f"CSC, 27 neighbours on a grid {extent}³"
    return _product(title, columns, lambda ours, x: peers.product_with_stored(columns, x))


def spmv_bcsr(scale: float) -> Case:
    extent = round(30 * scale ** (1 / 3))
    a = blocked(fem27(extent), 4)
    title = f"BCSR 4 × 4, 27 neighbours on a grid {extent}³"
    return _product(title, a, lambda ours, x: peers.product_with_stored(a, x))


def transposed(scale: float) -> Case:
    extent = round(60 * scale ** (1 / 3))
    a = fem27(extent)
    x, z, ours = vector(a.shape[0]), vector(a.shape[1])[::-1].copy(), it.Tensor.from_scipy(a)
    kernel = it.compile("y[i] = alpha * A[j,i] * x[j] + beta * z[i]", formats={"A": ours.format})
    by_peers = {name: _scaled(call, z) for name, call in peers.product_with_stored(a.T, x).items()}
    calls: peers.Calls = {
        OURS: lambda: kernel(A=ours, x=x, z=z, alpha=1.5, beta=0.5),
        "SciPy": lambda: 1.5 * (a.T @ x) + 0.5 * z,
        **by_peers,
    }
    return Case(f"alpha Aᵀ x + beta z, 27 neighbours on a grid {extent}³", 1.0, calls)


def _scaled(product: Callable[[], Any], z: Any) -> Callable[[], Any]:
    return lambda: 1.5 * product() + 0.5 * z


def residual(scale: float) -> Case:
    extent = round(60 * scale ** (1 / 3))
    a = fem27(extent)
    x, b, ours = vector(a.shape[1]), vector(a.shape[0])[::-1].copy(), it.Tensor.from_scipy(a)
    kernel = it.compile("r[i] = b[i] - A[i,j] * x[j]", formats={"A": ours.format})
    by_peers = {name: _difference(b, call) for name, call in peers.product_with_stored(a, x).items()}
    calls: peers.Calls = {OURS: lambda: kernel(A=ours, x=x, b=b), "SciPy": lambda: b - a @ x, **by_peers}
    return Case(f"b - A x, 27 neighbours on a grid {extent}³", 1.0, calls)


def _difference(b: Any, product: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: b - product()


def _small(name: str) -> tuple[str, Any]:
    a = gallery(name)
    return f"{name}, {a.nnz:,} entries", a


def spmv_bar(scale: float) -> Case:
    return spmv_of(*_small("bar"))


def spmv_helmholtz(scale: float) -> Case:
    return spmv_of(*_small("helmholtz_2D"))


def spmv_coo_bar(scale: float) -> Case:
    return _coordinates(*_small("bar"))


def spmm_bar(scale: float) -> Case:
    title, a = _small("bar")
    b, ours = vector(a.shape[1], 32), it.Tensor.from_scipy(a)
    calls = {
        OURS: lambda: it.einsum("ik,kj->ij", ours, b),
        "SciPy": lambda: a @ b,
        **peers.product_with_dense(a, b),
        **mlir("C(i,j) = A(i,k) * B(k,j)", "ikj", A=ours, B=b),
    }
    return Case(f"SpMM, {title}, 32 columns", 1.0, calls)


def sddmm_bar(scale: float) -> Case:
    from benchmarks.references import sddmm_by_numpy

    title, a = _small("bar")
    c, d, ours = vector(a.shape[0], 64), vector(a.shape[1], 64), it.Tensor.from_scipy(a)
    calls: peers.Calls = {
        OURS: lambda: it.einsum("ij,ik,jk->ij", ours, c, d, format=CSR),
        "NumPy": lambda: sddmm_by_numpy(a, c, d),
        **peers.sampled_product(a, c, d.T),
        **mlir("S(i,j) = A(i,j) * C(i,k) * D(j,k)", "ijk", "dense, compressed", A=ours, C=c, D=d),
    }
    return Case(f"SDDMM, {title}, k = 64", 1.0, calls, same_values)


# Matrices that come with PyAMG; their size does not depend on the scale.
GALLERY: dict[str, Callable[[float], Case]] = {
    "spmv_bar": spmv_bar,
    "spmv_helmholtz": spmv_helmholtz,
    "spmv_coo_bar": spmv_coo_bar,
    "spmm_bar": spmm_bar,
    "sddmm_bar": sddmm_bar,
}
CASES: dict[str, Callable[[float], Case]] = {
    "spmv_fem": spmv_fem,
    "spmv_banded": spmv_banded,
    "spmv_laplacian": spmv_laplacian,
    "spmv_coo": spmv_coo,
    "spmv_csc": spmv_csc,
    "spmv_bcsr": spmv_bcsr,
    "transposed": transposed,
    "residual": residual,
    **(GALLERY if find_spec("pyamg") else {}),
}
