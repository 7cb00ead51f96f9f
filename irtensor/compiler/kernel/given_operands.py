"""Operands of a call by name, whether they are given by position or by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irtensor.core.diagnostics import UserError


def operands_by_name(
    operands: Sequence[Any], named: Mapping[str, Any], names: Sequence[str], subject: str = "the statement has"
) -> dict[str, Any]:
    """All operands by name; `names` are those of the ones that are given by position.

    Raises UserError [operand-count] for too many, or one that is given twice.
    """
    given = dict(named)
    if len(operands) > len(names):
        message = f"{len(operands)} operands are given; {subject} {len(names)}"
        raise UserError("operand-count", message, help=f"they are {', '.join(names)}")
    for name, value in zip(names, operands, strict=False):
        if name in given:
            raise UserError("operand-count", f"operand {name} is given twice, by position and by name")
        given[name] = value
    return given
