"""Cases over tensors of rank 3, stored as CSF; SciPy and NumPy compute on what they can hold of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import irtensor as it
from benchmarks import peers
from benchmarks.case import OURS, Case, agree, same_values
from benchmarks.inputs import CSF, CSR, fibres_as_rows, matricised, random_csf, random_csr, vector
from benchmarks.mlir_sparsifier import calls as mlir
from benchmarks.references import mttkrp_by_numpy, mttkrp_by_scipy, sparse_mttkrp_by_scipy

_MTTKRP = "M(i,j) = T(i,k,l) * C(k,j) * D(l,j)"


def mttkrp(scale: float) -> Case:
    size, width = int(2_000 * scale ** (1 / 3)), 32
    t = random_csf((size, size, size), int(2_000_000 * scale))
    c, d = vector(size, width), vector(size, width)
    coordinates, values = t.to_coo()
    by_scipy = mttkrp_by_scipy(coordinates, values, t.shape)
    calls: peers.Calls = {
        OURS: lambda: it.einsum("ikl,kj,lj->ij", t, c, d),
        "NumPy": lambda: mttkrp_by_numpy(coordinates, values, size, c, d),
        "SciPy": lambda: by_scipy(c, d),
        **mlir(_MTTKRP, "iklj", T=t, C=c, D=d),
    }
    return Case(f"MTTKRP, CSF {size:,}³, {width} columns", 5.0, calls)


def _sparse_mttkrp(t: it.Tensor, width: int, per_row: float, title: str) -> Case:
    """Sparse factors and a sparse result; the dense version computes the same from the same factors stored densely."""
    c, d = (random_csr(rows, width, max(1, int(per_row * rows)), seed) for seed, rows in enumerate(t.shape[1:], 1))
    by_scipy = sparse_mttkrp_by_scipy(*t.to_coo(), t.shape)
    x, y = it.Tensor.from_scipy(c), it.Tensor.from_scipy(d)
    dense_c, dense_d = c.toarray(), d.toarray()
    calls: peers.Calls = {
        OURS: lambda: it.einsum("ikl,kj,lj->ij", t, x, y, format=CSR),
        "SciPy": lambda: by_scipy(c, d),
        "dense factors": lambda: it.einsum("ikl,kj,lj->ij", t, dense_c, dense_d),
        **mlir(_MTTKRP, "iklj", "dense, compressed", T=t, C=x, D=y),
    }
    return Case(f"MTTKRP, sparse factors {title}, {width} columns", None, calls)


def _uniform_sparse_mttkrp(scale: float, density: float) -> Case:
    size, width = int(2_000 * scale ** (1 / 3)), 32
    t = random_csf((size, size, size), int(2_000_000 * scale))
    return _sparse_mttkrp(t, width, density * width, f"{density:g}, CSF {size:,}³")


def mttkrp_sparse(scale: float) -> Case:
    return _uniform_sparse_mttkrp(scale, 1e-2)


def mttkrp_sparser(scale: float) -> Case:
    return _uniform_sparse_mttkrp(scale, 1e-4)


def mttkrp_sparse_rows(scale: float) -> Case:
    """Rows of six entries, fibers of less than one."""
    size = int(1_000 * scale ** (1 / 3))
    return _sparse_mttkrp(random_csf((size, size, size), int(600_000 * scale)), 128, 6, f"6 per row, CSF {size:,}³")


def mttkrp_sparse_fibers(scale: float) -> Case:
    """Rows of six entries, fibers of 27."""
    rows = max(1, int(200 * scale))
    t = random_csf((rows, 110, 1_000), 3_000 * rows)
    return _sparse_mttkrp(t, 128, 6, f"6 per row, CSF {rows:,} x 110 x 1,000")


def ttv(scale: float) -> Case:
    size = int(2_000 * scale ** (1 / 3))
    t, c = random_csf((size, size, size), int(10_000_000 * scale)), vector(size)
    flattened = fibres_as_rows(t)
    calls: peers.Calls = {
        OURS: lambda: it.einsum("ijk,k->ij", t, c, format="compressed, compressed, pos = i32, crd = i32"),
        "SciPy": lambda: flattened @ c,
    }
    return Case(f"TTV, CSF {size:,}³ (SciPy: values only)", 1.0, calls, same_values)


def ttm(scale: float) -> Case:
    size, width = int(2_000 * scale ** (1 / 3)), 16
    t, m = random_csf((size, size, size), int(2_000_000 * scale)), vector(size, width)
    flattened = fibres_as_rows(t)
    calls: peers.Calls = {
        OURS: lambda: it.einsum("ijk,kl->ijl", t, m, format="compressed, compressed, dense"),
        "SciPy": lambda: flattened @ m,
    }
    return Case(f"TTM, CSF {size:,}³, {width} columns (SciPy: values only)", 1.0, calls, same_values)


def _as_matrix(result: Any) -> Any:
    """A sum by any of the libraries as SciPy's matricised array."""
    if isinstance(result, it.Tensor):
        return matricised(*result.to_coo(), result.shape)
    return result if result.ndim == 2 else matricised(result.coords, result.data, result.shape)


def _same_entries(mine: Any, theirs: Any) -> bool:
    return agree(_as_matrix(mine), _as_matrix(theirs))


def _csf_addition(shape: tuple[int, int, int], stored: int, title: str) -> Case:
    x, y = (random_csf(shape, stored, seed) for seed in range(2))
    a, b = _as_matrix(x), _as_matrix(y)
    kernel = it.compile("C[i,j,k] = A[i,j,k] + B[i,j,k]", formats={"C": CSF})
    calls: peers.Calls = {
        OURS: lambda: kernel(x, y),
        "SciPy": lambda: a + b,
        **peers.tensor_addition(x, y),
        **mlir("C(i,j,k) = A(i,j,k) + B(i,j,k)", "ijk", "compressed, compressed, compressed", A=x, B=y),
    }
    return Case(f"CSF + CSF, {title} (SciPy: matricised)", 1.0, calls, _same_entries)


def csf_addition(scale: float) -> Case:
    size = int(1_000 * scale ** (1 / 3))
    return _csf_addition((size, size, size), int(2_000_000 * scale), f"{size:,}³")


def csf_addition_short(scale: float) -> Case:
    """Nearly all fibers have one entry."""
    rows = max(1, int(500 * scale))
    return _csf_addition((rows, 20_000, 1_000), 800 * rows, f"{rows:,} x 20,000 x 1,000, 1 per fiber")


CASES: dict[str, Callable[[float], Case]] = {
    "mttkrp": mttkrp,
    "mttkrp_sparse": mttkrp_sparse,
    "mttkrp_sparser": mttkrp_sparser,
    "mttkrp_sparse_rows": mttkrp_sparse_rows,
    "mttkrp_sparse_fibers": mttkrp_sparse_fibers,
    "ttv": ttv,
    "ttm": ttm,
    "csf_addition": csf_addition,
    "csf_addition_short": csf_addition_short,
}
