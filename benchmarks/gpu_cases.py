"""Kernels on a GPU over generated matrices: by irtensor and by others, with what SciPy or NumPy computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks import gpu_peers
from benchmarks.case import OURS
from benchmarks.gpu_peers import Variants
from benchmarks.inputs import CSF, CSR, blocks_on, poisson, power_law_csr, random_csr
from benchmarks.references import mttkrp_by_numpy, sddmm_in_pieces

# Entries of a row on average, but for meshes.
PER_ROW = 10
# Of the entries of a skewed matrix every second one is in one of so many rows.
LONG_ROWS = 100
# The inner dimension of sampled products, and the columns of factors of tensors.
DEPTH, FACTOR_COLUMNS = 64, 32
# The last dimension of tensors, which are matrices whose columns are pairs.
INNER = 64
# Products of sparse matrices have so many times fewer entries: their results have more.
FEWER = 20


@dataclass(frozen=True)
class Case:
    """One kernel on one matrix.

    `variants` has irtensor's first. `expected` is the result, or its stored values alone. `least_bytes` is what has to
    be read and written at least: each operand and the result once, and of dense factors the rows that occur.
    """

    kernel: str
    matrix: str
    entries: int
    variants: Variants
    expected: Any
    least_bytes: int

    def problem(self, result: Any) -> str:
        """How a result differs from the right one; nothing if it is right up to rounding."""
        found = gpu_peers.on_host(result)
        if self.expected.ndim < found.ndim:
            found = found.data
        if found.shape != self.expected.shape:
            return f"the result has the shape {found.shape}, expected {self.expected.shape}"
        least = 1e-10 if self.expected.dtype == np.float64 else 1e-4
        apart, largest = _largest(found - self.expected), _largest(self.expected)
        return "" if apart <= least * largest else f"wrong by {apart:.3g}, where the largest element is {largest:.3g}"


def _largest(array: Any) -> float:
    return float(abs(array).max()) if np.prod(array.shape) else 0.0


def _skewed(rows: int, entries: int, seed: int) -> Any:
    """Few rows have half of the entries; columns are uniform."""
    few = min(LONG_ROWS, rows)
    generator = np.random.default_rng(seed)
    long = generator.choice(rows, few, replace=False)
    row = np.concatenate((long[generator.integers(0, few, entries // 2)], generator.integers(0, rows, entries // 2)))
    column = generator.integers(0, rows, len(row))
    matrix = sp.csr_array(sp.coo_array((np.ones(len(row)), (row, column)), shape=(rows, rows)))
    matrix.sum_duplicates()
    matrix.data = generator.random(matrix.nnz)
    return matrix


def _mesh(entries: int, seed: int) -> Any:
    """Finite elements with three unknowns for each point of a grid: 63 entries for each point."""
    matrix = blocks_on(poisson(max(1, round((entries / 63) ** (1 / 3)))), 3)
    matrix.data = np.random.default_rng(seed).random(matrix.nnz)
    return matrix


# By how entries lie: a function of their number and a seed.
MATRICES: dict[str, Callable[[int, int], Any]] = {
    "uniform": lambda entries, seed: random_csr(entries // PER_ROW, entries // PER_ROW, entries, seed),
    "rmat": lambda entries, seed: power_law_csr(entries // PER_ROW, entries, seed),
    "fem": _mesh,
    "skewed": lambda entries, seed: _skewed(entries // PER_ROW, entries, seed),
}


@cache
def matrix(name: str, entries: int, dtype: str, seed: int = 0) -> Any:
    """A square CSR array of about so many entries, with 32-bit indices in order."""
    made = MATRICES[name](entries, seed)
    parts = made.data.astype(dtype), made.indices.astype(np.int32), made.indptr.astype(np.int32)
    return sp.csr_array(parts, shape=made.shape)


def _dense(dtype: str, *shape: int) -> Any:
    return np.random.default_rng(1).random(shape).astype(dtype)


def ours(statement: str, result: str | None, **operands: Any) -> Variants:
    """A statement on operands that are copied to the GPU: SciPy's as CSR, tensors as they are stored, arrays dense."""

    def prepare() -> Callable[[], Any]:
        kernel = it.compile(statement, formats={} if result is None else {statement[0]: result}, target="cuda")
        given = {name: _on_device(operand) for name, operand in operands.items()}
        return lambda: kernel(**given)

    return {OURS: prepare}


def _on_device(operand: Any) -> Any:
    if isinstance(operand, np.ndarray):
        return it.cuda.to_device(operand)
    return (it.Tensor.from_scipy(operand, CSR) if sp.issparse(operand) else operand).to_device()


def _stored(*arrays: Any) -> int:
    """Bytes of CSR arrays."""
    return sum(array.data.nbytes + array.indices.nbytes + array.indptr.nbytes for array in arrays)


def _read_rows(array: Any, entries: int) -> int:
    """Bytes read of a dense factor if each entry reads a row."""
    return array.nbytes * min(len(array), entries) // max(len(array), 1)


def _product_with_dense(name: str, entries: int, dtype: str, *columns: int) -> Case:
    a = matrix(name, entries, dtype)
    b = _dense(dtype, a.shape[1], *columns)
    expected = a @ b
    statement = "C[i,k] = A[i,j] * B[j,k]" if columns else "C[i] = A[i,j] * B[j]"
    least = _stored(a) + _read_rows(b, a.nnz) + expected.nbytes
    variants = {**ours(statement, None, A=a, B=b), **gpu_peers.variants("product_with_dense", a, b)}
    return Case(f"SpMM, {columns[0]} columns" if columns else "SpMV", name, a.nnz, variants, expected, least)


def spmv(name: str, entries: int, dtype: str) -> Case:
    return _product_with_dense(name, entries, dtype)


def spmm32(name: str, entries: int, dtype: str) -> Case:
    return _product_with_dense(name, entries, dtype, 32)


def spmm128(name: str, entries: int, dtype: str) -> Case:
    return _product_with_dense(name, entries, dtype, 128)


def sddmm(name: str, entries: int, dtype: str) -> Case:
    a = matrix(name, entries, dtype)
    c, d = _dense(dtype, a.shape[0], DEPTH), _dense(dtype, a.shape[1], DEPTH)
    expected = sddmm_in_pieces(a, c, d).data.astype(dtype)
    variants = ours("S[i,j] = A[i,j] * C[i,k] * D[j,k]", CSR, A=a, C=c, D=d)
    variants |= gpu_peers.variants("sampled_product", a, c, d)
    least = _stored(a) + _read_rows(c, a.nnz) + _read_rows(d, a.nnz) + expected.nbytes
    return Case(f"SDDMM, k = {DEPTH}", name, a.nnz, variants, expected, least)


def addition(name: str, entries: int, dtype: str) -> Case:
    a, b = matrix(name, entries, dtype), matrix(name, entries, dtype, 7)
    expected = sp.csr_array(a + b)
    variants = {**ours("C[i,j] = A[i,j] + B[i,j]", CSR, A=a, B=b), **gpu_peers.variants("addition", a, b)}
    return Case("CSR + CSR", name, a.nnz, variants, expected, _stored(a, b, expected))


def product(name: str, entries: int, dtype: str) -> Case:
    a, other = matrix(name, entries, dtype), matrix(name, entries, dtype, 7)
    # All entries of the one operand are in the other as well.
    b = sp.csr_array(a + other)
    expected = sp.csr_array(a.multiply(b))
    variants = {**ours("C[i,j] = A[i,j] * B[i,j]", CSR, A=a, B=b), **gpu_peers.variants("element_product", a, b)}
    return Case("CSR .* CSR", name, a.nnz, variants, expected, _stored(a, b, expected))


def spgemm(name: str, entries: int, dtype: str) -> Case:
    a = matrix(name, max(entries // FEWER, PER_ROW), dtype)
    b = matrix(name, max(entries // FEWER, PER_ROW), dtype, 5)
    expected = sp.csr_array(a @ b)
    variants = {**ours("C[i,j] = A[i,k] * B[k,j]", CSR, A=a, B=b), **gpu_peers.variants("sparse_product", a, b)}
    return Case("SpGEMM", name, a.nnz, variants, expected, _stored(a, b, expected))


def mttkrp(name: str, entries: int, dtype: str) -> Case:
    a = matrix(name, entries, dtype)
    rows = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
    coordinates = np.stack((rows, *np.divmod(a.indices.astype(np.int64), INNER)))
    shape = a.shape[0], -(-a.shape[1] // INNER), INNER
    tensor = it.Tensor.from_coo(coordinates, a.data, shape=shape, format=CSF)
    c, d = (_dense(dtype, extent, FACTOR_COLUMNS) for extent in shape[1:])
    expected = mttkrp_by_numpy(coordinates, a.data, shape[0], c, d).astype(dtype)
    variants = ours("M[i,r] = T[i,j,k] * C[j,r] * D[k,r]", None, T=tensor, C=c, D=d)
    variants |= gpu_peers.variants("mttkrp", coordinates, a.data, shape, c, d)
    stored = sum(array.nbytes for array in tensor.buffers())
    least = stored + _read_rows(c, a.nnz) + _read_rows(d, a.nnz) + expected.nbytes
    return Case(f"MTTKRP, {FACTOR_COLUMNS} columns", name, a.nnz, variants, expected, least)


# By the names of the command line: functions of a matrix, the number of its entries, and the type of elements.
KERNELS: dict[str, Callable[[str, int, str], Case]] = {
    "spmv": spmv,
    "spmm32": spmm32,
    "spmm128": spmm128,
    "sddmm": sddmm,
    "addition": addition,
    "product": product,
    "spgemm": spgemm,
    "mttkrp": mttkrp,
}
