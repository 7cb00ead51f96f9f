"""Which statements that follow one another may be computed in one traversal of an operand that all of them read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from irtensor.frontend.expression_tree import Access, Reduce, Statement, accesses, free_indices, walk

_NOTHING_SHARED = "no operand that both traverse has all of their index variables"


class Group(NamedTuple):
    """Statements by their numbers, and why the first one is not in a group before."""

    numbers: tuple[int, ...]
    reason: str | None


def groups_of(statements: Sequence[Statement], may_join: Sequence[bool]) -> list[Group]:
    """Statements with explicit reductions, in groups; `may_join` says of each whether its kernel can be joined at all.

    Those of a group read a tensor whose dimensions all of their variables range over, and none reads what another one
    computes.
    """
    groups: list[Group] = []
    common: list[set[str]] = []
    for number, statement in enumerate(statements):
        its = traversed(statement) if may_join[number] else set[str]()
        reason = None
        # It may move in front of all groups that it does not depend on.
        for place in range(len(groups) - 1, -1, -1):
            group = groups[place]
            obstacle = _obstacle([statements[n] for n in group.numbers], statement)
            if obstacle is None and common[place] & its:
                groups[place] = Group((*group.numbers, number), group.reason)
                common[place] &= its
                break
            if reason is None:
                reason = obstacle or _NOTHING_SHARED
            if obstacle is not None:
                groups.append(Group((number,), reason))
                common.append(its)
                break
        else:
            groups.append(Group((number,), reason))
            common.append(its)
    return groups


def _obstacle(before: Sequence[Statement], statement: Statement) -> str | None:
    """Why a statement has to wait for those before; None if it does not depend on them."""
    read = {access.tensor for access in accesses(statement.expression)}
    for other in before:
        name = other.target.tensor
        if name in read or name == statement.target.tensor:
            return f"it needs {name}, which is computed before"
    return None


def traversed(statement: Statement) -> set[str]:
    """The tensors that a statement reads and whose dimensions all of its index variables range over."""
    variables = {*statement.target.plain_indices, *free_indices(statement.expression)}
    ranges: dict[str, set[str]] = {}
    for node in walk(statement.expression):
        if isinstance(node, Reduce):
            variables.update(node.indices)
        elif isinstance(node, Access):
            ranges.setdefault(node.tensor, set()).update(node.plain_indices)
    return {tensor for tensor, its in ranges.items() if variables and variables <= its}
