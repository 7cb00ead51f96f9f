"""Rules for the built-in operators that operations of the IR name."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from irtensor.core.operators import OPERATORS, Operator, result_element
from irtensor.dialects.algebra.scalar_types import ELEMENT_TYPES, element_name


def verify_built_in(name: str, arguments: Sequence[Attribute], result: Attribute) -> None:
    """An operator takes values of these types and gives one of that type."""
    operator = _built_in(name)
    if len(arguments) != operator.arity:
        raise VerifyException(f"'{name}' takes {operator.arity} operands, got {len(arguments)}")
    if name == "where" and arguments[0] != i1:
        raise VerifyException(f"the condition of 'where' is i1, not {arguments[0]}")
    values = arguments[1:] if name == "where" else arguments
    for type in (*values, result):
        verify_scalar(type)
    elements = [element_name(type) for type in values]
    if len(set(elements)) > 1:
        raise VerifyException(f"'{name}' needs operands of one type, got {', '.join(elements)}; insert algebra.cast")
    expected, actual = result_element(operator, elements), element_name(result)
    if expected != actual:
        raise VerifyException(f"'{name}' of {elements[0]} gives {expected}, not {actual}")


def verify_combining(name: str, user: str) -> None:
    """An operator combines two values into one of their type, so that `user` may distribute over it."""
    operator = _built_in(name)
    if operator.arity != 2 or operator.result != "same":
        raise VerifyException(f"{user} cannot distribute over '{name}', which does not combine two values")


def _built_in(name: str) -> Operator:
    operator = OPERATORS.get(name)
    if operator is None:
        raise VerifyException(f"unknown operator '{name}'; built in are {', '.join(sorted(OPERATORS))}")
    return operator


def verify_scalar(type: Attribute) -> None:
    """A type is one that operators compute with."""
    if ELEMENT_TYPES.get(element_name(type)) != type and not isinstance(type, IndexType):
        raise VerifyException(f"{type} is neither index nor an element type, which are {', '.join(ELEMENT_TYPES)}")
