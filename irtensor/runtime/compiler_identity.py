"""Identifies this compiler, for the disk cache: by its own code, and by the versions of the packages that it uses."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from irtensor.late_imports import load_for

# As the standard library does: `hashlib` loads OpenSSL, which takes longer than the rest of this module.
try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

DIGEST_SIZE = 32
_ENDINGS = (".py", ".pyc", ".so", ".pyd", ".mlir", ".ll")
# Packages whose version decides what a kernel is.
_BUILT_ON = ("xdsl", "llvmlite", "numpy")
_identity: str | None = None


class Kept(Protocol):
    """Where a text is kept between processes."""

    def load(self, key: str) -> Any: ...
    def store(self, key: str, objects: tuple[bytes, ...], metadata: Any) -> bool: ...


def digest(*contents: bytes) -> blake2b:
    result = blake2b(digest_size=DIGEST_SIZE)
    for content in contents:
        result.update(content)
    return result


def compiler_identity(kept: Kept | None = None) -> str:
    """A digest of all of irtensor's code and of the versions of xDSL, llvmlite, NumPy and Python.

    Reading all code takes 15 ms. So the digest is kept under the state of the files: their paths, sizes, inodes and
    times of change. It is not kept where all files have one time, as in an image: their state tells no versions apart.
    """
    global _identity
    if _identity is None:
        known_as = None if kept is None else _state_of_files()
        found = None if known_as is None or kept is None else kept.load(known_as)
        if found is not None and isinstance(found.metadata, str):
            _identity = found.metadata
        else:
            _identity = _digest_of_contents()
            if known_as is not None and kept is not None:
                kept.store(known_as, (), _identity)
    return _identity


def _state_of_files() -> str | None:
    """A digest of what the file system says about irtensor's files, or None if it tells no two versions apart."""
    lines = [_python()]
    has_times = False
    for path in (*_sources(), *_packages()):
        status = _status(path)
        lines.append(f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}")
        # Times of change are those of the system that wrote the file, but in images: there all are the same second.
        has_times = has_times or status.st_ctime_ns % 1_000_000_000 != 0
    return digest("\n".join(lines).encode()).hexdigest() if has_times else None


def _status(path: str) -> os.stat_result:
    return os.stat(path)


def _digest_of_contents() -> str:
    root = _root()
    result = digest(_python().encode())
    count = 0
    for path in _sources():
        content = Path(path).read_bytes()
        result.update(f"\n{path.removeprefix(root)} {len(content)}\n".encode())
        result.update(content)
        count += 1
    if not count:
        # Code that cannot be read, such as that in an archive, cannot be told from other code.
        result.update(os.urandom(DIGEST_SIZE))
    for name in _BUILT_ON:
        result.update(f"\n{name} {_version(name)}\n".encode())
    return result.hexdigest()


def _python() -> str:
    return f"{sys.implementation.cache_tag} {sys.version}"


def _root() -> str:
    return str(Path(__file__).parent.parent)


def _sources() -> Iterator[str]:
    """The files of irtensor's code, in an order that depends on their names alone."""
    return _sources_in(_root())


def _sources_in(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name != "__pycache__" and entry.is_dir():
            yield from _sources_in(entry.path)
        elif entry.name.endswith(_ENDINGS):
            yield entry.path


def _packages() -> Iterator[str]:
    """The folders of the packages that irtensor is built on, which an installation makes anew."""
    from importlib.util import find_spec

    for name in _BUILT_ON:
        module = sys.modules.get(name)
        spec = module.__spec__ if module is not None else find_spec(name)
        if spec is not None and spec.origin is not None and os.path.exists(spec.origin):
            yield spec.origin
            yield os.path.dirname(spec.origin)


def _version(name: str) -> str:
    load_for("versions")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return str(getattr(sys.modules.get(name), "__version__", "?"))
