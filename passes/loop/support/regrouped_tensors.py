"""Tensors that are seen with other levels than they are passed with: their arrays and extents are the same."""

from __future__ import annotations

from functools import reduce

from xdsl.ir import Block, SSAValue

from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.storage.storage_merging import MergeLevelsOp, SplitLevelOp
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.wrong_stage import wrong_stage

_Arguments = dict[tuple[SSAValue, str, int], SSAValue]


def made_as(result: SSAValue) -> SSAValue:
    """The tensor that is computed where a function returns one with other levels."""
    while isinstance(result.owner, SplitLevelOp):
        result = result.owner.tensor
    return result


def add_regrouped(block: Block, arguments: _Arguments) -> None:
    """Add the arrays and extents of tensors with merged levels to those that are passed and returned."""
    first = block.first_op
    assert first is not None
    emit = Emitter(Block())
    for op in _regrouped(block):
        if isinstance(op, MergeLevelsOp):
            _add_merged(op, op.tensor, op.result, arguments, emit)
    for op in reversed(_regrouped(block)):
        if isinstance(op, SplitLevelOp):
            _add_merged(op, op.result, op.tensor, arguments, emit)
    move_before(emit.block, first)


def erase_regrouped(block: Block, name: str, help: str) -> None:
    """Erase what sees tensors with other levels; raises UserError where a fiber of one is left."""
    for op in reversed(_regrouped(block)):
        for use in op.result.uses:
            raise wrong_stage(use.operation, name, help=help)
        erase_operation(op)


def _regrouped(block: Block) -> list[MergeLevelsOp | SplitLevelOp]:
    return [op for op in operations_of(block) if type(op) is MergeLevelsOp or type(op) is SplitLevelOp]


def _add_merged(
    op: MergeLevelsOp | SplitLevelOp, fine: SSAValue, coarse: SSAValue, arguments: _Arguments, emit: Emitter
) -> None:
    """Arrays below merged levels have other numbers; the extent of these is a product."""
    first, count = op.first.value.data, op.count.value.data
    merged = [level.expression.dimension for level in format_of(fine.type).levels[first : first + count]]
    kept = [dimension for dimension in range(format_of(fine.type).rank) if dimension not in merged[1:]]
    for (tensor, role, number), value in list(arguments.items()):
        if tensor is not fine:
            continue
        if role == "extent":
            if number in kept:
                factors = merged if number == merged[0] else [number]
                extents = [arguments[fine, "extent", one] for one in factors]
                arguments[coarse, role, kept.index(number)] = reduce(emit.mul, extents)
        else:
            arguments[coarse, role, number if number < first else number - count + 1] = value
