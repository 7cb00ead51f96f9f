"""Cases of structured levels: bands, blocks, runs, points; and of matrices stored by half, or without values."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks import peers
from benchmarks.case import OURS, Case
from benchmarks.inputs import banded, fem27, narrow, power_law_csr, random_csr, short_blocks, vector
from benchmarks.mlir_sparsifier import calls as mlir

RUNS = "run_list, pos = i32, crd = i32"


def _times_vector(
    title: str, a: Any, format: str, more: peers.Calls | None = None, source: it.Tensor | None = None
) -> Case:
    """A CSR array times a vector; ours is stored in a format of its own, theirs as they like best. `source`: the array
    in a type that the format has, where it has another one."""
    x, ours = vector(a.shape[1]), it.Tensor.from_scipy(a)
    stored = (ours if source is None else source).to_format(format)
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": stored.format})
    calls: peers.Calls = {
        OURS: lambda: kernel(stored, x),
        "SciPy": lambda: a @ x,
        **peers.product_with_dense(a, x),
        **mlir("y(i) = A(i,j) * x(j)", "ij", A=ours, x=x),
        **(more or {}),
    }
    return Case(f"SpMV, {title}", 1.0, calls)


def _band(scale: float, width: int) -> Case:
    a = banded(int(1_000_000 * scale), width // 2)
    diagonals, x = sp.dia_array(a), vector(a.shape[1])
    more: peers.Calls = {"SciPy, DIA": lambda: diagonals @ x}
    return _times_vector(
        f"band of {width} in `band`, {a.shape[0]:,} rows", a, "dense, band, pos = i32, crd = i32", more
    )


def spmv_band_5(scale: float) -> Case:
    return _band(scale, 5)


def spmv_band_33(scale: float) -> Case:
    return _band(scale, 33)


def _blocks(scale: float, mean: int, same: int) -> Case:
    a = short_blocks(int(200_000 * scale), 4, mean, same)
    # BSR has square blocks of one size, which are filled up with zeros.
    blocked, x = a.tobsr((same, same)), vector(a.shape[1])
    more: peers.Calls = {"SciPy, BSR": lambda: blocked @ x}
    if (mkl := peers.library("MKL")) is not None:
        more["MKL, BSR"] = lambda: mkl.dot_product_mkl(blocked, x)
    format = "dense, block_list, pos = i32, crd = i32"
    return _times_vector(f"blocks of {mean} in `block_list`, {a.shape[0]:,} rows", a, format, more)


def spmv_blocks_6(scale: float) -> Case:
    return _blocks(scale, 6, 2)


def spmv_blocks_16(scale: float) -> Case:
    return _blocks(scale, 16, 4)


def _image(rows: int, columns: int, length: int, seed: int) -> Any:
    """Rows of runs of bytes, of this mean length."""
    generator = np.random.default_rng(seed)
    starts = generator.random((rows, columns)) < 1 / length
    values = generator.integers(0, 256, (rows, columns)).astype(np.float64)
    last = np.maximum.accumulate(np.where(starts, np.arange(columns), 0), axis=1)
    return np.take_along_axis(values, last, axis=1)


def _vector_of_runs(size: int, runs: int, seed: int) -> Any:
    generator = np.random.default_rng(seed)
    ends = np.unique(np.append(generator.integers(1, size, runs - 1), size))
    return np.repeat(generator.integers(0, 100, len(ends)).astype(np.float64), np.diff(ends, prepend=0))


def sum_of_runs(scale: float) -> Case:
    size = int(10_000_000 * scale)
    dense = _vector_of_runs(size, 1_000, 0)
    stored = it.Tensor.from_numpy(dense, RUNS)
    kernel = it.compile("s = sum(i, R[i])", formats={"R": stored.format})
    return Case(f"sum of {size:,} elements in 1,000 runs", 1.0, {OURS: lambda: kernel(stored), "NumPy": dense.sum})


def product_of_runs(scale: float) -> Case:
    size = int(10_000_000 * scale)
    one, other = (_vector_of_runs(size, 1_000, seed) for seed in (0, 1))
    runs = [it.Tensor.from_numpy(dense, RUNS) for dense in (one, other)]
    kernel = it.compile("s = sum(i, R[i] * Q[i])", formats={"R": runs[0].format, "Q": runs[1].format})
    calls: peers.Calls = {OURS: lambda: kernel(*runs), "NumPy": lambda: one @ other}
    return Case(f"inner product of {size:,} elements in 1,000 runs each", 1.0, calls)


def _blended(scale: float, length: int) -> Case:
    rows, columns = round(1_080 * scale**0.5), round(1_920 * scale**0.5)
    one, other = (_image(rows, columns, length, seed) for seed in (0, 1))
    format = "dense, run_list, pos = i32, crd = i32"
    runs = [it.Tensor.from_numpy(image, format) for image in (one, other)]
    formats = {name: runs[0].format for name in "ABC"}
    kernel = it.compile("C[i,j] = floor(0.3 * A[i,j] + 0.7 * B[i,j])", formats=formats)
    calls: peers.Calls = {
        OURS: lambda: kernel(A=runs[0], B=runs[1]),
        "NumPy": lambda: np.floor(0.3 * one + 0.7 * other),
        **_opencv(one, other),
    }
    title = f"blend of two images of {rows} × {columns}, {length} pixels a run"
    return Case(title, 1.0, calls, lambda mine, theirs: bool((_pixels(mine) == _pixels(theirs)).all()))


def _opencv(one: Any, other: Any) -> peers.Calls:
    if find_spec("cv2") is None:
        return {}
    opencv: Any = import_module("cv2")
    opencv.setNumThreads(1)
    return {"OpenCV": lambda: np.floor(opencv.addWeighted(one, 0.3, other, 0.7, 0.0))}


def _pixels(image: Any) -> Any:
    return image.to_numpy() if isinstance(image, it.Tensor) else sp.csr_array(image).toarray()


def blended_60(scale: float) -> Case:
    return _blended(scale, 60)


def blended_280(scale: float) -> Case:
    return _blended(scale, 280)


def permuted(scale: float) -> Case:
    size = int(200_000 * scale)
    a, order = random_csr(size, size, 10 * size), np.random.default_rng(2).permutation(size)
    p = sp.csr_array((np.ones(size), order, np.arange(size + 1)), shape=(size, size))
    rows = it.Tensor.from_scipy(p).to_format("dense, point, crd = i32")
    columns = it.Tensor.from_scipy(sp.csr_array(p.T)).to_format("dense, point, crd = i32")
    ours = it.Tensor.from_scipy(a)
    kernel = it.compile("C[i,j] = P[i,k] * A[k,l] * Q[l,j]", formats={"C": it.CSR})
    calls: peers.Calls = {OURS: lambda: kernel(P=rows, A=ours, Q=columns), "SciPy": lambda: p @ a @ p.T}
    return Case(f"P A Pᵀ with a permutation as `point`, {size:,} rows, {a.nnz:,} entries", 1.0, calls)


def _symmetric(title: str, a: Any) -> Case:
    whole = narrow(a + a.T)
    format = "(i, j) -> (i : dense, j : compressed), symmetric, pos = i32, crd = i32"
    return _times_vector(f"{title}, a half stored", whole, format)


def spmv_symmetric_fem(scale: float) -> Case:
    extent = round(60 * scale ** (1 / 3))
    return _symmetric(f"symmetric, 27 neighbours on a grid {extent}³", fem27(extent))


def spmv_symmetric_power_law(scale: float) -> Case:
    size = int(500_000 * scale)
    return _symmetric(f"symmetric, power law, {size:,} rows", power_law_csr(size, 4 * size))


def spmv_pattern(scale: float) -> Case:
    """A graph without weights: ours stores no values, and GraphBLAS one for all entries."""
    size = int(1_000_000 * scale)
    a = power_law_csr(size, 8 * size)
    a.data = np.ones(a.nnz)
    title = f"pattern without values, power law, {size:,} rows, {a.nnz:,} entries"
    truth = it.Tensor.from_scipy(a.astype(bool))
    return _times_vector(
        title, a, "csr, leaf = pattern, pos = i32, crd = i32", peers.product_of_equal(a, vector(size)), truth
    )


CASES: dict[str, Callable[[float], Case]] = {
    "spmv_band_5": spmv_band_5,
    "spmv_band_33": spmv_band_33,
    "spmv_pattern": spmv_pattern,
    "spmv_blocks_6": spmv_blocks_6,
    "spmv_blocks_16": spmv_blocks_16,
    "spmv_symmetric_fem": spmv_symmetric_fem,
    "spmv_symmetric_power_law": spmv_symmetric_power_law,
    "sum_of_runs": sum_of_runs,
    "product_of_runs": product_of_runs,
    "blended_60": blended_60,
    "blended_280": blended_280,
    "permuted": permuted,
}
