"""What operations of a loop's body need, and what of it may run before other iterations have ended."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations

from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import CellOp, ForOp, GetOp, IfOp, LoadOp, SetOp
from irtensor.dialects.loop.loop_types import CellType
from irtensor.passes.loop.support.captured_values import is_read_only
from irtensor.passes.speed.allow_vector_functions import is_vector_function
from irtensor.passes.speed.support.memory_effects import Effects, effects_of, memory_behind, only_computes
from irtensor.passes.support.operations_in import is_argument, operations_of


class LoopBody:
    """The operations of a loop's body, and which of them others need."""

    def __init__(self, loop: ForOp) -> None:
        self.loop = loop
        self.operations = operations_of(loop.body.block)
        self.numbers = {op: number for number, op in enumerate(self.operations)}
        self.cells = {op.cell for op in self.operations if isinstance(op, CellOp)}
        self.writers: dict[SSAValue, list[Operation]] = {}
        for op in self.operations:
            for cell in {cell for inner in op.walk() for cell in changed_cells(inner)}:
                self.writers.setdefault(cell, []).append(op)

    def needed(self, value: SSAValue) -> set[Operation]:
        """What computes a value, and the cells that it is read from."""
        return self._closure([value.owner] if isinstance(value.owner, Operation) else (), ())

    def kept_of(self, ahead: set[Operation]) -> list[SSAValue]:
        """What operations leave in cells, as it is read, and the functions that they compute."""
        found: list[SSAValue] = []
        for op in self.operations:
            if is_vector_function(op) or (isinstance(op, GetOp) and op.cell in self.cells):
                if self.needed(op.results[0]) - {op} <= ahead:
                    found.append(op.results[0])
        return found

    def needed_by_effects(self, known: Collection[SSAValue]) -> list[set[Operation]]:
        """What changes anything but cells of the body, and what that needs: in parts that may be loops of their own."""
        roots = [op for op in self.operations if not self._stays_inside(op)]
        loops = [[op] for op in roots if op.regions]
        parts = [self._closure(part, known) for part in (*loops, [op for op in roots if not op.regions]) if part]
        return parts if self._are_apart(parts) else [self._closure(roots, known)]

    def _are_apart(self, parts: list[set[Operation]]) -> bool:
        """Whether the order in which parts run makes no difference, and none does what takes long again."""
        if sum(bool(op.regions) or is_vector_function(op) for part in parts for op in part) > len(parts):
            return False
        found = [effects_of(*part) for part in parts]
        known = [Effects(one.reads - self.cells, one.writes - self.cells) for one in found if one is not None]
        pairs = combinations(known, 2)
        return len(known) == len(found) and not any(one.conflict_with(other) for one, other in pairs)

    def _closure(self, roots: Iterable[Operation], known: Collection[SSAValue]) -> set[Operation]:
        found: set[Operation] = set()
        waiting: list[Operation | Block] = [*roots]
        while waiting:
            op = waiting.pop()
            if not isinstance(op, Operation) or op not in self.numbers or op in found:
                continue
            found.add(op)
            for inner in op.walk():
                waiting += [operand.owner for operand in inner.operands if operand not in known]
                if isinstance(inner, GetOp):
                    writers = self.writers.get(inner.cell, ())
                    waiting += [writer for writer in writers if self.numbers[writer] <= self.numbers[op]]
        return found

    def _stays_inside(self, op: Operation) -> bool:
        """Whether nothing but cells of the body, or of the operation, tells that an operation ran."""
        return all(
            only_computes(inner)
            or isinstance(inner, GetOp | LoadOp | CellOp | ForOp | IfOp)
            or (isinstance(inner, SetOp) and (inner.cell in self.cells or op.is_ancestor(inner.cell.owner)))
            for inner in op.walk()
        )

    def may_run_ahead(self, part: Collection[Operation]) -> bool:
        """Whether operations find the same before other iterations have ended."""
        return all(
            self._stays_inside(op)
            and all(self._stays_as_it_is(inner.buffer) for inner in op.walk() if isinstance(inner, LoadOp))
            and all(self._is_own(inner.cell, op) for inner in op.walk() if isinstance(inner, GetOp))
            for op in part
        )

    def _stays_as_it_is(self, buffer: SSAValue) -> bool:
        """Whether the loop writes to no element of a buffer."""
        if is_argument(buffer) and is_read_only(buffer):
            return True
        memory, effects = memory_behind(buffer), effects_of(self.loop)
        return memory is not None and effects is not None and memory not in effects.writes

    def _is_own(self, cell: SSAValue, reader: Operation) -> bool:
        """Whether a cell is one of the body or its inner loops, or keeps its value in all iterations."""
        return cell in self.cells or reader.is_ancestor(cell.owner) or cell not in self.writers


def changed_cells(op: Operation) -> list[SSAValue]:
    """The cells that an operation may change."""
    return [] if type(op) is GetOp else [value for value in op._operands if type(value.type) is CellType]
