"""The last choice among programs of least asymptotic cost: what asks for the least besides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from irtensor.passes.autoschedule.collect_result import scattered
from irtensor.passes.autoschedule.convert_operands import count_conversions
from irtensor.passes.autoschedule.read_program import Program
from irtensor.passes.autoschedule.statements import (
    Statement,
    stored_by,
    text_of,
    wheres,
)


def choose_program(programs: Iterable[Statement], program: Program) -> Statement:
    """The program that is preferred to the others."""
    return min(programs, key=lambda one: preference(one, program))


def preference(one: Statement, program: Program) -> tuple[Any, ...]:
    """Less for what is preferred: what takes the least memory beside operands and result, then converts the fewest
    operands, then scatters least into the result, then has the least workspaces.

    A workspace with one mode is no larger than a dimension. Operands are converted where loops go in another order than
    they are stored in, or where a level is to be located that only lists what it stores.
    """
    modes = [len(stored_by(where.producer).target.indices) for where in wheres(one)]
    conversions, rest = count_conversions(one, program), len(scattered(one, program))
    return extra_memory(one, program), conversions, rest, sum(modes), len(modes), text_of(one)


def extra_memory(one: Statement, program: Program) -> int:
    """How many modes the workspaces of a program have that are as large as products of dimensions."""
    modes = [len(stored_by(where.producer).target.indices) for where in wheres(one)]
    return sum(count for count in (*modes, len(scattered(one, program))) if count > 1)
