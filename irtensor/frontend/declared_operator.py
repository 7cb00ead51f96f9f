"""A user's operator for arguments of one dtype, in the form that built-in operators have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from irtensor.dialects.operators import OPERATORS, Operator, Scalar, convert, fold_to_value
from irtensor.frontend.element_types import element_name
from irtensor.frontend.promotion import (
    TypedAccess,
    TypedApply,
    TypedCast,
    TypedConstant,
    TypedExpression,
    TypedReduce,
    type_operator,
)
from irtensor.frontend.user_operator import UserOperator


def declared_operator(operator: UserOperator, dtype: np.dtype) -> Operator:
    """The operator as a plain value; it computes constants in the types that its body has for these arguments.

    The annihilator is believed, whatever the body says. Raises UserError [bad-operator] where `type_operator` does.
    """
    body = type_operator(operator, dtype)
    element, result = element_name(dtype), element_name(body.dtype)

    def evaluate(*arguments: Scalar) -> Scalar | None:
        if operator.annihilator is not None and operator.is_annihilated(arguments):
            return convert(operator.annihilator, result)
        return decide(arguments, range(len(arguments)))

    def decide(arguments: Sequence[Scalar | None], literals: Collection[int]) -> Scalar | None:
        written = {operator.parameters[number] for number in literals}
        return _evaluate(body, dict(zip(operator.parameters, arguments, strict=True)), written)

    def trait(constant: Scalar | None) -> Callable[[str], tuple[Scalar, ...]]:
        constants = () if constant is None else (convert(constant, element),)
        return lambda requested: constants if requested == element else ()

    identity, annihilator = trait(operator.identity), trait(operator.annihilator)
    return Operator(
        f"@{operator.name}",
        len(operator.parameters),
        evaluate,
        result=result,
        commutative=operator.commutative,
        associative=operator.associative,
        idempotent=operator.idempotent,
        left_identity=identity,
        right_identity=identity,
        left_annihilator=annihilator,
        right_annihilator=annihilator,
        distributes_over=operator.distributes_over if body.dtype == dtype else (),
        elements=(element,) * len(operator.parameters),
        decide=decide,
    )


def _evaluate(
    value: TypedExpression, arguments: Mapping[str, Scalar | None], literals: Collection[str]
) -> Scalar | None:
    """What the known ones among the arguments, of which some are literals, decide about an expression."""
    match value:
        case TypedAccess(access=access):
            return arguments[access.tensor]
        case TypedConstant():
            result = value.value
        case TypedCast():
            result = _evaluate(value.operand, arguments, literals)
        case TypedApply():
            inner = [_evaluate(argument, arguments, literals) for argument in value.arguments]
            elements = [element_name(argument.dtype) for argument in value.arguments]
            written = [number for number, a in enumerate(value.arguments) if is_literal(a, literals)]
            result = fold_to_value(OPERATORS[value.operator], inner, elements, written)
        case TypedReduce():
            raise AssertionError("an operator's body has no reductions")
    return None if result is None else convert(result, element_name(value.dtype))


def is_literal(value: TypedExpression, literals: Collection[str] = ()) -> bool:
    """Whether a value is a number of the program; of an operator's body, the arguments among `literals` are, too."""
    match value:
        case TypedConstant():
            return True
        case TypedCast():
            return is_literal(value.operand, literals)
        case TypedAccess(access=access):
            return access.tensor in literals
        case _:
            return False
