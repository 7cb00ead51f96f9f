"""The last choice among programs of least asymptotic cost: what asks for the least besides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xdsl.ir import SSAValue

from irtensor.dialects.protocols import STEP
from irtensor.dialects.storage import format_of
from irtensor.passes.autoschedule.collect_result import scattered
from irtensor.passes.autoschedule.convert_operands import conversion_effort, copied_modes, filling_effort
from irtensor.passes.autoschedule.read_program import Program
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.statements import (
    Access,
    Indices,
    Statement,
    accesses_within_loops,
    stored_by,
    text_of,
    wheres,
    wheres_within_loops,
)


def choose_program(programs: Iterable[Statement], program: Program) -> Statement:
    """The program that is preferred to the others."""
    return min(programs, key=lambda one: preference(one, program))


def preferred_programs(search: Search, program: Program) -> list[Statement]:
    """Of the programs of each least cost the one that is preferred."""
    classes = search.bounded(lambda one: preference(one, program), alternatives=False).found
    return [choose_program(programs, program) for programs in classes.values()]


def preference(one: Statement, program: Program) -> tuple[Any, ...]:
    """Less for what is preferred: what takes the least memory beside operands and result, then has the least to do
    beside the tasks, then scatters least into the result, then has the least workspaces, then the better loop order.

    A workspace with one mode is no larger than a dimension. Beside the tasks, operands are converted where loops go in
    another order than they are stored in, or where a level is to be located that only lists what it stores, and
    workspaces are filled anew in each turn of the loops around them.
    """
    pairs = [(len(stored_by(where.producer).target.indices), loops) for where, loops in wheres_within_loops(one)]
    modes = [rank for rank, _ in pairs]
    rest = scattered(one, program)
    fillings = [loops for rank, loops in pairs if rank]
    if rest:
        fillings.append(len(stored_by(one).target.indices) - len(rest))
    effort = conversion_effort(one, program) + sum(map(filling_effort, fillings))
    memory = (extra_memory(one, program), effort, len(rest), sum(modes), len(modes))
    return (*memory, *_constant_factors(one, program), text_of(one))


def _constant_factors(one: Statement, program: Program) -> tuple[int, int]:
    """Less for loops that go along lists early, so that each is gone along seldom, and for those whose innermost one
    goes along the last level of what it reads and writes."""
    listed = strided = 0
    for access, loops in accesses_within_loops(one):
        listed += sum(
            loops.index(index) for index, asked in zip(access.indices, access.protocols, strict=False) if asked == STEP
        )
        tensor = program.tensors.get(str(access.tensor))
        order = access.indices if tensor is None else _stored(access, tensor)
        strided += bool(loops and loops[-1] in order and loops[-1] != order[-1])
    return listed, strided


def _stored(access: Access, tensor: SSAValue) -> Indices:
    """The indices of an access in the order of the levels of its tensor."""
    return tuple([access.indices[level.expression.dimension] for level in format_of(tensor.type).levels])


def extra_memory(one: Statement, program: Program) -> int:
    """How many modes the workspaces of a program have that are as large as products of dimensions."""
    modes = [len(stored_by(where.producer).target.indices) for where in wheres(one)]
    return sum(count for count in (*modes, len(scattered(one, program)), *copied_modes(one, program)) if count > 1)
