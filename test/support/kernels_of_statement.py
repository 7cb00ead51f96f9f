"""Statements by one kernel, and how many kernels a statement was computed by."""

from __future__ import annotations

from typing import Any

import irtensor as it


def one_kernel(text: str, formats: Any) -> Any:
    """A kernel that computes all of a statement."""
    return it.compile(text, formats=formats, schedule=it.schedule())


def kernels_of(kernel: Any) -> int:
    """How many kernels the last call ran, as `explain` says."""
    line = kernel.explain().partition("\nkernels\n  ")[2].partition("\n")[0]
    return int(line.split()[0]) if line[:1].isdigit() else 1
