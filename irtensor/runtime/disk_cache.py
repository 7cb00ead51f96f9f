"""Object code of compiled kernels on disk, shared by all processes of one user.

A file is written under another name and renamed, so readers see all of it or nothing; a file that is damaged, from
another version, or of another owner counts as absent. No failure of the cache is an error of the program.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

# As the standard library does: `hashlib` loads OpenSSL, which takes longer than the rest of this module.
try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

_MAGIC = b"irtensor object 3\n"
_DIGEST_SIZE = 32
_SUFFIX = ".object"
DEFAULT_BOUND = 256 * 1024 * 1024


# By folder, the bytes that this process has written since it last looked how large the folder is. Each kernel has a
# DiskCache of its own, and looking takes half a second where the folder is full.
_written: dict[Path, int] = {}


class CachedObject(NamedTuple):
    """Object files, and what their maker stored beside them (any JSON value)."""

    objects: tuple[bytes, ...]
    metadata: Any


def _digest(content: bytes = b"") -> blake2b:
    return blake2b(content, digest_size=_DIGEST_SIZE)


@lru_cache(maxsize=1)
def _compiler_fingerprint() -> str:
    """Changes with every edit of irtensor itself, released or not."""
    root = Path(__file__).parent.parent
    digest = _digest()
    for folder in ("dialects", "passes", "runtime", "compiler", "frontend", "storage"):
        for directory, folders, names in os.walk(root / folder):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".py"):
                    status = os.stat(os.path.join(directory, name))
                    digest.update(f"{folder}/{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def cache_key(structure: str, target: str) -> str:
    """Key of a kernel: a digest of its structure, the target description and this version of the compiler."""
    text = "\0".join((structure, target, _compiler_fingerprint()))
    return _digest(text.encode()).hexdigest()


class DiskCache:
    """A folder of object files, at most about `bound` bytes; the least recently used go first."""

    def __init__(self, folder: Path, bound: int = DEFAULT_BOUND) -> None:
        self.folder = folder / "objects"
        self.bound = bound

    def load(self, key: str) -> CachedObject | None:
        """What was stored under a key, or None."""
        path = self._path(key)
        try:
            with open(path, "rb") as file:
                # Loading code that another user could have written would run it.
                if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid != os.getuid():
                    return None
                content = file.read()
        except OSError:
            return None
        found = _decode(content)
        if found is None:
            with contextlib.suppress(OSError):
                path.unlink()
        else:
            with contextlib.suppress(OSError):
                os.utime(path)
        return found

    def store(self, key: str, objects: Sequence[bytes], metadata: Any = None) -> bool:
        """Keep object files under a key; says whether that worked."""
        # Not needed to load what is there, which has to be quick.
        import tempfile

        path = self._path(key)
        content = _encode(objects, metadata)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".new")
        except OSError:
            return False
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            return False
        self._account(len(content))
        return True

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}{_SUFFIX}"

    def _account(self, size: int) -> None:
        """Trim when this process has written an eighth of the bound since it last looked."""
        written = _written.get(self.folder)
        if written is None or written + size > self.bound // 8:
            self._trim()
            written = 0
        _written[self.folder] = written + size

    def _trim(self) -> None:
        files: list[tuple[float, int, str]] = []
        for directory, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(directory, name)
                with contextlib.suppress(OSError):
                    status = os.stat(path)
                    files.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in files)
        if total <= self.bound:
            return
        for _, size, path in sorted(files):
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= size
            if total <= self.bound * 3 // 4:
                return


def _encode(objects: Sequence[bytes], metadata: Any) -> bytes:
    description = json.dumps([metadata, *map(len, objects)]).encode()
    body = len(description).to_bytes(8, "little") + description + b"".join(objects)
    return _MAGIC + _digest(body).digest() + body


def _decode(content: bytes) -> CachedObject | None:
    start = len(_MAGIC) + _DIGEST_SIZE
    body = content[start:]
    if not content.startswith(_MAGIC) or _digest(body).digest() != content[len(_MAGIC) : start]:
        return None
    # The digest vouches for the rest.
    end = 8 + int.from_bytes(body[:8], "little")
    metadata, *lengths = json.loads(body[8:end])
    objects: list[bytes] = []
    for length in lengths:
        objects.append(body[end : end + length])
        end += length
    return CachedObject(tuple(objects), metadata)
