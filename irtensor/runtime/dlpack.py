"""Memory as DLPack passes it between libraries: a description in C, in a capsule of Python.

Whoever takes it calls the description's deleter when it needs the memory no more; where nobody takes it, the capsule
does. The layout is that of DLPack's header, versions 0 and 1.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from irtensor.late_imports import lock
from irtensor.runtime.cpu_engine import compiled_once
from irtensor.runtime.dlpack_code import DLPACK_FUNCTIONS, dlpack_code, dlpack_imports

# Types of devices, and of elements by NumPy's kinds.
CPU, CUDA = 1, 2
# Of bfloat16, NumPy says "V".
_CODES = {"i": 0, "u": 1, "f": 2, "V": 4, "c": 5, "b": 6}
_READ_ONLY = 1
_VERSION = (1, 0)


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_number", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("element_code", ctypes.c_uint8),
        ("element_bits", ctypes.c_uint8),
        ("element_lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))
    capsule_name = b"dltensor"


class _ManagedVersioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )
    capsule_name = b"dltensor_versioned"


# What descriptions need as long as somebody uses them, by their addresses.
_used: dict[int, tuple[Any, ...]] = {}
_new: Any = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _forget(description: int) -> None:
    _used.pop(description, None)


class _Functions:
    """What others call, compiled when memory is first passed on."""

    def __init__(self) -> None:
        imports = {**dlpack_imports(), "irtensor.forget": ctypes.cast(_forget, ctypes.c_void_p).value or 0}
        entry, other = DLPACK_FUNCTIONS
        self.native = compiled_once(dlpack_code(), entry, effort="light", imports=imports, exports=(other,))
        self.delete = self.native.address
        self.drop = self.native.address_of(other)


_functions: _Functions | None = None


def _given_functions() -> _Functions:
    global _functions
    with lock:
        if _functions is None:
            _functions = _Functions()
    return _functions


def capsule(
    owner: object,
    address: int,
    shape: Sequence[int],
    dtype: np.dtype[Any],
    device: tuple[int, int],
    *,
    versioned: bool,
    read_only: bool = False,
) -> Any:
    """A capsule for the elements at an address, in the order of C; `owner` lives as long as somebody uses them."""
    structure = _ManagedVersioned if versioned else _Managed
    functions = _given_functions()
    made = structure(deleter=functions.delete)
    if isinstance(made, _ManagedVersioned):
        made.major, made.minor = _VERSION
        made.flags = _READ_ONLY if read_only else 0
    numbers = ctypes.c_int64 * max(len(shape), 1)
    extents, strides = numbers(*shape), numbers(*_strides(shape))
    tensor = made.tensor
    tensor.data, tensor.rank = address, len(shape)
    tensor.device_type, tensor.device_number = device
    tensor.element_code, tensor.element_bits, tensor.element_lanes = _CODES[dtype.kind], 8 * dtype.itemsize, 1
    tensor.shape, tensor.strides = ctypes.addressof(extents), ctypes.addressof(strides)
    key = ctypes.addressof(made)
    _used[key] = (made, extents, strides, owner)
    return _new(key, structure.capsule_name, functions.drop)


def _strides(shape: Sequence[int]) -> list[int]:
    """How many elements each dimension steps over."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return strides
