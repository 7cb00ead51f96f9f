"""What `format=` may be: a TensorFormat, its text, or a function of the rank such as COO."""

from __future__ import annotations

from typing import Any

from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.tensor_format import TensorFormat


def resolve_format(format: Any, rank: int, what: str = "the result") -> TensorFormat:
    """The format of a result, or whatever `what` says, of `rank` dimensions. Raises UserError [bad-format]."""
    if isinstance(format, str):
        format = TensorFormat.parse(format)
    elif not isinstance(format, TensorFormat) and callable(format):
        format = format(rank)
    if not isinstance(format, TensorFormat):
        message = f"{format!r} is not a format"
        raise UserError("bad-format", message, help='give irtensor.CSR, irtensor.COO or "dense, compressed"')
    if format.rank != rank:
        message = f"the format {format} has rank {format.rank}, {what} has rank {rank}"
        raise UserError("bad-format", message)
    return format
