"""`tile-for-registers`: rows of results that are reduced over the same rows of an operand share each vector of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.argument_layout import tensor_named
from irtensor.core.diagnostics import remark
from irtensor.dialects.loop.loop import AS_IT_IS, ForOp, IfOp, LoadOp, ParallelOp, StoreOp, ViewOp
from irtensor.dialects.loop.loop_types import held_type, vector_of
from irtensor.dialects.support.create_operation import clone_operation
from irtensor.passes.analysis.polynomials import Polynomial
from irtensor.passes.analysis.windows import known_number
from irtensor.passes.loop.support.accumulation_nests import sum_terms
from irtensor.passes.loop.support.function_memory import memory_for
from irtensor.passes.loop.support.memory_roots import memory_of
from irtensor.passes.speed.accumulate_in_registers import bits_of, is_row
from irtensor.passes.speed.support.blocks_of_range import blocks_of_range
from irtensor.passes.speed.support.register_tiles import RegisterTile, RowElements, with_what_they_use
from irtensor.passes.speed.support.tiled_nests import TiledNest, find_tiled_nests
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.pass_base import TensorPass, option

# Fewer rows gain nothing, in tiles, nor do fewer steps of the reduction.
_LEAST_TILES, _LEAST_STEPS = 2, 8
# A copy that so few rows read takes as long as they do.
_FEW_ROWS = 32
# The most elements of a workspace that has a row for each one of a block.
_MOST_IN_WORKSPACE = 1 << 20


@dataclass(frozen=True)
class TileForRegistersPass(TensorPass):
    """Reduce several rows of results at the same time, a vector of each, which cells hold meanwhile.

    Before: `for %i { for %k { %a = %A[%i, %k]; for %j = 0 to %n { %C[%i, %j] += %a * %B[%k, %j] } } }`
    After:  `if the loops are long enough { for blocks of 256 %i, then of 256 %k, then of 8 %j {
               %P = %B[block of %k, block of %j];
               for tiles of 6 rows { 6 cells of vectors = %C[rows, block of %j];
                 for %k in the block { %b = vector of %P; each cell += broadcast(%A[its row, %k]) * %b };
                 %C[rows, block of %j] = cells } } } else { as before }`
    Each vector of `%B` is loaded once for six rows, from a copy that stays in the smallest cache. An element of a
    result is combined with the same values in the same order as before, so it is the same bit for bit.

    What an iteration of `%i` does before or after its reduction is done for all rows of a block before or after theirs.
    What only one of these three parts writes and reads, it does in the same order as before. In memory that one part
    writes and another one reads, iterations are to have elements of their own: `%C[%i * %m + %j]`, with `%j < %m`,
    which is asked when the code runs where it is not known. A workspace that every iteration fills first has a row for
    each iteration of a block. Of a tile that goes beyond the last row or column, the part that exists is copied.
    """

    name = "tile-for-registers"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "lower-algebra-to-arith": "only upstream arithmetic is widened",
        "hoist-invariants": "a row is then an invariant start plus the loop's index",
    }
    before = {"accumulate-in-registers": "rows in strips are not found any more"}

    width: int = option("The bits of a vector.", 512)
    rows: int = option("The rows of a tile: with halves of vectors, 12 of 16 registers hold results.", 6)
    steps: int = option("The iterations of a reduction between two updates of results in memory.", 256)
    block: int = option("The rows for which an operand is copied once.", 256)
    limit: int = option("The largest nest, in operations, that is tiled.", 60)

    def on_function(self, function: FuncOp) -> None:
        for nest in find_tiled_nests(function.body.block, is_row):
            lanes = self.width // max(bits_of(buffer) for buffer in nest.row.targets)
            if lanes > 1 and _is_worth_it(nest, self.limit):
                _Tiling(nest, self, lanes).rewrite()


def _is_worth_it(nest: TiledNest, limit: int) -> bool:
    return known_number(nest.rows.upper).most > _FEW_ROWS and sum(1 for _ in nest.chain[0].walk()) <= limit


class _Tiling:
    """One nest as tiles."""

    def __init__(self, nest: TiledNest, shape: TileForRegistersPass, lanes: int):
        self.nest, self.shape, self.lanes = nest, shape, lanes
        self.entry = _entry_around(nest.rows)

    def rewrite(self) -> None:
        """Put the loops into a branch that runs where they are too short."""
        loop = self.nest.rows
        tensors = [tensor_named(buffer.name_hint) for buffer in self.nest.row.targets]
        names = ", ".join(f"'{name}'" for name in tensors)
        text = f"{self.shape.rows} rows of {names} are computed together, if there are enough"
        remark(text, by="tile-for-registers", about=tensors)
        emit = Emitter(Block())
        fits = emit.insert(IfOp.of(self._fits(emit), with_else=True))
        self._emit_blocks(Emitter(fits.then.block))
        move_before(emit.block, loop)
        loop.detach()
        fits.otherwise.block.add_op(loop)

    def _fits(self, emit: Emitter) -> SSAValue:
        """Whether loops are long enough, and rows apart."""
        loop, row = self.nest.rows, self.nest.row.loop
        found = emit.compare("sge", emit.sub(loop.upper, loop.lower), emit.index(_LEAST_TILES * self.shape.rows))
        for number, least in ((row.upper, self.lanes), (_iterations(self.nest.chain, emit), _LEAST_STEPS)):
            found = emit.both(found, emit.compare("sge", number, emit.index(least)))
        for memory in self.nest.memories.values():
            apart = memory.stride if memory.room is None else memory.room
            for length in memory.lengths:
                if length != apart:
                    found = emit.both(found, emit.compare("sle", _emitted(length, emit), _emitted(apart, emit)))
            if memory.room is not None:
                most = emit.index(_MOST_IN_WORKSPACE // self.shape.block)
                found = emit.both(found, emit.compare("sle", _emitted(memory.room, emit), most))
        return found

    def _emit_blocks(self, emit: Emitter) -> None:
        nest, shape, outermost = self.nest, self.shape, self.nest.chain[0]
        span = emit.index(shape.steps)
        room = emit.index(shape.steps * self.lanes)
        if len(nest.chain) > 1:
            # As many iterations of the outermost loop as make about that many steps.
            inside = _iterations(nest.chain[1:], emit)
            span = emit.max(emit.divide(emit.index(shape.steps), inside), emit.index(1))
            room = emit.mul(emit.mul(span, inside), emit.index(self.lanes))
        self.copies = {load: memory_for(room, load.value.type, self.entry, emit) for load in nest.panels}
        edge = emit.index(shape.rows * self.lanes)
        self.edges = {target: memory_for(edge, _element(target), self.entry, emit) for target in nest.row.targets}
        self.workspaces = {
            memory: memory_for(
                emit.mul(_emitted(rows.room, emit), emit.index(shape.block)),
                _element(rows.buffers[0]),
                self.entry,
                emit,
            )
            for memory, rows in nest.memories.items()
            if rows.room is not None
        }
        body, self.begin, self.end = blocks_of_range(emit, nest.rows.lower, nest.rows.upper, emit.index(shape.block))
        self._repeat(nest.before, body)
        steps, self.first_step, self.last_step = blocks_of_range(body, outermost.lower, outermost.upper, span)
        strips, self.column, end = blocks_of_range(
            steps, nest.row.loop.lower, nest.row.loop.upper, steps.index(self.lanes)
        )
        self.width = strips.sub(end, self.column)
        for load in nest.panels:
            self._pack(load, strips)
        tiles, top, bottom = blocks_of_range(strips, self.begin, self.end, strips.index(shape.rows))
        self._emit_tile(tiles, top, bottom)
        self._repeat(nest.after, body)

    def _repeat(self, operations: Sequence[Operation], emit: Emitter) -> None:
        """Do for all rows of the block what an iteration does before or after its nest."""
        if not operations:
            return
        loop = emit.insert(ForOp.of(self.begin, self.end))
        body = Emitter(loop.body.block)
        loop.induction.name_hint = self.nest.rows.induction.name_hint
        values: dict[SSAValue, SSAValue] = {self.nest.rows.induction: loop.induction}
        for memory, workspace in self.workspaces.items():
            known = self.nest.memories[memory]
            first = body.mul(body.sub(loop.induction, self.begin), _emitted(known.room, body))
            values.update(dict.fromkeys(known.buffers, body.insert(ViewOp.of(workspace, first)).view))
        needed = with_what_they_use(operations, self.nest.rows)
        for op in operations_of(self.nest.rows.body.block):
            if op in needed:
                body.insert(clone_operation(op, values))

    def _pack(self, load: LoadOp, emit: Emitter) -> None:
        """Copy the columns of the strip, for all steps of the block."""
        row = self.nest.row.loop
        terms = sum_terms(load.index, row.induction, row)
        assert terms is not None
        needed = with_what_they_use(terms, self.nest.rows)
        values: dict[SSAValue, SSAValue] = {}
        number = emit.index(0)
        for loop in (self.nest.rows, *self.nest.chain):
            if loop is not self.nest.rows:
                emit, number = self._step_into(loop, emit, number, values)
            for op in operations_of(loop.body.block):
                if op in needed:
                    emit.insert(clone_operation(op, values))
        index, copy = self.column, emit.mul(number, emit.index(self.lanes))
        for term in terms:
            index = emit.add(index, values.get(term, term))
        is_whole = emit.compare("eq", self.width, emit.index(self.lanes))
        branch = emit.insert(IfOp.of(is_whole, with_else=True))
        whole, partial = Emitter(branch.then.block), Emitter(branch.otherwise.block)
        value = whole.insert(LoadOp.of(load.buffer, index, vector_of(load.value.type, self.lanes))).value
        whole.insert(StoreOp.of(value, self.copies[load], copy))
        _copy_row(partial, (load.buffer, index), (self.copies[load], copy), self.width)

    def _step_into(
        self, loop: ForOp, emit: Emitter, number: SSAValue, values: dict[SSAValue, SSAValue]
    ) -> tuple[Emitter, SSAValue]:
        """Append a reduction loop (the outermost runs over the block only); gives the number of the step in it."""
        is_outermost = loop is self.nest.chain[0]
        lower, upper = (self.first_step, self.last_step) if is_outermost else (loop.lower, loop.upper)
        copied = emit.insert(ForOp.of(lower, upper, AS_IT_IS))
        copied.induction.name_hint = loop.induction.name_hint
        values[loop.induction] = copied.induction
        inside = Emitter(copied.body.block)
        step = inside.sub(copied.induction, lower)
        if not is_outermost:
            step = inside.add(inside.mul(number, inside.sub(upper, lower)), step)
        return inside, step

    def _emit_tile(self, emit: Emitter, top: SSAValue, bottom: SSAValue) -> None:
        zero, lanes, rows = emit.index(0), emit.index(self.lanes), emit.index(self.shape.rows)
        height = emit.min(rows, emit.sub(bottom, top))
        is_whole = emit.both(emit.compare("eq", height, rows), emit.compare("eq", self.width, lanes))
        own = {target: self._elements(target, emit, top) for target in self.edges}
        edges = {target: RowElements(edge, lanes, zero) for target, edge in self.edges.items()}
        used = {
            target: RowElements(
                emit.select(is_whole, elements.buffer, edges[target].buffer),
                emit.select(is_whole, elements.stride, lanes),
                emit.select(is_whole, elements.start, zero),
            )
            for target, elements in own.items()
        }
        # Below the last row that one is read again.
        last = emit.sub(bottom, emit.index(1))
        numbers = [emit.min(emit.add(top, emit.index(number)), last) for number in range(self.shape.rows)]
        self._copy_edges(emit, is_whole, height, [(own[target], edges[target]) for target in own])
        RegisterTile(self.nest, numbers, used, self.copies, self.lanes).emit(emit, self._step_into)
        self._copy_edges(emit, is_whole, height, [(edges[target], own[target]) for target in own])

    def _elements(self, target: SSAValue, emit: Emitter, top: SSAValue) -> RowElements:
        """Where the results of the tile that begins with the row `top` are."""
        memory = memory_of(target)
        known = self.nest.memories[memory]
        if known.room is not None:
            room, first = _emitted(known.room, emit), emit.sub(top, self.begin)
            return RowElements(self.workspaces[memory], room, emit.add(emit.mul(first, room), self.column))
        stride = _emitted(known.stride, emit)
        start = emit.add(emit.mul(top, stride), _emitted(known.start, emit))
        return RowElements(target, stride, emit.add(start, self.column))

    def _copy_edges(
        self, emit: Emitter, is_whole: SSAValue, height: SSAValue, pairs: Iterable[tuple[RowElements, RowElements]]
    ) -> None:
        """Copy the part of a tile that exists, unless all of it does."""
        partial = Emitter(emit.insert(IfOp.of(is_whole, with_else=True)).otherwise.block)
        for pair in pairs:
            rows = partial.insert(ForOp.of(partial.index(0), height, AS_IT_IS))
            body = Emitter(rows.body.block)
            source, target = ((one.buffer, body.add(one.start, body.mul(rows.induction, one.stride))) for one in pair)
            _copy_row(body, source, target, self.width)


def _element(buffer: SSAValue) -> Attribute:
    return held_type(buffer)


def _emitted(polynomial: Polynomial | None, emit: Emitter) -> SSAValue:
    total = emit.index(0)
    for product, count in (polynomial.counts if polynomial else {}).items():
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


def _copy_row(
    emit: Emitter, source: tuple[SSAValue, SSAValue], target: tuple[SSAValue, SSAValue], count: SSAValue
) -> None:
    """Copy elements from an index in a buffer to one in another."""
    loop = emit.insert(ForOp.of(emit.index(0), count, AS_IT_IS))
    body = Emitter(loop.body.block)
    value = body.load(source[0], body.add(source[1], loop.induction))
    body.insert(StoreOp.of(value, target[0], body.add(target[1], loop.induction)))


def _entry_around(op: Operation) -> Block:
    """The block of the function, or of the part of a parallel loop, that an operation is in."""
    around = op.parent_op()
    while not isinstance(around, FuncOp | ParallelOp):
        assert around is not None
        around = around.parent_op()
    return around.body.block
