"""A run of the code that fills a map, which counts the pairs that are put into it, and stores nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from irtensor.core.argument_layout import described_array
from irtensor.dialects.loop.loop import GetOp, IndexMapOp, MapClearOp, MapInsertOp, ParallelOp, RequireOp, SetOp
from irtensor.dialects.loop.loop_types import buffer_type
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import clone_operation
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.cleanup.remove_unread_memory import WRITES, erase_unread, memories_of
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import everything_in, operations_in, operations_of

# Predicates of `arith.cmpi` that tell numbers below 0 from others: slt and sge.
_SIGN = (2, 5)


class NotCounted(Exception):
    """The pairs of a map cannot be counted without it; the text says why."""


@dataclass
class CountingRun:
    """A copy of a parallel loop, or of a function, with only the code that counts the pairs of one map."""

    region: ParallelOp | FuncOp
    counts: SSAValue
    """The value of the buffer of counts in the copy."""
    originals: dict[SSAValue, SSAValue]
    """The values of the function, by those of the copy."""

    @staticmethod
    def of(map: IndexMapOp, function: FuncOp) -> CountingRun:
        """The run for a map at the top of a parallel loop, or of the function. Raises NotCounted."""
        values: dict[SSAValue, SSAValue] = {}
        copy = clone_operation(function, values)
        counts = copy.body.block.insert_arg(buffer_type(i64), len(copy.body.block.args))
        copied = values[map.map].owner
        assert isinstance(copied, IndexMapOp)
        region = copied.parent_op()
        assert isinstance(region, ParallelOp | FuncOp)
        _count(copied, region, counts)
        changed = _drop_effects(region, counts)
        erase_unread(copy)
        while any([_only_signs_matter(other) for other in operations_in(region, IndexMapOp)]):
            erase_unread(copy)
        _check(copied, region, changed)
        return CountingRun(region, counts, {new: old for old, new in values.items()})

    def insert(self, counts: SSAValue, block: Block) -> None:
        """Put the run at the end of a block; iteration n stores how many pairs there are at most to element n."""
        region = self.region
        moved: list[Operation] = [region]
        if isinstance(region, FuncOp):
            moved = [op for op in operations_of(region.body.block) if not isinstance(op, ReturnOp)]
        Emitter(block).take(moved)
        inside = [inner for op in moved for inner in everything_in(op)]
        own: set[SSAValue] = {value for op in inside for value in op.results}
        own.update(value for op in inside for region in op.regions for one in region.blocks for value in one.args)
        outside = {**self.originals, self.counts: counts}
        for op in inside:
            op.operands = [value if value in own else outside.get(value, value) for value in op.operands]


def _count(map: IndexMapOp, region: ParallelOp | FuncOp, counts: SSAValue) -> None:
    """Count insertions in a cell, anew where the map is cleared, and store the largest count at the end."""
    emit = Emitter(Block())
    zero, one = emit.index(0), emit.index(1)
    held, most = emit.cell(zero), emit.cell(zero)
    move_before(emit.block, map)
    for op in [use.operation for use in map.map.uses]:
        emit = Emitter(Block())
        if isinstance(op, MapInsertOp):
            emit.set(emit.add(emit.get(held), one), held)
        elif isinstance(op, MapClearOp):
            emit.set(emit.max(emit.get(most), emit.get(held)), most)
            emit.set(zero, held)
        move_before(emit.block, op)
    emit = Emitter(Block())
    number = emit.sub(region.induction, region.lower) if isinstance(region, ParallelOp) else emit.index(0)
    emit.store_index(emit.max(emit.get(most), emit.get(held)), counts, number)
    last = region.body.block.last_op
    is_return = isinstance(last, ReturnOp)
    Rewriter.inline_block(emit.block, InsertPoint.before(last) if is_return else InsertPoint.at_end(region.body.block))


def _drop_effects(region: ParallelOp | FuncOp, counts: SSAValue) -> set[SSAValue]:
    """Erase what changes memory outside of the region, and what may end the function; gives that memory."""
    changed: set[SSAValue] = set()
    for op in everything_in(region.body.block):
        numbers = range(len(op.operands)) if isinstance(op, CallOp) else WRITES.get(type(op), ())
        written = [memory for number in numbers for memory in memories_of(op.operands[number])]
        is_outside = any(memory is not counts and not _is_private(memory, region) for memory in written)
        if is_outside or isinstance(op, RequireOp | CallOp):
            changed.update(written)
            Rewriter.erase_op(op)
    return changed


def _is_private(memory: SSAValue, region: ParallelOp | FuncOp) -> bool:
    """Whether memory is made in the region, and not given to the function."""
    return is_inside(memory, region) and not isinstance(memory.owner, Block)


def _only_signs_matter(map: IndexMapOp) -> bool:
    """Where of slots it only matters that they are not negative, let any such number stand for them."""
    users = [use.operation for use in map.map.uses]
    inserted = [op for op in users if isinstance(op, MapInsertOp) and (op.slot.first_use or op.present.first_use)]
    if any(op.present.first_use or not _is_asked_for_sign(op.slot, set()) for op in inserted):
        return False
    for op in inserted:
        emit = Emitter(Block())
        op.slot.replace_all_uses_with(emit.index(0))
        move_before(emit.block, op)
    return bool(inserted)


def _is_asked_for_sign(value: SSAValue, seen: set[SSAValue]) -> bool:
    """Whether all that is done with a value is to compare it with 0, be it by way of cells."""
    for use in value.uses:
        op = use.operation
        if isinstance(op, SetOp):
            gets = [other.operation for other in op.cell.uses if isinstance(other.operation, GetOp)]
            known = op.cell in seen
            seen.add(op.cell)
            if not known and not all(_is_asked_for_sign(get.value, seen) for get in gets):
                return False
        elif not isinstance(op, arith.CmpiOp) or op.predicate.value.data not in _SIGN or constant_index(op.rhs) != 0:
            return False
    return True


def _check(map: IndexMapOp, region: ParallelOp | FuncOp, changed: set[SSAValue]) -> None:
    """Raise NotCounted if what counts the pairs uses the map itself, another one of unknown size, or what it stores."""
    if map.parent is not None:
        raise NotCounted("which ones come depends on what it holds already")
    for other in operations_in(region.body.block, IndexMapOp):
        if other.capacity is None:
            raise NotCounted(f"which ones come depends on what '{other.map.name_hint}' holds")
    operands = {operand for op in everything_in(region.body.block) for operand in op.operands}
    for memory in changed.intersection(memory for operand in operands for memory in memories_of(operand)):
        what = described_array(memory.name_hint or "") or "an array"
        raise NotCounted(f"which ones come depends on {what}, which is stored to at the same time")
