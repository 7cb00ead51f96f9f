"""Texts that lie beside the code of the runtime: LLVM IR in `llvm`, loops in `loops`."""

from __future__ import annotations

from pkgutil import get_data


def text_of_file(path: str) -> str:
    """The contents of a file, by its path from this folder; the package may be in an archive."""
    found = get_data("irtensor.runtime", path)
    assert found is not None, path
    return found.decode()
