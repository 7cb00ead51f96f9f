"""The ways in which a program reads what is sparse (Ahrens 2022, sections 4 and 7.6)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

from irtensor.passes.autoschedule.statements import (
    LOCATE,
    STEP,
    Access,
    Assign,
    Call,
    Expression,
    Forall,
    Statement,
    Where,
    reads,
)


def protocol_choices(program: Statement, dense: Collection[str]) -> Iterator[Statement]:
    """A program with every way to step through or to locate in each mode of what is read; dense tensors are located."""
    chosen = [read for read in reads(program) if read.tensor not in dense]
    for protocols in product((STEP, LOCATE), repeat=sum(len(read.indices) for read in chosen)):
        yield _with_protocols(program, dense, iter(protocols))


def count_choices(program: Statement, dense: Collection[str]) -> int:
    """How many programs `protocol_choices` gives."""
    return 1 << sum(len(read.indices) for read in reads(program) if read.tensor not in dense)


def _with_protocols(node: Statement, dense: Collection[str], protocols: Iterator[str]) -> Statement:
    match node:
        case Assign(target, operator, value):
            return Assign(target, operator, _expression(value, dense, protocols))
        case Forall(variable, body):
            return Forall(variable, _with_protocols(body, dense, protocols))
        case Where(consumer, producer):
            first = _with_protocols(consumer, dense, protocols)
            return Where(first, _with_protocols(producer, dense, protocols))


def _expression(node: Expression, dense: Collection[str], protocols: Iterator[str]) -> Expression:
    match node:
        case Access(tensor, indices):
            if tensor in dense:
                return node
            return Access(tensor, indices, tuple(next(protocols) for _ in indices))
        case Call(operator, arguments):
            return Call(operator, tuple(_expression(argument, dense, protocols) for argument in arguments))
        case _:
            return node
