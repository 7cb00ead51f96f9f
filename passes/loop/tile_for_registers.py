"""`tile-for-registers`: rows of results that are reduced over the same rows of an operand take turns with each vector."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import vector
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.create_operation import clone_operation, create_operation
from irtensor.dialects.llvm_extra import INTEGER_CONVERSIONS
from irtensor.dialects.loop import AS_IT_IS, CellOp, ForOp, IfOp, LoadOp, ParallelOp, StoreOp, ViewOp
from irtensor.dialects.loop_types import vector_of
from irtensor.passes.analysis.polynomials import Polynomial
from irtensor.passes.emit import Emitter, most_of_index, move_before
from irtensor.passes.loop.accumulate_in_registers import bits_of, is_row
from irtensor.passes.loop.accumulation_nests import is_outside, memory_of, sum_terms
from irtensor.passes.loop.function_memory import memory_for
from irtensor.passes.loop.tiled_nests import RowMemory, TiledNest, find_tiled_nests
from irtensor.passes.operations_in import operations_in, operations_of
from irtensor.passes.pass_base import TensorPass, option, structured_functions

# Loops with fewer iterations gain nothing: rows, in tiles; steps of the reduction.
_LEAST_TILES, _LEAST_STEPS = 2, 8
# A copy that so few rows read takes as long as they do.
_FEW_ROWS = 32
# The most elements of the rows that a workspace is enlarged by.
_MOST_IN_WORKSPACE = 1 << 20


@dataclass(frozen=True)
class TileForRegistersPass(TensorPass):
    """Reduce several rows of results at the same time, a few vectors of each, which cells hold meanwhile.

    Before: `for %i { for %k { %a = %A[%i, %k]; for %j = 0 to %n { %C[%i, %j] += %a * %B[%k, %j] } } }`
    After:  `if %rows >= 16 && ... { for blocks of %i, then of %k, then of %j {
               %P[...] = %B[block of %k, block of %j];
               for tiles of 8 rows { 8 x 3 cells of vectors = %C[...];
                 for %k in the block { cells += broadcasts of %A[8 rows, %k] * 3 vectors of %P[%k] };
                 %C[...] = cells } } } else { as before }`
    Each vector of `%B` is loaded once for eight rows, from a copy that stays in cache, and each element of a row is
    combined in the order of `%k` as before, so that results are the same bit for bit. What an iteration of `%i` does
    before or after its reduction is done for the rows of a block before or after theirs; a workspace that each
    iteration fills has a row for each of them. Tiles that go beyond the last row or column are a copy of it.
    """

    name = "tile-for-registers"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "hoist-invariants": "a row is then an invariant start plus the loop's index",
        "lower-algebra-to-arith": "only upstream arithmetic is widened",
    }
    before = {"accumulate-in-registers": "rows that are in strips are loops no more"}

    width: int = option("The bits of a vector register.", 512)
    rows: int = option("The rows of a tile.", 4)
    vectors: int = option("The vectors of each row of a tile.", 4)
    steps: int = option("The iterations of a reduction between two updates of results in memory.", 256)
    block: int = option("The rows that are done before a copy is made again.", 256)
    limit: int = option("The largest nest, in operations, that is tiled.", 60)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            for nest in find_tiled_nests(function.body.block, is_row):
                lanes = self.width // max(bits_of(buffer) for buffer in nest.row.targets)
                if lanes > 1 and _is_worth_it(nest, self.limit):
                    _Tiling(nest, self, lanes).rewrite()


def _is_worth_it(nest: TiledNest, limit: int) -> bool:
    most = most_of_index(nest.rows.upper)
    return (most is None or most > _FEW_ROWS) and sum(1 for _ in nest.chain[0].walk()) <= limit


@dataclass
class _Memory:
    """Where the rows of a block are: row i of it from i * stride + start on."""

    buffer: SSAValue
    stride: SSAValue
    start: SSAValue


class _Tiling:
    """One nest as tiles."""

    def __init__(self, nest: TiledNest, shape: TileForRegistersPass, lanes: int):
        self.nest, self.shape, self.lanes = nest, shape, lanes
        self.columns = shape.vectors * lanes

    def rewrite(self) -> None:
        loop = self.nest.rows
        emit = Emitter(Block())
        fits = emit.insert(IfOp.of(self._fits(emit), with_else=True))
        self._emit_blocks(Emitter(fits.then.block))
        move_before(emit.block, loop)
        loop.detach()
        fits.otherwise.block.add_op(loop)

    def _fits(self, emit: Emitter) -> SSAValue:
        """Whether loops are long enough, and rows apart."""
        loop, row = self.nest.rows, self.nest.row.loop
        least = emit.index(_LEAST_TILES * self.shape.rows)
        found = emit.compare("sge", emit.sub(loop.upper, loop.lower), least)
        found = emit.both(found, emit.compare("sge", row.upper, emit.index(self.lanes)))
        steps = _iterations(self.nest.chain, emit)
        found = emit.both(found, emit.compare("sge", steps, emit.index(_LEAST_STEPS)))
        for memory in self.nest.memories.values():
            most = memory.stride if memory.room is None else memory.room
            for length in memory.lengths:
                if length != most:
                    found = emit.both(found, emit.compare("sle", _emitted(length, emit), _emitted(most, emit)))
            if memory.room is not None:
                room = emit.mul(_emitted(memory.room, emit), emit.index(self.shape.block))
                found = emit.both(found, emit.compare("sle", room, emit.index(_MOST_IN_WORKSPACE)))
        return found

    def _emit_blocks(self, emit: Emitter) -> None:
        nest, loop, shape = self.nest, self.nest.rows, self.shape
        entry = _entry_around(loop)
        targets = list(nest.row.targets)
        bounds = {buffer: self._memory_of_tile(buffer, entry, emit) for buffer in targets}
        self.edges = bounds
        first_loop, span = nest.chain[0], emit.index(shape.steps)
        room = emit.index(shape.steps * self.columns)
        if len(nest.chain) > 1:
            # Of the outermost reduction loop as many as make about that many steps.
            inside = emit.max(_iterations(nest.chain[1:], emit), emit.index(1))
            span = emit.max(emit.divide(span, inside), emit.index(1))
            room = emit.mul(emit.mul(span, inside), emit.index(self.columns))
        self.copies = {load: memory_for(room, load.value.type, entry, emit) for load in nest.panels}
        self.rooms = {
            memory: memory_for(
                emit.mul(_emitted(rows.room, emit), emit.index(shape.block)), rows.buffers[0].type.element, entry, emit  # pyright: ignore
            )
            for memory, rows in nest.memories.items()
            if rows.room is not None
        }
        body, begin, end = _blocks(emit, loop.lower, loop.upper, shape.block)
        self.begin, self.end = begin, end
        self._repeat(nest.before, body)
        span = shape.steps if len(nest.chain) == 1 else span
        steps, self.first_step, self.last_step = _blocks(body, first_loop.lower, first_loop.upper, span)
        strips, self.column, last_column = _blocks(steps, nest.row.loop.lower, nest.row.loop.upper, self.columns)
        self.width = strips.sub(last_column, self.column)
        for load in nest.panels:
            self._pack(load, strips)
        tiles, top, _ = _blocks(strips, begin, end, shape.rows)
        self._emit_tile(tiles, top, bounds)
        self._repeat(nest.after, body)

    def _memory_of_tile(self, buffer: SSAValue, entry: Block, emit: Emitter) -> SSAValue:
        size = emit.index(self.shape.rows * self.columns)
        return memory_for(size, buffer.type.element, entry, emit)  # pyright: ignore

    def _repeat(self, operations: Sequence[Operation], emit: Emitter) -> None:
        """Do for all rows of the block what an iteration does before or after its nest."""
        if not operations:
            return
        rows = emit.insert(ForOp.of(self.begin, self.end))
        body = Emitter(rows.body.block)
        values = {self.nest.rows.induction: rows.induction}
        rows.induction.name_hint = self.nest.rows.induction.name_hint
        for memory, room in self.rooms.items():
            length = _emitted(self._room_of(memory), body)
            view = body.insert(ViewOp.of(room, body.mul(body.sub(rows.induction, self.begin), length))).view
            values.update(dict.fromkeys(self.nest.memories[memory].buffers, view))
        for op in _with_what_they_use(operations, self.nest.rows.body.block, self.nest.rows):
            body.insert(clone_operation(op, values))

    def _room_of(self, memory: SSAValue) -> Polynomial:
        room = self.nest.memories[memory].room
        assert room is not None
        return room

    def _pack(self, load: LoadOp, emit: Emitter) -> None:
        """Copy the columns of the strip, for all steps of the block."""
        values: dict[SSAValue, SSAValue] = {}
        number = emit.index(0)
        row = self.nest.row.loop
        terms = sum_terms(load.index, row.induction, row)
        assert terms is not None
        # What is computed of the row alone, before the reduction loops.
        for op in _with_what_they_use(terms, self.nest.rows.body.block, self.nest.rows):
            emit.insert(clone_operation(op, values))
        for loop in self.nest.chain:
            emit, number = self._step_into(loop, emit, number, values, AS_IT_IS if loop is self.nest.chain[-1] else {})
            for op in _with_what_they_use(terms, loop.body.block, self.nest.rows):
                emit.insert(clone_operation(op, values))
        place = self.column
        for term in terms:
            place = emit.add(place, values.get(term, term))
        copy, begin = self.copies[load], emit.mul(number, emit.index(self.columns))
        is_whole = emit.insert(
            IfOp.of(emit.compare("eq", self.width, emit.index(self.columns)), with_else=True)
        )
        whole, type = Emitter(is_whole.then.block), vector_of(load.value.type, self.lanes)
        for offset in range(0, self.columns, self.lanes):
            value = whole.insert(LoadOp.of(load.buffer, whole.add(place, whole.index(offset)), type)).value
            whole.insert(StoreOp.of(value, copy, whole.add(begin, whole.index(offset))))
        _copy_row(Emitter(is_whole.otherwise.block), load.buffer, place, copy, begin, self.width)

    def _step_into(
        self, loop: ForOp, emit: Emitter, number: SSAValue, values: dict[SSAValue, SSAValue], hints: dict[str, Attribute]
    ) -> tuple[Emitter, SSAValue]:
        """Append a reduction loop, of which the outermost runs over the block; gives the number of the step in it."""
        is_outermost = loop is self.nest.chain[0]
        lower, upper = (self.first_step, self.last_step) if is_outermost else (loop.lower, loop.upper)
        copied = emit.insert(ForOp.of(lower, upper, hints))
        copied.induction.name_hint = loop.induction.name_hint
        values[loop.induction] = copied.induction
        inside = Emitter(copied.body.block)
        step = inside.sub(copied.induction, lower)
        if is_outermost:
            return inside, step
        length = inside.sub(loop.upper, loop.lower)
        return inside, inside.add(inside.mul(number, length), step)

    def _emit_tile(self, emit: Emitter, top: SSAValue, edges: dict[SSAValue, SSAValue]) -> None:
        shape, columns = self.shape, emit.index(self.columns)
        height = emit.min(emit.index(shape.rows), emit.sub(self.end, top))
        is_whole = emit.both(
            emit.compare("eq", height, emit.index(shape.rows)), emit.compare("eq", self.width, columns)
        )
        own = {buffer: self._place(buffer, emit, top) for buffer in edges}
        zero = emit.index(0)
        self._copy_edges(emit, is_whole, height, [(own[buffer], _Memory(edge, columns, zero)) for buffer, edge in edges.items()])
        used = {
            buffer: _Memory(
                emit.select(is_whole, memory.buffer, edges[buffer]),
                emit.select(is_whole, memory.stride, columns),
                emit.select(is_whole, memory.start, zero),
            )
            for buffer, memory in own.items()
        }
        _TileEmitter(self, emit, top, used).emit()
        self._copy_edges(emit, is_whole, height, [(_Memory(edge, columns, zero), own[buffer]) for buffer, edge in edges.items()])

    def _place(self, buffer: SSAValue, emit: Emitter, top: SSAValue) -> _Memory:
        """Where the elements of a tile are."""
        memory = memory_of(buffer)
        known = self.nest.memories[memory]
        if known.room is not None:
            room, first = _emitted(known.room, emit), emit.sub(top, self.begin)
            return _Memory(self.rooms[memory], room, emit.add(emit.mul(first, room), self.column))
        stride = _emitted(known.stride, emit)
        start = emit.add(emit.mul(top, stride), _emitted(known.start, emit))
        return _Memory(buffer, stride, emit.add(start, self.column))

    def _copy_edges(
        self, emit: Emitter, is_whole: SSAValue, height: SSAValue, pairs: Iterable[tuple[_Memory, _Memory]]
    ) -> None:
        """Copy the part of a tile that there is, unless all of it is there."""
        partial = Emitter(emit.insert(IfOp.of(is_whole, with_else=True)).otherwise.block)
        for source, target in pairs:
            rows = partial.insert(ForOp.of(partial.index(0), height, AS_IT_IS))
            body = Emitter(rows.body.block)
            begins = [body.add(one.start, body.mul(rows.induction, one.stride)) for one in (source, target)]
            _copy_row(body, source.buffer, begins[0], target.buffer, begins[1], self.width)


class _TileEmitter:
    """Runs the nest for a tile: its elements are cells of vectors, and what is in the nest is done for each row."""

    def __init__(self, tiling: _Tiling, emit: Emitter, top: SSAValue, memories: dict[SSAValue, _Memory]):
        self.tiling, self.nest, self.start = tiling, tiling.nest, emit
        self.memories = memories
        self.shared: dict[SSAValue, SSAValue] = {}
        last = emit.sub(tiling.end, emit.index(1))
        # Below the last row, that one again.
        self.copies: list[ChainMap[SSAValue, SSAValue]] = [
            ChainMap({self.nest.rows.induction: emit.min(emit.add(top, emit.index(number)), last)}, self.shared)
            for number in range(tiling.shape.rows)
        ]
        self.vectors: dict[SSAValue, list[list[SSAValue]]] = {}

    def emit(self) -> None:
        tiling, nest, emit = self.tiling, self.nest, self.start
        offsets = [emit.index(number * tiling.lanes) for number in range(tiling.shape.vectors)]
        places = {buffer: self._places(emit, memory, offsets) for buffer, memory in self.memories.items()}
        self.cells = {
            buffer: [
                [emit.insert(CellOp.of(self._load(emit, self.memories[buffer].buffer, place))).cell for place in row]
                for row in places[buffer]
            ]
            for buffer in places
        }
        # Where rows are read and results are written is known.
        loads = {op for op in operations_in(nest.row.loop, LoadOp) if op in tiling.copies or op.buffer in self.memories}
        wanted = [op.value for op in operations_in(nest.row.loop, StoreOp)]
        for op in _with_what_they_use(wanted, nest.rows.body.block, nest.rows, loads):
            self._copy(op, emit)
        inside, number = emit, emit.index(0)
        for loop in nest.chain:
            inside, number = tiling._step_into(loop, inside, number, self.shared, AS_IT_IS)  # pyright: ignore[reportPrivateUsage]
            for op in _with_what_they_use(wanted, loop.body.block, nest.rows, loads):
                self._copy(op, inside)
        begin = inside.mul(number, inside.index(tiling.columns))
        steps = [inside.add(begin, offset) for offset in offsets]
        self.scalars = set(_with_what_they_use(wanted, nest.row.loop.body.block, nest.rows, loads)) - loads
        for op in operations_of(nest.row.loop.body.block):
            self._emit_in_row(op, inside, steps)
        for buffer, rows in places.items():
            for cells, row in zip(self.cells[buffer], rows, strict=True):
                for cell, place in zip(cells, row, strict=True):
                    emit.insert(StoreOp.of(emit.get(cell), self.memories[buffer].buffer, place))

    def _places(self, emit: Emitter, memory: _Memory, offsets: list[SSAValue]) -> list[list[SSAValue]]:
        rows: list[list[SSAValue]] = []
        begin = memory.start
        for _ in self.copies:
            rows.append([emit.add(begin, offset) for offset in offsets])
            begin = emit.add(begin, memory.stride)
        return rows

    def _load(self, emit: Emitter, buffer: SSAValue, place: SSAValue) -> SSAValue:
        element: Attribute = buffer.type.element  # pyright: ignore
        return emit.insert(LoadOp.of(buffer, place, vector_of(element, self.tiling.lanes))).value

    def _copy(self, op: Operation, emit: Emitter) -> None:
        """A scalar operation: once for all rows, or for each."""
        is_shared = not any(result in self.nest.varying for result in op.results)
        for values in [self.shared] if is_shared else self.copies:
            emit.insert(clone_operation(op, values))

    def _emit_in_row(self, op: Operation, emit: Emitter, steps: list[SSAValue]) -> None:
        if isinstance(op, StoreOp):
            for cells, values in zip(self.cells[op.buffer], self._each(op.value, emit), strict=False):
                for cell, value in zip(cells, values, strict=True):
                    emit.set(value, cell)
        elif isinstance(op, LoadOp) and op.buffer in self.cells:
            self.vectors[op.value] = [[emit.get(cell) for cell in row] for row in self.cells[op.buffer]]
        elif op in self.tiling.copies:
            copy = self.tiling.copies[op]  # pyright: ignore[reportArgumentType]
            self.vectors[op.results[0]] = [[self._load(emit, copy, step) for step in steps]]
        elif any(operand in self.vectors for operand in op.operands):
            self._widen(op, emit)
        elif op in self.scalars:
            self._copy(op, emit)

    def _widen(self, op: Operation, emit: Emitter) -> None:
        spread = [self._spread(operand, emit) for operand in op.operands]
        type = vector_of(op.results[0].type, self.tiling.lanes)
        # xDSL's arith converts integers as scalars only.
        conversion = INTEGER_CONVERSIONS.get(type_of := op.__class__)
        kind, properties = (type_of, op.properties) if conversion is None else (conversion, {})
        made: list[list[SSAValue]] = []
        for number in range(max(map(len, spread))):
            rows = [rows[min(number, len(rows) - 1)] for rows in spread]
            made.append(
                [
                    emit.insert(create_operation(kind, lane, (type,), properties)).results[0]
                    for lane in zip(*rows, strict=True)
                ]
            )
        self.vectors[op.results[0]] = made

    def _each(self, value: SSAValue, emit: Emitter) -> list[list[SSAValue]]:
        found = self._spread(value, emit)
        return found if len(found) > 1 else found * len(self.copies)

    def _spread(self, value: SSAValue, emit: Emitter) -> list[list[SSAValue]]:
        """A value as vectors, for each row of the tile or once for all; what all elements share is broadcast."""
        if value not in self.vectors:
            type = vector_of(value.type, self.tiling.lanes)
            copies = self.copies if value in self.nest.varying else self.copies[:1]
            self.vectors[value] = [
                [emit.insert(create_operation(vector.BroadcastOp, (values.get(value, value),), (type,))).results[0]]
                * self.tiling.shape.vectors
                for values in copies
            ]
        return self.vectors[value]


def _emitted(polynomial: Polynomial, emit: Emitter) -> SSAValue:
    total = emit.index(0)
    for product, count in polynomial.counts.items():
        term = emit.index(count)
        for value in product:
            term = emit.mul(term, value)
        total = emit.add(total, term)
    return total


def _iterations(loops: Iterable[ForOp], emit: Emitter) -> SSAValue:
    """How many iterations loops inside of each other have together."""
    total = emit.index(1)
    for loop in loops:
        total = emit.mul(total, emit.max(emit.sub(loop.upper, loop.lower), emit.index(0)))
    return total


def _blocks(emit: Emitter, lower: SSAValue, upper: SSAValue, size: int | SSAValue) -> tuple[Emitter, SSAValue, SSAValue]:
    """Append a loop over the blocks of a range: its body, and the bounds of a block."""
    length = emit.sub(upper, lower)
    if isinstance(size, int):
        count, size = emit.divide_up(length, size), emit.index(size)
    else:
        count = emit.divide(emit.add(length, emit.sub(size, emit.index(1))), size)
    loop = emit.insert(ForOp.of(emit.index(0), count))
    body = Emitter(loop.body.block)
    begin = body.add(lower, body.mul(loop.induction, size))
    return body, begin, body.min(body.add(begin, size), upper)


def _copy_row(
    emit: Emitter, source: SSAValue, first: SSAValue, target: SSAValue, begin: SSAValue, count: SSAValue
) -> None:
    loop = emit.insert(ForOp.of(emit.index(0), count, AS_IT_IS))
    body = Emitter(loop.body.block)
    value = body.load(source, body.add(first, loop.induction))
    body.insert(StoreOp.of(value, target, body.add(begin, loop.induction)))


def _with_what_they_use(
    wanted: Iterable[Operation | SSAValue], block: Block, scope: Operation, known: Iterable[Operation] = ()
) -> list[Operation]:
    """The operations of a block that are wanted, or that what is wanted is computed from inside of `scope`.

    What operations that are `known` use is not.
    """
    found: set[Operation] = set(known)
    waiting = [one if isinstance(one, Operation) else one.owner for one in wanted]
    while waiting:
        op = waiting.pop()
        if isinstance(op, Operation) and op not in found and scope.is_ancestor(op):
            found.add(op)
            waiting += [value.owner for inner in op.walk() for value in inner.operands]
    return [op for op in operations_of(block) if op in found]


def _entry_around(op: Operation) -> Block:
    """The block of the function or of the part of a parallel loop that an operation is in."""
    around = op.parent_op()
    while not isinstance(around, FuncOp | ParallelOp):
        assert around is not None
        around = around.parent_op()
    return around.body.block
