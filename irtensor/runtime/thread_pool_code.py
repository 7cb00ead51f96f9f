"""LLVM IR of the thread pool, and the layout of what Python and it share: types of the same names in its text."""

from __future__ import annotations

import ctypes
import os
import signal

from irtensor.core.text_files import text_of_file
from irtensor.runtime.interruption_code import interruption_code


class Pool(ctypes.Structure):
    """State of a pool. The three first fields are objects of the thread library, with room to spare."""

    _fields_ = (
        ("mutex", ctypes.c_char * 128),
        ("work", ctypes.c_char * 128),
        ("done", ctypes.c_char * 128),
        # Whether a kernel uses the pool: another one at the same time does its work itself.
        ("busy", ctypes.c_int64),
        ("job", ctypes.c_void_p),
        # How many jobs there have been.
        ("generation", ctypes.c_int64),
        # Threads that took part in the present job, and those that still do.
        ("joined", ctypes.c_int64),
        ("active", ctypes.c_int64),
        # Threads that there are.
        ("workers", ctypes.c_int64),
        # What a signal handler raised while a kernel ran: type, value, traceback.
        ("raised", ctypes.c_void_p * 3),
        # The thread that runs signal handlers, as `pthread_self` names it.
        ("main", ctypes.c_int64),
    )


class Context(ctypes.Structure):
    """What a call passes to a kernel about threads; loop.parallel and loop.parts read it."""

    _fields_ = (
        # The function `run` below; before the pool has been started, one that starts it first.
        ("run", ctypes.c_void_p),
        # Parts that work is divided into at most, and iterations of inner loops that a part has at least.
        ("most_parts", ctypes.c_int64),
        ("grain", ctypes.c_int64),
        ("threads", ctypes.c_int64),
        ("pool", ctypes.c_void_p),
        # Null for the thread that called the kernel; else where it says that the job has failed, as for a signal.
        ("job_status", ctypes.c_void_p),
    )


_PAUSES = {"x86_64": "@llvm.x86.sse2.pause()"}


def pool_code() -> str:
    """The functions `run` and `worker` for this platform, as LLVM IR."""
    return interruption_code() + text_of_file("llvm/thread_pool.ll") + _pause()


def _pause() -> str:
    """What a thread does while it looks for work: it leaves the core to another thread."""
    pause = _PAUSES.get(os.uname().machine)
    if pause is None:
        return "define internal void @pause() nounwind {\n  ret void\n}\n"
    return f"declare void {pause}\ndefine internal void @pause() nounwind {{\n  call void {pause}\n  ret void\n}}\n"


def blocked_signals() -> set[int]:
    """What threads of the pool do not receive: Python's handlers run on the main thread only."""
    return set(signal.valid_signals())
