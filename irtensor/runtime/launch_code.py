"""LLVM IR of what host code calls where its kernels run on a card: it calls functions of NVIDIA's driver itself.

`irtensor.launch`, `irtensor.memset` and `irtensor.read` are passed the context of a call. Functions for growables,
whose slots are the host's and whose data is the card's, have the names and arguments of those in support_code: they
find the context of the call that their thread is in, which `irtensor.enter` says.
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from irtensor.core.argument_layout import DEVICE_FAILED, NO_MEMORY
from irtensor.core.text_files import text_of_file
from irtensor.runtime.cuda_errors import OUT_OF_MEMORY
from irtensor.runtime.support_code import reserve_code
from irtensor.runtime.thread_pool_code import Context

THREADS_PER_BLOCK = 128
MOST_BLOCKS = 2**31 - 1
# Functions of the driver by the names that its library has for them; a failure is noted by the number in this order.
DRIVER_FUNCTIONS = (
    "cuLaunchKernel",
    "cuMemcpyDtoHAsync_v2",
    "cuStreamSynchronize",
    "cuMemAllocAsync",
    "cuMemFreeAsync",
    "cuMemsetD8Async",
    "cuMemsetD16Async",
    "cuMemsetD32Async",
    "cuMemcpyDtoDAsync_v2",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
)
# What the code has, in place of `free` at last.
LAUNCH_FUNCTIONS = (
    "irtensor.grow",
    "irtensor.reserve",
    "irtensor.make_zeroed",
    "irtensor.launch",
    "irtensor.read",
    "irtensor.memset",
    "irtensor.start",
    "irtensor.enter",
    "irtensor.leave",
    "irtensor.release",
)


class KernelShape(NamedTuple):
    """How many words of eight bytes the arguments of a kernel take, and how many threads a block has.

    Where a kernel says how many threads a block has, an iteration of it is for a block. Where it does not, `threads` is
    0, and an iteration is for a thread.
    """

    words: int
    threads: int = 0


class KernelEntry(ctypes.Structure):
    """A kernel that is loaded: the driver's handle, how many words of arguments it takes, and how it is launched.

    `threads` is how many threads a block has, if the kernel says it: each iteration is for a block then. It is 0 where
    each iteration is for a thread.
    """

    _fields_ = (("function", ctypes.c_void_p), ("words", ctypes.c_int64), ("threads", ctypes.c_int64))


class KnownElement(ctypes.Structure):
    """An integer in the card's memory that the host knows, such as the last position of a level of an operand."""

    _fields_ = (("address", ctypes.c_int64), ("value", ctypes.c_int64))


class LaunchContext(Context):
    """What a call passes to host code about a card; as for threads, `loop.parts` reads the first fields."""

    _fields_ = (
        # The context of the driver, and the one that was current in this thread before the call.
        ("device_context", ctypes.c_void_p),
        ("context_before", ctypes.c_void_p),
        ("stream", ctypes.c_void_p),
        # Array of KernelEntry, by the numbers of the kernels.
        ("kernels", ctypes.c_void_p),
        # Array of KnownElement: what the host knows of the card's memory, so that nobody waits for it.
        ("known", ctypes.c_void_p),
        ("known_count", ctypes.c_int64),
        # Kernels launched and fills begun since the stream was last waited for, whether it was, and the last kernel.
        ("unfinished", ctypes.c_int64),
        ("waited", ctypes.c_int64),
        ("last_kernel", ctypes.c_int64),
        # The first call that failed, counted from 1, the driver's error, and the size of what was asked for, if any.
        ("failed_call", ctypes.c_int64),
        ("error", ctypes.c_int64),
        ("bytes", ctypes.c_int64),
    )


_FILES = ("launch", "memset", "device_growables")


def launch_code() -> str:
    """The functions LAUNCH_FUNCTIONS; whoever links them gives the addresses of DRIVER_FUNCTIONS."""
    text = "".join([text_of_file(f"llvm/{name}.ll") for name in _FILES]) + reserve_code()
    for field in LaunchContext._fields_:
        text = text.replace(f"${field[0]}$", str(getattr(LaunchContext, field[0]).offset))
    for number, name in enumerate(DRIVER_FUNCTIONS, 1):
        text = text.replace(f"$call.{name}$", str(number))
    for name, value in _NUMBERS.items():
        text = text.replace(f"${name}$", str(value))
    return text


_NUMBERS = {
    "threads.per.block": THREADS_PER_BLOCK,
    "most.blocks": MOST_BLOCKS,
    "out.of.memory": OUT_OF_MEMORY,
    "no.memory.status": NO_MEMORY,
    "failed.status": DEVICE_FAILED,
    # Zero bytes cannot be allocated, and kernels may read element 0.
    "least.bytes": 16,
}
