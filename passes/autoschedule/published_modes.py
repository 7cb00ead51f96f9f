"""How the published search took index variables for the modes of tensors that it stored in another order.

It permuted them by the order of the levels instead of by its inverse, which differs for three modes and more. What it
counted is reproduced with that; see research on Ahrens 2022, Figure 6.
"""

from __future__ import annotations

from collections.abc import Mapping

from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Forall,
    Indices,
    Statement,
    Where,
    in_loop_order,
    map_accesses,
    path_to_store,
    stored_by,
)


def with_published_modes(program: Statement) -> Statement:
    """A program whose reads say which variables the published search took for their modes."""
    return _changed(program, (), {})


def _changed(node: Statement, path: Indices, written: Mapping[str, Indices]) -> Statement:
    """`path`: the loops around a statement; `written`: the modes of workspaces in the order of the loops that write."""
    match node:
        case Forall(variable, body):
            return Forall(variable, _changed(body, (*path, variable), written))
        case Where(consumer, producer):
            target = stored_by(producer).target
            inside = {**written, str(target.tensor): in_loop_order(target.indices, path_to_store(producer, path))}
            return Where(_changed(consumer, path, inside), _changed(producer, path, inside))
        case Assign(target, operator, value):
            return Assign(target, operator, map_accesses(value, lambda read: _with_modes(read, path, written)))


def _with_modes(read: Access, path: Indices, written: Mapping[str, Indices]) -> Access:
    modes, levels = written.get(str(read.tensor), read.indices), in_loop_order(read.indices, path)
    taken = {mode: levels[modes.index(level)] for mode, level in zip(modes, levels, strict=True)}
    return read._replace(modes=tuple([taken[index] for index in read.indices]))
