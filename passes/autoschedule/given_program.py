"""A program that a user has written down for a definition."""

from __future__ import annotations

from collections.abc import Collection

from irtensor.dialects.diagnostics import UserError
from irtensor.passes.autoschedule.collect_result import store_in_place
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Statement,
    assigns_within_loops,
    map_accesses,
    map_expressions,
    parts,
    with_parts,
)


def given_program(text: str, search: Search) -> Statement:
    """A program for the statement that is searched, by its text. Raises UserError [bad-expression],
    [bad-schedule-step].

    What it copies from a workspace into the result is stored in the result: `collect_result` says what has to be
    collected first. The modes of workspaces may be in any order; loops decide how they are stored.
    """
    kernel = search.kernel
    parsed = store_in_place(parse_program(text, kernel.indices, kernel.operators))
    given = map_expressions(parsed, lambda value: map_accesses(value, lambda read: _plain(read, kernel)))
    given = _with_sorted_modes(given, kernel.tensors)
    if not search.has(given):
        message = f"autoschedule: '{text}' does not compute this definition"
        help = "write a program as irtensor-autoschedule shows them for the statement"
        raise UserError("bad-schedule-step", message, help=help)
    return given


def _plain(read: Access, kernel: Kernel) -> Access:
    """A read without protocols if it is of what is dense, which is located anyway."""
    return read._replace(protocols=()) if read.tensor in kernel.dense else read


def _with_sorted_modes(program: Statement, tensors: Collection[str]) -> Statement:
    """A program with the modes of workspaces in the order of the names by which they are stored, as searches have them.

    `tensors` are those that are no workspaces.
    """
    stored = {assign.target.tensor: assign.target.indices for assign, _ in assigns_within_loops(program)}

    def sorted_modes(access: Access) -> Access:
        names = stored.get(access.tensor, ())
        if access.tensor in tensors or len(names) != len(access.indices):
            return access
        order = sorted(range(len(names)), key=lambda mode: names[mode])
        pieces = [tuple([piece[mode] for mode in order]) if piece else () for piece in access[1:]]
        return Access(access.tensor, *pieces)

    def changed(statement: Statement) -> Statement:
        if not isinstance(statement, Assign):
            return with_parts(statement, [changed(part) for part in parts(statement)])
        value = map_accesses(statement.value, sorted_modes)
        return statement._replace(target=sorted_modes(statement.target), value=value)

    return changed(program)
