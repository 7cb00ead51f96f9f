"""LLVM IR by which the CPU runs the threads of a grid: one after the other, or as fibers where they wait for others.

A launch is in the memory of a Launch, and its threads are in an array of Thread. Code of kernels calls functions whose
names are those of intrinsics, with `emulated` for `llvm.nvvm`; where threads wait, the first argument is the number of
the offset in the code.
"""

from __future__ import annotations

import ctypes
import re

from irtensor.core.text_files import text_of_file
from irtensor.runtime.emulated_lanes_code import lanes_code
from irtensor.runtime.fiber_code import FiberCode

WARP = 32
# What a thread does: it can go on, it waits for others, or it has ended.
READY, WAITS, ENDED = range(3)
# Halves of a word: each float is a NaN of it, each integer of more than 8 bits is large, and neither is often meant.
POISON = 0x7FF8


class Launch(ctypes.Structure):
    """A launch of a kernel."""

    _fields_ = (
        # Runs a thread of the kernel by its number.
        ("emulate", ctypes.c_void_p),
        ("kernel", ctypes.c_int64),
        # Overwrites the memory of a block, before each block.
        ("poison", ctypes.c_void_p),
        # The words of the arguments.
        ("words", ctypes.c_void_p),
        # Registers.
        ("tid", ctypes.c_int32),
        ("ntid", ctypes.c_int32),
        ("ctaid", ctypes.c_int32),
        ("nctaid", ctypes.c_int32),
        # The order in which blocks run, and orders of the threads of a block: a round has one of them, and is over when
        # each thread that can go on has run.
        ("blocks", ctypes.c_void_p),
        ("orders", ctypes.c_void_p),
        ("rows", ctypes.c_int64),
        ("rounds", ctypes.c_int64),
        # Whether a thread runs again as soon as it can.
        ("greedy", ctypes.c_int64),
        # Threads of a block, and their stacks: what lies between two of them is not theirs.
        ("threads", ctypes.c_void_p),
        ("stacks", ctypes.c_void_p),
        ("stack_distance", ctypes.c_int64),
        ("stack_bytes", ctypes.c_int64),
        # Threads of the block that have not ended, and those that wait for all others at one call.
        ("live", ctypes.c_int32),
        ("at_barrier", ctypes.c_int32),
        ("barrier", ctypes.c_int32),
    )


class Thread(ctypes.Structure):
    """A thread of a block: its fiber, what it does, and for which lanes it waits where."""

    _fields_ = (
        ("context", ctypes.c_void_p),
        ("state", ctypes.c_int32),
        ("site", ctypes.c_int32),
        ("mask", ctypes.c_int32),
        # What it has for other lanes, and what all lanes had.
        ("value", ctypes.c_int64),
        ("values", ctypes.c_int64 * WARP),
    )


# Functions for the emulator; the first one is the entry.
ENTRIES = (
    "irtensor.emulate_blocks",
    "irtensor.emulate_threads",
    "irtensor.read",
    "irtensor.memset",
    "irtensor.poison",
)
_DEFINED = re.compile(r"^define ([^\n]*@((?:emulated|irtensor)\.[\w.]+)\([^\n]*) \{$", re.MULTILINE)


def threads_code(fibers: FiberCode) -> str:
    """The functions ENTRIES and those that kernels call."""
    registers = "".join(_REGISTER.replace("$name$", name) for name in ("tid", "ntid", "ctaid", "nctaid"))
    threads, waits = text_of_file("llvm/emulated_threads.ll"), text_of_file("llvm/emulated_waits.ll")
    text = fibers.text + threads + waits + registers + lanes_code()
    for structure in (Launch, Thread):
        for field in structure._fields_:
            offset = str(getattr(structure, field[0]).offset)
            text = text.replace(f"${structure.__name__.lower()}.{field[0]}$", offset)
    text = text.replace("$thread$", str(ctypes.sizeof(Thread))).replace("$context$", str(fibers.context_bytes))
    text = text.replace("$waits$", str(WAITS)).replace("$ended$", str(ENDED)).replace("$ready$", str(READY))
    return text.replace("$poison$", str(POISON)).replace("$poison.word$", str(POISON * 0x1000100010001))


def declarations(text: str) -> dict[str, str]:
    """What a module has to say about functions of `threads_code` that it calls, by their names."""
    return {name: f"declare {signature}" for signature, name in _DEFINED.findall(text)}


_REGISTER = """
define i32 @emulated.read.ptx.sreg.$name$.x() nounwind {
  %launch = load ptr, ptr @launch
  %at = getelementptr i8, ptr %launch, i64 $launch.$name$$
  %value = load i32, ptr %at
  ret i32 %value
}
"""
