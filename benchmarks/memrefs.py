"""Arrays as MLIR's compiled functions take and return them: memref descriptors."""

from __future__ import annotations

import ctypes
import weakref
from functools import cache
from typing import Any

import numpy as np

_ELEMENTS = {"f64": ctypes.c_double, "i32": ctypes.c_int32, "i64": ctypes.c_int64}
_NAMES = {"float64": "f64", "int32": "i32", "int64": "i64"}


def element_name(array: Any) -> str:
    """MLIR's name of the element type of a NumPy array."""
    return _NAMES[array.dtype.name]


@cache
def _descriptor_type(rank: int, element: Any) -> Any:
    fields = [("allocated", ctypes.POINTER(element)), ("aligned", ctypes.POINTER(element)), ("offset", ctypes.c_int64)]
    lengths = [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type("Descriptor", (ctypes.Structure,), {"_fields_": fields + lengths})


def descriptor(array: Any) -> Any:
    """MLIR's description of an array in memory."""
    element = _ELEMENTS[element_name(array)]
    pointer = array.ctypes.data_as(ctypes.POINTER(element))
    kind = _descriptor_type(array.ndim, element)
    extents = ctypes.c_int64 * array.ndim
    strides = extents(*(stride // array.itemsize for stride in array.strides))
    return kind(pointer, pointer, 0, extents(*array.shape), strides)


def descriptors(elements: list[str]) -> Any:
    """A structure of descriptions of flat arrays, as a function returns several."""
    fields = [(f"part{number}", _descriptor_type(1, _ELEMENTS[element])) for number, element in enumerate(elements)]
    return type("Results", (ctypes.Structure,), {"_fields_": fields})


def taken(returned: Any) -> Any:
    """A returned array, freed with the last view of it."""
    length = returned.sizes[0]
    array = np.ctypeslib.as_array(returned.aligned, (length,))
    address = ctypes.cast(returned.allocated, ctypes.c_void_p).value
    assert address is not None
    weakref.finalize(array, _free, address)
    return array


def _free(address: int) -> None:
    libc = ctypes.CDLL(None)
    libc.free.argtypes = [ctypes.c_void_p]
    libc.free(address)
