"""A progress bar for work that takes long, on a terminal, if the optional library rich is there."""

from __future__ import annotations

import sys
import time
from typing import Any

from irtensor.late_imports import load_for

_PATIENCE = 1.0  # seconds before a bar appears


class Progress:
    """Follows how much of `total` has been done, in bytes or in pieces; shows nothing in scripts and short work."""

    def __init__(self, description: str, total: int, *, in_bytes: bool = False):
        self._description = description
        self._total = total
        self._in_bytes = in_bytes
        self._start = time.monotonic()
        self._bar: Any = None
        self._task: Any = None
        self._wanted = sys.stderr is not None and sys.stderr.isatty()

    def update(self, done: int) -> None:
        if not self._wanted:
            return
        if self._bar is None and time.monotonic() - self._start > _PATIENCE:
            self._open()
        if self._bar is not None:
            self._bar.update(self._task, completed=done)

    def _open(self) -> None:
        try:
            load_for("progress")
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                DownloadColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )
        except ImportError:
            self._wanted = False
            return
        amount = DownloadColumn() if self._in_bytes else MofNCompleteColumn()
        columns = (TextColumn("{task.description}"), BarColumn(), amount, TimeRemainingColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(self._description, total=self._total)
        self._bar.start()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
