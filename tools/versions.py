"""Which version of irtensor a tool belongs to, and what it is built on."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import irtensor

# Packages whose versions decide what the tools do.
_BUILT_ON = ("xdsl", "llvmlite")


def version_line(tool: str) -> str:
    """What `--version` prints: `irtensor-opt 0.1.0 (xdsl 0.74.0, llvmlite 0.50.0)`."""
    built_on = ", ".join(f"{package} {version_of(package)}" for package in _BUILT_ON)
    return f"{tool} {irtensor.__version__} ({built_on})"


def version_of(package: str) -> str:
    """The version of a package of others; it is not imported for that."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"
