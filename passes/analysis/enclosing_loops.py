"""The loops of statements that an operation is in."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from irtensor.dialects.concrete_index.concrete_index import ForallOp


def enclosing_loops(op: Operation) -> Iterator[ForallOp]:
    """The loops that an operation is in, innermost first, whatever lies between."""
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, ForallOp):
            yield parent
        parent = parent.parent_op()
