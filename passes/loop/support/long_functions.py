"""Which operators take longer than reading and writing elements."""

from __future__ import annotations

from xdsl.ir import Operation

from irtensor.core.arithmetic import COMPLEX, FLOAT
from irtensor.dialects.algebra.algebra import ApplyOp, ConstantOp, operator_of
from irtensor.passes.loop.support.scalar_emitter import kind_of


def takes_long(op: Operation) -> bool:
    """Whether an operation is a function that a library computes. Powers to whole literals are products."""
    if type(op) is not ApplyOp or not operator_of(op).takes_long:
        return False
    if kind_of(op.operands[-1].type) not in (FLOAT, COMPLEX):
        return False
    exponent = op.operands[-1].owner if len(op.operands) > 1 else None
    if not isinstance(exponent, ConstantOp):
        return True
    value = complex(exponent.scalar)
    return value.imag != 0 or not value.real.is_integer()
