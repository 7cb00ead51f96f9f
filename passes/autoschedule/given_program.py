"""A program that a user has written down for a definition."""

from __future__ import annotations

from collections.abc import Collection

from irtensor.core.diagnostics import UserError
from irtensor.dialects.concrete_index.protocols import INSERT, LOCATE
from irtensor.passes.autoschedule.collect_result import store_in_place
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.statements import (
    Access,
    Indices,
    Statement,
    Where,
    assigns_within_loops,
    in_loop_order,
    located,
    map_all_accesses,
    reads_within_loops,
    stored_by,
    text_of,
    wheres_within_loops,
)


def given_program(text: str, search: Search) -> Statement:
    """A program for the statement that is searched, by its text. Raises UserError [bad-expression],
    [bad-schedule-step].

    What it copies from a workspace into the result is stored in the result: `collect_result` says what has to be
    collected first. The modes of workspaces may be in any order; loops decide how they are stored.
    """
    kernel = search.kernel
    parsed = store_in_place(parse_program(text, kernel.indices, kernel.operators))
    given = map_all_accesses(parsed, lambda access: _plain(access, kernel))
    given = _with_sorted_modes(given, kernel.tensors)
    if not search.has(given):
        message = f"autoschedule: '{text}' does not compute this definition"
        help = "write a program as irtensor-autoschedule shows them for the statement"
        raise UserError("bad-schedule-step", message, help=help)
    for where, loops in wheres_within_loops(given):
        _check_located(where, loops)
    return given


def _check_located(where: Where, around: Indices) -> None:
    """Raise UserError [bad-schedule-step] where a workspace cannot have a slot for each coordinate that is located."""
    target = stored_by(where.producer).target
    slotted = located(target)
    found = [
        (read, loops) for read, loops in reads_within_loops(where.consumer, around) if read.tensor == target.tensor
    ]
    for read, loops in found if slotted else ():
        order = in_loop_order(read.indices, loops)
        name = f"autoschedule: workspace {target.tensor}"
        if below := [index for index in slotted if index not in order[: len(slotted)]]:
            outer = next(index for index in order if index not in slotted)
            message = (
                f"{name} is located along {below[0]}, and inserted into along {outer}, which is outside of {below[0]}"
            )
        elif below := [index for index in slotted if read.protocols and index not in located(read)]:
            message = f"{name} is located along {below[0]} where it is written, and stepped through where it is read"
        else:
            continue
        inserts = [LOCATE if index in slotted and index not in below else INSERT for index in target.indices]
        help = f"let it be inserted into there: {text_of(target._replace(protocols=tuple(inserts)))}"
        raise UserError("bad-schedule-step", message, help=help)


def _plain(access: Access, kernel: Kernel) -> Access:
    """An access without protocols if it is of a dense tensor, which is located anyway, or of the result, whose format
    is given."""
    plain = access.tensor in kernel.dense or access.tensor == kernel.target.tensor
    return access._replace(protocols=()) if plain else access


def _with_sorted_modes(program: Statement, tensors: Collection[str]) -> Statement:
    """A program with the modes of workspaces in the order of the names by which they are stored, as searches have them.

    `tensors` are those that are not workspaces.
    """
    stored = {assign.target.tensor: assign.target.indices for assign, _ in assigns_within_loops(program)}

    def sorted_modes(access: Access) -> Access:
        names = stored.get(access.tensor, ())
        if access.tensor in tensors or len(names) != len(access.indices):
            return access
        order = sorted(range(len(names)), key=lambda mode: names[mode])
        pieces = [tuple([piece[mode] for mode in order]) if piece else () for piece in access[1:]]
        return Access(access.tensor, *pieces)

    return map_all_accesses(program, sorted_modes)
