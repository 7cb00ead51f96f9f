"""The remaining program where operands have no entry (Ahrens 2022, section 6.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from irtensor.core.arithmetic import COMPLEX, FLOAT, INTEGER
from irtensor.core.operators import (
    OPERATORS,
    Argument,
    Constant,
    Operator,
    Scalar,
    convert,
    fold,
    is_value_of,
    largest,
    same_value,
    smallest,
)
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    Expression,
    Forall,
    Literal,
    Sequence,
    Statement,
    Where,
    is_associative,
    leaves_of,
    map_accesses,
    reads,
    stored_by,
)

# Identities and annihilators of built-in operators are those of floating point numbers.
_ELEMENT = "f64"
Fills = Mapping[str, Scalar]
_MOST_FOLDED = 4096
_FOLDED_VALUES: dict[Any, Expression] = {}
_FOLDED: dict[Any, tuple[Operator, Constant | Argument | None]] = {}


def initial_value(producer: Statement, fills: Fills) -> Scalar:
    """What a workspace begins as: the identity of its reduction, or the value that is there when no operand has an
    entry; 0 if that takes data, which is then stored everywhere."""
    store = stored_by(producer)
    if store.operator is not None:
        identity = _identity(store.operator)
        assert identity is not None, "what reduces has an identity"
        return identity
    value = _folded_with(store.value, lambda read: _filled(read, fills))
    return value.value if isinstance(value, Literal) else 0


def _nothing(tensor: str | int, initial: Scalar) -> Assign:
    """The remainder of a statement that stores nothing."""
    return Assign(Access(tensor), None, Literal(initial))


def stores_nothing(statement: Statement) -> bool:
    """Whether a statement is the remainder of one that stores nothing."""
    return isinstance(statement, Assign) and isinstance(statement.value, Literal) and not statement.target.indices


def _filled(read: Access, fills: Fills) -> Access | Literal:
    fill = fills.get(str(read.tensor))
    return read if fill is None else Literal(fill)


def without(statement: Statement, absent: Mapping[Access, Literal], fills: Fills, propagate: bool) -> Statement | None:
    """What a statement does where some accesses read as constants; None if it stores the value that is there anyway.

    `fills`: what tensors are where nothing is stored, the workspaces around the statement among them. A workspace
    without a stored value is still used, with its initial value; with `propagate` that counts as known as well.
    """
    match statement:
        case Assign() if stores_nothing(statement):
            return None
        case Assign(target, operator, value):
            value = _folded_with(value, lambda read: absent.get(read, read))
            nothing = fills.get(str(target.tensor)) if operator is None else _identity(operator)
            if isinstance(value, Literal) and nothing is not None and same_value(value.value, nothing):
                return None
            return Assign(target, operator, value)
        case Forall(variable, body):
            inside = without(body, absent, fills, propagate)
            return None if inside is None else Forall(variable, inside)
        case Where(consumer, producer):
            return _without_where(consumer, producer, absent, fills, propagate)
        case Sequence(statements):
            return _without_sequence(statements, absent, fills, propagate)


def _without_where(
    consumer: Statement,
    producer: Statement,
    absent: Mapping[Access, Literal],
    fills: Fills,
    propagate: bool,
) -> Statement | None:
    workspace = stored_by(producer).target.tensor
    initial = initial_value(producer, fills)
    produced = without(producer, absent, {**fills, str(workspace): initial}, propagate)
    if produced is None:
        produced = _nothing(workspace, initial)
        if propagate:
            unwritten = {read: Literal(initial) for read in reads(consumer) if read.tensor == workspace}
            return without(consumer, {**absent, **unwritten}, fills, propagate)
    used = without(consumer, absent, fills, propagate)
    return None if used is None else Where(used, produced)


def _without_sequence(
    statements: tuple[Statement, ...], absent: Mapping[Access, Literal], fills: Fills, propagate: bool
) -> Statement | None:
    first, *others = [without(statement, absent, fills, propagate) for statement in statements]
    left = [statement for statement in others if statement is not None]
    if not left:
        return first
    if first is None:
        # What the others combine with is not the identity of their operator, but what the first one would have stored.
        first = _nothing(stored_by(statements[0]).target.tensor, initial_value(statements[0], fills))
    return Sequence((first, *left))


def _folded_with(value: Expression, change: Callable[[Access], Access | Literal]) -> Expression:
    """The remaining expression where some accesses become constants. Most programs of a statement compute the
    same few expressions."""
    leaves = [change(leaf) if isinstance(leaf, Access) else leaf for leaf in leaves_of(value)]
    # Numbers that compare equal are told apart by their text.
    key = value, tuple([repr(leaf.value) if isinstance(leaf, Literal) else None for leaf in leaves])
    if (known := _FOLDED_VALUES.get(key)) is None:
        if len(_FOLDED_VALUES) >= _MOST_FOLDED:
            _FOLDED_VALUES.clear()
        known = _FOLDED_VALUES[key] = _folded(map_accesses(value, change))
    return known


def _folded(node: Expression) -> Expression:
    """An expression in which identities, annihilators and constants are gone."""
    if not isinstance(node, Call):
        return node
    arguments = [_folded(argument) for argument in node.arguments]
    if not is_associative(node.operator):
        return _call(node.operator, arguments)
    kept: list[Expression] = []
    for argument in arguments:
        kept.append(argument)
        while len(kept) > 1:
            folded = _call(node.operator, kept[-2:])
            if isinstance(folded, Call) and folded.arguments == tuple(kept[-2:]):
                break
            kept[-2:] = [folded]
    return kept[0] if len(kept) == 1 else Call(node.operator, tuple(kept))


def _elements(operator: Operator) -> tuple[str, ...]:
    return operator.elements or (_ELEMENT,) * operator.arity


def _typed(operator: Operator, values: list[Scalar | None]) -> tuple[list[Scalar | None], tuple[str, ...]]:
    """Arguments as values of the types in which an operator computes them; programs do not say those of built-in ones.

    These compute whole numbers in integers, others in floats. Of infinite, which stands for the least and the greatest
    integer too, nothing is known where bits count.
    """
    if operator.elements:
        return [_as_element(v, e) for v, e in zip(values, operator.elements, strict=True)], operator.elements
    kinds = operator.definitions or {FLOAT}
    if any(isinstance(value, complex) for value in values) and COMPLEX in kinds:
        return values, ("complex<f64>",) * operator.arity
    if FLOAT not in kinds:
        values = [value if value is not None and is_value_of(value, "i64") else None for value in values]
        if all(isinstance(value, bool) for value in values):
            return values, ("i1",) * operator.arity
    elif not (INTEGER in kinds and all(isinstance(value, int) for value in values)):
        return values, (_ELEMENT,) * operator.arity
    return values, ("i64",) * operator.arity


def _identity(operator: Operator) -> Scalar | None:
    return operator.identity(_elements(operator)[0])


def _as_element(value: Scalar | None, element: str) -> Scalar | None:
    """A value that built-in operators computed in floats, as an argument of a declared one; None if it is none.

    The least and the greatest value are infinite in floats, and finite in integers.
    """
    if value == inf:
        return largest(element)
    if value == -inf:
        return smallest(element)
    return None if value is None or not is_value_of(value, element) else convert(value, element)


def _folded_call(operator: Operator, values: list[Scalar | None]) -> Constant | Argument | None:
    """The value of an operator for partly known arguments, where these decide it. The same few calls are folded
    in each program; numbers that compare equal are told apart by their text."""
    key = id(operator), tuple([value if value is None else (type(value), repr(value)) for value in values])
    if key not in _FOLDED:
        if len(_FOLDED) >= _MOST_FOLDED:
            _FOLDED.clear()
        typed, elements = _typed(operator, values)
        known = any(value is not None for value in typed)
        # With the operator, whose number no other one has as long as it is kept.
        _FOLDED[key] = operator, fold(operator, typed, elements) if known else None
    return _FOLDED[key][1]


def _call(operator: Operator, arguments: list[Expression]) -> Expression:
    values = [argument.value if isinstance(argument, Literal) else None for argument in arguments]
    if all(value is None for value in values):
        return Call(operator, tuple(arguments))
    folded = _folded_call(operator, values)
    if isinstance(folded, Constant):
        return Literal(folded.value)
    if isinstance(folded, Argument):
        chosen = arguments[folded.index]
        return chosen if folded.operator is None else Call(OPERATORS[folded.operator], (chosen,))
    return Call(operator, tuple(arguments))
