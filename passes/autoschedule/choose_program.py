"""The last choice among programs of least asymptotic cost: what asks for the least besides."""

from __future__ import annotations

from collections.abc import Iterable

from irtensor.dialects.protocols import STEP, supports
from irtensor.dialects.storage import format_of
from irtensor.passes.autoschedule.collect_result import scattered
from irtensor.passes.autoschedule.read_program import Program
from irtensor.passes.autoschedule.statements import (
    Access,
    Indices,
    Statement,
    in_loop_order,
    reads_within_loops,
    stored_by,
    text_of,
    wheres,
)


def choose_program(programs: Iterable[Statement], program: Program) -> Statement:
    """The one that converts the fewest operands, then scatters least into the result, then has the least workspaces.

    Operands are converted where loops go in another order than they are stored in, or where a level is to be located
    that only lists what it stores.
    """

    def key(one: Statement) -> tuple[object, ...]:
        conversions = sum(_is_converted(read, loops, program) for read, loops in reads_within_loops(one))
        ranks = [len(stored_by(where.producer).target.indices) for where in wheres(one)]
        return conversions, len(scattered(one, program)), sum(ranks), len(ranks), text_of(one)

    return min(programs, key=key)


def _is_converted(read: Access, loops: Indices, program: Program) -> bool:
    tensor = program.tensors.get(str(read.tensor))
    if tensor is None or read.tensor in program.dense:
        return False
    format = format_of(tensor.type)
    if format.is_blocked or format.has_diagonals:
        return False
    stored = tuple(read.indices[dimension] for dimension in format.dimension_order)
    asked = dict(zip(read.indices, read.protocols, strict=True))
    levels = zip(stored, (level.format.properties for level in format.levels), strict=True)
    # To step through a level that has everything is to visit all of it.
    located = all(supports(level, asked[index]) or (level.full and asked[index] == STEP) for index, level in levels)
    return not located or stored != in_loop_order(read.indices, loops)
