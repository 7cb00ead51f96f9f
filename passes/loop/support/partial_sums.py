"""Loops that sum into cells, and sums of parts of such sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.algebra.order_of_sums import may_reassociate
from irtensor.dialects.loop.loop import ForOp
from irtensor.dialects.loop.loop_memory import GetOp, SetOp
from irtensor.dialects.support.create_operation import create_operation
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_of


class CellSum(NamedTuple):
    """The read and write of a cell that a loop without inner regions sums into, and the addition."""

    read: GetOp
    write: SetOp
    addition: arith.AddfOp

    @staticmethod
    def only_one(loop: ForOp) -> CellSum | None:
        """The sum of floating-point numbers that is all that a loop does, if its terms may be added in any order."""
        found = CellSum.all_of(loop)
        writes = [op for op in operations_of(loop.body.block) if isinstance(op, SetOp)]
        return found[0] if len(found) == len(writes) == 1 else None

    @staticmethod
    def all_of(loop: ForOp, inner: ForOp | None = None) -> list[CellSum]:
        """The sums of floating-point numbers in a loop whose terms may be added in any order.

        It may have one loop inside, `inner`, which changes other cells.
        """
        body = operations_of(loop.body.block)
        if any(op.regions for op in body if op is not inner):
            return []
        writes = [op for op in body if isinstance(op, SetOp)]
        cells = [write.operands[1] for write in writes]
        found = (CellSum._of(write, body) for write in writes if cells.count(write.operands[1]) == 1)
        return [sum for sum in found if sum is not None]

    @staticmethod
    def _of(write: SetOp, body: Sequence[Operation]) -> CellSum | None:
        reads = [op for op in body if isinstance(op, GetOp) and op.operands[0] is write.operands[1]]
        addition = write.operands[0].owner
        if len(reads) != 1 or not isinstance(addition, arith.AddfOp) or not may_reassociate(addition.fastmath):
            return None
        value = reads[0].results[0]
        uses = [use.operation for use in value.uses]
        is_sum = uses == [addition] and isinstance(value.type, Float32Type | Float64Type)
        return CellSum(reads[0], write, addition) if is_sum else None

    def sum_into_part(self, emit: Emitter) -> SSAValue:
        """Let the loop sum into a new cell, which begins with 0; gives the cell that it summed into."""
        cell = self.write.operands[1]
        self.read.operands[0] = self.write.operands[1] = emit.cell(emit.number(0.0, self.read.results[0].type))
        return cell

    def add_part(self, cell: SSAValue, emit: Emitter) -> None:
        """Add what the loop has summed up to another cell."""
        operands = (emit.get(cell), emit.get(self.write.operands[1]))
        total = create_operation(arith.AddfOp, operands, (operands[0].type,), {"fastmath": self.addition.fastmath})
        emit.insert(SetOp.of(emit.insert(total).result, cell))
