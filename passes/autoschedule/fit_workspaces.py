"""How workspaces with several modes are stored and read, where sizes are known."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, takewhile
from typing import NamedTuple

from irtensor.dialects.concrete_index.protocols import INSERT, LOCATE, STEP
from irtensor.passes.autoschedule.expected_work import ExpectedWork
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Indices,
    Statement,
    in_loop_order,
    located,
    map_accesses,
    parts,
    reads_within_loops,
    stored_by,
    wheres,
    with_parts,
)
from irtensor.passes.autoschedule.temporary_sizes import slots_fit

# To step may take any number of times as long as to locate, where operands do not have their entries anywhere.
_WORTH = 2.0


def fit_workspaces(statement: Statement, model: ExpectedWork) -> Statement:
    """A program whose workspaces with several modes have a slot for each coordinate of the outermost ones, instead of
    hash tables, where that is expected to be less work and takes no more memory than the operands do, or little; and in
    which the modes below are stepped through, instead of being located, where less than half the work is expected.

    Emptying slots is work whatever operands hold, and so is passing over what others do not have: this is for operands
    of known sizes.
    """
    targets = [stored_by(where.producer).target for where in wheres(statement)]
    for target in [one for one in targets if len(one.indices) > 1] if model.sizes.known else ():
        ways = [way for way in _ways(statement, target.tensor) if slots_fit(way.slotted, target.indices, model)]
        programs = {_stored_and_read(statement, target.tensor, way): _WORTH if way.steps else 1.0 for way in ways}
        statement = min(programs, key=lambda one: model.of(one) * programs[one])
    return statement


class _Way(NamedTuple):
    """The modes of a workspace in which it has a slot for each coordinate, and those in which it is stepped through
    though it might be located."""

    slotted: Indices
    steps: Indices


def _ways(statement: Statement, name: str | int) -> Iterator[_Way]:
    """What may be chosen for a workspace, no change first.

    Of the modes that are located where it is read, from the outermost one, some have slots and some below these are
    stepped through.
    """
    read, loops = next(one for one in reads_within_loops(statement) if one[0].tensor == name)
    order = in_loop_order(read.indices, loops)
    free = tuple(takewhile(located(read).__contains__, order))
    for first, last in combinations_with_replacement(range(len(free) + 1), 2):
        yield _Way(free[:first], free[first:last])


def _stored_and_read(statement: Statement, name: str | int, way: _Way) -> Statement:
    """A program that stores and reads a workspace in another way."""
    if not isinstance(statement, Assign):
        return with_parts(statement, [_stored_and_read(part, name, way) for part in parts(statement)])

    def read(one: Access) -> Access:
        if one.tensor != name:
            return one
        pairs = zip(one.indices, one.protocols, strict=True)
        return one._replace(protocols=tuple([STEP if index in way.steps else own for index, own in pairs]))

    target = statement.target
    if target.tensor == name and way.slotted:
        target = target._replace(protocols=tuple([LOCATE if i in way.slotted else INSERT for i in target.indices]))
    return statement._replace(target=target, value=map_accesses(statement.value, read))
