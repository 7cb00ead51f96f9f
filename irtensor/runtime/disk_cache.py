"""Object code of compiled kernels on disk, shared by all processes of one user.

A file is written under another name and renamed, so readers see all of it or nothing. It says itself what it holds, and
counts as absent if another kernel is asked for, if it is damaged, or if anybody but the user could have put it there.
No failure of the cache is an error of the program.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from irtensor.errors import InternalError, UserError
from irtensor.runtime.cache_folder import SUFFIX, TEMPORARY_SUFFIX, add_blocks, blocks_of, is_cache, mark
from irtensor.runtime.compiler_identity import DIGEST_SIZE, compiler_identity, digest
from irtensor.runtime.private_folder import (
    CAREFULLY,
    NotPrivate,
    check_own_folder,
    check_private_folder,
    is_own_file,
    make_private_folder,
)

_Read = TypeVar("_Read")

_MAGIC = b"irtensor object 4\n"
_START = len(_MAGIC) + DIGEST_SIZE
DEFAULT_BOUND = 256 * 1024 * 1024
# Folders that are not used, and why: that is said once.
_refused: set[tuple[str, str]] = set()


class CachedObject(NamedTuple):
    """Object files, and what their maker stored beside them (any JSON value)."""

    objects: tuple[bytes, ...]
    metadata: Any


def cache_key(structure: str, target: str, cache: DiskCache | None = None) -> str:
    """Key of a kernel: a digest of its structure, the target description and this version of the compiler.

    `cache` is where that version is kept, so that it is not found out anew in each process.
    """
    return digest("\0".join((structure, target, compiler_identity(cache))).encode()).hexdigest()


class DiskCache:
    """A folder of object files, at most about `bound` bytes on disk; the least recently used go first.

    Without a folder, nothing is found and nothing kept.
    """

    def __init__(self, folder: Path | None, bound: int = DEFAULT_BOUND) -> None:
        self.folder = None if folder is None else folder / "objects"
        self.bound = bound

    def load(self, key: str) -> CachedObject | None:
        """What was stored under a key, or None."""
        return self._read(key, is_used=True)

    def look(self, key: str) -> CachedObject | None:
        """The same without a use: nothing is deleted, and the time of the last use stays."""
        return self._read(key, is_used=False)

    def _read(self, key: str, *, is_used: bool) -> CachedObject | None:
        path = self._path(key)
        try:
            if path is None or not self._is_usable(str(path.parent)):
                return None
            handle = os.open(path, os.O_RDONLY | CAREFULLY)
            with os.fdopen(handle, "rb") as file:
                if not is_own_file(os.fstat(handle)):
                    return None
                found = decode(file.read(), key)
                if found is not None and is_used:
                    os.utime(handle if os.utime in os.supports_fd else path)
        except (OSError, ValueError):
            return None
        if found is None and is_used:
            with contextlib.suppress(OSError):
                os.unlink(path)
        return found

    def load_as(self, key: str, read: Callable[[CachedObject], _Read]) -> _Read | None:
        """What `read` makes of what was stored under a key; None as well where it expects another shape."""
        found = self.load(key)
        if found is None:
            return None
        try:
            return read(found)
        except (TypeError, ValueError, LookupError, AttributeError, InternalError, UserError):
            return None

    def store(self, key: str, objects: Sequence[bytes], metadata: Any = None) -> bool:
        """Keep object files under a key; says whether that worked."""
        path = self._path(key)
        try:
            if path is None or self.folder is None or not self._make(str(path.parent)):
                return False
            blocks = _write(path, encode(key, objects, metadata))
        except (OSError, ValueError):
            return False
        add_blocks(str(self.folder), blocks, self.bound)
        return True

    def refusal(self) -> str | None:
        """Why the folder is not used although it is there, or None."""
        try:
            if self.folder is not None:
                self._check()
        except NotPrivate as error:
            return str(error)
        except (OSError, ValueError):
            pass
        return None

    def _path(self, key: str) -> Path | None:
        return None if self.folder is None else self.folder / key[:2] / f"{key}{SUFFIX}"

    def _check(self, inside: str | None = None) -> None:
        """Raise NotPrivate if others could put files into the folder, or OSError if there is none."""
        assert self.folder is not None
        check_private_folder(str(self.folder.parent))
        check_own_folder(str(self.folder))
        if inside is not None:
            check_own_folder(inside)

    def _is_usable(self, inside: str) -> bool:
        try:
            self._check(inside)
        except NotPrivate as error:
            self._refuse(str(error))
            return False
        return True

    def _make(self, inside: str) -> bool:
        """Make the folders of a file that is to be written; says whether nobody else may write into these.

        Where others may write to a folder around them, nothing is loaded, but stored files are of use as soon as they
        may not any more: each file is the user's own, and says what it holds.
        """
        assert self.folder is not None
        folder = str(self.folder)
        try:
            if not os.path.lexists(inside):
                is_new = not os.path.lexists(folder)
                make_private_folder(folder)
                check_own_folder(folder)
                if not is_new and not is_cache(folder):
                    raise NotPrivate(f"'{folder}' has files in it that are not of a cache")
                mark(folder)
                make_private_folder(inside)
            check_own_folder(folder)
            check_own_folder(inside)
        except NotPrivate as error:
            self._refuse(str(error))
            return False
        return True

    def _refuse(self, why: str) -> None:
        """Warn that nothing is taken from the folder, once for each reason."""
        if (str(self.folder), why) not in _refused:
            _refused.add((str(self.folder), why))
            from irtensor.compiler.compilation.warn_user import warn_user
            from irtensor.errors import CacheWarning

            message = f"no kernels are loaded from the disk: {why}"
            warn_user([f"{message}; set IRTENSOR_CACHE_DIR to a folder that only you may write to"], CacheWarning)


def _write(path: Path, content: bytes) -> int:
    """Write a file under another name and rename it; gives the blocks that it takes."""
    # Not needed to load a file, which has to be quick.
    import tempfile

    name = path.stem
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{name}.", suffix=TEMPORARY_SUFFIX)
    try:
        with os.fdopen(handle, "wb") as file:
            if hasattr(os, "fchmod"):
                os.fchmod(handle, 0o600)
            file.write(content)
            file.flush()
            blocks = blocks_of(os.fstat(handle))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return blocks


def encode(key: str, objects: Sequence[bytes], metadata: Any) -> bytes:
    """The contents of the file of a key: a digest, then what it vouches for."""
    header = {"key": key, "lengths": [len(each) for each in objects], "metadata": metadata}
    description = json.dumps(header).encode()
    body = len(description).to_bytes(8, "little") + description + b"".join(objects)
    return _MAGIC + digest(_MAGIC, body).digest() + body


def decode(content: bytes, key: str) -> CachedObject | None:
    """What the file of a key holds, or None if the contents are damaged or another key's."""
    body = content[_START:]
    if not content.startswith(_MAGIC) or digest(_MAGIC, body).digest() != content[len(_MAGIC) : _START]:
        return None
    end = 8 + int.from_bytes(body[:8], "little")
    try:
        header = json.loads(body[8:end])
    except ValueError:
        return None
    if not isinstance(header, dict) or {*header} != {"key", "lengths", "metadata"} or header["key"] != key:
        return None
    lengths = cast("Any", header["lengths"])
    if not isinstance(lengths, list) or not all(type(length) is int and length >= 0 for length in lengths):
        return None
    if end + sum(lengths) != len(body):
        return None
    objects: list[bytes] = []
    for length in lengths:
        objects.append(body[end : end + length])
        end += length
    return CachedObject(tuple(objects), header["metadata"])
