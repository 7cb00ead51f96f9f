"""Numbers that are written in a program, beside those that stand for absent entries."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp, ConstantOp

_FIRST = StringAttr("first")


def is_literal(value: SSAValue) -> bool:
    """Whether a value is a number that is written in the program, also beside what gives index variables an extent."""
    while type(op := value.owner) is ApplyOp and op.operator == _FIRST:
        value = op.arguments[0]
    return type(value.owner) is ConstantOp and value.owner.absent is None


def literals_of(op: ApplyOp) -> list[int]:
    """The arguments that annihilate nothing because an entry is absent: literals, in exact arithmetic all."""
    return [number for number, value in enumerate(op.arguments) if op.exact is not None or is_literal(value)]
