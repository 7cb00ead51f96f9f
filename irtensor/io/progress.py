"""A progress bar for reads that take long, on a terminal, if the optional library rich is there."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, BinaryIO

_PATIENCE = 1.0  # seconds before a bar appears


class ReadProgress:
    """Follows how far a file has been read; shows nothing in scripts, tests and short reads."""

    def __init__(self, file: BinaryIO):
        self._file = file
        self._start = time.monotonic()
        self._bar: Any = None
        self._task: Any = None
        self._wanted = sys.stderr is not None and sys.stderr.isatty()

    def update(self) -> None:
        if not self._wanted:
            return
        if self._bar is None and time.monotonic() - self._start > _PATIENCE:
            self._open()
        if self._bar is not None:
            self._bar.update(self._task, completed=self._file.tell())

    def _open(self) -> None:
        try:
            from rich.console import Console
            from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
        except ImportError:
            self._wanted = False
            return
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        size = os.fstat(self._file.fileno()).st_size
        self._task = self._bar.add_task(f"reading {os.path.basename(str(self._file.name))}", total=size)
        self._bar.start()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
