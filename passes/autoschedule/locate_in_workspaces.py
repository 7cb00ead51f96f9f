"""Which modes of a workspace have a place for each of their coordinates, where sizes are known."""

from __future__ import annotations

from collections.abc import Iterator

from irtensor.dialects.protocols import INSERT, LOCATE
from irtensor.passes.autoschedule.expected_work import ExpectedWork
from irtensor.passes.autoschedule.statements import (
    Assign,
    Indices,
    Statement,
    Where,
    in_loop_order,
    located,
    parts,
    reads_within_loops,
    stored_by,
    wheres_within_loops,
    with_parts,
)


def locate_in_workspaces(statement: Statement, model: ExpectedWork) -> Statement:
    """A program whose workspaces with several modes have a place for each coordinate of the outermost ones, instead of
    hash tables, where that is expected to be less work and takes no more memory than the operands do.

    To empty such places is work whatever operands hold, so that this is for operands of which the sizes are known.
    """
    chosen = statement
    for where, loops in wheres_within_loops(statement) if model.sizes.known else ():
        target = stored_by(where.producer).target
        for places in _ways(where, loops):
            if model.places(places) > model.stored:
                break
            protocols = tuple([LOCATE if index in places else INSERT for index in target.indices])
            new = where._replace(producer=_written(where.producer, target.tensor, protocols))
            other = _replaced(chosen, where, new)
            chosen = min(chosen, other, key=model.of)
            where = new if chosen is other else where
    return chosen


def _ways(where: Where, loops: Indices) -> Iterator[Indices]:
    """The modes that may be located, from the outermost one to all that are located where they are read, but one: what
    is located in all modes would be walked, to be emptied, from end to end."""
    target = stored_by(where.producer).target
    read, around = next(one for one in reads_within_loops(where.consumer, loops) if one[0].tensor == target.tensor)
    order = in_loop_order(read.indices, around)
    for count, index in enumerate(order[:-1], 1):
        if index not in located(read):
            break
        yield order[:count]


def _written(producer: Statement, tensor: str | int, protocols: tuple[str, ...]) -> Statement:
    """A producer that writes into a workspace by other protocols."""
    if isinstance(producer, Assign):
        target = producer.target
        return producer._replace(target=target._replace(protocols=protocols)) if target.tensor == tensor else producer
    return with_parts(producer, [_written(part, tensor, protocols) for part in parts(producer)])


def _replaced(statement: Statement, old: Where, new: Where) -> Statement:
    if statement == old:
        return new
    return with_parts(statement, [_replaced(part, old, new) for part in parts(statement)])
