"""Puts what a program scatters into a result that is appended to into a workspace (Ahrens 2022, section 7.8)."""

from __future__ import annotations

from irtensor.dialects.concrete_index.protocols import STEP
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.iteration_graph import last_append_level
from irtensor.passes.autoschedule.read_program import Program
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Forall,
    Indices,
    Statement,
    Where,
    fresh_name,
    loops_of,
    loops_over,
    parts,
    path_to_store,
    stored_by,
    with_parts,
)


def collect_result(statement: Statement, program: Program) -> Statement:
    """A program that appends to its result in order: levels that it scatters into are written to a workspace first.

    The workspace is inside of as many loops as possible, and has the modes of the inner levels only.
    """
    target = stored_by(statement).target
    rest = scattered(statement, program)
    if not rest:
        return statement
    name = fresh_name(f"{target.tensor}_row", program.tensors)
    return _collected(statement, len(target.indices) - len(rest), rest, name)


def store_in_place(statement: Statement, loops: Indices = ()) -> Statement:
    """The other direction: a program that stores into its result what it only copies there, once for each component.

    Published programs do so: `(forall j: A[i,j] = w[s(j)]) where (forall kj: w[j] += ...)`. `loops` are around it.
    """
    match statement:
        case Forall(variable, body):
            return Forall(variable, store_in_place(body, (*loops, variable)))
        case Where(consumer, producer):
            store, source = stored_by(consumer), stored_by(producer).target
            inner, body = loops_of(consumer)
            read, once = store.value, {*loops, *inner} <= {*store.target.indices}
            if body != store or store.operator is not None or not isinstance(read, Access) or not once:
                return Where(store_in_place(consumer, loops), producer)
            if read.tensor != source.tensor or sorted(read.indices) != sorted(inner):
                return statement
            # The producer may have other variables for the modes of the workspace.
            names = dict(zip(read.indices, source.indices, strict=False))
            target = store.target._replace(indices=tuple([names.get(index, index) for index in store.target.indices]))
            return store_in_place(_stored_in(producer, target), loops)
        case _:
            return statement


def scattered(statement: Statement, program: Program) -> Indices:
    """The indices of the result's levels from the first on that is not written in order, if one is appended to."""
    target = stored_by(statement).target
    format = format_of(program.tensors[str(target.tensor)].type)
    last = last_append_level(format)
    if last is None or format.is_blocked or format.has_diagonals:
        return ()
    stored = tuple([target.indices[dimension] for dimension in format.dimension_order])
    in_order = 0
    for index, variable in zip(stored, path_to_store(statement), strict=False):
        if index != variable:
            break
        in_order += 1
    return stored[in_order:] if in_order <= last else ()


def _collected(statement: Statement, loops: int, rest: Indices, name: str) -> Statement:
    if loops and isinstance(statement, Forall):
        return Forall(statement.variable, _collected(statement.body, loops - 1, rest, name))
    if loops and isinstance(statement, Where):
        return Where(_collected(statement.consumer, loops, rest, name), statement.producer)
    target = stored_by(statement).target
    read = Access(name, rest, (STEP,) * len(rest))
    return Where(loops_over(rest, Assign(target, None, read)), _stored_in(statement, Access(name, rest)))


def _stored_in(statement: Statement, target: Access) -> Statement:
    """A statement that stores what it computes somewhere else."""
    match statement:
        case Assign(_, operator, value):
            return Assign(target, operator, value)
        case Where(consumer, producer):
            return Where(_stored_in(consumer, target), producer)
        case _:
            return with_parts(statement, [_stored_in(part, target) for part in parts(statement)])
