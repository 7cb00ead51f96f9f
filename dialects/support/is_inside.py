"""Which operations are inside of another, and which one is around it."""

from __future__ import annotations

from typing import TypeVar

from xdsl.ir import Operation, SSAValue

_Op = TypeVar("_Op", bound=Operation)


def innermost_around(op: Operation, *op_types: type[_Op]) -> _Op | None:
    """The innermost operation of one of these kinds that another is inside of, if there is one."""
    around = op.parent_op()
    while around is not None and not isinstance(around, op_types):
        around = around.parent_op()
    return around


def is_inside(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined in a region of an operation, as its result or a block's argument."""
    owner = value.owner
    return op.is_ancestor(owner) and owner is not op


def replace_inside(op: Operation, old: SSAValue, new: SSAValue) -> None:
    """Let the operations inside of one use another value."""
    for use in list(old.uses):
        if op.is_ancestor(use.operation):
            use.operation.operands[use.index] = new
