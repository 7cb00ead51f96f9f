"""Masked arrays of NumPy, whose masks nothing here would see: refused wherever arrays come in."""

from __future__ import annotations

import sys
from typing import Any

from irtensor.core.diagnostics import UserError


def refuse_masked(values: Any, subject: str) -> None:
    """Raise UserError [bad-argument] for a masked array, and for lists that hold one."""
    # A masked array can only exist where NumPy has loaded the module for it.
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    if masked is not None and _holds(values, masked):
        message = f"{subject}: this is a masked array, and its mask would be ignored"
        help = "fill it (.filled(value)), or make a Tensor of the entries that are not masked"
        raise UserError("bad-argument", message, help=help)


def _holds(values: Any, cls: type) -> bool:
    if isinstance(values, list | tuple):
        return any(_holds(value, cls) for value in values)
    return isinstance(values, cls)
