"""A tile of results: as many rows as there are registers for; cells hold a vector of each row during a reduction."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects import vector
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.loop.loop import CellOp, ForOp, LoadOp, StoreOp
from irtensor.dialects.loop.loop_types import held_type, vector_of
from irtensor.dialects.support.create_operation import clone_operation, create_operation
from irtensor.passes.speed.support.lanes import compared, comparison_for, shared_condition, vector_of_operation
from irtensor.passes.speed.support.tiled_nests import TiledNest
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in, operations_of


class RowElements(NamedTuple):
    """Where rows are: row i from the element i * stride + start of a buffer on."""

    buffer: SSAValue
    stride: SSAValue
    start: SSAValue


# Appends a reduction loop, given the number of the step around it; gives its body, and the number of the step there.
StepInto = Callable[[ForOp, Emitter, SSAValue, dict[SSAValue, SSAValue]], tuple[Emitter, SSAValue]]


class RegisterTile:
    """Runs a nest for some rows and a vector of columns: the scalars of the nest are computed for each of the rows."""

    def __init__(
        self,
        nest: TiledNest,
        numbers: Iterable[SSAValue],
        targets: Mapping[SSAValue, RowElements],
        copies: Mapping[LoadOp, SSAValue],
        lanes: int,
    ):
        """`numbers` are those of the rows, `targets` the elements of their results, by buffer, and `copies` have the
        vectors of a load in the nest, step after step."""
        self.nest, self.targets, self.copies, self.lanes = nest, targets, copies, lanes
        self.shared: dict[SSAValue, SSAValue] = {}
        self.rows = [ChainMap({nest.rows.induction: number}, self.shared) for number in numbers]
        # By value of the nest: a vector per row, or one for all.
        self.vectors: dict[SSAValue, list[SSAValue]] = {}

    def emit(self, emit: Emitter, step_into: StepInto) -> None:
        """Load the results, reduce, and store them."""
        nest = self.nest
        begins = {buffer: self._begins(emit, target) for buffer, target in self.targets.items()}
        self.cells = {
            buffer: [
                emit.insert(CellOp.of(self._load(emit, self.targets[buffer].buffer, begin))).cell for begin in each
            ]
            for buffer, each in begins.items()
        }
        body = nest.row.loop.body.block
        # It is known where they are, so that nothing is to be computed for that.
        loads = {op for op in operations_in(body, LoadOp) if op in self.copies or op.buffer in self.targets}
        needed = with_what_they_use([op.value for op in operations_in(body, StoreOp)], nest.rows, loads)
        self._copy_all(nest.rows.body.block, needed, emit)
        inside, number = emit, emit.index(0)
        for loop in nest.chain:
            inside, number = step_into(loop, inside, number, self.shared)
            self._copy_all(loop.body.block, needed, inside)
        step = inside.mul(number, inside.index(self.lanes))
        for op in operations_of(body):
            if op in needed or isinstance(op, StoreOp):
                self._emit_in_row(op, inside, step)
        for buffer, each in begins.items():
            for cell, begin in zip(self.cells[buffer], each, strict=True):
                emit.insert(StoreOp.of(emit.get(cell), self.targets[buffer].buffer, begin))

    def _begins(self, emit: Emitter, target: RowElements) -> list[SSAValue]:
        begins = [target.start]
        while len(begins) < len(self.rows):
            begins.append(emit.add(begins[-1], target.stride))
        return begins

    def _load(self, emit: Emitter, buffer: SSAValue, begin: SSAValue) -> SSAValue:
        element: Attribute = held_type(buffer)
        return emit.insert(LoadOp.of(buffer, begin, vector_of(element, self.lanes))).value

    def _copy_all(self, block: Block, needed: set[Operation], emit: Emitter) -> None:
        for op in operations_of(block):
            if op in needed and not op.regions:
                self._copy(op, emit)

    def _copy(self, op: Operation, emit: Emitter) -> None:
        """A scalar operation: for each row, or once for all."""
        varies = any(result in self.nest.varying for result in op.results)
        for values in self.rows if varies else [self.shared]:
            emit.insert(clone_operation(op, values))

    def _emit_in_row(self, op: Operation, emit: Emitter, step: SSAValue) -> None:
        if isinstance(op, StoreOp):
            values = self._spread(op.value, emit)
            for number, cell in enumerate(self.cells[op.buffer]):
                emit.set(values[min(number, len(values) - 1)], cell)
        elif isinstance(op, LoadOp) and op.buffer in self.cells:
            self.vectors[op.value] = [emit.get(cell) for cell in self.cells[op.buffer]]
        elif isinstance(op, LoadOp) and op in self.copies:
            self.vectors[op.value] = [self._load(emit, self.copies[op], step)]
        elif any(operand in self.vectors for operand in op.operands):
            self._widen(op, emit)
        else:
            self._copy(op, emit)

    def _widen(self, op: Operation, emit: Emitter) -> None:
        shared, spread = shared_condition(op, self.vectors), list[list[SSAValue]]()
        for operand in op.operands:
            if operand is shared:
                spread.append(self._of_rows(operand))
                continue
            if (comparison := comparison_for(op, operand, self.vectors)) is not None:
                numbers = [self._spread(one, emit) for one in comparison.operands]
                self.vectors[operand] = [compared(comparison, row, emit) for row in _by_rows(numbers)]
            spread.append(self._spread(operand, emit))
        self.vectors[op.results[0]] = [vector_of_operation(op, row, self.lanes, emit) for row in _by_rows(spread)]

    def _spread(self, value: SSAValue, emit: Emitter) -> list[SSAValue]:
        """A value as vectors; what all elements of a row share is broadcast."""
        if value not in self.vectors:
            type = vector_of(value.type, self.lanes)
            self.vectors[value] = [
                emit.insert(create_operation(vector.BroadcastOp, (scalar,), (type,))).results[0]
                for scalar in self._of_rows(value)
            ]
        return self.vectors[value]

    def _of_rows(self, value: SSAValue) -> list[SSAValue]:
        """A value that all elements of a row share: of each row, or once if it is the same for all."""
        rows = self.rows if value in self.nest.varying else self.rows[:1]
        return [values.get(value, value) for values in rows]


def _by_rows(spread: Sequence[Sequence[SSAValue]]) -> list[list[SSAValue]]:
    """Operands row by row; one that is there once is the same for all rows."""
    count = max(map(len, spread))
    return [[rows[min(number, len(rows) - 1)] for rows in spread] for number in range(count)]


def with_what_they_use(
    wanted: Iterable[Operation | SSAValue], scope: Operation, known: Iterable[Operation] = ()
) -> set[Operation]:
    """The operations inside of `scope` that are wanted, or that a wanted one is computed from.

    Operations that are `known` are among them, and not what they use.
    """
    found: set[Operation] = set(known)
    waiting = [one if isinstance(one, Operation) else one.owner for one in wanted]
    while waiting:
        op = waiting.pop()
        if isinstance(op, Operation) and op not in found and scope.is_ancestor(op):
            found.add(op)
            waiting += [value.owner for inner in op.walk() for value in inner.operands]
    return found
