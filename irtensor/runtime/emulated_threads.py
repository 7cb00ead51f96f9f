"""Runs the threads of kernels on the CPU, in an order that is asked for, and says which of them wait in vain."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import groupby
from threading import RLock
from typing import Any, NamedTuple

import numpy as np

from irtensor.errors import InternalError
from irtensor.runtime.cpu_engine import compiled_once
from irtensor.runtime.emulated_threads_code import ENDED, ENTRIES, WAITS, Launch, Thread, declarations, threads_code
from irtensor.runtime.fiber_code import fiber_code
from irtensor.runtime.fiber_stacks import fiber_stacks
from irtensor.runtime.native_function import NativeFunction

# Calls of native code that keep the interpreter's lock, if it has one.
_BLOCKS = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
_THREADS = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
# How many orders of its threads a shuffled block goes through before it begins again.
_ROWS = 16
Order = str | np.random.Generator


class Wait(NamedTuple):
    """A call at which threads wait: its operation, whether for lanes of a mask, and its number in the kernel."""

    operation: str
    by_mask: bool
    number: int


class EmulatedKernel(NamedTuple):
    """A kernel and its grid: `waits` if its threads need each other, each with a stack of `stack_bytes` then."""

    name: str
    number: int
    blocks: int
    threads: int
    waits: bool
    stack_bytes: int


class EmulatorFunctions:
    """The emulator's own code. Kernels of all modules share its registers, so one launch has them at a time.

    `machine` is the one that fibers are for, as `fiber_code` takes it.
    """

    def __init__(self, machine: str | None = None) -> None:
        text = threads_code(fiber_code(machine))
        self.declarations = declarations(text)
        exports = [name for name in self.declarations if name != ENTRIES[0]]
        self.native: NativeFunction = compiled_once(text, ENTRIES[0], effort="light", exports=exports)
        self.addresses = {name: self.native.address_of(name) for name in self.declarations}
        self.run_blocks: Callable[..., int] = _BLOCKS(self.addresses["irtensor.emulate_blocks"])
        self.run_threads: Callable[..., None] = _THREADS(self.addresses["irtensor.emulate_threads"])


@cache
def emulator_functions() -> EmulatorFunctions:
    """Those for this machine."""
    return EmulatorFunctions()


_lock = RLock()


def _forget_lock() -> None:
    """In a child after a fork: another thread may have had it."""
    global _lock
    _lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_lock)


class EmulatedGrid:
    """The threads of a kernel, whose code has been linked with `functions`.

    `emulate` and `poison` are addresses of what `emulator_code` makes; `calls` are those at which its code waits.
    """

    def __init__(
        self,
        kernel: EmulatedKernel,
        functions: EmulatorFunctions,
        emulate: int,
        poison: int,
        calls: Sequence[Wait],
    ) -> None:
        self.kernel = kernel
        self._functions = functions
        self._calls = calls
        self._launch = Launch(emulate, kernel.number, poison, ntid=kernel.threads, nctaid=kernel.blocks)
        self._address = ctypes.addressof(self._launch)

    def run(self, words: int, order: Order) -> None:
        """Run all threads, for the arguments at the address `words`.

        Raises InternalError if threads wait for others that do not come, MemoryError if there is none for their stacks.
        """
        with _lock:
            if self.kernel.waits:
                self._run_blocks(words, order)
                return
            threads = _ordered(self.kernel.blocks * self.kernel.threads, order)
            self._functions.run_threads(self._address, words, threads.ctypes.data, len(threads))

    def _run_blocks(self, words: int, order: Order) -> None:
        # A signal handler may run the kernel as well, before the launch begins.
        kernel, launch = self.kernel, Launch.from_buffer_copy(self._launch)
        threads = (Thread * kernel.threads)()
        stacks = fiber_stacks(kernel.threads, kernel.stack_bytes)
        blocks = _ordered(kernel.blocks, order)
        rows = 1 if isinstance(order, str) else _ROWS
        orders = np.stack([_ordered(kernel.threads, order) for _ in range(rows)])
        launch.greedy = isinstance(order, str) and order == "greedy"
        launch.blocks, launch.orders, launch.rows = blocks.ctypes.data, orders.ctypes.data, rows
        launch.threads, launch.stacks = ctypes.addressof(threads), stacks.address
        launch.stack_distance, launch.stack_bytes = stacks.distance, stacks.size
        if self._functions.run_blocks(ctypes.addressof(launch), words):
            raise InternalError(
                f"kernel '{kernel.name}', block {launch.ctaid}: threads wait for others that do not come\n"
                + "\n".join(_states(threads, self._calls))
            )


def _ordered(count: int, order: Order) -> np.ndarray[Any, Any]:
    threads = np.arange(count, dtype=np.int32)
    if isinstance(order, str):
        return np.ascontiguousarray(threads[::-1]) if order in ("backward", "greedy") else threads
    return order.permutation(threads)


def _states(threads: Iterable[Thread], calls: Sequence[Wait]) -> list[str]:
    """What threads do, a line for each row of neighbours that do the same."""
    lines: list[str] = []
    for state, same in groupby(enumerate(threads), lambda pair: _state(pair[1], calls)):
        numbers = [number for number, _ in same]
        first, last = numbers[0], numbers[-1]
        lines.append(f"thread {first}: {state}" if first == last else f"threads {first} to {last}: {state}")
    return lines


def _state(thread: Thread, calls: Sequence[Wait]) -> str:
    if thread.state != WAITS:
        return "ended" if thread.state == ENDED else "can go on"
    call = calls[thread.site]
    whom = f" for lanes 0x{thread.mask & 0xFFFFFFFF:08x}" if call.by_mask else ""
    return f"at {call.operation}{whom}, which is number {call.number} of those that wait"
