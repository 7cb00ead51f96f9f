"""Eigen as a peer: a C++ file of its kernels, compiled for this machine and called on the same arrays.

Used where its headers and a C++ compiler are found (on Debian: `apt install g++ libeigen3-dev`); skipped where not,
and where several threads are asked for, which most of its sparse kernels do not have.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.built_libraries import Command, built_library

NAME = "Eigen"
COMPILERS = ("g++", "clang++", *(f"clang++-{version}" for version in range(30, 16, -1)))
FOLDERS = tuple(map(Path, ("/usr/include/eigen3", "/usr/local/include/eigen3", "/opt/homebrew/include/eigen3")))
_SOURCE = Path(__file__).with_name("eigen_kernels.cpp")
_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_long

Calls = dict[str, Callable[[], Any]]


class _Stored(ctypes.Structure):
    _fields_ = [
        ("rows", _NUMBER),
        ("columns", _NUMBER),
        ("positions", _POINTER),
        ("coordinates", _POINTER),
        ("values", _POINTER),
    ]


class _Made(ctypes.Structure):
    _fields_ = [
        ("entries", _NUMBER),
        ("positions", ctypes.POINTER(ctypes.c_int)),
        ("coordinates", ctypes.POINTER(ctypes.c_int)),
        ("values", ctypes.POINTER(ctypes.c_double)),
        ("owner", _POINTER),
    ]


class Result:
    """A matrix that Eigen has made."""

    def __init__(self, made: _Made, shape: tuple[int, int]) -> None:
        self.made, self.shape = made, shape
        self._release = _library().release

    def to_scipy(self) -> Any:
        """A copy as a csr array."""
        made = self.made
        lengths = (made.entries, made.entries, self.shape[0] + 1)
        parts = zip((made.values, made.coordinates, made.positions), lengths, strict=True)
        copies = tuple(np.ctypeslib.as_array(pointer, (length,)).copy() for pointer, length in parts)
        return sp.csr_array(copies, shape=self.shape)

    def __del__(self) -> None:
        self._release(self.made.owner)


@cache
def _library() -> Any:
    """The compiled file; None where it cannot be made."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    folder = next((folder for folder in FOLDERS if (folder / "Eigen" / "Core").exists()), None)
    if compiler is None or folder is None:
        return None
    options = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", "-shared", "-fPIC", f"-I{folder}"]

    def commands(source: Path) -> list[Command]:
        return [[compiler, *options, "-x", "c++", source, "-o", source.with_suffix(".so")]]

    library = built_library(f"{compiler}{options}", _SOURCE.read_text(encoding="utf-8"), commands)
    library.release.argtypes = [_POINTER]
    return library


def version() -> str | None:
    """Eigen's version; None where it is skipped."""
    if (library := _library()) is None:
        return None
    number = library.version()
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def _for_one_thread() -> Any:
    return _library() if os.environ.get("OMP_NUM_THREADS", "1") == "1" else None


def product_with_vector(a: Any, x: Any) -> Calls:
    """`a @ x` for an array of SciPy's in csr or csc."""
    if (library := _for_one_thread()) is None:
        return {}
    kernel = getattr(library, f"{a.format}_with_vector")
    y = np.empty(a.shape[0])
    arguments = (_described(a), _address(x), _address(y))
    return {NAME: lambda: _run(kernel, arguments, y)}


def product_with_matrix(a: Any, b: Any) -> Calls:
    """`a @ b` for a csr array and a dense one."""
    if (library := _for_one_thread()) is None:
        return {}
    width = b.shape[1]
    c = np.empty((a.shape[0], width))
    arguments = (_described(a), _address(b), _address(c), _NUMBER(width))
    return {NAME: lambda: _run(library.csr_with_matrix, arguments, c)}


def sparse_result(name: str, a: Any, b: Any) -> Calls:
    """The `sum`, `elementwise_product` or `product` of two csr arrays, with rows in order."""
    if (library := _for_one_thread()) is None:
        return {}
    arguments = (_described(a), _described(b))
    return {NAME: lambda: _made(getattr(library, name), arguments, (a.shape[0], b.shape[1]))}


def sampled_product(a: Any, c: Any, d: Any) -> Calls:
    """The values of `a * (c @ d)` at the entries of a."""
    if (library := _for_one_thread()) is None:
        return {}
    kernel = library.sampled_by_rows if d.flags.c_contiguous else library.sampled_by_columns
    arguments = (_described(a), _address(c), _address(d), _NUMBER(c.shape[1]))
    return {NAME: lambda: _made(kernel, arguments, a.shape)}


def _run(kernel: Any, arguments: tuple[Any, ...], result: Any) -> Any:
    kernel(*arguments)
    return result


def _made(kernel: Any, arguments: tuple[Any, ...], shape: tuple[int, int]) -> Result:
    made = _Made()
    kernel(*arguments, ctypes.byref(made))
    return Result(made, shape)


def _described(a: Any) -> Any:
    """The address of what an array of SciPy's consists of: numbers of 64 bits, and indices of 32."""
    widths = [part.dtype.itemsize for part in (a.indptr, a.indices, a.data)]
    if widths != [4, 4, 8]:
        raise ValueError(f"Eigen reads indices of 4 bytes and numbers of 8, not of {widths}")
    described: Any = ctypes.pointer(_Stored(*a.shape, *(_address(part) for part in (a.indptr, a.indices, a.data))))
    # Each call reads the arrays.
    described.read = a
    return described


def _address(array: Any) -> Any:
    address: Any = ctypes.c_void_p(array.ctypes.data)
    address.array = array
    return address
