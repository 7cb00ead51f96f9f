"""The parts of a piece of IR, by identity: IR made of the same parts as before is as valid as before."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_

from xdsl.ir import Operation

# pyright: reportPrivateUsage=false


def parts_of(op: Operation) -> list[object]:
    """Everything in `op`, regions included, that a verifier looks at.

    Attributes never change, and of operands, results, successors and block arguments there are new tuples when one
    changes. A list of the objects tells in a small part of the time that a verifier takes whether there is any change.
    """
    parts: list[object] = []
    _collect(op, parts)
    return parts


def is_same(parts: Sequence[object], others: Sequence[object]) -> bool:
    """Whether both lists have the same objects; they keep them alive, so no object takes the place of another."""
    return len(parts) == len(others) and all(map(is_, parts, others))


def _collect(op: Operation, parts: list[object]) -> None:
    parts += (op, op.parent, op._operands, op.results, op._successors)
    for result in op.results:
        parts.append(result._type)
    for named in (op.properties, op.attributes):
        # Dictionaries change in place. Their number tells the one from the other.
        parts.append(len(named))
        parts += named.keys()
        parts += named.values()
    for region in op.regions:
        parts.append(region)
        block = region._first_block
        while block is not None:
            parts += (block, block._args)
            for argument in block._args:
                parts.append(argument._type)
            inner = block._first_op
            while inner is not None:
                _collect(inner, parts)
                inner = inner._next_op
            block = block._next_block
