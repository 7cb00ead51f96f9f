"""Variants of CuPy for kernels on a GPU; products with dense operands by each algorithm of cuSPARSE as well."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.gpu_peers import Variants, fibers, library

# The numbers that cuSPARSE's header gives its algorithms.
SPMV = {"CSR algorithm 1": 2, "CSR algorithm 2": 3, "COO algorithm 1": 1, "COO algorithm 2": 4}
SPMM = {
    **{"CSR algorithm 1": 4, "CSR algorithm 2": 6, "CSR algorithm 3": 12},
    **{"COO algorithm 1": 1, "COO algorithm 2": 2, "COO algorithm 3": 3, "COO algorithm 4": 5},
}
ROW_MAJOR, SAME = 2, 0
# What its functions return, the second where an algorithm has nothing to prepare.
SUCCESS, NOT_SUPPORTED = 0, 10


def _csr(a: Any) -> Any:
    matrix = import_module("cupyx.scipy.sparse").csr_matrix
    cupy = library("CuPy")
    made = matrix(tuple(map(cupy.asarray, (a.data, a.indices, a.indptr))), shape=a.shape)
    # Else the first call would look.
    made.has_canonical_format = True
    return made


def _coo(a: Any) -> Any:
    return _csr(a).tocoo()


def _dense(array: Any) -> Any:
    return library("CuPy").asarray(array)


def product_with_dense(a: Any, b: Any) -> Variants:
    def plain() -> Any:
        sparse, dense = _csr(a), _dense(b)
        return lambda: sparse @ dense

    def with_algorithm(name: str) -> Any:
        sparse, dense = (_csr if name.startswith("CSR") else _coo)(a), _dense(b)
        return _product_by(sparse, dense, name)

    named = {f"CuPy {name}": lambda name=name: with_algorithm(name) for name in (SPMV if b.ndim == 1 else SPMM)}
    return {"CuPy": plain, **named}


def _product_by(sparse: Any, dense: Any, algorithm: str) -> Callable[[], Any]:
    """A product by an algorithm of cuSPARSE, with descriptors, buffer and preprocessing made before."""
    cupy = library("CuPy")
    backend, wrapped = (import_module(name) for name in ("cupy_backends.cuda.libs.cusparse", "cupyx.cusparse"))
    handle = import_module("cupy.cuda.device").get_cusparse_handle()
    type_number = import_module("cupy._core._dtype").to_cuda_dtype(sparse.dtype)
    result = cupy.empty((sparse.shape[0], *dense.shape[1:]), sparse.dtype)
    alpha, beta = np.ones(1, sparse.dtype), np.zeros(1, sparse.dtype)

    def described(array: Any) -> Any:
        if array.ndim == 1:
            return wrapped.DnVecDescriptor.create(array)
        rows, columns = array.shape
        made = backend.createDnMat(rows, columns, columns, array.data.ptr, type_number, ROW_MAJOR)
        return wrapped.BaseDescriptor(made, None, backend.destroyDnMat)

    descriptors = wrapped.SpMatDescriptor.create(sparse), described(dense), described(result)
    a, b, c = (descriptor.desc for descriptor in descriptors)
    is_vector = dense.ndim == 1
    kind, operations = ("spMV", [SAME]) if is_vector else ("spMM", [SAME, SAME])
    number = (SPMV if is_vector else SPMM)[algorithm]
    arguments = (handle, *operations, alpha.ctypes.data, a, b, beta.ctypes.data, c, type_number, number)
    # An array of no bytes has no address.
    buffer = cupy.empty(max(getattr(backend, f"{kind}_bufferSize")(*arguments), 16), np.int8)
    _preprocess(f"cusparseSp{kind[2:]}_preprocess", arguments, buffer.data.ptr)
    run = getattr(backend, kind)

    # cuSPARSE has the addresses of the kept arrays.
    def call(kept: Any = (sparse, dense, alpha, beta, descriptors)) -> Any:
        run(*arguments, buffer.data.ptr)
        return result

    return call


def _preprocess(name: str, arguments: tuple[Any, ...], buffer: int) -> None:
    """What cuSPARSE can do once for many products; CuPy has no function for it, and older libraries neither."""
    try:
        function = getattr(ctypes.CDLL("libcusparse.so.12"), name)
    except (OSError, AttributeError):
        return
    # After the handle: one or two numbers of operations, then addresses, and two numbers of types and algorithms.
    operations = len(arguments) - 8
    kinds = [ctypes.c_void_p, *[ctypes.c_int] * operations, *[ctypes.c_void_p] * 5, ctypes.c_int, ctypes.c_int]
    function.argtypes = [*kinds, ctypes.c_void_p]
    status = function(*arguments, buffer)
    if status not in (SUCCESS, NOT_SUPPORTED):
        raise RuntimeError(f"{name} returned {status}")


def sampled_product(a: Any, c: Any, d: Any) -> Variants:
    def by_gathering() -> Any:
        rows = _dense(np.repeat(np.arange(a.shape[0], dtype=np.int32), np.diff(a.indptr)))
        columns, values, left, right = (_dense(array) for array in (a.indices, a.data, c, d))
        return lambda: (left[rows] * right[columns]).sum(axis=1) * values

    return {"CuPy gathering": by_gathering}


def addition(a: Any, b: Any) -> Variants:
    def prepare() -> Any:
        first, second = _csr(a), _csr(b)
        return lambda: first + second

    return {"CuPy CSR": prepare}


def element_product(a: Any, b: Any) -> Variants:
    def prepare() -> Any:
        first, second = _csr(a), _csr(b)
        return lambda: first.multiply(second)

    return {"CuPy CSR": prepare}


def sparse_product(a: Any, b: Any) -> Variants:
    def prepare() -> Any:
        first, second = _csr(a), _csr(b)
        return lambda: first @ second

    return {"CuPy CSR": prepare}


def mttkrp(coordinates: Any, values: Any, shape: tuple[int, ...], c: Any, d: Any) -> Variants:
    def by_gathering() -> Any:
        cupy, add = library("CuPy"), import_module("cupyx").scatter_add
        i, j, k = (_dense(np.asarray(coordinate, np.int64)) for coordinate in coordinates)
        scale, second, third = _dense(values)[:, None], _dense(c), _dense(d)

        def call() -> Any:
            result = cupy.zeros((shape[0], c.shape[1]), second.dtype)
            add(result, i, second[j] * third[k] * scale)
            return result

        return call

    def by_fibers() -> Any:
        entries, middle, rows = fibers(coordinates, values, shape)
        inner, outer, second, third, middles = _csr(entries), _csr(rows), _dense(c), _dense(d), _dense(middle)
        return lambda: outer @ ((inner @ third) * second[middles])

    return {"CuPy gathering": by_gathering, "CuPy two products": by_fibers}
