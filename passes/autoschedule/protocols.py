"""The ways in which a program reads what is sparse (Ahrens 2022, sections 4 and 7.6)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

from irtensor.passes.autoschedule.statements import (
    LOCATE,
    STEP,
    Access,
    Statement,
    map_accesses,
    map_expressions,
    reads,
)


def protocol_choices(program: Statement, dense: Collection[str]) -> Iterator[Statement]:
    """A program with every way to step through or to locate in each mode of what is read; dense tensors are located."""

    def chosen(read: Access) -> Access:
        return read if read.tensor in dense else read._replace(protocols=tuple([next(left) for _ in read.indices]))

    for protocols in product((STEP, LOCATE), repeat=_count_modes(program, dense)):
        left = iter(protocols)
        yield map_expressions(program, lambda value: map_accesses(value, chosen))


def count_choices(program: Statement, dense: Collection[str]) -> int:
    """How many programs `protocol_choices` gives."""
    return 1 << _count_modes(program, dense)


def _count_modes(program: Statement, dense: Collection[str]) -> int:
    return sum(len(read.indices) for read in reads(program) if read.tensor not in dense)
