"""How large the workspaces of a program may become."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import prod
from typing import NamedTuple

from irtensor.passes.autoschedule.expected_work import ExpectedWork
from irtensor.passes.autoschedule.predicates import Conjunction
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.statements import (
    Indices,
    Statement,
    Where,
    path_to_store,
    stored_by,
    wheres_within_loops,
)

# An entry of a workspace with several modes takes as much memory as some of an operand, a slot for a list as one, and a
# slot for a number as half of one.
_ENTRY = 4
_NUMBER = 0.5
# How many times more entries than expected there may be, as operands need not have theirs anywhere.
_SKEW = 16
# So many entries are some ten megabytes, not a reason to take another program.
_FEW = 2.0**18


class _Wide(NamedTuple):
    """A workspace with several modes, the loops around it, and where something is stored in it."""

    where: Where
    around: Indices
    modes: Indices
    conditions: list[Conjunction]


def unbounded_modes(statement: Statement, search: Search) -> int:
    """How many modes those workspaces have together that may be larger than a dimension and than every operand.

    Those are not that are only written at coordinates at which some operand has an entry.
    """
    return sum(
        len(one.modes)
        for one in _wide_workspaces(statement, search)
        if not all(any({*one.modes} <= {*atom.arguments} for atom in condition) for condition in one.conditions)
    )


def large_modes(statement: Statement, model: ExpectedWork) -> int:
    """How many modes those workspaces have together that are expected to take much memory, and more than the operands
    of some sizes, or that may take many times as much, whatever the operands hold."""
    most = _allowed(model) / _ENTRY
    return sum(
        len(one.modes)
        for one in _wide_workspaces(statement, model.search)
        if model.entries(statement, one.where, one.around) > most or most_entries(one, model) > _SKEW * most
    )


def slots_fit(slotted: Indices, modes: Indices, model: ExpectedWork) -> bool:
    """Whether a workspace with a slot for each coordinate of some of its modes takes little memory, or no more than
    the operands of some sizes."""
    return model.slots(slotted) * (_NUMBER if len(slotted) == len(modes) else 1.0) <= _allowed(model)


def _allowed(model: ExpectedWork) -> float:
    """The memory that a workspace may take, in entries of operands: little, or as much as the operands."""
    return max(_FEW * _ENTRY, model.stored)


def most_entries(workspace: _Wide, model: ExpectedWork) -> float:
    """A bound of the entries of a workspace: some operands have an entry each at its coordinates in their modes, and
    those in the other modes are all there are."""
    return sum(
        min(
            prod(model.entries_of(atom.tensor) for atom in some)
            * model.slots(tuple([mode for mode in workspace.modes if all(mode not in atom.arguments for atom in some)]))
            for count in range(len(condition) + 1)
            for some in combinations(condition, count)
        )
        for condition in workspace.conditions
    )


def _wide_workspaces(statement: Statement, search: Search) -> Iterator[_Wide]:
    for where, around in wheres_within_loops(statement):
        target, loops = stored_by(where.producer).target, {*path_to_store(where.producer, around)}
        if len(target.indices) > 1:
            conditions = [query.condition for query in search.stores(statement) if {*query.heads} == loops]
            yield _Wide(where, around, target.indices, conditions)
