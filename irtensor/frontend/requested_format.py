"""What a user gives as a format: a TensorFormat, its text, or a function of the rank such as COO."""

from __future__ import annotations

from typing import Any

from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.tensor_format import TensorFormat


def read_format(format: Any, rank: int | None = None) -> TensorFormat:
    """A format of any rank; `rank` is what a function such as COO is asked for. Raises UserError [bad-format]."""
    if isinstance(format, str):
        format = _parse(format)
    if not isinstance(format, TensorFormat) and callable(format) and rank is not None:
        format = _of_rank(format, rank)
    if not isinstance(format, TensorFormat):
        message = f"{getattr(format, '__name__', repr(format))} is not a storage format"
        raise UserError("bad-format", message, help='give irtensor.CSR, irtensor.COO or "dense, compressed"')
    check_storable(format)
    return format


def check_storable(format: TensorFormat) -> None:
    """Raise UserError [bad-format] if a level exists inside kernels only."""
    for number, level in enumerate(format.levels):
        if level.format.properties.workspace_only:
            message = f"level {number} ({format.level_text(number)}) exists inside kernels only, as a workspace"
            raise UserError("bad-format", message, help='give irtensor.CSR, irtensor.COO or "dense, compressed"')


def _of_rank(function: Any, rank: int) -> Any:
    try:
        return function(rank)
    except TypeError:
        # It takes something else, as BCSR does.
        return function


def _parse(text: str) -> TensorFormat:
    try:
        return TensorFormat.parse(text)
    except UserError:
        from irtensor import named_formats

        name = next((name for name in vars(named_formats) if name.lower() == text.strip().lower()), None)
        if name is None or name.startswith("_"):
            raise
    message = f"{text!r} names a format, but the text of one lists its levels"
    raise UserError("bad-format", message, help=f'give irtensor.{name}, or a text such as "dense, compressed"')


def resolve_format(format: Any, rank: int, what: str = "the result") -> TensorFormat:
    """The format of a result, or whatever `what` says, of `rank` dimensions. Raises UserError [bad-format]."""
    format = read_format(format, rank)
    if format.rank != rank:
        message = f"the format {format} has rank {format.rank}, {what} has rank {rank}"
        raise UserError("bad-format", message)
    return format
