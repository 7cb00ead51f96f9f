"""The files of a cache: which of a folder's are its own, how much room they take, and which go first.

Names outside of the cache's own pattern are left alone, whatever they are.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from irtensor.runtime.private_folder import CAREFULLY

SUFFIX = ".object"
TEMPORARY_SUFFIX = ".new"
MARKER = "CACHEDIR.TAG"
_MARKER_TEXT = b"""Signature: 8a477f597d28d172789f06886806bc55
# This folder is a cache: irtensor keeps compiled kernels here, and deletes the oldest.
# See https://bford.info/cachedir/
"""
# How many blocks all files take is the size of this file, in bytes: what a process adds to it is never lost.
_BLOCKS = "blocks"
_BLOCK = 4096
_UNITS = ("bytes", "KB", "MB", "GB", "TB")
# Temporary files older than this, in seconds, were left by processes that ended.
_ABANDONED = 3600.0

_SHARD = re.compile(r"[0-9a-f]{2}")
_OBJECT = re.compile(rf"[0-9a-f]{{64}}{re.escape(SUFFIX)}")
_TEMPORARY = re.compile(rf"[0-9a-f]{{64}}\.\w{{8}}{re.escape(TEMPORARY_SUFFIX)}")


class CacheFile(NamedTuple):
    """A file of a cache: its bytes, the blocks that it takes on the disk, and when it was used last."""

    path: str
    size: int
    blocks: int
    used: float

    @property
    def key(self) -> str:
        return os.path.basename(self.path)[:64]


def blocks_of(status: os.stat_result) -> int:
    """The blocks that a file takes on the disk, where that is known, and at least those that its bytes need."""
    needed = -(-status.st_size // _BLOCK)
    return max(needed, -(-getattr(status, "st_blocks", 0) * 512 // _BLOCK))


def bytes_of(files: Iterable[CacheFile]) -> int:
    """The room that files take on the disk."""
    return _BLOCK * sum(file.blocks for file in files)


def size_text(size: int) -> str:
    """A number of bytes for people."""
    number, unit = float(size), 0
    while number >= 1000 and unit < len(_UNITS) - 1:
        number, unit = number / 1024, unit + 1
    return f"{size} bytes" if unit == 0 else f"{number:.{1 if number < 100 else 0}f} {_UNITS[unit]}"


def is_cache(folder: str) -> bool:
    """Whether a folder has the marker of a cache, or only what a cache without one would have."""
    # Read once: another process may be making the marker.
    names = os.listdir(folder)
    return MARKER in names or all(_SHARD.fullmatch(name) or name.startswith(_BLOCKS) for name in names)


def mark(folder: str) -> None:
    """Say that a folder is a cache, to whoever makes backups as well (https://bford.info/cachedir/)."""
    with contextlib.suppress(OSError):
        handle = os.open(os.path.join(folder, MARKER), os.O_WRONLY | os.O_CREAT | os.O_EXCL | CAREFULLY, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(_MARKER_TEXT)


def files_in(folder: str) -> Iterator[CacheFile]:
    """The cache's own files in a folder, in no order."""
    for path, status in _listed(folder, _OBJECT):
        yield CacheFile(path, status.st_size, blocks_of(status), status.st_mtime)


def _listed(folder: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, os.stat_result]]:
    with contextlib.suppress(OSError):
        for shard in _entries(folder):
            if _SHARD.fullmatch(shard.name) and shard.is_dir(follow_symlinks=False):
                for entry in _entries(shard.path):
                    if pattern.fullmatch(entry.name):
                        with contextlib.suppress(OSError):
                            status = entry.stat(follow_symlinks=False)
                            if stat.S_ISREG(status.st_mode):
                                yield entry.path, status


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def add_blocks(folder: str, blocks: int, bound: int) -> None:
    """Note that a file of so many blocks was added; where all take more than `bound` bytes, the oldest are deleted.

    That takes as long however many files there are, but for the one that goes beyond the bound. Processes that add at
    once each append to the count, which no lock is needed for.
    """
    try:
        handle = os.open(os.path.join(folder, _BLOCKS), os.O_WRONLY | os.O_APPEND | CAREFULLY)
    except FileNotFoundError:
        trim(folder, bound)
        return
    except OSError:
        return
    with os.fdopen(handle, "wb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return
        file.write(bytes(blocks))
        used = os.fstat(handle).st_size
    if used * _BLOCK > bound:
        trim(folder, bound)


def trim(folder: str, bound: int) -> None:
    """Count the cache's own files; if they take more than `bound` bytes, delete the least recently used of them."""
    now = time.time()
    for path, status in _listed(folder, _TEMPORARY):
        if not now - _ABANDONED < status.st_mtime <= now + _ABANDONED:
            _delete(path)
    files = list(files_in(folder))
    used = sum(file.blocks for file in files)
    if used * _BLOCK > bound:
        # A time that has not come yet says nothing: the clock was put back.
        for file in sorted(files, key=lambda file: file.used if file.used <= now else 0.0):
            if used * _BLOCK <= bound * 3 // 4:
                break
            if _delete(file.path):
                used -= file.blocks
    _set_blocks(folder, used)


def clear(folder: str) -> int:
    """Delete all of the cache's own files; gives how many there were."""
    deleted = 0
    for pattern in (_OBJECT, _TEMPORARY):
        for path, _ in _listed(folder, pattern):
            deleted += _delete(path) and pattern is _OBJECT
    for shard in _entries(folder):
        if _SHARD.fullmatch(shard.name):
            with contextlib.suppress(OSError):
                os.rmdir(shard.path)
    _set_blocks(folder, 0)
    return deleted


def _delete(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def _set_blocks(folder: str, blocks: int) -> None:
    path = os.path.join(folder, _BLOCKS)
    temporary = f"{path}.{os.getpid()}"
    with contextlib.suppress(OSError):
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | CAREFULLY, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.truncate(blocks)
            os.replace(temporary, path)
        except OSError:
            _delete(temporary)
