"""Our own call on one thread, beside calls that have several: kernels keep the threads that they were made with."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Generator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.case import OURS, Case
from benchmarks.interleave import warm_allocator
from benchmarks.threads import one_thread


@contextmanager
def on_one_thread(make: Callable[[float], Case], scale: float) -> Generator[Callable[[], Any]]:
    """The call of a case by a process of its own, which waits in between; to ask it takes some microseconds."""
    processes = multiprocessing.get_context("spawn")
    here, there = processes.Pipe()
    process = processes.Process(target=_answer, args=(there, make, scale), daemon=True)
    process.start()
    there.close()

    def call() -> None:
        here.send(None)
        here.recv()

    try:
        yield call
    finally:
        here.close()
        process.join()


def _answer(asked: Connection, make: Callable[[float], Case], scale: float) -> None:
    """Call whenever asked, until the other end is closed."""
    one_thread()
    warm_allocator()
    call = make(scale).calls[OURS]
    while True:
        try:
            asked.recv()
        except EOFError:
            return
        call()
        asked.send(None)
