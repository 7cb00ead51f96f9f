"""Whether a value is made inside of an operation: what does not change in its iterations is made outside."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue


def is_inside(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined in a region of an operation, as its result or a block's argument."""
    owner = value.owner
    return op.is_ancestor(owner) and owner is not op


def replace_inside(op: Operation, old: SSAValue, new: SSAValue) -> None:
    """Let what is inside of an operation use another value."""
    for use in list(old.uses):
        if op.is_ancestor(use.operation):
            use.operation.operands[use.index] = new
