"""A CuPy whose memory is the host's and whose cuSPARSE is SciPy: for tests of code that calls them, without a card."""

from __future__ import annotations

import ctypes
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp


class Array(np.ndarray[Any, Any]):
    """An array that has its address where CuPy's has it."""

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.ctypes.data)

    def get(self) -> np.ndarray[Any, Any]:
        return np.array(self)


def _asarray(array: Any) -> Array:
    return np.ascontiguousarray(array).view(Array)


def _described(rows: int, columns: int, ahead: int, address: int, type_number: int, order: int) -> Any:
    assert (ahead, type_number, order) == (columns, 1, 2)
    return np.ctypeslib.as_array((ctypes.c_double * (rows * columns)).from_address(address)).reshape(rows, columns)


class Descriptor:
    """An array, in place of cuSPARSE's description of it."""

    def __init__(self, desc: Any, get: Any = None, destroyer: Any = None) -> None:
        self.desc = desc

    @classmethod
    def create(cls, array: Any) -> Descriptor:
        return cls(array)


def _multiply(operations: int) -> Any:
    def multiply(handle: int, *arguments: Any) -> None:
        assert arguments[:operations] == (0,) * operations
        alpha, a, b, beta, c, type_number, algorithm, buffer = arguments[operations:]
        factors = [ctypes.c_double.from_address(address).value for address in (alpha, beta)]
        assert (handle, type_number, factors) == (7, 1, [1, 0]) and buffer
        # Algorithms of COO and of CSR have numbers of their own.
        assert (algorithm in ((1, 4) if operations == 1 else (1, 2, 3, 5))) == (a.format == "coo")
        c[:] = a @ b

    return multiply


def modules() -> dict[str, ModuleType]:
    """The modules by their names."""
    descriptor = SimpleNamespace(BaseDescriptor=Descriptor, SpMatDescriptor=Descriptor, DnVecDescriptor=Descriptor)
    backend = SimpleNamespace(createDnMat=_described, destroyDnMat=None, spMV=_multiply(1), spMM=_multiply(2))
    backend.spMV_bufferSize = backend.spMM_bufferSize = lambda *arguments: 0
    made: dict[str, Any] = {
        "cupy": SimpleNamespace(
            asarray=_asarray,
            empty=lambda *given: _asarray(np.full(*given[:1], 3, *given[1:])),  # pyrefly: ignore[no-matching-overload]
            zeros=lambda *given: _asarray(np.zeros(*given)),
        ),
        "cupyx": SimpleNamespace(scatter_add=np.add.at),
        "cupyx.scipy.sparse": sp,
        "cupyx.cusparse": descriptor,
        "cupy_backends.cuda.libs.cusparse": backend,
        "cupy.cuda.device": SimpleNamespace(get_cusparse_handle=lambda: 7),
        "cupy._core._dtype": SimpleNamespace(to_cuda_dtype=lambda dtype: {"f8": 1}[np.dtype(dtype).str[1:]]),
    }
    return made
