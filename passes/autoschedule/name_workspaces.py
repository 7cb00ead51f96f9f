"""The names of workspaces, and the index variables by which they are accessed (Ahrens 2022, section 7.5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from irtensor.passes.autoschedule.reduces_alike import reduces_alike
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Forall,
    Statement,
    Where,
    accessed,
    bound,
    fresh_name,
    map_all_accesses,
    parts,
    stored_by,
    with_parts,
)


def index_workspaces(
    statement: Statement, element: str, loops: frozenset[str] = frozenset(), *, moving: bool = False
) -> Statement:
    """A program whose workspaces have a mode for each variable that tells their components apart.

    These are the variables of loops inside of the `where` which the producer depends on and does not reduce: those of
    the consumer's loops; if both reduce alike, those that the consumer uses. `loops` are still to be placed, and may
    all be inside; with `moving`, so may the loops around the `where`. Values are of the type `element`.
    """
    if moving and isinstance(statement, Forall):
        loops = loops | {statement.variable}
    indexed = with_parts(
        statement, [index_workspaces(part, element, loops, moving=moving) for part in parts(statement)]
    )
    if not isinstance(indexed, Where):
        return indexed
    consumer, producer = indexed
    if reduces_alike(indexed, element):
        used = (loops | bound(consumer) | bound(producer)) & accessed(producer) & accessed(consumer)
    else:
        # What only the producer has loops over, it reduces.
        used = (loops | bound(consumer)) & accessed(producer)
    own = Access(1, tuple(sorted(used)))
    return Where(_replaced(consumer, 1, own), _replaced(producer, 1, own))


def name_workspaces(statement: Statement, taken: Collection[str], depth: int = 0) -> Statement:
    """A program in which workspaces have names instead of numbers: one for each depth of the `where` that owns it."""
    inside = depth + isinstance(statement, Where)
    named = with_parts(statement, [name_workspaces(part, taken, inside) for part in parts(statement)])
    if not isinstance(named, Where):
        return named
    own = Access(fresh_name(f"w{depth or ''}", taken))
    return Where(*(_replaced(side, 1, own) for side in named))


def _replaced(node: Statement, number: int, own: Access) -> Statement:
    """A statement in which the workspace with a number has other indices, or a name and the indices that it has."""
    if isinstance(node, Assign):
        return map_all_accesses(node, lambda access: _access(access, number, own))
    number += isinstance(node, Where)
    return with_parts(node, [_replaced(part, number, own) for part in parts(node)])


def _access(access: Access, number: int, own: Access) -> Access:
    if access.tensor != number:
        return access
    return access._replace(tensor=own.tensor) if isinstance(own.tensor, str) else access._replace(indices=own.indices)


def number_workspaces(statement: Statement) -> Statement:
    """A program in which workspaces without modes have numbers instead of names, as a search expects them."""
    return _numbered(statement, {})


def _numbered(statement: Statement, numbers: Mapping[str, int]) -> Statement:
    if isinstance(statement, Assign):
        return map_all_accesses(statement, lambda access: _with_number(access, numbers))
    if isinstance(statement, Where):
        numbers = {name: number + 1 for name, number in numbers.items()}
        numbers[str(stored_by(statement.producer).target.tensor)] = 1
    return with_parts(statement, [_numbered(part, numbers) for part in parts(statement)])


def _with_number(access: Access, numbers: Mapping[str, int]) -> Access:
    number = numbers.get(str(access.tensor))
    return access if number is None else access._replace(tensor=number)
