"""A user's operator for arguments of one dtype, in the form that built-in operators have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from irtensor.core.operators import (
    OPERATORS,
    STORED,
    Operator,
    Scalar,
    Traits,
    convert,
    fold_to_value,
    of_arguments,
)
from irtensor.frontend.element_types import element_name
from irtensor.frontend.promotion import (
    TypedAccess,
    TypedApply,
    TypedCast,
    TypedConstant,
    TypedExpression,
    TypedReduce,
    type_bodies,
)
from irtensor.frontend.user_operator import UserOperator


def declared_operator(
    operator: UserOperator, dtype: np.dtype, stored: Sequence[int] = (), exact: bool = False
) -> Operator:
    """The operator as a plain value; it computes constants in the types that its body has for these arguments.

    Where it has cases, its body is that for the arguments that are `stored`. In `exact` arithmetic its body computes
    with what absent ones read as. The annihilator is believed, whatever the body says. Raises UserError [bad-operator]
    where `type_bodies` does.
    """
    cases = [case for case, _ in operator.cases]
    body = type_bodies(operator, dtype)[1 + cases.index(tuple(stored)) if tuple(stored) in cases else 0]
    element, result = element_name(dtype), element_name(body.dtype)

    def evaluate(*arguments: Scalar) -> Scalar | None:
        zero = operator.annihilated(arguments)
        if zero is not None:
            return convert(zero, result)
        return decide(arguments, range(len(arguments)))

    def decide(arguments: Sequence[Scalar | None], literals: Collection[int]) -> Scalar | None:
        written = {operator.parameters[number] for number in literals}
        return _evaluate(body, dict(zip(operator.parameters, arguments, strict=True)), written, exact)

    def traits(constants: Mapping[int, Scalar]) -> tuple[Traits, ...]:
        return tuple([trait(constants.get(number)) for number in range(len(operator.parameters))])

    def trait(constant: Scalar | None) -> Traits:
        constants = () if constant is None else (convert(constant, element),)
        return lambda requested: constants if requested == element else ()

    return Operator(
        f"@{operator.name}",
        len(operator.parameters),
        evaluate,
        result=result,
        commutative=operator.commutative,
        associative=operator.associative and not operator.has_regions,
        idempotent=operator.idempotent,
        **of_arguments(traits(operator.identities), traits(operator.annihilators)),
        distributes_over=operator.distributes_over if body.dtype == dtype else (),
        elements=(element,) * len(operator.parameters),
        decide=decide,
    )


def _evaluate(
    value: TypedExpression, arguments: Mapping[str, Scalar | None], literals: Collection[str], exact: bool
) -> Scalar | None:
    """The value of an expression that the known arguments decide, else None; those in `literals` are literals."""
    match value:
        case TypedAccess(access=access):
            return arguments[access.tensor]
        case TypedConstant():
            result = value.value
        case TypedCast():
            result = _evaluate(value.operand, arguments, literals, exact)
        case TypedApply():
            inner = [_evaluate(argument, arguments, literals, exact) for argument in value.arguments]
            elements = [element_name(argument.dtype) for argument in value.arguments]
            numbers = [number for number, a in enumerate(value.arguments) if is_literal(a, literals)]
            # Which entries are there does not depend on how they are computed with.
            written = range(len(inner)) if exact and value.operator != STORED else numbers
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
        case TypedApply():
            return all(is_literal(argument, literals) for argument in value.arguments)
        case _:
            return False
