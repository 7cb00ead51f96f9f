"""What arithmetic computes a value from."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

from irtensor.passes.cleanup.simplify_loops import is_pure


def sources_of(values: Iterable[SSAValue]) -> list[SSAValue]:
    """Values with all that arithmetic computes them from, up to those read, searched for or counted by a loop."""
    found: dict[SSAValue, None] = {}
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value not in found:
            found[value] = None
            waiting += value.owner.operands if isinstance(value.owner, Operation) and not is_read(value) else ()
    return list(found)


def is_read(value: SSAValue) -> bool:
    """Whether more than other values decides on a value, such as the contents of memory."""
    return isinstance(value.owner, Operation) and not is_pure(value.owner)
