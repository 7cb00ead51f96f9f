"""The names of workspaces, and the index variables by which they are accessed (Ahrens 2022, section 7.5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Forall,
    Statement,
    Where,
    accessed,
    bound,
    fresh_name,
    map_accesses,
    stored_by,
)


def index_workspaces(statement: Statement, loops: frozenset[str] = frozenset()) -> Statement:
    """A program whose workspaces have a mode for each variable that tells their components apart.

    These are the variables of loops inside of the `where` which the producer depends on, and which the consumer uses
    if the producer has reduced the others; `loops` are still to be placed, and may all be inside.
    """
    match statement:
        case Assign():
            return statement
        case Forall(variable, body):
            return Forall(variable, index_workspaces(body, loops))
        case Where(consumer, producer):
            consumer, producer = index_workspaces(consumer, loops), index_workspaces(producer, loops)
            used = (loops | bound(consumer) | bound(producer)) & accessed(producer)
            if stored_by(producer).operator is not None:
                used &= accessed(consumer)
            own = Access(1, tuple(sorted(used)))
            return Where(_replaced(consumer, 1, own), _replaced(producer, 1, own))


def name_workspaces(statement: Statement, taken: Collection[str], depth: int = 0) -> Statement:
    """A program in which workspaces have names instead of numbers: one for each depth of the `where` that owns it."""
    match statement:
        case Assign():
            return statement
        case Forall(variable, body):
            return Forall(variable, name_workspaces(body, taken, depth))
        case Where(consumer, producer):
            name = fresh_name(f"w{depth or ''}", taken)
            sides = [name_workspaces(side, taken, depth + 1) for side in (consumer, producer)]
            return Where(*(_replaced(side, 1, Access(name)) for side in sides))


def _replaced(node: Statement, number: int, own: Access) -> Statement:
    """A statement in which the workspace with a number has other indices, or a name and the indices that it has."""
    match node:
        case Assign(target, operator, value):
            value = map_accesses(value, lambda read: _access(read, number, own))
            return Assign(_access(target, number, own), operator, value)
        case Forall(variable, body):
            return Forall(variable, _replaced(body, number, own))
        case Where(consumer, producer):
            return Where(_replaced(consumer, number + 1, own), _replaced(producer, number + 1, own))


def _access(access: Access, number: int, own: Access) -> Access:
    if access.tensor != number:
        return access
    return access._replace(tensor=own.tensor) if isinstance(own.tensor, str) else access._replace(indices=own.indices)


def number_workspaces(statement: Statement) -> Statement:
    """A program in which workspaces without modes have numbers instead of names, as a search expects them."""
    return _numbered(statement, {})


def _numbered(statement: Statement, numbers: Mapping[str, int]) -> Statement:
    match statement:
        case Assign(target, operator, value):
            value = map_accesses(value, lambda read: _with_number(read, numbers))
            return Assign(_with_number(target, numbers), operator, value)
        case Forall(variable, body):
            return Forall(variable, _numbered(body, numbers))
        case Where(consumer, producer):
            inside = {name: number + 1 for name, number in numbers.items()}
            inside[str(stored_by(producer).target.tensor)] = 1
            return Where(_numbered(consumer, inside), _numbered(producer, inside))


def _with_number(access: Access, numbers: Mapping[str, int]) -> Access:
    number = numbers.get(str(access.tensor))
    return access if number is None else access._replace(tensor=number)
