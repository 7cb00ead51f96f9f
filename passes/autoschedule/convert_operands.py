"""Which operands have to be converted before a program can read them as it asks for (Ahrens 2022, section 7.8)."""

from __future__ import annotations

from typing import NamedTuple

from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.concrete_index.protocols import LOCATE, STEP, WIDENED, supports
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.autoschedule.protocols import FREE, levels_in_loop_order
from irtensor.passes.autoschedule.read_program import Program
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Expression,
    Forall,
    Indices,
    Statement,
    Where,
    fresh_name,
    loops_over,
    map_accesses,
    map_expressions,
    reads,
    reads_within_loops,
)
from irtensor.passes.concrete_index.support.operand_formats import format_to_read, in_order_of_loops


class _Copy(NamedTuple):
    """What a workspace is filled with, once for each value of the indices `outer` of the outermost loops."""

    outer: Indices
    inner: Indices
    source: Access


def convert_operands(statement: Statement, program: Program) -> Statement:
    """A program that reads the inner levels of operands through workspaces, where they cannot be read as it asks for.

    A workspace holds what one iteration of the loops over the levels above reads, and is filled once in each: these are
    the outermost loops. Where the outermost level is concerned, the operand is converted as a whole, which is left to
    `support-protocols`, as are levels in another order than that of the loops.
    """
    for read, loops in dict.fromkeys(reads_within_loops(statement)):
        copy = _copy(read, loops, program)
        if copy is not None:
            taken = {*program.tensors, *(str(one.tensor) for one in reads(statement))}
            name = fresh_name(f"{read.tensor}_row", taken)
            statement = _copied(statement, read, copy, name, copy.outer)
    return statement


def conversion_effort(statement: Statement, program: Program) -> int:
    """What it takes to convert operands to the formats in which a program reads them, 0 if that is nothing.

    Nothing is known of sizes, but an operand with more modes has more entries than any number of others; to hash them
    takes twice as long as to put them in order. A copy filled anew in each iteration of some loops costs as much as an
    operand with as many modes.
    """
    return Conversions(program).effort(statement)


def filling_effort(loops: int) -> int:
    """What it takes to fill a workspace anew in each iteration of so many loops, beside conversions."""
    return 4 * _READS**loops if loops else 0


# More than the reads that a statement has.
_READS = 100


class Conversion(NamedTuple):
    """How an operand is read where its format differs from the `format` that is asked for: converted to it as a whole,
    or where `outer` is not None, through a workspace that is filled in each iteration of the loops over these."""

    format: TensorFormat
    outer: Indices | None
    # Whether hash tables are made for operands without one.
    hashes: bool


class Conversions:
    """The conversions of a program's operands, which many programs for the same definition have in common."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[tuple[Access, Indices], Conversion | None] = {}

    def of(self, read: Access, loops: Indices) -> Conversion | None:
        """The conversion that lets an operand be read by protocols inside of some loops, if it needs one."""
        key = read, loops
        if key not in self._known:
            self._known[key] = self._conversion(read, loops)
        return self._known[key]

    def effort(self, statement: Statement) -> int:
        """See `conversion_effort`."""
        return sum(self.efforts(statement).values())

    def efforts(self, statement: Statement) -> dict[str, int]:
        """The same, by operand."""
        found = dict.fromkeys(self._program.tensors, 0)
        for read, loops in reads_within_loops(statement):
            # Workspaces take none.
            if effort := self._effort(read, loops):
                found[str(read.tensor)] += effort
        return found

    def _conversion(self, read: Access, loops: Indices) -> Conversion | None:
        format = _format_of(read, self._program)
        if format is None:
            return None
        order = levels_in_loop_order(format, read, loops)
        after = format_to_read(format, order, _chosen(read, in_order_of_loops(format, order)))
        if after == format:
            return None
        copy = None if FREE in read.protocols else _copy(read, loops, self._program)
        names = [{level.format.name for level in one.levels} for one in (format, after)]
        hashes = bool(names[1] - names[0] - {WIDENED[None, LOCATE], WIDENED[None, STEP]})
        return Conversion(after, None if copy is None else copy.outer, hashes)

    def _effort(self, read: Access, loops: Indices) -> int:
        conversion = self.of(read, loops)
        if conversion is None:
            return 0
        if conversion.outer is not None:
            return filling_effort(len(conversion.outer))
        return _READS ** len(read.indices) * (2 if conversion.hashes else 1)


def _chosen(read: Access, format: TensorFormat) -> list[str]:
    """The protocols of a read; where one is still to be chosen, one that its levels support."""
    chosen = list(read.protocols)
    for level in format.levels:
        mode = level.expression.dimension
        if chosen[mode] == FREE:
            chosen[mode] = STEP if supports(level.format.properties, STEP) else LOCATE
    return chosen


def copied_modes(statement: Statement, program: Program) -> list[int]:
    """How many modes the workspaces have through which operands are read."""
    copies = (
        _copy(read, loops, program) for read, loops in reads_within_loops(statement) if FREE not in read.protocols
    )
    return [len(copy.inner) for copy in copies if copy is not None]


def _copy(read: Access, loops: Indices, program: Program) -> _Copy | None:
    """The copied levels of an operand, some of whose inner levels cannot be read as asked: those, and all below."""
    format = _format_of(read, program)
    if format is None:
        return None
    levels = in_order_of_loops(format, levels_in_loop_order(format, read, loops)).levels
    indices = tuple([read.indices[level.expression.dimension] for level in levels])
    asked = [read.protocols[level.expression.dimension] for level in levels]
    properties = [level.format.properties for level in levels]
    supported = [supports(level, protocol) for level, protocol in zip(properties, asked, strict=True)]
    count = next((n for n, index in enumerate(indices) if not supported[n] or index != loops[n]), 0)
    if count == 0 or all(supported):
        return None
    # A loop iterates over all stored entries.
    along = [STEP if supports(level, STEP) else LOCATE for level in properties]
    protocols = dict(zip(indices, [*asked[:count], *along[count:]], strict=True))
    source = read._replace(protocols=tuple([protocols[index] for index in read.indices]))
    return _Copy(indices[:count], indices[count:], source)


def _format_of(read: Access, program: Program) -> TensorFormat | None:
    """How an operand is stored that is read by protocols; None if there is nothing to be converted."""
    tensor = program.tensors.get(str(read.tensor))
    if tensor is None or not read.protocols or len(set(read.indices)) < len(read.indices):
        return None
    format = format_of(tensor.type)
    return None if format.is_blocked or format.has_diagonals else format


def _copied(statement: Statement, read: Access, copy: _Copy, name: str, loops: Indices) -> Statement:
    """A statement in which, inside of some loops that are its outermost ones, a workspace is read for an operand."""
    match statement:
        case Forall(variable, body) if loops and variable == loops[0]:
            return Forall(variable, _copied(body, read, copy, name, loops[1:]))
        case Where(consumer, producer) if loops:
            return Where(*(_copied(side, read, copy, name, loops) for side in (consumer, producer)))
        case _ if loops or read not in reads(statement):
            return statement
        case _:
            protocols = dict(zip(read.indices, read.protocols, strict=True))
            own = Access(name, copy.inner, tuple([protocols[index] for index in copy.inner]))

            def through(value: Expression) -> Expression:
                return map_accesses(value, lambda one: own if one == read else one)

            producer = loops_over(copy.inner, Assign(Access(name, copy.inner), None, copy.source))
            return Where(map_expressions(statement, through), producer)
