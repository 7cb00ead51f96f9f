"""What all iterations of a loop compute alike: it can be computed before the loop."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from irtensor.dialects.loop.loop import ForOp, WhileOp
from irtensor.dialects.loop.loop_memory import CellOp, SetOp
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.speed.support.memory_effects import effects_of
from irtensor.passes.support.operations_in import operations_in, operations_of


def alike_operations(loop: ForOp) -> list[Operation]:
    """The operations of a body that compute the same in each iteration, cells of an iteration's own included.

    None where effects of the body are not known, and where no loop is among them: other passes see to single values.
    """
    body = operations_of(loop.body.block)
    inner = [op for op in body if op.regions]
    effects = effects_of(*body)
    if not inner or effects is None:
        return []
    own: set[SSAValue] = {op.cell for op in body if isinstance(op, CellOp)}
    alike = _Alike(loop, body, own, frozenset(effects.writes - own))
    found = alike.find()
    return [op for op in body if op in found] if any(isinstance(op, ForOp | WhileOp) for op in found) else []


class _Alike:
    """Narrows the operations of a body down to those that are alike."""

    def __init__(self, loop: ForOp, body: list[Operation], own: set[SSAValue], changed: frozenset[SSAValue]):
        self.loop, self.body, self.own, self.changed = loop, body, own, changed
        self.found = {op for op in body if self._depends_on_no_memory(op)}

    def find(self) -> set[Operation]:
        before = -1
        while len(self.found) != before:
            before = len(self.found)
            self.found -= {op for op in self.found if self._varies(op)}
            for cell in self.own:
                self._keep_together(cell)
        return self.found

    def _depends_on_no_memory(self, op: Operation) -> bool:
        """Whether an operation changes only cells of an iteration's own, and reads nothing that others change."""
        effects = effects_of(op)
        assert effects is not None
        inside = {cell.cell for cell in operations_in(op, CellOp)}
        return effects.writes <= self.own | inside and not effects.reads & self.changed

    def _varies(self, op: Operation) -> bool:
        """Whether an operation uses what differs between iterations."""
        for inner in op.walk():
            for operand in inner.operands:
                if not is_inside(operand, self.loop) or is_inside(operand, op):
                    continue
                if operand is self.loop.induction or self._top(operand.owner) not in self.found:
                    return True
        return False

    def _keep_together(self, cell: SSAValue) -> None:
        """What sets a cell is alike only if all that sets it is, and comes before others that read it."""
        users = {self._top(use.operation) for use in cell.uses}
        setters = {self._top(use.operation) for use in cell.uses if isinstance(use.operation, SetOp)}
        others = [op for op in self.body if op in users and op not in self.found]
        is_late = others and any(setter is None or others[0].is_before_in_block(setter) for setter in setters)
        if is_late or not setters <= self.found:
            self.found -= users
            self.found.discard(self._top(cell.owner))

    def _top(self, op: object) -> Operation | None:
        """The operation of the body that another one is, or is in."""
        assert isinstance(op, Operation)
        return self.loop.body.block.find_ancestor_op_in_block(op)
