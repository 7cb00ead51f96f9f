"""Other libraries on the same arrays and as many threads as we: used where they are installed, skipped where not."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import eigen, mlir_sparsifier

Calls = dict[str, Callable[[], Any]]

# Name in reports, module, distribution.
LIBRARIES = (
    ("MKL", "sparse_dot_mkl", "mkl"),
    ("PyTorch", "torch", "torch"),
    ("GraphBLAS", "graphblas", "suitesparse-graphblas"),
    ("pydata/sparse", "sparse", "sparse"),
)
# Those that whole programs have beside SciPy and NumPy.
PROGRAM_LIBRARIES = (*LIBRARIES[1:3], ("scikit-learn", "sklearn", "scikit-learn"))


@cache
def library(name: str) -> Any:
    """A peer's module, set to the threads asked for; None where it is not installed or does not load."""
    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
    module = next(module for known, module, _ in {*LIBRARIES, *PROGRAM_LIBRARIES} if known == name)
    if name == "MKL":
        _find_mkl()
    try:
        loaded = import_module(module)
        if name == "PyTorch":
            loaded.set_num_threads(threads)
            # Its CSR tensors announce with every process that they are new.
            warnings.filterwarnings("ignore", category=UserWarning, message="Sparse")
        if name == "GraphBLAS":
            loaded.ss.config["nthreads"] = threads
    except (ImportError, OSError):
        return None
    return loaded


def _find_mkl() -> None:
    """pip puts MKL into a folder of the environment in which sparse_dot_mkl does not look."""
    found = sorted((Path(sys.prefix) / "lib").glob("libmkl_rt.so*"))
    if found:
        os.environ.setdefault("MKL_RT", str(found[-1]))


def library_versions(libraries: Iterable[tuple[str, str, str]]) -> dict[str, str | None]:
    """The version of each library by its name; None where it is skipped."""
    found: dict[str, str | None] = {}
    for name, _, distribution in libraries:
        try:
            found[name] = version(distribution) if library(name) is not None else None
        except PackageNotFoundError:
            found[name] = None
    return found


def versions() -> dict[str, str | None]:
    """The version of each peer of kernels by its name; None where it is skipped."""
    found = library_versions(LIBRARIES)
    programs = mlir_sparsifier.tools()
    found[mlir_sparsifier.NAME] = None if programs is None else programs.version
    found[eigen.NAME] = eigen.version()
    return found


def plain(result: Any) -> Any:
    """Any library's result as an array of NumPy or SciPy, for comparison; what neither can hold stays."""
    kind = type(result).__module__.partition(".")[0]
    if isinstance(result, int | float):
        return np.asarray(result)
    if kind == "graphblas":
        io = library("GraphBLAS").io
        return result.to_dense(fill_value=0.0) if result.ndim == 1 else sp.csr_array(io.to_scipy_sparse(result))
    if kind == "torch":
        if result.layout is library("PyTorch").strided:
            return result.numpy()
        parts = (part.numpy() for part in (result.values(), result.col_indices(), result.crow_indices()))
        return sp.csr_array(tuple(parts), shape=tuple(result.shape))
    if isinstance(result, eigen.Result):
        return result.to_scipy()
    if kind == "irtensor" and result.ndim == 2:
        return sp.csr_array(result.to_scipy())
    return result


def _graphblas(array: Any) -> Any:
    return library("GraphBLAS").io.from_scipy_sparse(array)


def _torch(array: Any) -> Any:
    torch = library("PyTorch")
    parts = (torch.from_numpy(part) for part in (array.indptr, array.indices, array.data))
    return torch.sparse_csr_tensor(*parts, size=array.shape, check_invariants=False)


def product_with_dense(a: Any, b: Any) -> Calls:
    """`a @ b` for a dense vector or matrix b."""
    calls: Calls = eigen.product_with_vector(a, b) if b.ndim == 1 else eigen.product_with_matrix(a, b)
    if (mkl := library("MKL")) is not None:
        calls["MKL"] = lambda: mkl.dot_product_mkl(a, b)
    if (torch := library("PyTorch")) is not None:
        sparse, dense = _torch(a), torch.from_numpy(b)
        calls["PyTorch"] = lambda: sparse @ dense
    if (graphblas := library("GraphBLAS")) is not None:
        matrix = _graphblas(a)
        # Results are GraphBLAS's own; `wait` finishes the work that it may put off.
        other = (graphblas.Vector if b.ndim == 1 else graphblas.Matrix).from_dense(b)
        calls["GraphBLAS"] = lambda: graphblas.semiring.plus_times(matrix @ other).new().wait()
    return calls


def product_of_equal(a: Any, x: Any) -> Calls:
    """`a @ x` for a CSR array whose entries are equal, by those who store their value once."""
    if (graphblas := library("GraphBLAS")) is None:
        return {}
    matrix = graphblas.Matrix.from_csr(a.indptr, a.indices, float(a.data[0]), ncols=a.shape[1])
    other = graphblas.Vector.from_dense(x)
    return {"GraphBLAS, one value": lambda: graphblas.semiring.plus_times(matrix @ other).new().wait()}


def product_with_stored(a: Any, x: Any) -> Calls:
    """`a @ x` for a vector, by those who take any of SciPy's formats as it is."""
    calls: Calls = eigen.product_with_vector(a, x) if a.format in ("csr", "csc") else {}
    if (mkl := library("MKL")) is not None:
        calls["MKL"] = lambda: mkl.dot_product_mkl(a, x)
    return calls


def coordinates_with_dense(a: Any, x: Any) -> Calls:
    """`a @ x` for an array of coordinates and a vector."""
    if (torch := library("PyTorch")) is None:
        return {}
    coordinates = torch.from_numpy(np.stack([a.row, a.col]).astype(np.int64))
    sparse = torch.sparse_coo_tensor(coordinates, torch.from_numpy(a.data), a.shape, is_coalesced=True)
    vector = torch.from_numpy(x)
    return {"PyTorch": lambda: sparse @ vector}


def sampled_product(a: Any, c: Any, d: Any) -> Calls:
    """The values of `a * (c @ d)` at the entries of a."""
    calls: Calls = eigen.sampled_product(a, c, d)
    if (torch := library("PyTorch")) is not None:
        sparse, left, right = _torch(a), torch.from_numpy(c), torch.from_numpy(d)
        values = sparse.values()
        # It samples the pattern only; the entries' own values come after it.
        sample = torch.sparse.sampled_addmm
        calls["PyTorch"] = lambda: sample(sparse, left, right, beta=0.0).values().mul_(values).numpy()
    return calls


def _elementwise(a: Any, b: Any, method: str, operator: str, symbol: str) -> Calls:
    calls: Calls = {}
    if library("PyTorch") is not None:
        first, second = _torch(a), _torch(b)
        calls["PyTorch"] = lambda: getattr(first, symbol)(second)
    if (graphblas := library("GraphBLAS")) is not None:
        x, y = _graphblas(a), _graphblas(b)
        chosen = getattr(graphblas.binary, operator)
        calls["GraphBLAS"] = lambda: getattr(x, method)(y, chosen).new().wait()
    return calls


def product(a: Any, b: Any) -> Calls:
    """The element-wise product."""
    return eigen.sparse_result("elementwise_product", a, b) | _elementwise(a, b, "ewise_mult", "times", "__mul__")


def addition(a: Any, b: Any) -> Calls:
    """The sum."""
    return eigen.sparse_result("sum", a, b) | _elementwise(a, b, "ewise_add", "plus", "__add__")


def sparse_product(a: Any, b: Any, ordered: bool) -> Calls:
    """`a @ b` as a sparse array whose rows are in order, or if that is not asked for, in any."""
    calls: Calls = eigen.sparse_result("product", a, b)
    if (mkl := library("MKL")) is not None:
        calls["MKL"] = lambda: mkl.dot_product_mkl(a, b, reorder_output=ordered)
    if library("PyTorch") is not None:
        first, second = _torch(a), _torch(b)
        calls["PyTorch"] = lambda: first @ second
    if (graphblas := library("GraphBLAS")) is not None:
        x, y = _graphblas(a), _graphblas(b)
        calls["GraphBLAS"] = lambda: graphblas.semiring.plus_times(x @ y).new().wait()
    return calls


def masked_product(mask: Any, a: Any, b: Any) -> Calls:
    """`mask * (a @ b)`, computed only where the mask has entries."""
    if (graphblas := library("GraphBLAS")) is None:
        return {}
    m, x, y = map(_graphblas, (mask, a, b))

    def call() -> Any:
        sampled = graphblas.semiring.plus_times(x @ y).new(mask=m.S)
        return m.ewise_mult(sampled, graphblas.binary.times).new().wait()

    return {"GraphBLAS": call}


def triangles(lower: Any) -> Calls:
    """The number of triangles of a graph, from the edges below the diagonal."""
    if (graphblas := library("GraphBLAS")) is None:
        return {}
    x = _graphblas(lower)
    plus_pair, total = graphblas.semiring.plus_pair, graphblas.monoid.plus
    return {"GraphBLAS": lambda: plus_pair(x @ x.T).new(mask=x.S).reduce_scalar(total).new().value}


def tensor_addition(x: Any, y: Any) -> Calls:
    """The sum of two tensors of rank 3."""
    if (sparse := library("pydata/sparse")) is None:
        return {}
    first, second = (sparse.COO(*tensor.to_coo(), shape=tensor.shape) for tensor in (x, y))
    return {"pydata/sparse": lambda: first + second}
