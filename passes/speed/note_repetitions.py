"""`note-repetitions`: a term combined with a range of elements alike is noted at its ends, and combined at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.loop.loop import FillOp, ForOp, IfOp, LoadOp, PrivateOp, StoreOp, WhileOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.analysis.races import PARALLEL
from irtensor.passes.loop.support.function_memory import memory_for
from irtensor.passes.speed.fold_repetitions import repeated_value
from irtensor.passes.speed.support.updates import Update, is_foldable, update_of
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

_ADD = StringAttr("add")


class NoteRepetitionsPass(TensorPass):
    """Combine a value that is the same everywhere with each element of a buffer once, however often that is asked for.

    A reduction across rows whose fibers hold only some coordinates combines each element of a row with the fill value
    between them. Where such a range begins is counted up, and down where it ends: the running sum says after the loops
    how often each element meets the value. An operator that is idempotent takes it then if that is ever, a sum takes a
    multiple of it and a product a power. Those of floats stay as they are unless they may be reassociated.

    Before: `loop.for %i { ... loop.for %j = %q to %p { %old = load %m[%j]; store max(%old, %v), %m[%j] } ... }`
    After:  `loop.for %i { ... loop.if %q < %p { %d[%q] += 1; %d[%p] -= 1 } ... };
             loop.for %j { %s += %d[%j]; loop.if %s > 0 { %old = load %m[%j]; store max(%old, %v), %m[%j] } }`
    """

    name = "note-repetitions"
    accepts = ("loop",)
    leaves = ("loop", "algebra")
    after = {"fold-repetitions": "the repetitions that are left are those of loops over elements"}

    def on_function(self, function: FuncOp) -> None:
        for ranges in _ranges_by_buffer(function):
            if _is_alike(ranges, function) and all(is_foldable(one.update) for one in ranges):
                _note(ranges, function)


class _Range(NamedTuple):
    """A loop that does nothing but combine each element of a buffer in its range with one value."""

    loop: ForOp
    buffer: SSAValue
    update: Update


def _ranges_by_buffer(function: FuncOp) -> list[list[_Range]]:
    """The ranges of each buffer for which there is one in a loop."""
    found: dict[SSAValue, list[_Range]] = {}
    for loop in operations_in(function, ForOp):
        if (one := _as_range(loop, function.body.block)) is not None:
            found.setdefault(one.buffer, []).append(one)
    return [ranges for ranges in found.values() if any(_is_in_loop(one.loop) for one in ranges)]


def _is_in_loop(op: Operation) -> bool:
    around = op.parent_op()
    return around is not None and (isinstance(around, ForOp | WhileOp) or _is_in_loop(around))


def _as_range(loop: ForOp, entry: Block) -> _Range | None:
    ops = operations_of(loop.body.block)
    if len(ops) != 3 or not isinstance(ops[2], StoreOp) or PARALLEL in loop.attributes:
        return None
    update = update_of(ops[2])
    if update is None or ops[2].index is not loop.induction:
        return None
    is_one = _block_of(update.given) is entry and _block_of(ops[2].buffer) is entry
    return _Range(loop, ops[2].buffer, update) if is_one else None


def _block_of(value: SSAValue) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def _is_alike(ranges: list[_Range], function: FuncOp) -> bool:
    """Whether all that is done with a buffer is to fill it, and then to combine its elements by one operator, in these
    ranges with one value."""
    first, buffer = ranges[0].update, ranges[0].buffer
    if not (first.operator.associative and first.operator.commutative):
        return False
    if any(one.update.given is not first.given for one in ranges) or _extent(buffer) is None:
        return False
    for use in buffer.uses:
        op = use.operation
        if isinstance(op, StoreOp):
            update = update_of(op)
            if use.index != 1 or update is None or update.operator is not first.operator:
                return False
        elif not (isinstance(op, LoadOp) and _is_updated(op)) and not isinstance(op, FillOp):
            return False
    return True


def _is_updated(load: LoadOp) -> bool:
    """Whether an element is read to be combined with something, and no more."""
    (use, *others) = load.value.uses
    stores = [one.operation for one in use.operation.results[0].uses] if use.operation.results else []
    return not others and len(stores) == 1 and isinstance(stores[0], StoreOp) and update_of(stores[0]) is not None


def _extent(buffer: SSAValue) -> SSAValue | None:
    """How many elements a buffer has, where that is known: those that are filled before all loops."""
    if isinstance(private := buffer.owner, PrivateOp):
        return private.upper if constant_index(private.lower) == 0 else None
    fills = [use.operation for use in buffer.uses if isinstance(use.operation, FillOp)]
    whole = [fill.upper for fill in fills if constant_index(fill.lower) == 0 and isinstance(fill.parent_op(), FuncOp)]
    return whole[0] if len(fills) == len(whole) == 1 else None


def _note(ranges: list[_Range], function: FuncOp) -> None:
    buffer, extent = ranges[0].buffer, _extent(ranges[0].buffer)
    updated = [_top(use.operation, function) for use in buffer.uses if not isinstance(use.operation, FillOp)]
    last = next(op for op in reversed(operations_of(function.body.block)) if op in updated)
    # As early as it can be: how many parts a loop has depends on what they need.
    anchor = function.body.block.first_op
    assert extent is not None and anchor is not None and last.next_op is not None
    if not isinstance(extent.owner, Block):
        anchor = extent.owner.next_op
        assert anchor is not None
    before, after = Emitter(Block()), Emitter(Block())
    zero, count = before.index(0), before.add(extent, before.index(1))
    noted = memory_for(count, i64, function.body.block, before)
    before.insert(FillOp.of(before.constant(0, i64), noted, zero, count))
    own = noted
    if any(PARALLEL in op.attributes for op in updated):
        own = before.insert(PrivateOp.of(_ADD, noted, zero, count)).own
    elements = buffer.owner.buffer if isinstance(buffer.owner, PrivateOp) else buffer
    _combine(ranges[0].update, elements, noted, extent, after)
    move_before(before.block, anchor)
    move_before(after.block, last.next_op)
    for one in ranges:
        _note_ends(one.loop, own)


def _top(op: Operation, function: FuncOp) -> Operation:
    """The operation of a function's own block that another one is in."""
    around = op.parent_op()
    return op if around is function or around is None else _top(around, function)


def _note_ends(loop: ForOp, noted: SSAValue) -> None:
    """Count up where a range begins, and down where it ends, once for each iteration of loops that do no more."""
    emit = Emitter(Block())
    outermost, iterations = loop, list[SSAValue]()
    for around in _repeating(loop):
        outermost = around
        iterations.append(emit.max(emit.sub(around.upper, around.lower), emit.index(0)))
    times = reduce(emit.mul, iterations, emit.index(1))
    inner = Emitter(emit.insert(IfOp.of(emit.compare("slt", loop.lower, loop.upper))).then.block)
    for bound, amount in ((loop.lower, times), (loop.upper, inner.sub(inner.index(0), times))):
        old = inner.load(noted, bound)
        number = inner.narrow(amount, i64)
        new = inner.insert(ApplyOp.of(_ADD, (old, number), i64)).result
        inner.insert(StoreOp.of(new, noted, bound))
    move_before(emit.block, outermost)
    erase_operation(outermost)


def _repeating(loop: ForOp) -> Iterator[ForOp]:
    """The loops around one that do nothing else, and the same in each iteration, innermost first."""
    around = loop.parent_op()
    while isinstance(around, ForOp) and len(operations_of(around.body.block)) == 1 and not around.induction.uses:
        yield around
        around = around.parent_op()


def _combine(update: Update, elements: SSAValue, noted: SSAValue, extent: SSAValue, emit: Emitter) -> None:
    """Combine each element with the value as often as its number says, which is the sum of those noted up to it."""
    total = emit.cell(emit.constant(0, i64))
    inner = Emitter(emit.insert(loop := ForOp.of(emit.index(0), extent)).body.block)
    change = inner.load(noted, loop.induction)
    count = inner.insert(ApplyOp.of(_ADD, (inner.get(total), change), i64)).result
    inner.set(count, total)
    some = inner.compare("sgt", inner.to_index(count), inner.index(0))
    then = Emitter(inner.insert(IfOp.of(some)).then.block)
    old = then.load(elements, loop.induction)
    apply = then.insert(ApplyOp.of(update.apply.operator, (old, update.given), update.given.type))
    apply.properties.update(update.apply.properties)
    if not update.operator.idempotent:
        apply.operands[1] = repeated_value(Update(apply, update.operator, update.given), count)
    then.insert(StoreOp.of(apply.result, elements, loop.induction))
