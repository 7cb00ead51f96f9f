"""Keeps the garbage collector from walking IR and modules while they are made."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from contextlib import contextmanager
from threading import get_ident

# Threads that have switched the garbage collector off for the process, and switch it on again.
_pausing: list[int] = []


def _resume_collector() -> None:
    """In a child after a fork, where such a thread does not exist."""
    if _pausing and get_ident() not in _pausing:
        _pausing.clear()
        gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_resume_collector)


@contextmanager
def collector_paused() -> Generator[None]:
    """No garbage collection for a moment: IR and imported modules are cycles in use, which a collection walks in vain.

    Code around several pauses is one pause: after each, a collection would walk objects that the next one still uses.
    """
    if not gc.isenabled():
        yield
        return
    _pausing.append(get_ident())
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        _pausing.remove(get_ident())


def keep_what_is_there() -> None:
    """Count all objects among the old ones, which a collection does not walk soon: modules stay, once imported.

    Without this, a collection walks all of them before the first kernel. What someone has frozen stays frozen.
    """
    if gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()
