"""All programs that a loop nest becomes by the protocols of what it reads (Ahrens 2022, section 7.6)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import prod

from irtensor.passes.autoschedule.protocols import Choices
from irtensor.passes.autoschedule.statements import (
    Assign,
    Expression,
    Forall,
    Indices,
    Sequence,
    Statement,
    Where,
    map_accesses,
    parts,
    reads,
    reads_within_loops,
    with_parts,
)


def protocol_choices(program: Statement, choices: Choices, loops: Indices = ()) -> list[Statement]:
    """A program with every choice of protocols for what it reads; parts that are chosen alike are one object."""
    match program:
        case Forall(variable, body):
            return [Forall(variable, inner) for inner in protocol_choices(body, choices, (*loops, variable))]
        case Where() | Sequence():
            ways = product(*[protocol_choices(part, choices, loops) for part in parts(program)])
            return [with_parts(program, chosen) for chosen in ways]
        case Assign(target, operator, value):
            ways = product(*[list(choices(read, loops)) for read in reads(value)])
            return [Assign(target, operator, _with_protocols(value, chosen)) for chosen in ways]


def count_choices(program: Statement, choices: Choices, loops: Indices = ()) -> int:
    """How many programs `protocol_choices` gives."""
    return prod(len(list(choices(read, around))) for read, around in reads_within_loops(program, loops))


def _with_protocols(value: Expression, chosen: Iterable[tuple[str, ...]]) -> Expression:
    left = iter(chosen)
    return map_accesses(value, lambda read: read._replace(protocols=next(left)))
