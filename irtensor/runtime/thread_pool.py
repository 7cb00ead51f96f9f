"""Threads that kernels share: started when the first kernel has work for them, asleep in native code in between.

A kernel is passed the address of a context, which says how many threads it may use. Threads belong to no interpreter:
they hold no GIL, receive no signals and end with the process. After a fork the child starts its own when it needs any.
"""

from __future__ import annotations

import ctypes
import os
import signal
from threading import Lock, local, main_thread
from typing import Any, NamedTuple, NoReturn

from irtensor.core.argument_layout import INTERRUPTED
from irtensor.errors import InternalError
from irtensor.runtime.interruption_code import interpreter_functions
from irtensor.runtime.thread_pool_code import Context, Pool, blocked_signals, pool_code

# A part of less work, counted in iterations of inner loops of about a nanosecond, is not worth waking a thread for.
GRAIN = 1 << 15
# More parts than threads even out what the division of the work did not foresee, and Ctrl-C can stop between two.
PARTS_PER_THREAD = 8


class _Code(NamedTuple):
    """Addresses of the pool's functions; `library` keeps them loaded."""

    run: int
    worker: int
    library: Any


class _State:
    """What this process has: the code, the pool with its threads, and the contexts that were handed out."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.code: _Code | None = None
        self.contexts: dict[int, Context] = {}
        self.pool = _new_pool()

    def forget_threads(self) -> None:
        """In a child after a fork, where they do not exist: the old pool stays as it was when they vanished."""
        self.lock = Lock()
        # Kernels compare no pointers to it, so it may be given back.
        self.pool = _new_pool()
        for context in self.contexts.values():
            context.run = _first_run()
            context.pool = ctypes.addressof(self.pool)


def _new_pool() -> Pool:
    return Pool(main=main_thread().ident)


_state = _State()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_state.forget_threads)


def most_parts(threads: int) -> int:
    """Into how many parts the work of a kernel that may use so many threads is divided at most."""
    return 1 if threads == 1 else PARTS_PER_THREAD * threads


def context_address(threads: int) -> int:
    """What to pass a kernel that may use so many threads; the address stays valid."""
    context = _state.contexts.get(threads)
    if context is None:
        context = Context(_first_run(), most_parts(threads), GRAIN, threads, ctypes.addressof(_state.pool), None)
        context = _state.contexts.setdefault(threads, context)
    return ctypes.addressof(context)


def _start_and_run(address: int, body: int, captured: int, begin: int, end: int) -> int:
    """As `run`, for a context that has no pool yet: the first loop that has work for threads starts it.

    The kernel goes on from there. It cannot be called again, for what it has written by then may be what it reads.
    """
    try:
        _start(address)
        return _RUN(Context.from_address(address).run)(address, body, captured, begin, end)
    except BaseException as error:
        return note_failure(error)


def note_failure(error: BaseException) -> int:
    """Keep what was raised while native code called Python: the status that it passes on, which is all that it can."""
    _failed.error = error
    return INTERRUPTED


# Type of `run`: context, body, captured values, first iteration, end.
_RUN = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 2)
_first = _RUN(_start_and_run)
_failed = local()


def _first_run() -> int | None:
    return ctypes.cast(_first, ctypes.c_void_p).value


def _start(address: int) -> None:
    """Start the threads that a context may use, or as many as there are to be had."""
    with _state.lock:
        if _state.code is None:
            _state.code = _load()
        context = next(c for c in _state.contexts.values() if ctypes.addressof(c) == address)
        if _state.pool.workers == 0:
            _initialize(_state.pool)
        while _state.pool.workers < context.threads - 1 and _start_thread(_state.code):
            _state.pool.workers += 1
        context.run = _state.code.run


def raise_interruption() -> NoReturn:
    """Raise in this thread what a signal handler, or the start of the pool, raised while a kernel ran."""
    if (error := _failed.__dict__.pop("error", None)) is not None:
        raise error
    raised = _state.pool.raised
    exception = tuple(raised)
    raised[:] = (None, None, None)
    restore = ctypes.pythonapi.PyErr_Restore
    restore.argtypes = [ctypes.c_void_p] * 3
    restore.restype = None
    # Takes the references; ctypes raises the exception that is set when it returns.
    restore(*exception)
    raise InternalError("a kernel was interrupted by nothing")


def _load() -> _Code:
    from irtensor.runtime.cpu_engine import compiled_once

    native = compiled_once(pool_code(), "run", effort="light", imports=interpreter_functions(), exports=("worker",))
    return _Code(native.address, native.address_of("worker"), native)


def _initialize(pool: Pool) -> None:
    process = ctypes.CDLL(None)
    process.pthread_mutex_init(ctypes.byref(pool, Pool.mutex.offset), None)
    process.pthread_cond_init(ctypes.byref(pool, Pool.work.offset), None)
    process.pthread_cond_init(ctypes.byref(pool, Pool.done.offset), None)


def _start_thread(code: _Code) -> bool:
    """Start one thread of the pool; says whether the system had one to give, for fewer do as well."""
    process = ctypes.CDLL(None)
    thread = ctypes.c_void_p()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked_signals())
    try:
        worker, pool = ctypes.c_void_p(code.worker), ctypes.byref(_state.pool)
        if process.pthread_create(ctypes.byref(thread), None, worker, pool):
            return False
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    process.pthread_detach(thread)
    return True


__all__ = ["INTERRUPTED", "context_address", "raise_interruption"]
