"""The loop that a loop over blocks and one over the coordinates of a block were before it was cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.arith import AddiOp, DivSIOp, MuliOp, SubiOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.concrete_index.blocks import block_of, least_of
from irtensor.dialects.concrete_index.concrete_index import ForallOp
from irtensor.dialects.concrete_index.index_ranges import ExtentOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.analysis.ranges import computes_range, only_forall, sources
from irtensor.passes.concrete_index.support.loop_ranges import dimensions_of, erase_unused, is_multiple, set_range
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_of


class _Blocks(NamedTuple):
    """`number` blocks of `size` coordinates from `first` on; the last ones end at `limits`."""

    first: SSAValue
    number: SSAValue
    size: SSAValue
    limits: Sequence[SSAValue]

    def end(self, emit: Emitter) -> SSAValue:
        """Where the last block ends: how many coordinates were cut is read from how blocks are counted."""
        total = _rounded_up(self.number, self.size) or _rounded_up(self.size, self.number)
        if total is not None and any(self._is_end_of(total, limit) for limit in self.limits):
            return emit.min(*self.limits)
        size = constant_index(self.size)
        if total is not None and size is not None and is_multiple(total, size):
            return emit.min(*self.limits, emit.add(self.first, total))
        return emit.min(*self.limits, emit.add(self.first, emit.mul(self.number, self.size)))

    def _is_end_of(self, total: SSAValue, limit: SSAValue) -> bool:
        """Whether a total reaches a limit."""
        if constant_index(self.first) == 0 and _is_same(total, limit):
            return True
        owner, difference = limit.owner, total.owner
        if isinstance(difference, SubiOp) and self.first in (starts := least_of(difference.rhs)):
            return all(one in (*self.limits, self.first) for one in (*least_of(difference.lhs), *starts))
        return isinstance(owner, AddiOp) and owner.lhs is self.first and _is_same(owner.rhs, total)


def join_halves(nest: Sequence[ForallOp], name: str) -> bool:
    """Let two loops be one if the inner one runs over a block that the outer one counts; says whether they are."""
    blocks = _blocks_of(nest)
    if blocks is None:
        return False
    outer, inner = nest
    assert outer.parent is not None
    outside, inside = ([one.owner for one in loop.bounds if isinstance(one.owner, Operation)] for loop in nest)
    for op in operations_of(outer.body.block):
        if op is inner or not _depends(op, outer.variable):
            op.detach()
            outer.parent.insert_op_before(op, outer)
    computed = Block()
    emit = Emitter(computed)
    # Of a fixed number of blocks some may have nothing.
    begins_early = len(least_of(inner.bounds[0])) > 1 and constant_index(blocks.first) != 0
    lo = emit.min(*blocks.limits, blocks.first) if begins_early else blocks.first
    set_range(inner, lo, blocks.end(emit), computed)
    inner.variable.name_hint = name
    for bound in dict.fromkeys(inside):
        erase_unused(bound)
    erase_operation(outer)
    for bound in dict.fromkeys(outside):
        erase_unused(bound)
    _forget_range(inner)
    return True


def _blocks_of(nest: Sequence[ForallOp]) -> _Blocks | None:
    """The blocks that the outer one of two loops counts, if it does nothing else."""
    if len(nest) != 2 or any(loop.attributes or not loop.bounds for loop in nest):
        return None
    outer, inner = nest
    block = block_of(*inner.bounds)
    if block is None or only_forall(outer.body.block) is not inner or constant_index(outer.bounds[0]) != 0:
        return None
    start, size = block
    limits = [end for end in least_of(inner.bounds[1]) if not _is_sum(end, start, size)]
    first = _first_of(start, outer, size)
    if first is None or any(outer.variable in sources(value) for value in (first, size, *limits)):
        return None
    if not _only_counts_blocks(outer, inner):
        return None
    return _Blocks(first, outer.bounds[1], size, limits)


def _first_of(start: SSAValue, outer: ForallOp, size: SSAValue) -> SSAValue | None:
    """The start of the first block, if `start` is `first + number * size`."""
    first, offset = start.owner.operands if isinstance(start.owner, AddiOp) else (outer.bounds[0], start)
    if offset is outer.variable:
        return first if constant_index(size) == 1 else None
    factors = offset.owner
    is_product = isinstance(factors, MuliOp) and factors.lhs is outer.variable and _is_same(factors.rhs, size)
    return first if is_product else None


def _only_counts_blocks(outer: ForallOp, inner: ForallOp) -> bool:
    """Whether the variable of a loop is used for nothing but the range of the one inside."""
    dependent = [op for op in outer.body.block.ops if op is not inner and _depends(op, outer.variable)]
    values = [outer.variable, *(result for op in dependent for result in op.results)]
    return all(use.operation is inner or use.operation in dependent for value in values for use in value.uses)


def _depends(op: Operation, variable: SSAValue) -> bool:
    return computes_range(op) and any(variable in sources(result) for result in op.results)


def _is_sum(value: SSAValue, a: SSAValue, b: SSAValue) -> bool:
    return isinstance(value.owner, AddiOp) and tuple(value.owner.operands) == (a, b)


def _rounded_up(quotient: SSAValue, divisor: SSAValue) -> SSAValue | None:
    """The total of a quotient that is rounded up, `(total + divisor - 1) / divisor`; a total that is less by 1 divides
    evenly."""
    owner = quotient.owner
    number = constant_index(divisor)
    if not isinstance(owner, DivSIOp) or not _is_same(owner.rhs, divisor) or number == 1:
        return owner.lhs if isinstance(owner, DivSIOp) and number == 1 else None
    if number is None or not isinstance(owner.lhs.owner, AddiOp):
        return None
    total, more = owner.lhs.owner.operands
    return total if constant_index(more) == number - 1 else None


def _is_same(a: SSAValue, b: SSAValue) -> bool:
    number = constant_index(a)
    return a is b or (number is not None and number == constant_index(b))


def _forget_range(loop: ForallOp) -> None:
    """Remove the range of a loop that is a whole dimension."""
    lo, hi = loop.bounds
    extent = hi.owner
    if constant_index(lo) != 0 or not isinstance(extent, ExtentOp):
        return
    if any(
        access.tensor is extent.tensor and dimension == extent.dimension.value.data
        for dimension, access in dimensions_of(loop.variable)
    ):
        loop.operands = ()
        for value in (lo, hi):
            if isinstance(value.owner, Operation):
                erase_unused(value.owner)
