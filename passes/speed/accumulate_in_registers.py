"""`accumulate-in-registers`: elements that a reduction updates again and again stay in vector registers meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import ComplexType, FixedBitwidthType, IndexType, IntegerAttr, UnitAttr, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.loop.loop import AS_IT_IS, SHORT, CellOp, ForOp, IfOp, LoadOp, SetOp, StoreOp
from irtensor.dialects.loop.loop_types import held_type, vector_of
from irtensor.dialects.support.create_operation import clone_operation, create_operation
from irtensor.passes.analysis.windows import known_distance
from irtensor.passes.loop.support.accumulation_nests import (
    Nest,
    Row,
    Values,
    copy_nest,
    find_nests,
    is_outside,
    reads_rows_once,
    sum_terms,
)
from irtensor.passes.speed.allow_vector_functions import VECTOR_FUNCTIONS
from irtensor.passes.speed.support.blocks_of_range import blocks_of_range
from irtensor.passes.speed.support.lanes import (
    Masks,
    compared,
    comparison_for,
    shared_condition,
    vector_of_operation,
)
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.pass_base import TensorPass, option

# Functions that LLVM calls for each lane of a vector. Of those in a loop over single elements it makes vectors.
CALLED_FOR_EACH_LANE = frozenset({"math.absi", *[function.name for function in VECTOR_FUNCTIONS]})
_Vectors = dict[SSAValue, list[SSAValue]]


@dataclass(frozen=True)
class AccumulateInRegistersPass(TensorPass):
    """Strip-mine rows of updates, move the loop over strips out of the reduction, keep each strip in vector cells.

    Before: `for %p { for %j = 0 to %n { %y[%r + %j] = %y[%r + %j] + %a[%p] * %b[%q + %j] } }`
    After:  `if %n >= 4 { for %t = 0 to (%n + 15) / 32 { 4 x cell(%y[%r + 32 * %t]); for %p { cell += broadcast(%a[%p])
            * %b[...] }; ... }; the same with 2 vectors for more than 8 elements that are left, and with 2 vectors of
            half the length for fewer } else { as before }`
    The last vector ends with the row. Elements that another one has as well are done twice, from their old values.
    Rows of an operand that the kernel reads once, one after the other, are in strips a few at a time.
    Loops that compute something else beside the rows would run once for each strip: such nests stay as they are.
    """

    name = "accumulate-in-registers"
    accepts = ("loop",)
    leaves = ("loop", "llvm")
    after = {
        "lower-algebra-to-arith": "only upstream arithmetic is widened",
        "hoist-invariants": "a row is then an invariant start plus the loop's index",
    }

    width: int = option("The bits of a vector register.", 512)
    registers: int = option("The vectors in the largest strip.", 4, choices=(2, 4, 8, 16))
    limit: int = option("The largest nest, in operations, that is copied so.", 200)
    rows: int = option("How many rows of an operand that is read once are in strips at a time.", 8)

    def on_function(self, function: FuncOp) -> None:
        for nest in find_nests(function.body.block, is_row):
            lanes = self.width // max(bits_of(buffer) for row in nest.rows for buffer in row.targets)
            lengths = [known_distance(row.loop.lower, row.loop.upper).most for row in nest.rows]
            longest = max((length for length in lengths if length < inf), default=0)
            if 1 < longest < lanes:
                # A row that is known to be shorter is one vector all the same.
                lanes = 1 << (int(longest).bit_length() - 1)
            # Two vectors of half the length are one, if it has enough lanes for that and rows may be shorter.
            least = lanes // 2 if lanes > 2 and longest != lanes else lanes
            # Rows of several results share the registers.
            registers = min(self.registers, max(2, 8 // len(nest.rows[0].targets)))
            if nest.size <= self.limit and lanes > 1:
                _rewrite(nest, lanes, least, registers, self.rows)


def is_row(loop: ForOp) -> bool:
    """Whether vectors can do what a loop does."""
    width = loop.attributes.get("vectorize")
    if isinstance(width, IntegerAttr) and width.value.data > 1:
        return False  # vectors of this width are asked for
    if SHORT in loop.attributes:
        return False  # it runs where rows are too short for vectors
    varying: set[SSAValue] = {loop.induction}
    masks = Masks()
    for op in loop.body.block.ops:
        if not isinstance(op, LoadOp | StoreOp | SetOp) and not masks.makes(op) and not is_lanewise(op):
            return False
        if not masks.allow(op):
            return False
        if isinstance(op, LoadOp) and op.index in varying and sum_terms(op.index, loop.induction, loop) is None:
            return False
        if any(operand in varying for operand in op.operands):
            varying.update(op.results)
    return True


def is_lanewise(op: Operation) -> bool:
    """Whether an operation on scalars does the same on the lanes of vectors."""
    if not op.name.startswith(("arith.", "math.")) or op.name in CALLED_FOR_EACH_LANE or op.regions:
        return False
    if isinstance(op, arith.CmpfOp | arith.CmpiOp):
        # xDSL's give one i1, whatever they compare.
        return False
    if len(op.results) != 1 or isinstance(op.results[0].type, ComplexType):
        return False
    if isinstance(op.results[0].type, IndexType):
        # Element numbers; that they are sums is checked where they are used.
        return isinstance(op, arith.AddiOp | arith.ConstantOp)
    return not any(isinstance(operand.type, IndexType) for operand in op.operands)


def bits_of(buffer: SSAValue) -> int:
    element: Attribute = held_type(buffer)
    if element == i1:
        return 8
    # Element numbers and positions are as wide as a machine word.
    return element.bitwidth if isinstance(element, FixedBitwidthType) else 64


def _rewrite(nest: Nest, lanes: int, least: int, registers: int, rows: int) -> None:
    """Go through rows in strips, whose last vectors have the `least` lanes; shorter rows have the nest as it was."""
    root, row = nest.root, nest.rows[0].loop
    start, upper = row.lower, row.upper
    emit = Emitter(Block())
    fits = emit.insert(IfOp.of(emit.compare("sge", emit.sub(upper, start), emit.index(least)), with_else=True))
    inside = Emitter(fits.then.block)
    if isinstance(root, ForOp) and reads_rows_once(nest, root):
        inside = _in_blocks(nest, root, inside, lanes * registers, rows)
    _emit_strips(nest, inside, start, upper, lanes, least, registers)
    move_before(emit.block, root)
    root.detach()
    fits.otherwise.block.add_op(root)
    for short in nest.rows:
        short.loop.attributes |= {**AS_IT_IS, SHORT: UnitAttr()}


def _in_blocks(nest: Nest, root: ForOp, emit: Emitter, strip: int, rows: int) -> Emitter:
    """Emit a loop over blocks of a nest's iterations, which the copies of the nest then have; gives what emits into it.

    A strip of all rows would jump from row to row, where hardware does not see it coming. Where rows are a power of two
    long, its elements share few cache sets as well. Rows of one strip are read in order: they are one block.
    """
    row = nest.rows[0].loop
    count = emit.sub(root.upper, root.lower)
    is_long = emit.compare("sgt", emit.sub(row.upper, row.lower), emit.index(strip))
    block = emit.select(is_long, emit.index(rows), emit.max(count, emit.index(1)))
    body, begin, end = blocks_of_range(emit, root.lower, root.upper, block)
    nest.range = begin, end
    return body


def _emit_strips(
    nest: Nest, emit: Emitter, start: SSAValue, upper: SSAValue, lanes: int, least: int, registers: int
) -> None:
    """The strips of a row: large ones first; the last one may be filled by half. The rest is at most one vector, which
    ends with the row.

    Where that begins within the strip before, it reduces these elements a second time, from what they were before.
    """
    first = emit.max(start, emit.sub(upper, emit.index(lanes)))
    end = _StripEmitter(nest, least, [emit.sub(emit.sub(upper, emit.index(least)), first)] if least < lanes else [])
    indices = end.indices(emit, first)
    before = end.load(emit, indices)
    while registers > 1:
        strip, rest = emit.index(registers * lanes), emit.index((registers - registers // 2) * lanes - 1)
        count = emit.divide(emit.add(emit.sub(upper, start), rest), strip)
        strips = emit.insert(ForOp.of(emit.index(0), count))
        body = Emitter(strips.body.block)
        _emit_strip(nest, body, body.add(start, body.mul(strips.induction, strip)), upper, lanes, registers)
        start = emit.min(emit.add(start, emit.mul(count, strip)), upper)
        registers //= 2
    left = emit.insert(IfOp.of(emit.compare("slt", start, upper)))
    end.emit(Emitter(left.then.block), first, indices, before)


def _emit_strip(nest: Nest, emit: Emitter, first: SSAValue, upper: SSAValue, lanes: int, registers: int) -> None:
    """One strip, for more than half as many elements as its vectors hold.

    Vectors that would go beyond the row end with it instead, and have elements that others have as well.
    """
    last, half = emit.sub(emit.sub(upper, emit.index(lanes)), first), registers // 2
    offsets = [emit.index(number * lanes) for number in range(1, registers)]
    offsets = [offset if number < half else emit.min(offset, last) for number, offset in enumerate(offsets, start=1)]
    strip = _StripEmitter(nest, lanes, offsets)
    indices = strip.indices(emit, first)
    strip.emit(emit, first, indices, strip.load(emit, indices))


class _StripEmitter:
    """Runs a nest for a strip of elements: each row is replaced by operations on vectors, whose elements cells hold."""

    def __init__(self, nest: Nest, lanes: int, offsets: Sequence[SSAValue]) -> None:
        self.nest = nest
        self.lanes = lanes
        self.offsets = offsets
        """How far the vectors after the first one are from it."""

    def indices(self, emit: Emitter, first: SSAValue) -> _Vectors:
        """Where the vectors of the elements from `first` on are, by updated buffer."""
        indices: _Vectors = {}
        for buffer, (_, terms) in self.nest.rows[0].targets.items():
            index = first
            for term in terms:
                index = emit.add(index, term)
            indices[buffer] = self._consecutive(emit, index)
        return indices

    def load(self, emit: Emitter, indices: _Vectors) -> _Vectors:
        """The vectors of the updated elements."""
        return {buffer: self._load_all(emit, buffer, begin) for buffer, begin in indices.items()}

    def emit(self, emit: Emitter, first: SSAValue, indices: _Vectors, held: _Vectors) -> None:
        """One run of the nest for the elements from `first` on, which begin as the vectors `held`."""
        self.firsts = self._consecutive(emit, first)
        self.cells = {buffer: [emit.insert(CellOp.of(value)).cell for value in held[buffer]] for buffer in held}
        copy_nest(self.nest, emit.block, self._copy_row, AS_IT_IS)
        for buffer, cells in self.cells.items():
            for cell, index in zip(cells, indices[buffer], strict=True):
                emit.insert(StoreOp.of(emit.get(cell), buffer, index))

    def _consecutive(self, emit: Emitter, first: SSAValue) -> list[SSAValue]:
        return [first, *(emit.add(first, offset) for offset in self.offsets)]

    def _load_all(self, emit: Emitter, buffer: SSAValue, indices: Iterable[SSAValue]) -> list[SSAValue]:
        element: Attribute = held_type(buffer)
        type = vector_of(element, self.lanes)
        return [emit.insert(LoadOp.of(buffer, index, type)).value for index in indices]

    def _copy_row(self, row: Row, target: Block, values: Values) -> None:
        emit = Emitter(target)
        scalars = dict(values)
        vectors: dict[SSAValue, list[SSAValue]] = {}
        # Where elements are; see _load.
        indices: set[SSAValue] = {row.loop.induction}
        for op in row.loop.body.block.ops:
            if not isinstance(op, LoadOp | StoreOp) and not indices.isdisjoint(op.operands):
                indices.update(op.results)
            elif isinstance(op, StoreOp):
                for cell, value in zip(
                    self.cells[op.buffer], self._spread(op.value, emit, scalars, vectors), strict=True
                ):
                    emit.set(value, cell)
            elif isinstance(op, SetOp):
                emit.set(op.value, op.cell)
            elif isinstance(op, LoadOp) and op.buffer in self.cells:
                vectors[op.value] = [emit.get(cell) for cell in self.cells[op.buffer]]
            elif isinstance(op, LoadOp) and not is_outside(op.index, row.loop):
                vectors[op.value] = self._load(row, op, emit, scalars)
            elif any(operand in vectors for operand in op.operands):
                vectors[op.results[0]] = self._in_lanes(op, emit, scalars, vectors)
            else:
                emit.insert(clone_operation(op, scalars))

    def _in_lanes(self, op: Operation, emit: Emitter, scalars: Values, vectors: _Vectors) -> list[SSAValue]:
        """An operation on all elements of a strip, with an operand that is vectors."""
        shared, spread = shared_condition(op, vectors), list[list[SSAValue]]()
        for operand in op.operands:
            if operand is shared:
                spread.append([scalars.get(operand, operand)] * (1 + len(self.offsets)))
                continue
            if (comparison := comparison_for(op, operand, vectors)) is not None:
                numbers = [self._spread(one, emit, scalars, vectors)[0] for one in comparison.operands]
                vectors[operand] = [compared(comparison, numbers, emit)] * (1 + len(self.offsets))
            spread.append(self._spread(operand, emit, scalars, vectors))
        return [vector_of_operation(op, register, self.lanes, emit) for register in zip(*spread, strict=True)]

    def _load(self, row: Row, op: LoadOp, emit: Emitter, scalars: dict[SSAValue, SSAValue]) -> list[SSAValue]:
        """The vectors that a load becomes. What all iterations of the nest share is added up outside of it."""
        terms = sum_terms(op.index, row.loop.induction, row.loop)
        assert terms is not None
        indices = self.firsts
        if terms:
            start, *more = [scalars.get(term, term) for term in terms]
            for term in more:
                start = emit.add(start, term)
            indices = [emit.add(start, first) for first in indices]
        return self._load_all(emit, scalars.get(op.buffer, op.buffer), indices)

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
            found = vectors[value] = [whole] * (1 + len(self.offsets))
        return found
