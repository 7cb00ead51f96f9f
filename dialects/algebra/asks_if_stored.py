"""Whether an operation says if its operand is an entry, and does not compute with the value."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from irtensor.core.operators import STORED


def asks_if_stored(op: Operation) -> bool:
    """Whether an operation applies `stored`."""
    operator = op.properties.get("operator")
    return type(operator) is StringAttr and operator.data == STORED and op.name == "algebra.apply"
