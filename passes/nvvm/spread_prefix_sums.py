"""`spread-prefix-sums`: sums of counts are computed by blocks of threads of a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.schedule_words import WARP
from irtensor.dialects.loop.loop import INDEX, DataOp, ForOp, IfOp, ParallelOp, PrefixSumOp, SharedOp, UnitsAttr
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.loop.support.function_memory import memory_for
from irtensor.passes.nvvm.support.on_units import Strided, on_units
from irtensor.passes.support.balance import even_bounds
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option

# A block computes so many elements for each of its threads, before there is a second block. There are no more blocks
# than this: one computes where all of them begin.
_ELEMENTS_OF_THREAD = 16
_MOST_TILES = 1024


@dataclass(frozen=True)
class SpreadPrefixSumsPass(TensorPass):
    """Compute prefix sums by loops on blocks and threads.

    Before: `loop.prefix_sum %b[%lo to %hi]`
    After:  `loop.parallel %block = 0 to %tiles on blocks(128) { loop.for %c = 0 to %chunks {
             threads load 128 elements; for %d of 1, 2, 4, ..., 64: threads add the element %d before;
             threads store the sum before each } }`

    A short range is the work of one block. A long one is divided into tiles: first, blocks add up a tile each, and one
    computes with which sum each tile begins. Sums inside of parallel loops are left, and those of a few elements.
    Source: Hillis and Steele, Data parallel algorithms, 1986, for the sums of a block.
    """

    name = "spread-prefix-sums"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "count-all-entries": "what the iterations of a loop have counted is added up",
        "count-entries": "what the parts of a loop have counted is added up",
    }
    before = {
        "lower-prefix-sums": "sums that a loop computes are computed by one thread",
        "outline-launches": "kernels are made of loops on blocks",
    }

    threads: int = option("Threads of a block.", 128, choices=(32, 64, 128, 256, 512, 1024))

    def on_function(self, function: FuncOp) -> None:
        inner = {sums for loop in operations_in(function, ParallelOp) for sums in operations_in(loop, PrefixSumOp)}
        for sums in operations_in(function, PrefixSumOp):
            if sums not in inner and not _is_short(sums):
                _spread_sum(sums, self.threads, function.body.block)


def _is_short(op: PrefixSumOp) -> bool:
    """Whether the range is known not to be worth a block."""
    lower, upper = constant_index(op.lower), constant_index(op.upper)
    return lower is not None and upper is not None and upper - lower < WARP


def _spread_sum(op: PrefixSumOp, threads: int, entry: Block) -> None:
    emit = Emitter(Block())
    start = emit.index(0) if op.start is None else emit.to_index(op.start)
    count = emit.sub(op.upper, op.lower)
    share = emit.divide_up(count, threads * _ELEMENTS_OF_THREAD)
    tiles = emit.max(emit.min(share, emit.index(_MOST_TILES)), emit.index(1))
    tiles.name_hint = "tiles"

    inner = Emitter(emit.insert(IfOp.of(emit.compare("sgt", tiles, emit.index(1)))).then.block)
    sums = memory_for(inner.add(tiles, inner.index(1)), op.element, entry, inner)
    block = _Block(inner, tiles, threads)
    bounds = even_bounds(op.lower, count, block.number, tiles, block.emit)
    block.emit.store_index(block.total(op.buffer, *bounds), sums, block.number)
    # One tile, by a number that is computed: the code is then that of the tiles below, and both are one kernel.
    only = inner.min(tiles, inner.index(1))
    _scan(_Range(sums, inner.index(0), tiles), only, op.buffer, start, _Block(inner, only, threads))

    assert isinstance(sums.owner, DataOp)
    sums = emit.insert(DataOp.of(sums.owner.growable)).buffer
    _scan(_Range(op.buffer, op.lower, op.upper), tiles, sums, start, _Block(emit, tiles, threads))
    move_before(emit.block, op)
    Rewriter.erase_op(op)


class _Range(NamedTuple):
    """Elements to be replaced by sums."""

    buffer: SSAValue
    lower: SSAValue
    upper: SSAValue


def _scan(range: _Range, tiles: SSAValue, starts: SSAValue, start: SSAValue, block: _Block) -> None:
    """Replace the elements of a tile by the sums of those before them, which begin with one of `starts` if there are
    several tiles; the block of the last tile stores the sum of all behind them."""
    emit = block.emit
    sum = emit.cell(start)
    inner = Emitter(emit.insert(IfOp.of(emit.compare("sgt", tiles, emit.index(1)))).then.block)
    inner.set(inner.load_index(starts, block.number), sum)
    bounds = even_bounds(range.lower, emit.sub(range.upper, range.lower), block.number, tiles, emit)
    block.replace(range.buffer, *bounds, sum)
    is_last = emit.compare("eq", block.number, emit.sub(tiles, emit.index(1)))
    inner = Emitter(emit.insert(IfOp.of(is_last)).then.block)
    inner.store_index(inner.get(sum), range.buffer, range.upper)


class _Block:
    """What each block of a new loop does: `emit` is where its code goes, `number` which of the blocks it is."""

    def __init__(self, around: Emitter, count: SSAValue, threads: int) -> None:
        self.threads = threads
        loop = on_units(around, count, UnitsAttr.of("blocks", threads))
        self.emit, self.number = Emitter(loop.body.block), loop.induction
        # Two numbers per thread: a sum is not overwritten before all have read it.
        self.shared = self.emit.insert(SharedOp.of(2 * threads, INDEX)).buffer
        self.shared.name_hint = "shared"

    def total(self, buffer: SSAValue, lower: SSAValue, upper: SSAValue) -> SSAValue:
        """Emit the sum of a range: each thread adds up every so manieth element, then those are added up."""
        emit, thread = self._on_threads(self.emit)
        sum = emit.cell(emit.index(0))
        strided = Strided(lower, upper, thread, self.threads, emit)
        inner = strided.emit
        inner.set(inner.add(inner.get(sum), inner.load_index(buffer, strided.index)), sum)
        emit.store_index(emit.get(sum), self.shared, thread)
        results = self._add_up(self.emit)
        return self.emit.load_index(self.shared, self._last(results, self.emit))

    def replace(self, buffer: SSAValue, lower: SSAValue, upper: SSAValue, sum: SSAValue) -> None:
        """Emit code that replaces elements by the sum of a cell and all elements before them, and adds all to the
        cell."""
        outer = self.emit
        loop = outer.insert(ForOp.of(outer.index(0), outer.divide_up(outer.sub(upper, lower), self.threads)))
        chunk = Emitter(loop.body.block)
        first = chunk.add(lower, chunk.mul(loop.induction, self._width(chunk)))
        self._read(buffer, first, upper, chunk)
        results = self._add_up(chunk)
        before = chunk.get(sum)
        self._write(buffer, first, upper, before, results, chunk)
        chunk.set(chunk.add(before, chunk.load_index(self.shared, self._last(results, chunk))), sum)

    def _read(self, buffer: SSAValue, first: SSAValue, upper: SSAValue, around: Emitter) -> None:
        """Each thread shares one element, or 0 behind the last."""
        emit, thread = self._on_threads(around)
        index = emit.add(first, thread)
        value = emit.cell(emit.index(0))
        inner = Emitter(emit.insert(IfOp.of(emit.compare("slt", index, upper))).then.block)
        inner.set(inner.load_index(buffer, index), value)
        emit.store_index(emit.get(value), self.shared, thread)

    def _add_up(self, around: Emitter) -> int:
        """Replace shared numbers by sums of those up to each, and return where the first of these is.

        The number `distance` elements before is added, which is the sum of so many, and the distance doubles.
        """
        steps = self.threads.bit_length() - 1
        distance, source = around.cell(around.index(1)), around.cell(around.index(0))
        loop = around.insert(ForOp.of(around.index(0), around.index(steps)))
        step = Emitter(loop.body.block)
        far, first = step.get(distance), step.get(source)
        target = step.sub(self._width(step), first)
        emit, thread = self._on_threads(step)
        index = emit.add(first, thread)
        sum = emit.cell(emit.load_index(self.shared, index))
        inner = Emitter(emit.insert(IfOp.of(emit.compare("sge", thread, far))).then.block)
        inner.set(inner.add(inner.get(sum), inner.load_index(self.shared, inner.sub(index, far))), sum)
        emit.store_index(emit.get(sum), self.shared, emit.add(target, thread))
        step.set(step.add(far, far), distance)
        step.set(target, source)
        return self.threads * (steps % 2)

    def _write(
        self, buffer: SSAValue, first: SSAValue, upper: SSAValue, before: SSAValue, results: int, around: Emitter
    ) -> None:
        """Each thread stores what all before it have, and `before`."""
        emit, thread = self._on_threads(around)
        index = emit.add(first, thread)
        sum = emit.cell(before)
        inner = Emitter(emit.insert(IfOp.of(emit.compare("sgt", thread, emit.index(0)))).then.block)
        mine = inner.load_index(self.shared, inner.add(thread, inner.index(results - 1)))
        inner.set(inner.add(before, mine), sum)
        inner = Emitter(emit.insert(IfOp.of(emit.compare("slt", index, upper))).then.block)
        inner.store_index(inner.get(sum), buffer, index)

    def _on_threads(self, around: Emitter) -> tuple[Emitter, SSAValue]:
        loop = on_units(around, self._width(around), UnitsAttr.of("threads"))
        return Emitter(loop.body.block), loop.induction

    def _width(self, emit: Emitter) -> SSAValue:
        return emit.index(self.threads)

    def _last(self, results: int, emit: Emitter) -> SSAValue:
        return emit.index(results + self.threads - 1)
