"""The ways in which a program reads what is sparse (Ahrens 2022, sections 4 and 7.6)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import product

from irtensor.dialects.protocols import LOCATE, STEP
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Expression,
    Forall,
    Indices,
    Statement,
    Where,
    in_loop_order,
    map_accesses,
    reads,
)

# The protocols that a read may have inside of some loops, the first outermost; one choice of none for what is dense.
Choices = Callable[[Access, Indices], Iterable[tuple[str, ...]]]


def free_choice(dense: Collection[str]) -> Choices:
    """To step through or to locate in every mode of what is not dense."""

    def choices(read: Access, loops: Indices) -> Iterable[tuple[str, ...]]:
        return [()] if read.tensor in dense else product((STEP, LOCATE), repeat=len(read.indices))

    return choices


def outermost_choice(dense: Collection[str]) -> Choices:
    """To step through or to locate in the outermost mode of what is not dense, and to step through the others."""

    def choices(read: Access, loops: Indices) -> Iterable[tuple[str, ...]]:
        return [()] if read.tensor in dense else ways_outermost(read, loops)

    return choices


def ways_outermost(read: Access, loops: Indices) -> list[tuple[str, ...]]:
    """The two protocols for a read that differ in the mode of the outermost loop; one without modes has one."""
    first = in_loop_order(read.indices, loops)[:1]
    located = tuple([LOCATE if index in first else STEP for index in read.indices])
    return list(dict.fromkeys([(STEP,) * len(read.indices), located]))


def protocol_choices(program: Statement, choices: Choices, loops: Indices = ()) -> list[Statement]:
    """A program with every choice of protocols for what it reads; parts that are chosen alike are one object."""
    match program:
        case Forall(variable, body):
            return [Forall(variable, inner) for inner in protocol_choices(body, choices, (*loops, variable))]
        case Where():
            sides = [protocol_choices(side, choices, loops) for side in program]
            return [Where(consumer, producer) for consumer, producer in product(*sides)]
        case Assign(target, operator, value):
            ways = product(*[list(choices(read, loops)) for read in reads(value)])
            return [Assign(target, operator, _with_protocols(value, chosen)) for chosen in ways]


def _with_protocols(value: Expression, chosen: Iterable[tuple[str, ...]]) -> Expression:
    left = iter(chosen)
    return map_accesses(value, lambda read: read._replace(protocols=next(left)))


def count_choices(program: Statement, choices: Choices, loops: Indices = ()) -> int:
    """How many programs `protocol_choices` gives."""
    match program:
        case Forall(variable, body):
            return count_choices(body, choices, (*loops, variable))
        case Where(consumer, producer):
            return count_choices(consumer, choices, loops) * count_choices(producer, choices, loops)
        case Assign(_, _, value):
            count = 1
            for read in reads(value):
                count *= len(list(choices(read, loops)))
            return count
