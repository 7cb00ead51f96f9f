"""The benchmarked kernels: inputs, our statement, the peers' calls, and the goal against SciPy or NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import peers
from irtensor.einsum import einsum
from irtensor.tensor import Tensor

OURS = "irtensor"
CSR, CSF = "dense, compressed", "compressed, compressed, compressed"


@dataclass
class Case:
    """Competitors by name, `irtensor` first and the reference second; `goal` is the ratio asked for against it."""

    title: str
    goal: float | None
    competitors: dict[str, Callable[[], Any]]
    reference: str
    check: Callable[[Any, Any], bool] = field(default=lambda ours, theirs: bool(np.allclose(ours, theirs)))


def csr(rows: int, columns: int, stored: int, seed: int = 0) -> Any:
    """A uniform random CSR array with 32-bit indices, sorted and without duplicates."""
    generator = np.random.default_rng(seed)
    keys = np.unique(generator.integers(0, rows * columns, stored))
    row, column = np.divmod(keys, columns)
    positions = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=rows))))
    data = generator.random(len(keys))
    parts = (data, column.astype(np.int32), positions.astype(np.int32))
    return sp.csr_array(parts, shape=(rows, columns))


def tensor3(shape: tuple[int, int, int], stored: int, seed: int = 0) -> Tensor:
    """A uniform random CSF tensor with 32-bit indices."""
    generator = np.random.default_rng(seed)
    keys = np.unique(generator.integers(0, shape[0] * shape[1] * shape[2], stored))
    coordinates = np.array(np.unravel_index(keys, shape))
    return Tensor.from_coo(coordinates, generator.random(len(keys)), shape=shape, format=f"{CSF}, pos = i32, crd = i32")


def fibres_as_rows(t: Tensor) -> Any:
    """The fibres of a CSF tensor as the rows of a CSR array, empty ones left out: what SciPy can hold of it."""
    positions: Any = t.levels[2].positions
    coordinates: Any = t.levels[2].coordinates
    parts: Any = (t.values, coordinates, positions)
    return sp.csr_array(parts, shape=(len(positions) - 1, t.shape[2]))


def spmv(scale: float) -> Case:
    size = int(1_000_000 * scale)
    a = csr(size, size, 10 * size)
    x = np.random.default_rng(1).random(size)
    ours = Tensor.from_scipy(a)
    competitors = {OURS: lambda: einsum("ij,j->i", ours, x), "scipy": lambda: a @ x, **peers.spmv(a, x)}
    return Case(f"SpMV CSR {size:.0e}, 10 per row", 1.4, competitors, "scipy")


def spmm(scale: float) -> Case:
    rows, width = int(100_000 * scale), 32
    a = csr(rows, rows, 10 * rows)
    b = np.random.default_rng(1).random((rows, width))
    ours = Tensor.from_scipy(a)
    competitors = {OURS: lambda: einsum("ik,kj->ij", ours, b), "scipy": lambda: a @ b, **peers.spmm(a, b)}
    return Case(f"SpMM CSR {rows:.0e}, {width} columns", 4.0, competitors, "scipy")


def _sddmm(scale: float, columns_first: bool) -> Case:
    rows, depth = int(50_000 * scale), 64
    a = csr(rows, rows, 10 * rows)
    generator = np.random.default_rng(1)
    c = generator.random((rows, depth))
    d = generator.random((rows, depth) if columns_first else (depth, rows))
    ours = Tensor.from_scipy(a)
    row = np.repeat(np.arange(rows), np.diff(a.indptr))
    subscripts = "ij,ik,jk->ij" if columns_first else "ij,ik,kj->ij"
    turned = d if columns_first else d.T

    def numpy_sampled() -> Any:
        return a.data * np.einsum("nk,nk->n", c[row], turned[a.indices])

    competitors: dict[str, Callable[[], Any]] = {
        OURS: lambda: einsum(subscripts, ours, c, d, format=CSR),
        "numpy": numpy_sampled,
    }
    title = f"SDDMM {rows:.0e}, k = {depth}, {subscripts}"
    return Case(title, 4.0, competitors, "numpy", lambda mine, theirs: bool(np.allclose(mine.values, theirs)))


def sddmm(scale: float) -> Case:
    return _sddmm(scale, True)


def sddmm_strided(scale: float) -> Case:
    return _sddmm(scale, False)


def mttkrp(scale: float) -> Case:
    size, width = int(2_000 * scale), 32
    t = tensor3((size, size, size), int(2_000_000 * scale))
    generator = np.random.default_rng(1)
    c, d = generator.random((size, width)), generator.random((size, width))
    (i, k, l), values = t.to_coo()
    fibres = np.flatnonzero(np.concatenate(([True], i[1:] != i[:-1])))
    which = i[fibres]

    def numpy_scattered() -> Any:
        products = values[:, None] * c[k]
        products *= d[l]
        result = np.zeros((size, width))
        result[which] = np.add.reduceat(products, fibres, axis=0)
        return result

    competitors: dict[str, Callable[[], Any]] = {
        OURS: lambda: einsum("ikl,kj,lj->ij", t, c, d),
        "numpy": numpy_scattered,
    }
    return Case(f"MTTKRP CSF {size:.0e}^3, {width} columns", 5.0, competitors, "numpy")


def product(scale: float) -> Case:
    rows = int(200_000 * scale)
    a, b = csr(rows, rows, 20 * rows), csr(rows, rows, 20 * rows, 7)
    # Half of the entries of one operand are in the other as well.
    b = sp.csr_array(a + b)
    b.sort_indices()
    x, y = Tensor.from_scipy(a), Tensor.from_scipy(b)
    competitors = {
        OURS: lambda: einsum("ij,ij->ij", x, y, format=CSR),
        "scipy": lambda: a.multiply(b),
        **peers.product(a, b),
    }
    return Case(f"CSR .* CSR {rows:.0e}, 20 and 40 per row", 1.7, competitors, "scipy", _same_sparse)


def addition(scale: float) -> Case:
    rows = int(200_000 * scale)
    a, b = csr(rows, rows, 20 * rows), csr(rows, rows, 20 * rows, 7)
    x, y = Tensor.from_scipy(a), Tensor.from_scipy(b)
    competitors = {OURS: peers.our_addition(x, y), "scipy": lambda: a + b, **peers.addition(a, b)}
    return Case(f"CSR + CSR {rows:.0e}, 20 per row", 1.0, competitors, "scipy", _same_sparse)


def ttv(scale: float) -> Case:
    size = int(2_000 * scale)
    t = tensor3((size, size, size), int(10_000_000 * scale))
    c = np.random.default_rng(1).random(size)
    flattened = fibres_as_rows(t)
    competitors: dict[str, Callable[[], Any]] = {
        OURS: lambda: einsum("ijk,k->ij", t, c, format="compressed, compressed, pos = i32, crd = i32"),
        "scipy": lambda: flattened @ c,
    }
    title = f"TTV CSF {size:.0e}^3 (SciPy: values on the flattened view)"
    return Case(title, 1.0, competitors, "scipy", lambda mine, theirs: bool(np.allclose(mine.values, theirs)))


def ttm(scale: float) -> Case:
    size, width = int(2_000 * scale), 16
    t = tensor3((size, size, size), int(2_000_000 * scale))
    m = np.random.default_rng(1).random((size, width))
    flattened = fibres_as_rows(t)
    competitors: dict[str, Callable[[], Any]] = {
        OURS: lambda: einsum("ijk,kl->ijl", t, m, format="compressed, compressed, dense"),
        "scipy": lambda: flattened @ m,
    }
    title = f"TTM CSF {size:.0e}^3, {width} columns (SciPy: values on the flattened view)"
    return Case(title, None, competitors, "scipy", lambda mine, theirs: bool(np.allclose(mine.values, theirs.ravel())))


def small_spmv(scale: float) -> Case:
    a = csr(1000, 1000, 10_000)
    x = np.random.default_rng(1).random(1000)
    ours = Tensor.from_scipy(a)
    competitors = {OURS: lambda: einsum("ij,j->i", ours, x), "scipy": lambda: a @ x}
    return Case("SpMV CSR 1e+03, 10 per row (call overhead)", None, competitors, "scipy")


def _same_sparse(mine: Any, theirs: Any) -> bool:
    difference = mine.to_scipy() - theirs
    return abs(difference).max() < 1e-9 if difference.nnz else True


CASES: dict[str, Callable[[float], Case]] = {
    "spmv": spmv,
    "spmm": spmm,
    "sddmm": sddmm,
    "sddmm_strided": sddmm_strided,
    "mttkrp": mttkrp,
    "product": product,
    "addition": addition,
    "ttv": ttv,
    "ttm": ttm,
    "small_spmv": small_spmv,
}
