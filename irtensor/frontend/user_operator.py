"""Operators that users declare: a function traced to an expression over its parameters, and its algebra."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.operators import OPERATORS, Operator, convert, same_value
from irtensor.frontend.expression_tree import Access, Apply, Expression, Literal, Scalar
from irtensor.frontend.lazy_expression import LazyExpression, apply, as_expression


@dataclass(frozen=True)
class UserOperator:
    """An operator `@name` with the traits that rewrites may rely on; made by `operator`, compared by structure.

    `body` is an expression over the parameters as scalar tensors. A trait of None is not declared. Called with lazy
    expressions, it gives the expression of its application.
    """

    name: str
    parameters: tuple[str, ...]
    body: Expression
    identity: Scalar | None = None
    annihilator: Scalar | None = None
    commutative: bool = False
    associative: bool = False
    idempotent: bool = False

    def __call__(self, *arguments: Any) -> LazyExpression:
        self.check_arity(len(arguments))
        result = apply(f"@{self.name}", *arguments)
        return LazyExpression(result.tree, {**result.tensors, f"@{self.name}": self})

    def check_arity(self, count: int) -> None:
        if count != len(self.parameters):
            raise UserError("wrong-arity", f"@{self.name} takes {len(self.parameters)} arguments, got {count}")

    def evaluate(self, *arguments: Scalar) -> Scalar:
        """The value on numbers, as the built-in operators compute it; the annihilator is believed."""
        if self.annihilator is not None and any(same_value(argument, self.annihilator) for argument in arguments):
            return self.annihilator
        return _evaluate(self.body, dict(zip(self.parameters, arguments, strict=True)))

    def value(self, element: str) -> Operator:
        """The operator for elements of one type, in the form that built-in ones have."""

        def trait(constant: Scalar | None) -> Callable[[str], tuple[Scalar, ...]]:
            constants = () if constant is None else (convert(constant, element),)
            return lambda requested: constants

        identity, annihilator = trait(self.identity), trait(self.annihilator)
        return Operator(
            f"@{self.name}",
            len(self.parameters),
            self.evaluate,
            commutative=self.commutative,
            associative=self.associative,
            idempotent=self.idempotent,
            left_identity=identity,
            right_identity=identity,
            left_annihilator=annihilator,
            right_annihilator=annihilator,
        )


def operator(
    name: str,
    function: Callable[..., Any],
    *,
    identity: Scalar | None = None,
    annihilator: Scalar | None = None,
    commutative: bool = False,
    associative: bool = False,
    idempotent: bool = False,
) -> UserOperator:
    """Declare an operator: `plus = operator("plus", lambda a, b: a + b + a * b, identity=0, associative=True)`.

    `function` is called once, with expressions for its arguments; it may use Python's operators and the functions of
    irtensor.expression.functions, such as where(a < b, a, b). What is not declared is not assumed: only operators that
    are associative and have an identity reduce; an annihilator lets the compiler skip missing entries. The traits are
    believed, not proved. Give the operator to `compile(..., operators=[plus])` and write `@plus(A[i], B[i])`.
    Raises UserError [bad-operator].
    """
    if not name.isidentifier():
        help = "a name has letters, digits and underscores, and starts with no digit"
        raise UserError("bad-operator", f"{name!r} is not a name for an operator", help=help)
    parameters = _parameters(name, function)
    if len(parameters) != 2 and (associative or commutative or idempotent):
        message = f"@{name} takes {len(parameters)} arguments; only operators of two can have an algebra"
        raise UserError("bad-operator", message)
    variables = [LazyExpression(Access(parameter), {}) for parameter in parameters]
    body = as_expression(function(*variables))
    if body.tensors:
        message = f"@{name} reads {', '.join(body.tensors)}, which is no argument of it"
        raise UserError("bad-operator", message, help="an operator computes from its arguments alone")
    for trait, value in (("identity", identity), ("annihilator", annihilator)):
        if value is not None and type(value) not in (bool, int, float, complex):
            message = f"the {trait} of @{name} must be a Python number, got {value!r}"
            raise UserError("bad-operator", message, help=f"give one, or leave {trait}= out if there is none")
    return UserOperator(name, parameters, body.tree, identity, annihilator, commutative, associative, idempotent)


def _parameters(name: str, function: Callable[..., Any]) -> tuple[str, ...]:
    try:
        parameters = tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        raise UserError("bad-operator", f"cannot tell the arguments of the function of @{name}") from None
    if not parameters:
        raise UserError("bad-operator", f"the function of @{name} takes no arguments")
    return parameters


def _evaluate(expression: Expression, arguments: dict[str, Scalar]) -> Scalar:
    match expression:
        case Access():
            return arguments[expression.tensor]
        case Literal():
            return expression.value
        case Apply():
            return OPERATORS[expression.operator].evaluate(*(_evaluate(a, arguments) for a in expression.arguments))
        case _:
            raise UserError("bad-operator", "the body of an operator has no reductions")


def by_name(operators: Sequence[UserOperator]) -> dict[str, UserOperator]:
    """Operators by `@name`; raises UserError [name-conflict] if two share one."""
    table: dict[str, UserOperator] = {}
    for declared in operators:
        if table.setdefault(f"@{declared.name}", declared) != declared:
            message = f"two different operators are called @{declared.name}"
            raise UserError("name-conflict", message, help="give each operator a name of its own")
    return table
