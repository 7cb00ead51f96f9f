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
    parts,
    path_to_store,
    stored_by,
    with_parts,
)


def with_published_modes(program: Statement) -> Statement:
    """A program whose reads say which variables the published search took for their modes."""
    return _changed(program, (), {})


def _changed(node: Statement, path: Indices, written: Mapping[str, Indices]) -> Statement:
    """`path`: the loops around a statement; `written`: the modes of workspaces in the order of the loops that write."""
    match node:
        case Assign(target, operator, value):
            return Assign(target, operator, map_accesses(value, lambda read: _with_modes(read, path, written)))
        case Forall(variable):
            path = (*path, variable)
        case Where(_, producer):
            target = stored_by(producer).target
            written = {**written, str(target.tensor): in_loop_order(target.indices, path_to_store(producer, path))}
        case _:
            pass
    return with_parts(node, [_changed(part, path, written) for part in parts(node)])


def _with_modes(read: Access, path: Indices, written: Mapping[str, Indices]) -> Access:
    modes, levels = written.get(str(read.tensor), read.indices), in_loop_order(read.indices, path)
    taken = {mode: levels[modes.index(level)] for mode, level in zip(modes, levels, strict=True)}
    return read._replace(modes=tuple([taken[index] for index in read.indices]))
