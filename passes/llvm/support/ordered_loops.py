"""Whether the iterations of a loop are to be done one after the other because of how numbers round."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import ComplexType, Float32Type, Float64Type
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.algebra.order_of_sums import may_reassociate
from irtensor.dialects.loop.loop import ForOp, GetOp, LoadOp, SetOp, StoreOp

_FLOATS = (Float32Type, Float64Type, ComplexType)
# The least and the greatest number are the same in any order.
_EXACT = (arith.MaximumfOp, arith.MinimumfOp)


def is_ordered(loop: ForOp) -> bool:
    """Whether a loop combines floats with what the iteration before has left, by an operation that is not to be
    reassociated.
    """
    operations = list(loop.body.walk())
    carried = _carried(loop, operations)
    for op in operations:
        if any(operand in carried for operand in op.operands):
            carried.update(op.results)
            if _rounds(op) and not may_reassociate(op.properties["fastmath"]):
                return True
    return False


def _carried(loop: ForOp, operations: list[Operation]) -> set[SSAValue]:
    """What a loop reads from cells that it sets, and from elements that are the same in all iterations."""
    written = {op.cell for op in operations if isinstance(op, SetOp) and not loop.is_ancestor(op.cell.owner)}
    varying: set[SSAValue] = {loop.induction}
    for op in operations:
        if isinstance(op, LoadOp | GetOp) or any(operand in varying for operand in op.operands):
            varying.update(op.results)
    stores = any(isinstance(op, StoreOp) and op.index not in varying for op in operations)
    found: set[SSAValue] = {op.value for op in operations if isinstance(op, GetOp) and op.cell in written}
    if stores:
        found.update(op.value for op in operations if isinstance(op, LoadOp) and op.index not in varying)
    return found


def _rounds(op: Operation) -> bool:
    if "fastmath" not in op.properties or isinstance(op, _EXACT):
        return False
    return any(isinstance(result.type, _FLOATS) for result in op.results)
