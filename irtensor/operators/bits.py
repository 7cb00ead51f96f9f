"""Operators on bits, and on truth values."""

from __future__ import annotations

from typing import Any

from irtensor.core.arithmetic import BOOL, INTEGER, Arithmetic, Upstream
from irtensor.core.element_values import Scalar
from irtensor.core.scalar_operator import Operator, Traits, always, none, symmetric

# Of truth values, these are the sum, the product and the difference as well.
EITHER = Upstream("arith.ori", lambda element, a, b: a | b)
BOTH = Upstream("arith.andi", lambda element, a, b: a & b)
APART = Upstream("arith.xori", lambda element, a, b: a ^ b)


def _all_ones(element: str) -> tuple[Scalar, ...]:
    return (True,) if element == "i1" else (-1,)


def _bitwise(name: str, op: Upstream, identity: Traits, annihilator: Traits = none, *over: str) -> Operator:
    kinds, idempotent = {INTEGER: op, BOOL: op}, annihilator is not none
    traits = {"idempotent": idempotent, "cancels": not idempotent, "distributes_over": over}
    return symmetric(name, kinds, identity, annihilator, numpy=f"bitwise_{name}", **traits)


def _complement(by: Arithmetic, a: Any) -> Any:
    return by.xor(a, by.constant(-1, a))


FAMILY = (
    _bitwise("and", BOTH, _all_ones, always(0), "or", "xor"),
    _bitwise("or", EITHER, always(0), _all_ones, "and"),
    _bitwise("xor", APART, always(0)),
    Operator("not", 1, definitions={INTEGER: _complement, BOOL: _complement}, numpy="invert"),
)
