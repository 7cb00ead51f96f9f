"""The arguments of a compiled kernel: the one description that generated code and callers share.

Operands come first, in order, then results. Each tensor is passed as its extents (one index per dimension), then per
level its positions, coordinates and flags where the level has them, then its values. Every array has a readable element
0. Arrays of a result whose length is known beforehand are buffers that the caller allocates; the others are growable.
A kernel that assembles is passed no values; one that computes is passed buffers, with room for the values of one entry
more than the index has.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from irtensor.dialects.tensor_format import TensorFormat

Kind = Literal["extent", "positions", "coordinates", "flags", "values"]
# What a kernel writes: index arrays of its result, values of an index that exists, or both.
KernelKind = Literal["assemble", "compute", "fused"]
# Statuses that a kernel returns, beside 0 for success: memory ran out; the index of the result is another one; an
# extent is not what the schedule says it is.
NO_MEMORY, INDEX_MISMATCH, BOUND_BROKEN = 1, 2, 3
# The driver of a GPU refused something, which the context of the call says more about.
DEVICE_FAILED = 4
# A map in the memory of a GPU held more pairs than had been counted: a mistake of the compiler.
MAP_FULL = 5
# A signal handler raised.
INTERRUPTED = -1


class Argument(NamedTuple):
    """One argument of a tensor: `number` is the dimension of an extent, the level of an array."""

    kind: Kind
    number: int
    growable: bool = False


@lru_cache(maxsize=512)
def tensor_arguments(format: TensorFormat, is_result: bool, kind: KernelKind = "fused") -> tuple[Argument, ...]:
    """The arguments that one tensor stands for, in order; `kind` is that of the kernel whose result it is."""
    grows = is_result and kind != "compute"
    arguments = [Argument("extent", dimension) for dimension in range(format.rank)]
    for number, level in enumerate(format.levels):
        properties = level.format.properties
        if properties.has_positions:
            arguments.append(Argument("positions", number, grows and not has_static_positions(format, number)))
        if properties.has_coordinates:
            arguments.append(Argument("coordinates", number, grows))
        if properties.has_flags:
            arguments.append(Argument("flags", number, grows and not has_static_positions(format, number)))
    if kind != "assemble":
        arguments.append(Argument("values", len(format.levels), grows and not format.is_positional))
    return tuple(arguments)


_SHORT: dict[Kind, str] = {"positions": "pos", "coordinates": "crd", "flags": "flags", "values": "vals"}
_ARRAY = re.compile(rf"(.+)_(?:{'|'.join(_SHORT.values())})([0-9]*)")


def argument_name(tensor: str, argument: Argument) -> str:
    """What the argument of a function is called, by the name of the tensor."""
    if argument.kind == "extent":
        return f"{tensor}_n{argument.number}"
    short = _SHORT[argument.kind]
    return f"{tensor}_{short}" if argument.kind == "values" else f"{tensor}_{short}{argument.number}"


def tensor_named(buffer: str | None) -> str:
    """The name of the tensor that the array of this name is a part of; of other arrays their own."""
    match = _ARRAY.fullmatch(buffer or "?")
    return buffer or "?" if match is None else match[1]


def described_array(name: str) -> str | None:
    """Which part of which tensor the array of this name is, for people; None if it is called otherwise."""
    match = _ARRAY.fullmatch(name)
    if match is None:
        return None
    tensor, level = match.groups()
    return f"level {level} of '{tensor}'" if level else f"'{tensor}'"


def has_static_positions(format: TensorFormat, level: int) -> bool:
    """Whether the number of a level's parents follows from the extents alone."""
    return all(outer.format.properties.positional for outer in format.levels[:level])
