"""Runs a text of the loop dialect natively and in the interpreter."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from reference.interpret_loop import Growable, interpret_loop
from xdsl.context import Context
from xdsl.dialects import arith, builtin, complex, func, llvm, math, vector
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from irtensor.dialects.algebra import Algebra
from irtensor.dialects.loop import Loop
from irtensor.passes.keep_order_of_sums import KeepOrderOfSumsPass
from irtensor.passes.llvm.lower_loop_to_llvm import LowerLoopToLlvmPass
from irtensor.passes.loop.lower_algebra_to_arith import LowerAlgebraToArithPass
from irtensor.runtime import emulator, thread_pool
from irtensor.runtime.cpu_engine import NativeFunction, compile_llvm_text
from irtensor.runtime.emit_llvm import emit_llvm

_libc = ctypes.CDLL(None)
_libc.free.argtypes = [ctypes.c_void_p]


class Slot(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("capacity", ctypes.c_int64), ("size", ctypes.c_int64)]


def parse(text: str) -> ModuleOp:
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
    if isinstance(argument, np.ndarray):
        return argument.copy()
    return Growable(argument.storage.dtype, argument.limit) if isinstance(argument, Growable) else argument


Run = Callable[..., list[Any]]


@pytest.fixture
def run() -> Run:
    """Run a text natively and interpreted, check that both agree, and return the arguments afterwards."""

    def run(
        text: str,
        *arguments: Any,
        entry: str = "kernel",
        exact: bool = True,
        threads: int | None = None,
        **options: Any,
    ) -> list[Any]:
        module = parse(text)
        native, interpreted = ([duplicate(argument) for argument in arguments] for _ in range(2))
        assert call_native(compile_module(module, entry, **options), native, threads) == 0
        assert interpret_loop(module, entry, interpreted) == 0
        for a, b in zip(native, interpreted, strict=True):
            if isinstance(a, Growable):
                a, b = a.contents, b.contents
            if isinstance(a, np.ndarray):
                compare = np.testing.assert_array_equal if exact else np.testing.assert_allclose
                compare(a, b)
        return native

    return run


@pytest.fixture
def machine() -> SimpleNamespace:
    """The steps of `run`, for tests that need them one by one."""
    return SimpleNamespace(parse=parse, compile_module=compile_module, call_native=call_native)


@pytest.fixture(params=["forward", "backward", "shuffled"])
def order(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """In which order the emulator runs threads."""
    shuffled = request.param == "shuffled"
    monkeypatch.setattr(emulator, "order", np.random.default_rng(0) if shuffled else request.param)
    return request.param
