"""Scalar operations that the interpreters of all dialects share, on Python numbers."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.core.operators import Scalar, convert
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, find_operator, operator_of
from irtensor.dialects.algebra.scalar_types import element_name


def evaluate_scalar(op: Operation, values: Mapping[SSAValue, Scalar]) -> Scalar:
    """The result of an `algebra` operation whose operands are known."""
    element = element_name(op.results[0].type)
    if isinstance(op, ConstantOp):
        assert op.scalar is not None
        return convert(op.scalar, element)
    if isinstance(op, CastOp):
        return convert(values[op.operand], element)
    assert isinstance(op, ApplyOp), f"no interpreter of a tensor dialect knows '{op.name}'"
    elements = [element_name(argument.type) for argument in op.arguments]
    value = operator_of(op).value_of([values[argument] for argument in op.arguments], elements)
    assert value is not None, f"'{op.operator}' is not defined for {', '.join(elements)}"
    return value


def combine(operator: Attribute, old: Scalar, new: Scalar, element: Attribute, user: Operation) -> Scalar:
    """An accumulated value and one more."""
    value = find_operator(operator, user).value_of((old, new), (element_name(element),) * 2)
    assert value is not None, f"'{operator}' is not defined for {element}"
    return value


def identity_of(operator: Attribute, element: Attribute, user: Operation) -> Scalar:
    """What a reduction starts from."""
    value = find_operator(operator, user).identity(element_name(element))
    assert value is not None
    return value
