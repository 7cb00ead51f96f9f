"""The arguments of a compiled kernel: the one description that generated code and callers share.

Operands come first, in order, then results. Each tensor is passed as its extents (one index per dimension), then per
level the arrays that its format stores, then its values, unless it is a pattern. Every array has a readable element
0. Arrays of a result whose length is known beforehand are buffers that the caller allocates; the others are growable.
A kernel that assembles is passed no values, but those of a dense result, which has no index. One that computes is
passed buffers, with room for the values of one entry more than the index has.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from irtensor.core.level_properties import LevelArray
from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.known_levels import LEVEL_PROPERTIES

# What a kernel writes: index arrays of its result, values of an index that exists, or both.
KernelPurpose = Literal["assemble", "compute", "fused"]
# Statuses that a kernel returns, beside 0 for success: memory ran out; the index of the result is another one; an
# extent is not what the schedule says it is.
NO_MEMORY, INDEX_MISMATCH, BOUND_BROKEN = 1, 2, 3
# The driver of a GPU refused something, which the context of the call says more about.
DEVICE_FAILED = 4
# A map in the memory of a GPU held more pairs than had been counted: a mistake of the compiler.
MAP_FULL = 5
# An entry does not fit into a level that holds entries at certain coordinates only.
MISFIT = 6
# A signal handler raised.
INTERRUPTED = -1


class Argument(NamedTuple):
    """One argument of a tensor: `number` is the dimension of an extent, the level of an array."""

    role: str
    """`extent`, `values`, or the name of an array of a level."""
    number: int
    growable: bool = False
    array: LevelArray | None = None
    """What that array is."""


@lru_cache(maxsize=512)
def tensor_arguments(format: TensorFormat, is_result: bool, purpose: KernelPurpose = "fused") -> tuple[Argument, ...]:
    """The arguments that one tensor stands for, in order; `purpose` is that of the kernel whose result it is."""
    grows = is_result and purpose != "compute"
    arguments = [Argument("extent", dimension) for dimension in range(format.rank)]
    for number, level in enumerate(format.levels):
        for array in level.format.properties.arrays:
            growable = grows and not has_static_positions(format, array.known_levels(number))
            arguments.append(Argument(array.name, number, growable, array))
    if format.is_dense or (purpose != "assemble" and not format.is_pattern):
        arguments.append(Argument("values", len(format.levels), grows and not format.is_positional))
    return tuple(arguments)


@lru_cache(maxsize=8)
def _array_names(shorts: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"(.+)_(?:{'|'.join(sorted(shorts))}|vals)([0-9]*)")


def _array_named(name: str) -> re.Match[str] | None:
    """The name of a tensor and the number of a level in the name of an array."""
    levels = LEVEL_PROPERTIES.values()
    return _array_names(frozenset(array.short for level in levels for array in level.arrays)).fullmatch(name)


def argument_name(tensor: str, argument: Argument) -> str:
    """What the argument of a function is called, by the name of the tensor."""
    if argument.role == "extent":
        return f"{tensor}_n{argument.number}"
    return f"{tensor}_vals" if argument.array is None else f"{tensor}_{argument.array.short}{argument.number}"


def tensor_named(buffer: str | None) -> str:
    """The name of the tensor that the array of this name is a part of; of other arrays their own."""
    match = _array_named(buffer or "?")
    return buffer or "?" if match is None else match[1]


def described_array(name: str) -> str | None:
    """The part of a tensor that the array of this name holds, for people; None for another name."""
    match = _array_named(name)
    if match is None:
        return None
    tensor, level = match.groups()
    return f"level {level} of '{tensor}'" if level else f"'{tensor}'"


def array_width(format: TensorFormat, level: int, array: LevelArray) -> int | None:
    """How many bits the integers in an array of a level have; None for booleans."""
    if array.holds == "flag":
        return None
    return format.position_width_of(level) if array.holds == "position" else format.coordinate_width_of(level)


def has_static_positions(format: TensorFormat, level: int) -> bool:
    """Whether the number of a level's parents follows from the extents alone."""
    return all(outer.format.properties.has_known_positions for outer in format.levels[:level])
