"""`place-memory`: memory that iterations of a parallel loop make for themselves is made before it, for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, UnitAttr, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.dialects.create_operation import clone_operation
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.is_inside import is_inside
from irtensor.dialects.loop import (
    DataOp,
    FillOp,
    IndexMapOp,
    IndexSetOp,
    ParallelOp,
    ReserveOp,
    ScratchOp,
    ViewOp,
)
from irtensor.dialects.loop_growables import ZEROED
from irtensor.dialects.loop_sets import UNLISTED
from irtensor.passes.emit import Emitter, move_before
from irtensor.passes.llvm.lower_sets import FLAGS, LAYERS
from irtensor.passes.loop.function_memory import memory_for
from irtensor.passes.loop.simplify_loops import is_pure
from irtensor.passes.operations_in import operations_in
from irtensor.passes.pass_base import TensorPass, structured_functions

_WORD, _BYTES = 64, 8


@dataclass(frozen=True)
class PlaceMemoryPass(TensorPass):
    """Make the scratches and sets of all iterations in one piece, of which each iteration uses its own part.

    Before: `loop.parallel %p = %0 to %n { %s = loop.scratch; loop.reserve %s, %m; %d = loop.data %s; body }`
    After:  `%s = loop.scratch; loop.reserve %s, %m * %n; %all = loop.data %s;
             loop.parallel %p = %0 to %n { %d = loop.view %all[%p * %m]; body }`
    A device cannot make memory while kernels run. A set is cleared by the iteration that begins with it.
    """

    name = "place-memory"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"divide-parallel-loops": "each part has memory of its own then"}
    before = {"outline-launches": "kernels are given all memory that they use"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            entry = function.body.block
            for made in operations_in(function, IndexMapOp):
                raise _unbounded(made, "a map of pairs grows with what it holds")
            for parallel in operations_in(function, ParallelOp):
                _Parts(parallel, entry).place()
            for set in operations_in(function, IndexSetOp):
                if set.memory is None:
                    _place_set(set, entry)


class _Parts:
    """The memory of the iterations of one parallel loop."""

    def __init__(self, parallel: ParallelOp, entry: Block) -> None:
        self.parallel = parallel
        self.entry = entry
        self.before = Emitter(Block())

    @cached_property
    def iterations(self) -> SSAValue:
        return self.before.sub(self.parallel.upper, self.parallel.lower)

    def place(self) -> None:
        for op in list(self.parallel.body.block.ops):
            if isinstance(op, ScratchOp):
                self._place_scratch(op)
            elif isinstance(op, IndexSetOp):
                words = _words_of_set(self._outside(op.extent, op), self.before)
                emit = Emitter(Block())
                _replace_set(op, self._own(self._memory(words, i64, False), words, emit), words, emit)
        move_before(self.before.block, self.parallel)

    def _place_scratch(self, scratch: ScratchOp) -> None:
        users = [use.operation for use in scratch.growable.uses]
        reserved = [op for op in users if isinstance(op, ReserveOp)]
        data = [op for op in users if isinstance(op, DataOp)]
        if len(reserved) + len(data) < len(users):
            raise _unbounded(scratch, "how much of a list is in use decides how long it is")
        counts = [self._outside(op.count, op) for op in reserved]
        count = self.before.max(*counts) if counts else self.before.index(0)
        whole = self._memory(count, scratch.growable.type.element, ZEROED in scratch.attributes)  # pyright: ignore
        for op in data:
            emit = Emitter(Block())
            op.buffer.replace_all_uses_with(self._own(whole, count, emit))
            move_before(emit.block, op)
        for op in (*data, *reserved, scratch):
            Rewriter.erase_op(op)

    def _memory(self, count: SSAValue, element: Attribute, zeroed: bool) -> SSAValue:
        made = memory_for(self.before.places(count, self.iterations), element, self.entry, self.before)
        if zeroed:
            made.owner.growable.owner.attributes[ZEROED] = UnitAttr()  # pyright: ignore
        return made

    def _own(self, whole: SSAValue, count: SSAValue, emit: Emitter) -> SSAValue:
        """The part of an iteration."""
        number = emit.sub(self.parallel.induction, self.parallel.lower)
        return emit.insert(ViewOp.of(whole, emit.mul(number, count))).view

    def _outside(self, value: SSAValue, op: Operation) -> SSAValue:
        """A value that does not depend on the iteration, before the loop."""
        if not is_inside(value, self.parallel):
            return value
        owner = value.owner
        if not isinstance(owner, Operation) or not is_pure(owner):
            raise _unbounded(op, "its size depends on what is found while it runs")
        copies = {operand: self._outside(operand, op) for operand in owner.operands}
        return self.before.insert(clone_operation(owner, copies)).results[0]


def _place_set(op: IndexSetOp, entry: Block) -> None:
    """A set of the function itself: one piece of memory, which is cleared where the set was made."""
    emit = Emitter(Block())
    words = _words_of_set(op.extent, emit)
    _replace_set(op, memory_for(words, i64, entry, emit), words, emit)


def _replace_set(op: IndexSetOp, memory: SSAValue, words: SSAValue, emit: Emitter) -> None:
    """Let a set lie in memory, behind what was emitted for that, and be empty at first."""
    zero = emit.insert(arith.ConstantOp.from_int_and_width(0, 64)).result
    emit.insert(FillOp.of(zero, memory, emit.index(0), words))
    placed = emit.insert(IndexSetOp.of(op.extent, memory))
    placed.location = op.location
    if op.is_never_listed():
        placed.attributes[UNLISTED] = UnitAttr()
    placed.set.name_hint = op.set.name_hint
    op.set.replace_all_uses_with(placed.set)
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


def _unbounded(op: Operation, why: str) -> UserError:
    message = f"a kernel cannot make memory while it runs, and how much it needs is not known before: {why}"
    help = 'compile it for target="cpu", or give the loops another order or a workspace of another format'
    return UserError("cuda-memory", message, op=op, help=help)
