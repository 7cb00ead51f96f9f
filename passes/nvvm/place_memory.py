"""`place-memory`: memory that iterations of a parallel loop make for themselves is made before it, for all of them."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnitAttr, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.argument_layout import MAP_FULL
from irtensor.core.cached_property import cached_property
from irtensor.dialects.loop.loop import (
    DataOp,
    FillOp,
    IndexMapOp,
    IndexSetOp,
    ParallelOp,
    RequireOp,
    ReserveOp,
    ScratchOp,
    ViewOp,
)
from irtensor.dialects.loop.loop_growables import ZEROED
from irtensor.dialects.loop.loop_maps import MORE_WORDS, MORE_ZEROS, WORDS_PER_PAIR, ZEROS_PER_PAIR
from irtensor.dialects.loop.loop_sets import UNLISTED
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.support.expect import expect
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.llvm.support.lower_sets import FLAGS, LAYERS
from irtensor.passes.loop.support.function_memory import memory_for
from irtensor.passes.nvvm.support.sizes_before import SizesBefore, Unknown, unbounded
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

_WORD, _BYTES = 64, 8


class PlaceMemoryPass(TensorPass):
    """Make the scratches, sets and maps of all iterations in one piece; each iteration uses its own part.

    Before: `loop.parallel %p = %0 to %n { %s = loop.scratch; loop.reserve %s, %m; %d = loop.data %s; body }`
    After:  `%s = loop.scratch; loop.reserve %s, %m * %n; %all = loop.data %s;
             loop.parallel %p = %0 to %n { %d = loop.view %all[%p * %m]; body }`

    A device cannot make memory while kernels run. Sets and maps are emptied by the iteration that begins with them.
    An array with an element per pair of a map is as long as the map's capacity. If a map is full when another pair
    comes, which would be a mistake of the compiler, nothing is written, and the function ends with a status of its own.
    """

    name = "place-memory"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "divide-parallel-loops": "each part has memory of its own then",
        "bound-maps": "maps lie in memory for as many pairs as were counted",
    }
    before = {"outline-launches": "kernels are given all memory that they use"}

    def on_function(self, function: FuncOp) -> None:
        full = _Full(function)
        for parallel in operations_in(function, ParallelOp):
            _Parts(parallel, function.body.block, full).place()
        _place_in_function(function.body.block, full)
        full.check()


class _Full:
    """A flag in memory that becomes 1 when a map is full."""

    def __init__(self, function: FuncOp) -> None:
        self.entry = function.body.block

    @cached_property
    def flag(self) -> SSAValue:
        first, emit = self.entry.first_op, Emitter(Block())
        assert first is not None
        flag = memory_for(emit.index(1), i64, self.entry, emit)
        flag.name_hint = "full"
        _zero_at_first(flag)
        move_before(emit.block, first)
        return flag

    def check(self) -> None:
        """At the end of the function: no map was full."""
        if "flag" not in self.__dict__:
            return
        for end in operations_in(self.entry, ReturnOp):
            emit = Emitter(Block())
            zero = emit.index(0)
            emit.insert(RequireOp.of(emit.compare("eq", emit.load_index(self.flag, zero), zero), MAP_FULL))
            move_before(emit.block, end)


class _Parts:
    """The memory of the iterations of one parallel loop."""

    def __init__(self, parallel: ParallelOp, entry: Block, full: _Full) -> None:
        self.parallel = parallel
        self.entry = entry
        self.full = full
        self.before = Emitter(Block())
        self.sizes = SizesBefore(lambda value: not is_inside(value, parallel), self.before)

    @cached_property
    def iterations(self) -> SSAValue:
        return self.before.sub(self.parallel.upper, self.parallel.lower)

    def place(self) -> None:
        for op in operations_of(self.parallel.body.block):
            if type(op) is ScratchOp:
                self._place_scratch(op)
            elif type(op) is IndexSetOp or type(op) is IndexMapOp:
                words = _words(op, self._before(_size_of(op), op), self.before)
                emit = Emitter(Block())
                _replace(op, self._own(self._memory(words, i64, False), words, emit), words, emit, self.full)
        move_before(self.before.block, self.parallel)

    def _place_scratch(self, scratch: ScratchOp) -> None:
        users = [use.operation for use in scratch.growable.uses]
        reserved = [op for op in users if isinstance(op, ReserveOp)]
        data = [op for op in users if isinstance(op, DataOp)]
        if len(reserved) + len(data) < len(users):
            raise unbounded(scratch, "how much of a list is in use decides how long it is")
        counts = [self._before(op.count, op) for op in reserved]
        count = self.before.max(*counts) if counts else self.before.index(0)
        whole = self._memory(count, held_type(scratch.growable), ZEROED in scratch.attributes)
        for op in data:
            emit = Emitter(Block())
            op.buffer.replace_all_uses_with(self._own(whole, count, emit))
            move_before(emit.block, op)
        for op in (*data, *reserved, scratch):
            Rewriter.erase_op(op)

    def _memory(self, count: SSAValue, element: Attribute, zeroed: bool) -> SSAValue:
        made = memory_for(self.before.saturated_product(count, self.iterations), element, self.entry, self.before)
        if zeroed:
            _zero_at_first(made)
        return made

    def _own(self, whole: SSAValue, count: SSAValue, emit: Emitter) -> SSAValue:
        """The part of an iteration."""
        number = emit.sub(self.parallel.induction, self.parallel.lower)
        return emit.insert(ViewOp.of(whole, emit.mul(number, count))).view

    def _before(self, size: SSAValue, op: Operation) -> SSAValue:
        """A size, or what it is at most, before the loop."""
        try:
            return self.sizes.at_most(size)
        except Unknown as reason:
            raise unbounded(op, str(reason)) from None


def _zero_at_first(memory: SSAValue) -> None:
    growable = expect(memory.owner, DataOp).growable
    expect(growable.owner, Operation).attributes[ZEROED] = UnitAttr()


# What the function itself makes.


def _place_in_function(entry: Block, full: _Full) -> None:
    """Sets and maps of the function have one piece of memory each, and are emptied where they are made."""
    for op in operations_of(entry):
        if isinstance(op, IndexSetOp | IndexMapOp) and op.memory is None:
            emit = Emitter(Block())
            words = _words(op, _size_of(op), emit)
            _replace(op, memory_for(words, i64, entry, emit), words, emit, full)
        elif isinstance(op, ScratchOp):
            _reserve_once(op, entry)


def _reserve_once(scratch: ScratchOp, entry: Block) -> None:
    """Make room before all else that is done with a scratch, so that what uses it needs the host no more."""
    users = [use.operation for use in scratch.growable.uses]
    reserved = [op for op in users if isinstance(op, ReserveOp)]
    if ZEROED in scratch.attributes or all(op.parent is entry for op in reserved):
        return
    around = {entry.find_ancestor_op_in_block(op) for op in users}
    first = next(op for op in entry.ops if op in around)
    emit = Emitter(Block())
    sizes = SizesBefore(lambda value: _is_before(value, first), emit)
    try:
        counts = [sizes.at_most(op.count) for op in reserved]
    except Unknown:
        return
    emit.insert(ReserveOp.of(scratch.growable, emit.max(*counts)))
    move_before(emit.block, first)
    for op in reserved:
        Rewriter.erase_op(op)


def _is_before(value: SSAValue, point: Operation) -> bool:
    """Whether a value is made before an operation at the top of a function, or is one of its arguments."""
    owner = value.owner
    if owner is point.parent:
        return True
    return isinstance(owner, Operation) and owner.parent is point.parent and owner.is_before_in_block(point)


# Sets and maps.


def _size_of(op: IndexSetOp | IndexMapOp) -> SSAValue:
    """What their memory is as large as."""
    if isinstance(op, IndexSetOp):
        return op.extent
    if op.capacity is None:
        raise unbounded(op, "bound-maps, which counts them, did not run")
    return op.capacity


def _words(op: IndexSetOp | IndexMapOp, size: SSAValue, emit: Emitter) -> SSAValue:
    if isinstance(op, IndexSetOp):
        return _words_of_set(size, emit)
    return emit.add(emit.saturated_product(size, emit.index(WORDS_PER_PAIR)), emit.index(MORE_WORDS))


def _replace(op: IndexSetOp | IndexMapOp, memory: SSAValue, words: SSAValue, emit: Emitter, full: _Full) -> None:
    """Let a set or a map lie in memory, behind the operations that make it, and be empty at first."""
    zero = emit.insert(arith.ConstantOp.from_int_and_width(0, 64)).result
    if isinstance(op, IndexSetOp):
        placed = IndexSetOp.of(op.extent, memory)
        if op.is_never_listed():
            placed.attributes[UNLISTED] = UnitAttr()
    else:
        capacity = _size_of(op)
        words = emit.add(emit.mul(capacity, emit.index(ZEROS_PER_PAIR)), emit.index(MORE_ZEROS))
        placed = IndexMapOp.of(capacity, memory, full.flag)
    emit.insert(FillOp.of(zero, memory, emit.index(0), words))
    emit.insert(placed)
    placed.location = op.location
    placed.results[0].name_hint = op.results[0].name_hint
    op.results[0].replace_all_uses_with(placed.results[0])
    move_before(emit.block, op)
    Rewriter.erase_op(op)


def _words_of_set(extent: SSAValue, emit: Emitter) -> SSAValue:
    """Room for a set in any of its forms: layers of bits and of flags, as `lower_sets` has them, or a byte for each
    integer.
    """
    most = emit.add(emit.divide(emit.max(extent, emit.index(1)), emit.index(_BYTES)), emit.index(1))
    layers = emit.index(0)
    below = extent
    for layer in range(LAYERS):
        wide = 1 if layer < FLAGS else _BYTES
        below = emit.max(emit.divide(emit.add(below, emit.index(_WORD - 1)), emit.index(_WORD)), emit.index(1))
        layers = emit.add(layers, emit.mul(below, emit.index(wide)))
    return emit.max(most, layers)
