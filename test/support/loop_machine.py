"""Reads texts of the loop dialect, compiles them, and calls what they become with arrays of NumPy."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from reference.loop_memory import Growable
from xdsl.context import Context
from xdsl.dialects import arith, builtin, complex, func, llvm, math, vector
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from irtensor.dialects.algebra.algebra import Algebra
from irtensor.dialects.loop.loop import Loop
from irtensor.passes.keep_order_of_sums import KeepOrderOfSumsPass
from irtensor.passes.llvm.lower_loop_to_llvm import LowerLoopToLlvmPass
from irtensor.passes.loop.lower_algebra_to_arith import LowerAlgebraToArithPass
from irtensor.runtime import thread_pool
from irtensor.runtime.cpu_engine import compile_llvm_text
from irtensor.runtime.emit_llvm import emit_llvm
from irtensor.runtime.native_function import NativeFunction

_libc = ctypes.CDLL(None)
_libc.free.argtypes = [ctypes.c_void_p]


class Slot(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("capacity", ctypes.c_int64), ("size", ctypes.c_int64)]


def parse(text: str) -> ModuleOp:
    """A module that verifies, with upstream arithmetic."""
    context = Context()
    for dialect in (
        builtin.Builtin,
        arith.Arith,
        func.Func,
        llvm.LLVM,
        math.Math,
        complex.Complex,
        vector.Vector,
        Algebra,
        Loop,
    ):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    LowerAlgebraToArithPass().apply(context, module)
    module.verify()
    return module


def compile_module(module: ModuleOp, entry: str, strict: bool = False, **options: Any) -> NativeFunction:
    lowered = module.clone()
    if strict:
        KeepOrderOfSumsPass().apply(Context(), lowered)
    LowerLoopToLlvmPass().apply(Context(), lowered)
    lowered.verify()
    return compile_llvm_text(emit_llvm(lowered), entry, **options)


def call_native(native: NativeFunction, arguments: list[Any], threads: int | None = None) -> int:
    """Pass arrays by address, growables by slot, scalars by value as their NumPy types say; `threads` where it asks."""
    types: list[Any] = []
    values: list[Any] = []
    slots: list[tuple[Growable, Slot]] = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            types.append(ctypes.c_void_p)
            values.append(argument.ctypes.data)
        elif isinstance(argument, Growable):
            slot = Slot()
            slots.append((argument, slot))
            types.append(ctypes.c_void_p)
            values.append(ctypes.addressof(slot))
        elif isinstance(argument, np.complexfloating):
            part = np.ctypeslib.as_ctypes_type(argument.real.dtype)
            types += [part, part]
            values += [argument.real, argument.imag]
        else:
            types.append(ctypes.c_int8 if argument.dtype == bool else np.ctypeslib.as_ctypes_type(argument.dtype))
            values.append(argument.item())
    if threads is not None:
        types.append(ctypes.c_void_p)
        values.append(thread_pool.context_address(threads))
    status = native.as_ctypes(*types)(*values)
    for growable, slot in slots:
        dtype = growable.storage.dtype
        text = ctypes.string_at(slot.data, slot.size * dtype.itemsize) if slot.size else b""
        growable.storage = np.frombuffer(text, dtype).copy()
        growable.size = slot.size
        _libc.free(slot.data)
    return status


def duplicate(argument: Any) -> Any:
    """An argument as it is now, for a call that changes it."""
    if isinstance(argument, np.ndarray):
        return argument.copy()
    return Growable(argument.storage.dtype, argument.limit) if isinstance(argument, Growable) else argument
