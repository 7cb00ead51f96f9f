"""Makes the reductions of a statement explicit: the summation rule of the statement form.

Source: Kjolstad 2020, section 4.2 (einsum shorthand), made strict where the shorthand would be a guess.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from irtensor.core.diagnostics import UserError
from irtensor.core.operators import OPERATORS
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    If,
    Literal,
    Reduce,
    Statement,
    Variable,
    children,
    format_expression,
    free_indices,
    walk,
)
from irtensor.frontend.notation.notation_errors import notation_error
from irtensor.operators.known_operators import REDUCTIONS

_ADDITIVE = ("add", "sub", "neg")


def insert_reductions(statement: Statement, *, accumulate: bool = False) -> Statement:
    """The statement with every reduction written out and no compound operator.

    With `=` and `+=`, a variable missing on the left is summed once per additive term, over that term's own variables.
    With another `op=`, the whole right side is reduced with that operator over all variables missing on the left.
    With `accumulate`, a compound assignment also combines with the target's old value, read as an operand.
    Raises UserError [ambiguous-sum] where a sum below another operator leaves the scope open, [not-a-reduction].
    """
    _check_target(statement)
    operator, condition = statement.operator, statement.condition
    if operator is not None and not operator.startswith("@") and operator not in REDUCTIONS:
        raise _not_a_reduction(statement, operator)
    is_sum = operator is None or operator == "add"
    if condition is not None and _missing(statement, condition):
        expression = _conditional(statement, condition, "add" if is_sum else str(operator))
        condition = None
    elif is_sum:
        expression = _sum_terms(statement, statement.expression)
    else:
        expression = _reduce(str(operator), _missing(statement, statement.expression), statement.expression)
    if condition is not None and isinstance(expression, Reduce) and not isinstance(statement.expression, Reduce):
        # Inside of the reduction, loops may be in any order. Where the condition is false, nothing takes part.
        body = If(condition, expression.body, expression.body.span)
        expression, condition = replace(expression, body=body), None
    if accumulate and operator is not None:
        if condition is not None:
            expression = Apply("where", (condition, Apply(operator, (statement.target, expression)), statement.target))
            condition = None
        else:
            expression = Apply(operator, (statement.target, expression), statement.target.span)
    if condition is not None:
        expression = If(condition, expression, statement.target.span)
    return replace(statement, operator=None, expression=expression, condition=None)


def _conditional(statement: Statement, condition: Expression, operator: str) -> Expression:
    """What a statement combines, over variables on which its condition depends."""
    expression = statement.expression
    missing = _missing(statement, Apply("where", (condition, expression)))
    # Where indices of the result are computed, each iteration of all loops adds the right side.
    if operator == "add" and not statement.coordinates:
        for term in _terms(expression):
            if lacking := [name for name in _missing(statement, expression) if name not in free_indices(term)]:
                name, text = lacking[0], format_expression(condition)
                message = f"is {format_expression(term)} summed over {name}, which the condition {text} needs?"
                help = f"write out the sums that have the condition: sum({name}, ... if {text})"
                raise notation_error("ambiguous-sum", message, statement.source, term.span, help=help)
        _check_unambiguous(statement, expression, set(missing))
    return Reduce(operator, missing, If(condition, expression, expression.span), expression.span)


def _terms(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Apply) and expression.operator in _ADDITIVE:
        for argument in expression.arguments:
            yield from _terms(argument)
    else:
        yield expression


def _check_target(statement: Statement) -> None:
    target, source = statement.target, statement.source
    for index in target.indices:
        if target.indices.count(index) > 1:
            raise notation_error(
                "repeated-result-index",
                f"index {index} appears more than once in the result {format_expression(target)}",
                source,
                target.span,
                help="give each dimension of the result its own index variable",
            )
    _check_scopes(statement, statement.expression, set(target.plain_indices))


def _not_a_reduction(statement: Statement, operator: str) -> UserError:
    """The error for an operator of a compound assignment, with a statement that reads the old values instead."""
    why, help = (
        "it has no identity" if OPERATORS[operator].associative else "it is not associative",
        f"reductions are {', '.join(REDUCTIONS)}",
    )
    if OPERATORS[operator].arity == 2:
        read = Apply(operator, (statement.target, _sum_terms(statement, statement.expression)))
        help = f"read the old values: {replace(statement, operator=None, expression=read)}; {help}"
    else:
        why = "it does not combine two values"
    message = f"'{operator}' cannot be used in a compound assignment: {why}"
    return notation_error("not-a-reduction", message, statement.source, statement.target.span, help=help)


def _check_scopes(statement: Statement, expression: Expression, bound: set[str]) -> None:
    """No reduction may bind a variable that is bound around it: which one is meant must never be a question."""
    if isinstance(expression, Reduce):
        for index in expression.indices:
            if index in bound:
                raise notation_error(
                    "shadowed-index",
                    f"index {index} is already bound where {format_expression(expression)} reduces over it",
                    statement.source,
                    expression.span,
                    help=f"use another name for the inner {index}",
                )
        bound = bound | set(expression.indices)
    for child in children(expression):
        _check_scopes(statement, child, bound)


def _missing(statement: Statement, expression: Expression) -> tuple[str, ...]:
    return tuple(name for name in free_indices(expression) if name not in statement.target.indices)


def _reduce(operator: str, indices: tuple[str, ...], body: Expression) -> Expression:
    return Reduce(operator, indices, body, body.span) if indices else body


def _sum_terms(statement: Statement, expression: Expression) -> Expression:
    if isinstance(expression, Apply) and expression.operator in _ADDITIVE:
        return replace(expression, arguments=tuple(_sum_terms(statement, term) for term in expression.arguments))
    missing = _missing(statement, expression)
    if missing:
        _check_unambiguous(statement, expression, set(missing))
    return _reduce("add", missing, expression)


def _check_unambiguous(statement: Statement, term: Expression, missing: set[str]) -> None:
    """Summing the whole term must equal summing each product of the multiplied-out term over its own variables."""
    for node in walk(term):
        if not (isinstance(node, Apply) and node.operator in ("add", "sub")):
            continue
        left, right = (_alternatives(argument, missing) for argument in node.arguments)
        if len(left | right) > 1 and len(_alternatives(term, missing)) > 1:
            raise _ambiguous(statement, term, node, missing)


def _alternatives(expression: Expression, missing: set[str]) -> frozenset[frozenset[str]]:
    """The sets of summed variables of the products that multiplying the expression out would give."""
    match expression:
        case Access():
            return frozenset([frozenset(free_indices(expression)) & missing])
        case Variable():
            return frozenset([frozenset([expression.name]) & missing])
        case Literal() | If():
            return frozenset([frozenset()])
        case Reduce():
            inner = _alternatives(expression.body, missing - set(expression.indices))
            return frozenset([frozenset().union(*inner)])
        case Apply(operator="add" | "sub"):
            return frozenset().union(*(_alternatives(argument, missing) for argument in expression.arguments))
        case Apply():
            products: frozenset[frozenset[str]] = frozenset([frozenset()])
            for argument in expression.arguments:
                factors = _alternatives(argument, missing)
                products = frozenset(a | b for a in products for b in factors)
            return products


def _ambiguous(statement: Statement, term: Expression, node: Apply, missing: set[str]):
    varying = sorted(
        name for name in missing if len({name in free_indices(argument) for argument in node.arguments}) > 1
    )
    names = ", ".join(varying or sorted(missing))
    notes = [
        (
            f"{format_expression(argument)} {'has' if name in free_indices(argument) else 'does not have'} {name}",
            argument.span,
        )
        for name in varying[:1]
        for argument in node.arguments
    ]
    return notation_error(
        "ambiguous-sum",
        f"which part of {format_expression(term)} is summed over {names}? "
        f"The sum {format_expression(node)} stands below another operator and not all of it has {names}",
        statement.source,
        node.span,
        notes=notes,
        help=_readings(term, varying or sorted(missing)),
    )


def _readings(term: Expression, names: list[str]) -> str:
    """The sums that may be meant: of the whole term, and of the parts that have the variables."""
    whole, parts = Reduce("add", tuple(names), term), _sum_parts(term, names)
    only = f"{format_expression(parts)} only what has {', '.join(names)}"
    return f"write the sum out: {format_expression(whole)} sums all of it, {only}"


def _sum_parts(expression: Expression, names: list[str]) -> Expression:
    """The expression with sums over the variables around the largest parts whose terms all have the same variables."""
    own = tuple(name for name in names if name in free_indices(expression))
    if not own:
        return expression
    if isinstance(expression, Apply) and any(_varies(expression, name) for name in own):
        return replace(expression, arguments=tuple(_sum_parts(argument, names) for argument in expression.arguments))
    return Reduce("add", own, expression)


def _varies(expression: Expression, name: str) -> bool:
    """Whether a sum in the expression has terms with the variable and terms without it."""
    if isinstance(expression, Reduce):
        return False
    is_sum = isinstance(expression, Apply) and expression.operator in ("add", "sub")
    if is_sum and len({name in free_indices(argument) for argument in children(expression)}) > 1:
        return True
    return any(_varies(child, name) for child in children(expression))
