"""`accumulate-in-registers`: elements that a reduction updates again and again stay in vector registers meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import FixedBitwidthType, IndexType, ModuleOp, i1
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.create_operation import clone_operation, create_block, create_operation
from irtensor.dialects.loop import AS_IT_IS, CellOp, ForOp, IfOp, LoadOp, SetOp, StoreOp
from irtensor.dialects.loop_types import vector_of
from irtensor.passes.emit import Emitter, move_before
from irtensor.passes.loop.accumulation_nests import Nest, Row, find_nests, is_outside
from irtensor.passes.pass_base import TensorPass, structured_functions

_index = IndexType()


@dataclass(frozen=True)
class AccumulateInRegistersPass(TensorPass):
    """Strip-mine rows of updates, move the loop over strips out of the reduction, keep each strip in vector cells.

    Before: `for %p { for %j = 0 to %n { %y[%r + %j] = %y[%r + %j] + %a[%p] * %b[%q + %j] } }`
    After:  `for %t = 0 to %n / 32 { 4 x cell(%y[%r + 32 * %t]); for %p { cell += broadcast(%a[%p]) * %b[...] }; ... }`,
            the same for 16 and for 8 elements, and the nest as it was for what remains of a row.

    Options: `width`, bits of a vector register; `registers`, vectors in the largest strip; `limit`, the largest nest,
    in operations, that is copied so.
    """

    name = "accumulate-in-registers"

    width: int = 512
    registers: int = 4
    limit: int = 200

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            for nest in find_nests(function.body.block):
                lanes = self.width // max(_bits(buffer) for row in nest.rows for buffer in row.targets)
                if nest.size <= self.limit and lanes > 1:
                    _rewrite(nest, lanes, self.registers)


def _bits(buffer: SSAValue) -> int:
    element: Attribute = buffer.type.element  # pyright: ignore
    if element == i1:
        return 8
    # Element numbers and positions are as wide as a machine word.
    return element.bitwidth if isinstance(element, FixedBitwidthType) else 64


def _rewrite(nest: Nest, lanes: int, registers: int) -> None:
    """Put the strips before the nest, and leave the nest to do what remains of each row."""
    before = Block()
    emit = Emitter(before)
    loop = nest.rows[0].loop
    start, upper = loop.lower, loop.upper
    count = emit.max(emit.sub(upper, start), emit.index(0))
    strip = registers * lanes
    whole = emit.insert(create_operation(arith.DivSIOp, (count, emit.index(strip)), (_index,))).result
    strips = emit.insert(ForOp.of(emit.index(0), whole))
    body = Emitter(strips.body.block)
    _emit_strip(nest, body, body.add(start, body.mul(strips.induction, body.index(strip))), lanes, registers)
    done = emit.add(start, emit.mul(whole, emit.index(strip)))
    left = emit.sub(upper, done)
    while registers > 1:
        registers //= 2
        strip = registers * lanes
        fits = emit.insert(IfOp.of(emit.compare("sge", left, emit.index(strip))))
        _emit_strip(nest, Emitter(fits.then.block), done, lanes, registers)
        step = emit.select(fits.condition, emit.index(strip), emit.index(0))
        done, left = emit.add(done, step), emit.sub(left, step)
    rest = emit.insert(IfOp.of(emit.compare("sgt", left, emit.index(0))))
    move_before(before, nest.root)
    nest.root.detach()
    rest.then.block.add_op(nest.root)
    for row in nest.rows:
        row.loop.operands[0] = done
        row.loop.attributes.update(AS_IT_IS)


def _emit_strip(nest: Nest, emit: Emitter, first: SSAValue, lanes: int, registers: int) -> None:
    """One run of the nest for `registers` vectors of elements from `first` on."""
    cells: dict[SSAValue, list[SSAValue]] = {}
    places: dict[SSAValue, list[SSAValue]] = {}
    for buffer, (_, terms) in nest.rows[0].targets.items():
        place = first
        for term in terms:
            place = emit.add(place, term)
        element: Attribute = buffer.type.element  # pyright: ignore
        places[buffer] = [emit.add(place, emit.index(number * lanes)) for number in range(registers)]
        loads = [emit.insert(LoadOp.of(buffer, at, vector_of(element, lanes))) for at in places[buffer]]
        cells[buffer] = [emit.insert(CellOp.of(load.value)).cell for load in loads]
    copy = _StripCopy(nest, first, lanes, registers, cells)
    copy.copy_op(nest.root, emit.block, {})
    for buffer, held in cells.items():
        for cell, place in zip(held, places[buffer], strict=True):
            emit.insert(StoreOp.of(emit.get(cell), buffer, place))


class _StripCopy:
    """Copies a nest, each row replaced by operations on vectors."""

    def __init__(
        self, nest: Nest, first: SSAValue, lanes: int, registers: int, cells: dict[SSAValue, list[SSAValue]]
    ) -> None:
        self.rows = {row.loop: row for row in nest.rows}
        self.first = first
        self.lanes = lanes
        self.registers = registers
        self.cells = cells

    def copy_op(self, op: Operation, target: Block, values: dict[SSAValue, SSAValue]) -> None:
        if isinstance(op, ForOp) and op in self.rows:
            self._copy_row(self.rows[op], Emitter(target), values)
            return
        copied = op.clone_without_regions(values)
        if isinstance(copied, ForOp):
            copied.attributes.update(AS_IT_IS)
        target.add_op(copied)
        for source, region in zip(op.regions, copied.regions, strict=True):
            for block in source.blocks:
                made = create_block(block.arg_types)
                values.update(zip(block.args, made.args, strict=True))
                region.add_block(made)
                for inner in block.ops:
                    self.copy_op(inner, made, values)

    def _copy_row(self, row: Row, emit: Emitter, values: dict[SSAValue, SSAValue]) -> None:
        scalars = {**values, row.loop.induction: self.first}
        vectors: dict[SSAValue, list[SSAValue]] = {}
        for op in row.loop.body.block.ops:
            if isinstance(op, StoreOp):
                for cell, value in zip(
                    self.cells[op.buffer], self._spread(op.value, emit, scalars, vectors), strict=True
                ):
                    emit.set(value, cell)
            elif isinstance(op, SetOp):
                emit.set(op.value, op.cell)
            elif isinstance(op, LoadOp) and op.buffer in self.cells:
                vectors[op.value] = [emit.get(cell) for cell in self.cells[op.buffer]]
            elif isinstance(op, LoadOp) and not is_outside(op.index, row.loop):
                vectors[op.value] = self._load(op, emit, scalars)
            elif any(operand in vectors for operand in op.operands):
                spread = [self._spread(operand, emit, scalars, vectors) for operand in op.operands]
                spread_type = vector_of(op.results[0].type, self.lanes)
                vectors[op.results[0]] = [
                    emit.insert(create_operation(type(op), lane, (spread_type,), op.properties)).results[0]
                    for lane in zip(*spread, strict=True)
                ]
            else:
                emit.insert(clone_operation(op, scalars))

    def _load(self, op: LoadOp, emit: Emitter, scalars: dict[SSAValue, SSAValue]) -> list[SSAValue]:
        buffer, first = scalars.get(op.buffer, op.buffer), scalars[op.index]
        type = vector_of(op.value.type, self.lanes)
        places = [emit.add(first, emit.index(number * self.lanes)) for number in range(self.registers)]
        return [emit.insert(LoadOp.of(buffer, place, type)).value for place in places]

    def _spread(
        self,
        value: SSAValue,
        emit: Emitter,
        scalars: dict[SSAValue, SSAValue],
        vectors: dict[SSAValue, list[SSAValue]],
    ) -> list[SSAValue]:
        """A value as one vector per register; what all elements share is broadcast."""
        found = vectors.get(value)
        if found is None:
            scalar = scalars.get(value, value)
            type = vector_of(scalar.type, self.lanes)
            whole = emit.insert(create_operation(vector.BroadcastOp, (scalar,), (type,))).results[0]
            found = vectors[value] = [whole] * self.registers
        return found
