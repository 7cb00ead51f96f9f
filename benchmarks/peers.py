"""Other libraries on the same arrays: used where they are installed, left out where not."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from irtensor.expression import indices, tensor_variable

Calls = dict[str, Callable[[], Any]]


@cache
def optional(name: str) -> Any:
    """A module, or None where it is not installed or does not load."""
    try:
        return import_module(name)
    except (ImportError, OSError):
        return None


def our_addition(x: Any, y: Any) -> Callable[[], Any]:
    """Our sum of two matrices, as a statement."""
    i, j = indices("i j")
    first, second, total = (tensor_variable(name, 2) for name in "ABC")
    total[i, j] = first[i, j] + second[i, j]
    return lambda: total.evaluate({"A": x, "B": y}, format="dense, compressed, pos = i32, crd = i32")


def _graphblas(array: Any) -> Any:
    graphblas = optional("graphblas")
    return None if graphblas is None else graphblas.io.from_scipy_sparse(array)


def _torch(array: Any) -> Any:
    torch = optional("torch")
    if torch is None:
        return None
    torch.set_num_threads(1)
    parts = (torch.from_numpy(part) for part in (array.indptr, array.indices, array.data))
    return torch.sparse_csr_tensor(*parts, size=array.shape)


def _products(a: Any, b: Any) -> Calls:
    calls: Calls = {}
    mkl, torch = optional("sparse_dot_mkl"), optional("torch")
    if mkl is not None:
        mkl.mkl_set_num_threads(1)
        calls["mkl"] = lambda: mkl.dot_product_mkl(a, b)
    if torch is not None:
        sparse, dense = _torch(a), torch.from_numpy(b)
        calls["torch"] = lambda: (sparse @ dense).numpy()
    return calls


def spmv(a: Any, x: Any) -> Calls:
    """a @ x."""
    calls, graphblas = _products(a, x), optional("graphblas")
    if graphblas is not None:
        matrix, vector = _graphblas(a), graphblas.Vector.from_dense(x)
        calls["graphblas"] = lambda: graphblas.semiring.plus_times(matrix @ vector).new().to_dense(fill_value=0.0)
    return calls


def spmm(a: Any, b: Any) -> Calls:
    """a @ b for a dense b."""
    return _products(a, b)


def _elementwise(a: Any, b: Any, method: str, operator: str) -> Calls:
    graphblas = optional("graphblas")
    if graphblas is None:
        return {}
    x, y = _graphblas(a), _graphblas(b)
    chosen = getattr(graphblas.binary, operator)
    return {"graphblas": lambda: getattr(x, method)(y, chosen).new()}


def product(a: Any, b: Any) -> Calls:
    """The element-wise product."""
    return _elementwise(a, b, "ewise_mult", "times")


def addition(a: Any, b: Any) -> Calls:
    """The sum."""
    return _elementwise(a, b, "ewise_add", "plus")
