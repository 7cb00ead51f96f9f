"""The number that an index value is known to be."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue


def constant_index(value: SSAValue) -> int | None:
    """The number an index value is known to be, or None."""
    owner = value.owner
    # Asked of every operand that is added to something; isinstance() of another class takes twenty times as long.
    if type(owner) is not arith.ConstantOp:
        return None
    constant = owner.properties["value"]
    return constant.value.data if isinstance(constant, IntegerAttr) else None
