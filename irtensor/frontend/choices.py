"""Choices among values whose fill is not 0: `choose` gives any value other than the fill.

The operator `choose` of the table has the identity 0. For another fill it is an operator that is declared for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from irtensor.core.operators import Scalar
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    If,
    Literal,
    Reduce,
    Statement,
    remembered,
    replaced,
    walk,
)
from irtensor.frontend.extremes import CHOOSE
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.promotion import type_statement
from irtensor.frontend.result_fill import result_fill
from irtensor.frontend.user_operator import UserOperator


def with_choices_by_fill(
    statement: Statement, operands: Mapping[str, OperandDescription], operators: Mapping[str, UserOperator]
) -> tuple[Statement, Mapping[str, UserOperator]]:
    """A statement whose choices are by operators that have the fills of what they choose from as identities.

    >>> statement, operators = with_choices_by_fill(Statement(Access("y"), None, Literal(1)), {}, {})
    >>> print(statement, dict(operators))
    y = 1 {}
    """
    others: dict[Expression, Expression] = {}
    table = dict(operators)
    # Those inside of others come first: the fill of an outer one may depend on them.
    for choice in reversed(_choices(statement.expression)):
        inner = replaced(choice, others)
        assert isinstance(inner, Reduce | Apply)
        if isinstance(inner, Apply):
            # An update of old values is by the operator of the new ones.
            new = inner.arguments[1]
            if isinstance(new, Reduce) and new.operator in table and new.operator not in operators:
                others[choice] = replace(inner, operator=new.operator)
            elif inner != choice:
                others[choice] = inner
            continue
        read = inner.body.body if isinstance(inner.body, If) else inner.body
        typed = type_statement(Statement(Access("", ()), None, read, statement.source), operands, table)
        fill = result_fill(typed, operands, table)
        if fill is None or fill == 0:
            if inner != choice:
                others[choice] = inner
            continue
        operator = _operator(fill, table)
        table[f"@{operator.name}"] = operator
        others[choice] = replace(inner, operator=f"@{operator.name}")
    expression = replaced(statement.expression, others) if others else statement.expression
    return replace(statement, expression=expression), table


@remembered
def _choices(expression: Expression) -> tuple[Reduce | Apply, ...]:
    return tuple([node for node in walk(expression) if isinstance(node, Reduce | Apply) and node.operator == CHOOSE])


def _operator(fill: Scalar, taken: Mapping[str, UserOperator]) -> UserOperator:
    """The first value other than a fill."""
    a, b = Access("a"), Access("b")
    is_nan = fill != fill
    differs = Apply("eq", (a, a)) if is_nan else Apply("ne", (a, Literal(fill)))
    body = Apply("where", (differs, a, b))
    number = 1
    while (known := taken.get(f"@{CHOOSE}_{number}")) is not None:
        if known.body == body:
            return known
        number += 1
    return UserOperator(f"{CHOOSE}_{number}", ("a", "b"), body, identity=fill, associative=True, idempotent=True)
