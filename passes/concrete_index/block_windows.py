"""Windows that are blocks of one size, as far as a limit goes, read from the values that they begin and end at."""

from __future__ import annotations

from xdsl.dialects.arith import AddiOp, MinSIOp
from xdsl.ir import SSAValue


def block_of(first: SSAValue, end: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """Where a window begins and the most that it has, if it is a block: it may begin and end early at a limit."""
    limit, last = _limited(end)
    if not isinstance(last.owner, AddiOp):
        return None
    start, size = last.owner.operands
    begins = _limited(first)
    if first is not start and not (begins[1] is start and begins[0] in (limit, None)):
        return None
    return start, size


def _limited(value: SSAValue) -> tuple[SSAValue | None, SSAValue]:
    """The limit of a value, and what it is below that."""
    return tuple(value.owner.operands) if isinstance(value.owner, MinSIOp) else (None, value)  # pyright: ignore
