"""Loop nests that lanes go through alone: what each lane does for its columns, and where its sums begin and end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial, reduce

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.loop.loop import AtomicOp, ForOp, IfOp, LoadOp, StoreOp, YieldOp
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.support.create_operation import clone_operation, erase_operation
from irtensor.passes.loop.support.accumulation_nests import Row, Values, copy_nest, indexes_targets
from irtensor.passes.nvvm.support.lane_iterations import known_iterations
from irtensor.passes.nvvm.support.lane_nests import LaneNest
from irtensor.passes.nvvm.support.on_units import Strided
from irtensor.passes.nvvm.support.teams import Team
from irtensor.passes.support.emit import Emitter, move_before

# The most columns of a lane at once.
_MOST = 4
# Of arrays, and of loads in an iteration that are others for each column, so many leave registers for the rest: each
# takes two or more of the 64 that a thread has.
_ROOM = 13
# For loops that have loads enough in flight, or no registers for more.
_ONE_BY_ONE: dict[str, Attribute] = {"unroll": IntegerAttr(1, i64)}
# Larger nests, in operations, are not copied for several columns at once.
_LARGEST = 200


def share_columns(found: LaneNest, team: Team) -> None:
    """Let each thread of a team go through a nest alone, for every so manieth column of its rows.

    Before: `loop.for %p { loop.for %k = 0 to %n { %y[%r + %k] = %y[%r + %k] + %a[%p] * %b[%q + %k] } }`
    After:  `loop.parallel %l = 0 to 32 on lanes { for strips of columns { 4 x cell(%y[%r + %k]);
             loop.for %p { cell += %a[%p] * %b[%q + %k]; ... }; %y[%r + %k] = cell; ... } }`
    where the columns %k of a lane are 32 apart. Each sum has its values in the order that it had. A lane has 4 columns
    at once, and 2 or 1 where no more are left. So the code between the loops is repeated once for 128 columns, and
    at most three times more for the last ones; for each 64 or 32 columns where these, and arrays, take many registers.
    """
    root = found.nest.root
    around = Emitter(Block())
    emit = around
    if isinstance(root, ForOp) and found.fill is None:
        # Nothing is loaded, and stored as it was, where there is nothing to add.
        emit = Emitter(around.insert(IfOp.of(around.compare("slt", root.lower, root.upper))).then.block)
    shared = team.loop(emit)
    shared.location = root.location
    _Columns(found, team.size, shared.induction).emit(Emitter(shared.body.block))
    move_before(around.block, root)
    for op in (root, found.fill):
        if op is not None:
            erase_operation(op)


class _Columns:
    """The columns of one thread: every so manieth, from the one of its number on."""

    def __init__(self, found: LaneNest, size: int, number: SSAValue) -> None:
        self.nest, self.fill, self.sums = found.nest, found.fill, found.sums
        self.row = found.nest.rows[0]
        self.size, self.number = size, number
        self.lower, self.upper = found.loop.lower, found.loop.upper
        self.loads = max(_loads_of_column(row) for row in self.nest.rows)
        self.room = _ROOM - found.buffers

    def emit(self, emit: Emitter) -> None:
        """All columns, and what the fill before the nest does beside them."""
        start, left = self.lower, emit.max(emit.sub(self.upper, self.lower), emit.index(0))
        for count in self._counts():
            span = emit.index(self.size * count)
            strips = emit.divide(left, span)
            loop = emit.insert(ForOp.of(emit.index(0), strips))
            inner = Emitter(loop.body.block)
            first = inner.add(inner.add(start, self.number), inner.mul(loop.induction, span))
            self._strip(inner, [inner.add(first, inner.index(number * self.size)) for number in range(count)])
            done = emit.mul(strips, span)
            start, left = emit.add(start, done), emit.sub(left, done)
        single = Strided(start, self.upper, self.number, self.size, emit)
        self._strip(single.emit, [single.index])
        self._fill_rest(emit)

    def _counts(self) -> list[int]:
        """How many columns a thread has at once, other than one; no more than there are if that is known."""
        known = known_iterations(self.row.loop)
        counts = [_MOST // 2**power for power in range(_MOST.bit_length() - 1)]
        return [
            count
            for count in counts
            if self.nest.size <= _LARGEST
            and count * self.loads <= self.room
            and (known is None or known >= self.size * count)
        ]

    def _strip(self, emit: Emitter, columns: Sequence[SSAValue]) -> None:
        """Go through the nest for some columns: a cell has the sum of each."""
        indices: dict[SSAValue, list[SSAValue]] = {}
        for buffer, (_, terms) in self.row.targets.items():
            indices[buffer] = [reduce(emit.add, terms, column) for column in columns]
        cells = {buffer: [self._cell(emit, buffer, index) for index in found] for buffer, found in indices.items()}
        hints = _ONE_BY_ONE if len(columns) > 1 or self.loads > self.room else {}
        copy_nest(self.nest, emit.block, partial(_copy_row, columns, cells), hints)
        for buffer, found in indices.items():
            for index, cell in zip(found, cells[buffer], strict=True):
                self._store(emit, emit.get(cell), buffer, index)

    def _store(self, emit: Emitter, value: SSAValue, buffer: SSAValue, index: SSAValue) -> None:
        """Store a sum: it is the element, or is combined with that."""
        found = self.sums.get(buffer)
        if found is None:
            emit.insert(StoreOp.of(value, buffer, index))
            return
        atomic = emit.insert(AtomicOp.of(buffer, index))
        inner = Emitter(atomic.body.block)
        apply = inner.insert(ApplyOp.of(found.operator, (atomic.old, value), value.type))
        apply.fastmath = found.fastmath
        inner.insert(YieldOp.of(apply.result))

    def _cell(self, emit: Emitter, buffer: SSAValue, index: SSAValue) -> SSAValue:
        """A cell with what an element is at first; with nothing of it if a sum is combined with it later."""
        if buffer in self.sums:
            return emit.cell(emit.constant(self.sums[buffer].identity, held_type(buffer)))
        if self.fill is None:
            return emit.cell(emit.load(buffer, index))
        cell = emit.cell(self.fill.value)
        branch = emit.insert(IfOp.of(emit.compare("sge", index, self.fill.upper)))
        inner = Emitter(branch.then.block)
        inner.set(inner.load(buffer, index), cell)
        return cell

    def _fill_rest(self, emit: Emitter) -> None:
        """Fill what the fill before the nest fills, and the nest has no columns for."""
        if self.fill is not None:
            rest = emit.add(self.fill.lower, emit.max(self.upper, emit.index(0)))
            strided = Strided(rest, self.fill.upper, self.number, self.size, emit, _ONE_BY_ONE)
            strided.emit.insert(StoreOp.of(self.fill.value, self.fill.buffer, strided.index))


def _loads_of_column(row: Row) -> int:
    """How many loads of a row are others for each column, beside those of what it updates."""
    varying = {row.loop.induction}
    for op in row.loop.body.block.ops:
        if any(operand in varying for operand in op.operands):
            varying.update(op.results)
    loads = (op for op in row.loop.body.block.ops if isinstance(op, LoadOp))
    return sum(load.value in varying and load.buffer not in row.targets for load in loads)


def _copy_row(
    columns: Sequence[SSAValue],
    cells: Mapping[SSAValue, Sequence[SSAValue]],
    row: Row,
    target: Block,
    values: Values,
) -> None:
    """The updates of a row for some columns; what does not depend on the column once for all of them."""
    emit = Emitter(target)
    own = [{**values, row.loop.induction: column} for column in columns]
    varying = {row.loop.induction}
    for op in row.loop.body.block.ops:
        if isinstance(op, LoadOp | StoreOp | AtomicOp) and op.buffer in cells:
            varying.update(op.results)
            for known, cell in zip(own, cells[op.buffer], strict=True):
                _copy_update(op, known, cell, emit)
        elif indexes_targets(op, cells):
            continue
        elif any(operand in varying for operand in op.operands):
            varying.update(op.results)
            for known in own:
                emit.insert(clone_operation(op, known))
        else:
            emit.insert(clone_operation(op, own[0]))
            for known in own:
                known.update((result, own[0][result]) for result in op.results)


def _copy_update(op: LoadOp | StoreOp | AtomicOp, known: Values, cell: SSAValue, emit: Emitter) -> None:
    """Do with a cell what an operation does with an element."""
    if isinstance(op, LoadOp):
        known[op.value] = emit.get(cell)
    elif isinstance(op, StoreOp):
        emit.set(known.get(op.value, op.value), cell)
    else:
        known[op.old] = emit.get(cell)
        *steps, last = op.body.block.ops
        for step in steps:
            emit.insert(clone_operation(step, known))
        emit.set(known.get(last.operands[0], last.operands[0]), cell)
