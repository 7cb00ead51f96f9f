"""The check that an integer constant fits in the register that it gets in code."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr
from xdsl.ir import Attribute, Operation

from irtensor.core.diagnostics import UserError


def check_fits(op: Operation, value: Attribute, width: int) -> None:
    """Raise UserError [number-too-large] unless integers fit in so many bits, with or without a sign."""
    if isinstance(value, IntegerAttr):
        numbers = (value.value.data,)
    else:
        numbers = value.get_values() if isinstance(value, DenseIntOrFPElementsAttr) else ()
    for number in numbers:
        if isinstance(number, int) and not -1 << (width - 1) <= number < 1 << width:
            message = f"constant {number} does not fit in {width} bits"
            help = f"write a number from -2^{width - 1} to 2^{width} - 1"
            raise UserError("number-too-large", message, op=op, help=help)
