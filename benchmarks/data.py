"""Cases that move data: conversions between formats and a Matrix Market file, beside SciPy's."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp
import threadpoolctl

import irtensor as it
from benchmarks.case import OURS, Case
from benchmarks.inputs import CSR, blocks, random_csr

CSC = "(i, j) -> (j : dense, i : compressed), pos = i32, crd = i32"
COO = "compressed(nonunique), singleton, pos = i32, crd = i32"
BCSR = (
    "(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense), "
    "pos = i32, crd = i32"
)


def _conversion(title: str, a: Any, format: str, theirs: Callable[[], Any]) -> Case:
    tensor = it.Tensor.from_scipy(a)
    return Case(title, None, {OURS: lambda: tensor.to_format(format), "SciPy": theirs})


def _matrix(scale: float) -> tuple[Any, str]:
    rows = int(200_000 * scale)
    return random_csr(rows, rows, 10 * rows), f"{rows:,}, 10 per row"


def csr_to_csc(scale: float) -> Case:
    a, size = _matrix(scale)
    return _conversion(f"CSR to CSC, {size}", a, CSC, lambda: a.tocsc())


def csr_to_coo(scale: float) -> Case:
    a, size = _matrix(scale)
    return _conversion(f"CSR to COO, {size}", a, COO, lambda: a.tocoo())


def csr_to_bcsr(scale: float) -> Case:
    rows = int(50_000 * scale)
    a = blocks(rows, 10, 2)
    return _conversion(f"CSR to BCSR 2 × 2, {rows:,} blocks", a, BCSR, lambda: a.tobsr((2, 2)))


def coo_to_csr(scale: float) -> Case:
    """Unsorted coordinates; SciPy's result is sorted as well."""
    a, size = _matrix(scale)
    entries = a.tocoo()
    order = np.random.default_rng(2).permutation(entries.nnz)
    row, column, values = entries.row[order], entries.col[order], entries.data[order]

    def theirs() -> Any:
        matrix = sp.coo_array((values, (row, column)), shape=a.shape).tocsr()
        matrix.sort_indices()
        return matrix

    calls = {OURS: lambda: it.Tensor.from_coo((row, column), values, shape=a.shape, format=CSR), "SciPy": theirs}
    return Case(f"unsorted coordinates to CSR, {size}", None, calls)


def read_mtx(scale: float) -> Case:
    """The file is in the cache of the operating system; SciPy's reader takes all cores unless it is told."""
    a, size = _matrix(scale)
    folder = tempfile.mkdtemp(prefix="irtensor-benchmark-")
    path = Path(folder) / "matrix.mtx"
    scipy.io.mmwrite(path, a)
    limited = threadpoolctl.ThreadpoolController().select(internal_api="scipy_mmio")
    limited.limit(limits=int(os.environ.get("OMP_NUM_THREADS", "1")))

    def ours() -> Any:
        return it.read(path, format=CSR)

    def theirs() -> Any:
        matrix: Any = scipy.io.mmread(path)
        return matrix.tocsr()

    # The file goes with the case.
    weakref.finalize(ours, shutil.rmtree, folder)
    return Case(f"read .mtx to CSR, {size}", None, {OURS: ours, "SciPy": theirs})


CASES: dict[str, Callable[[float], Case]] = {
    "csr_to_csc": csr_to_csc,
    "csr_to_coo": csr_to_coo,
    "csr_to_bcsr": csr_to_bcsr,
    "coo_to_csr": coo_to_csr,
    "read_mtx": read_mtx,
}
