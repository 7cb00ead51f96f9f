"""The ways in which a program reads sparse tensors (Ahrens 2022, sections 4 and 7.6)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import count, product
from typing import NamedTuple

from irtensor.core.storage_levels import Level
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.concrete_index.protocols import LOCATE, STEP, supports
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Forall,
    Indices,
    Sequence,
    Statement,
    Where,
    in_loop_order,
    map_accesses,
    map_expressions,
    parts,
    reads,
    reads_within_loops,
    with_parts,
)
from irtensor.passes.concrete_index.support.operand_formats import in_order_of_loops

# Stands for a protocol that is still to be chosen.
FREE = "free"

# The protocols that a read may have inside of some loops, the first outermost; one choice, none, for dense tensors.
Choices = Callable[[Access, Indices], Iterable[tuple[str, ...]]]
_EITHER = (STEP, LOCATE)


def free_choice(dense: Collection[str]) -> Choices:
    """To step through or to locate, in every mode of tensors that are not dense."""

    def choices(read: Access, loops: Indices) -> Iterable[tuple[str, ...]]:
        return [()] if read.tensor in dense else product(_EITHER, repeat=len(read.indices))

    return choices


def choice_by_format(dense: Collection[str], formats: Mapping[str, TensorFormat]) -> Choices:
    """What operands with formats can be read by, with their levels in the order of the loops; others by both."""

    free = free_choice(dense)
    known: dict[tuple[Access, Indices], list[tuple[str, ...]]] = {}

    def choices(read: Access, loops: Indices) -> Iterable[tuple[str, ...]]:
        format = formats.get(str(read.tensor))
        if read.tensor in dense or format is None:
            return free(read, loops)
        key = read, in_loop_order(read.indices, loops)
        if key not in known:
            levels = format.levels
            # Dimensions in several levels, or bound by one loop, have no order of their own.
            if not format.is_blocked and len({*read.indices}) == len(levels):
                levels = in_order_of_loops(format, levels_in_loop_order(format, read, loops)).levels
            known[key] = [*product(*(_supported(levels, mode) for mode in range(len(read.indices))))]
        return known[key]

    return choices


def levels_in_loop_order(format: TensorFormat, read: Access, loops: Indices) -> list[int]:
    """The levels of an operand, one for each dimension, in the order of the loops over them."""
    return [format.dimension_order.index(read.indices.index(index)) for index in in_loop_order(read.indices, loops)]


def _supported(levels: Iterable[Level], mode: int) -> tuple[str, ...]:
    """What all levels of a mode support, which may be stored in blocks; to go through all of it is to locate it."""
    own = [level.format.properties for level in levels if level.expression.dimension == mode]
    found = tuple([protocol for protocol in _EITHER if all(supports(level, protocol) for level in own)])
    return found or (STEP,)


def with_free_protocols(program: Statement, choices: Choices, loops: Indices = ()) -> Statement:
    """A program with a free protocol wherever there is a choice."""
    match program:
        case Forall(variable, body):
            return Forall(variable, with_free_protocols(body, choices, (*loops, variable)))
        case Where() | Sequence():
            return with_parts(program, [with_free_protocols(part, choices, loops) for part in parts(program)])
        case Assign(target, operator, value):

            def freed(read: Access) -> Access:
                marks = [set(some) for some in zip(*choices(read, loops), strict=True)]
                return read._replace(protocols=tuple([FREE if len(some) > 1 else some.pop() for some in marks]))

            return Assign(target, operator, map_accesses(value, freed))


class FreeMode(NamedTuple):
    """A mode of one of the reads of a program, which are numbered in the order of `reads`."""

    read: int
    mode: int


def free_modes(program: Statement) -> list[FreeMode]:
    """Where protocols are still to be chosen, that of the outermost loop first."""
    found: list[tuple[int, FreeMode]] = []
    for number, (read, loops) in enumerate(reads_within_loops(program)):
        marks = enumerate(zip(read.indices, read.protocols, strict=False))
        found += [(loops.index(index), FreeMode(number, mode)) for mode, (index, mark) in marks if mark == FREE]
    return [mode for _, mode in sorted(found)]


def with_protocol(program: Statement, mode: FreeMode, protocol: str) -> Statement:
    """A program with a protocol for one mode of one read."""
    numbers = count()

    def chosen(read: Access) -> Access:
        if next(numbers) != mode.read:
            return read
        before, after = read.protocols[: mode.mode], read.protocols[mode.mode + 1 :]
        return read._replace(protocols=(*before, protocol, *after))

    return map_expressions(program, lambda value: map_accesses(value, chosen))


# More than the reads in a loop.
_ALL = 100


def likely_choices(program: Statement) -> list[Statement]:
    """Some programs that one with FREE protocols becomes, which tell how good it may get.

    In each loop all that may step does, or only the read that has the fewest modes for loops inside; in the outermost
    loop too, or nothing does there.
    """
    return list(dict.fromkeys(_decided(program, most, first) for most in (_ALL, 1) for first in (0, 1)))


def _decided(program: Statement, most: int, first: int, loops: Indices = ()) -> Statement:
    """A program whose FREE protocols are chosen: of what may step in a loop so many do, from a number of loops on."""
    if not isinstance(program, Forall):
        return with_parts(program, [_decided(part, most, first, loops) for part in parts(program)])
    variable, body = program
    loops = (*loops, variable)
    marks = {read: dict(zip(read.indices, read.protocols, strict=False)).get(variable) for read in reads(body)}
    free = [read for read in marks if marks[read] == FREE]
    free.sort(key=lambda read: (len({*read.indices}.difference(loops)), -len(read.indices)))
    steppers = free[:most] if len(loops) > first else ()

    def decided(read: Access) -> Access:
        if marks[read] != FREE:
            return read
        protocol = STEP if read in steppers else LOCATE
        chosen = [protocol if one == variable else mark for one, mark in zip(read.indices, read.protocols, strict=True)]
        return read._replace(protocols=tuple(chosen))

    return Forall(
        variable,
        _decided(map_expressions(body, lambda value: map_accesses(value, decided)), most, first, loops),
    )
