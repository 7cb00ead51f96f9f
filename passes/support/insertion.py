"""Operations that are inserted beside others, where an `Emitter` appends to a block."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.core.operators import Scalar
from irtensor.dialects.algebra.algebra import ApplyOp, ConstantOp


class Insertion:
    """A point in front of an operation, or behind it; operations inserted there keep their order."""

    def __init__(self, op: Operation, *, behind: bool = False):
        assert op.parent is not None
        self.block, self._next = op.parent, op.next_op if behind else op

    def insert_statement(self, op: Operation) -> None:
        """An operation without a result."""
        if self._next is None:
            self.block.add_op(op)
        else:
            self.block.insert_op_before(op, self._next)

    def insert(self, op: Operation) -> SSAValue:
        self.insert_statement(op)
        return op.results[0]

    def constant(self, value: Scalar, type: Attribute) -> SSAValue:
        return self.insert(ConstantOp.of(value, type))

    def apply(self, operator: str, arguments: Sequence[SSAValue], type: Attribute) -> SSAValue:
        return self.insert(ApplyOp.of(StringAttr(operator), arguments, type))
