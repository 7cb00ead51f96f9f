"""Kernels whose threads need each other, from text, and how the emulator runs them."""

import ctypes
import textwrap
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from llvm_modules import parse_llvm

from irtensor.runtime import emulator
from irtensor.runtime.emulator import BLOCKS, EmulatedKernels
from irtensor.runtime.thread_pool import raise_interruption

THREADS = 64
BEGIN = """
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %lane = nvvm.read.ptx.sreg.laneid : i32
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  %blocks = nvvm.read.ptx.sreg.nctaid.x : i32
  %size = nvvm.read.ptx.sreg.ntid.x : i32
  %before = llvm.mul %block, %size : i32
  %thread = llvm.add %before, %t : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %last = llvm.mlir.constant(31 : i32) : i32
  %full = llvm.mlir.constant(-1 : i32) : i32
"""


def kernel(arguments: str, body: str, threads: int = THREADS, shared: str | None = None) -> str:
    """A kernel `k` of blocks of so many threads; `shared` is the element of an array of the block, `%near`."""
    text = f"llvm.func @k({arguments}) attributes {{nvvm.kernel, nvvm.maxntid = array<i32: {threads}>}} {{{BEGIN}"
    if shared is not None:
        memory = f"llvm.mlir.global internal @near() {{addr_space = 3 : i32}} : !llvm.array<{threads} x {shared}>"
        text = f"""{memory}\n{text}
  %shared = llvm.mlir.addressof @near : !llvm.ptr<3>
  %near = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr
"""
    return f"{text}{textwrap.dedent(body)}  llvm.return\n}}\n"


def access(lines: str) -> str:
    """Short forms: `%v = load T %p[%i]` and `store T %v, %p[%i]`."""
    made = []
    for number, line in enumerate(lines.splitlines()):
        words = line.replace(",", " ").replace("[", " ").replace("]", " ").split()
        if "load" in words[2:3] and "[" in line:
            name, _, _, type, pointer, index = words
            made.append(f"%at{number} = llvm.getelementptr {pointer}[{index}] : (!llvm.ptr, i32) -> !llvm.ptr, {type}")
            made.append(f"{name} = llvm.load %at{number} : !llvm.ptr -> {type}")
        elif words[:1] == ["store"]:
            _, type, value, pointer, index = words
            made.append(f"%at{number} = llvm.getelementptr {pointer}[{index}] : (!llvm.ptr, i32) -> !llvm.ptr, {type}")
            made.append(f"llvm.store {value}, %at{number} : {type}, !llvm.ptr")
        else:
            made.append(line)
    return "\n".join(made) + "\n"


@cache
def compiled(text: str) -> EmulatedKernels:
    """The kernels of a module, once."""
    return EmulatedKernels(parse_llvm(text))


def run(text: str, *arguments: Any) -> None:
    """Launch the first kernel of a module for arrays and numbers."""
    kernels = compiled(text)
    words = np.array([each.ctypes.data if isinstance(each, np.ndarray) else each for each in arguments], np.int64)
    types = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    launch = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(kernels.imports["irtensor.launch"])
    if launch(None, 0, 1, words.ctypes.data):
        raise_interruption()


def orders() -> list[str | np.random.Generator]:
    """All that the emulator has for threads."""
    return ["forward", "backward", np.random.default_rng(0)]


def in_all_orders(is_right: Callable[[], bool], monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether something is so in each order of threads."""
    found = []
    for each in orders():
        monkeypatch.setattr(emulator, "order", each)
        found.append(is_right())
    return found


# Each block takes every third row: it adds up the row in shared memory, and all its threads write the sum.
SUMS = kernel(
    "%from: !llvm.ptr, %to: !llvm.ptr, %rows: i32, %half: i32",
    access("""
  llvm.br ^row(%block : i32)
^row(%r: i32):
  %go = llvm.icmp "slt" %r, %rows : i32
  llvm.cond_br %go, ^fill, ^end
^fill:
  %begin = llvm.mul %r, %size : i32
  %own = llvm.add %begin, %t : i32
  %v = load f64 %from[%own]
  store f64 %v, %near[%t]
  nvvm.barrier0
  llvm.br ^step(%half : i32)
^step(%d: i32):
  %more = llvm.icmp "sgt" %d, %zero : i32
  llvm.cond_br %more, ^look, ^write
^look:
  %low = llvm.icmp "slt" %t, %d : i32
  llvm.cond_br %low, ^add, ^wait
^add:
  %other = llvm.add %t, %d : i32
  %a = load f64 %near[%t]
  %b = load f64 %near[%other]
  %sum = llvm.fadd %a, %b : f64
  store f64 %sum, %near[%t]
  llvm.br ^wait
^wait:
  nvvm.barrier0
  %next = llvm.lshr %d, %one : i32
  llvm.br ^step(%next : i32)
^write:
  %all = load f64 %near[%zero]
  store f64 %all, %to[%own]
  nvvm.barrier0
  %following = llvm.add %r, %blocks : i32
  llvm.br ^row(%following : i32)
^end:
"""),
    shared="f64",
)


def sums_are_right(text: str, rows: int = 8) -> bool:
    """Whether SUMS, or what is left of it, gives what NumPy gives."""
    values = np.random.default_rng(1).integers(1, 1000, (rows, THREADS)).astype(float)
    found = np.full_like(values, -1)
    run(text, values, found, rows, THREADS // 2)
    return np.array_equal(found, np.repeat(values.sum(1, keepdims=True), THREADS, 1))


# Neighbours exchange what they have through memory.
EXCHANGE = kernel(
    "%from: !llvm.ptr, %to: !llvm.ptr",
    access("""
  %v = load i32 %from[%thread]
  store i32 %v, %near[%t]
  nvvm.bar.warp.sync %full : i32
  %mirrored = llvm.xor %t, %last : i32
  %w = load i32 %near[%mirrored]
  nvvm.bar.warp.sync %full : i32
  store i32 %w, %near[%t]
  nvvm.bar.warp.sync %full : i32
  %neighbour = llvm.xor %t, %one : i32
  %u = load i32 %near[%neighbour]
  store i32 %u, %to[%thread]
"""),
    shared="i32",
)


def exchange_is_right(text: str) -> bool:
    """Whether EXCHANGE, or what is left of it, gives each lane the right value."""
    values = np.arange(BLOCKS * THREADS, dtype=np.int32).reshape(-1, 32)
    found = np.zeros_like(values)
    run(text, values, found)
    return np.array_equal(found, values[:, np.arange(32) ^ 31 ^ 1])
