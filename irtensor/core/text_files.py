"""Texts that lie beside code: LLVM IR and loops of the runtime, and loops that kernels call."""

from __future__ import annotations

from pkgutil import get_data


def text_of_file(path: str, package: str = "irtensor.runtime") -> str:
    """The contents of a file, by its path from the folder of a package, which may be in an archive."""
    found = get_data(package, path)
    assert found is not None, path
    return found.decode()
