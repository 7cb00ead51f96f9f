"""Variants of PyTorch for kernels on a GPU; CSR and COO both go to cuSPARSE, or to kernels of its own."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.gpu_peers import Variants, fibers

torch: Any = import_module("torch")
# Tests run the same on the CPU.
DEVICE = "cuda"


def _there(array: Any) -> Any:
    return torch.from_numpy(np.ascontiguousarray(array)).to(DEVICE)


def _csr(a: Any) -> Any:
    parts = [_there(part) for part in (a.indptr, a.indices, a.data)]
    return torch.sparse_csr_tensor(*parts, size=a.shape, check_invariants=False)


def _coo(a: Any) -> Any:
    rows = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
    coordinates = _there(np.stack((rows, a.indices.astype(np.int64))))
    return torch.sparse_coo_tensor(coordinates, _there(a.data), a.shape, is_coalesced=True)


_FORMATS = {"CSR": _csr, "COO": _coo}


def product_with_dense(a: Any, b: Any) -> Variants:
    def prepare(format: str) -> Any:
        sparse, dense = _FORMATS[format](a), _there(b)
        return lambda: sparse @ dense

    return {f"PyTorch {format}": lambda format=format: prepare(format) for format in _FORMATS}


def sampled_product(a: Any, c: Any, d: Any) -> Variants:
    def by_cusparse() -> Any:
        sparse, left, right = _csr(a), _there(c), _there(d).T
        values = sparse.values()
        # It samples the pattern only; the entries' own values come after it.
        return lambda: torch.sparse.sampled_addmm(sparse, left, right, beta=0.0).values().mul_(values)

    def by_gathering() -> Any:
        rows = _there(np.repeat(np.arange(a.shape[0]), np.diff(a.indptr)))
        columns, values, left, right = _there(a.indices.astype(np.int64)), _there(a.data), _there(c), _there(d)
        return lambda: (left[rows] * right[columns]).sum(1).mul_(values)

    return {"PyTorch CSR": by_cusparse, "PyTorch gathering": by_gathering}


def addition(a: Any, b: Any) -> Variants:
    def prepare(format: str) -> Any:
        first, second = _FORMATS[format](a), _FORMATS[format](b)
        # A sum of COO has its entries in order, each once, only when it is coalesced.
        return (lambda: first + second) if format == "CSR" else (lambda: (first + second).coalesce())

    return {f"PyTorch {format}": lambda format=format: prepare(format) for format in _FORMATS}


def element_product(a: Any, b: Any) -> Variants:
    def prepare(format: str) -> Any:
        first, second = _FORMATS[format](a), _FORMATS[format](b)
        return lambda: first * second

    return {f"PyTorch {format}": lambda format=format: prepare(format) for format in _FORMATS}


def sparse_product(a: Any, b: Any) -> Variants:
    def prepare(format: str) -> Any:
        first, second = _FORMATS[format](a), _FORMATS[format](b)
        return lambda: first @ second

    return {f"PyTorch {format}": lambda format=format: prepare(format) for format in _FORMATS}


def mttkrp(coordinates: Any, values: Any, shape: tuple[int, ...], c: Any, d: Any) -> Variants:
    def by_gathering() -> Any:
        i, j, k = (_there(np.asarray(coordinate, np.int64)) for coordinate in coordinates)
        scale, second, third = _there(values)[:, None], _there(c), _there(d)

        def call() -> Any:
            result = torch.zeros((shape[0], c.shape[1]), dtype=second.dtype, device=DEVICE)
            return result.index_add_(0, i, (second[j] * third[k]).mul_(scale))

        return call

    def by_fibers() -> Any:
        entries, middle, rows = fibers(coordinates, values, shape)
        inner, outer, second, third, middles = _csr(entries), _csr(rows), _there(c), _there(d), _there(middle)
        return lambda: outer @ (inner @ third).mul_(second[middles])

    return {"PyTorch gathering": by_gathering, "PyTorch two products": by_fibers}
