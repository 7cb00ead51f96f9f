"""Reductions of index notation whose terms become other ones: where that is allowed, and what computes a term."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.algebra.order_of_sums import keeps_order, rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.index_notation.index_notation import AccessOp, AssignOp, ReduceOp, YieldOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import append_operation, clone_operation, create_block
from irtensor.passes.support.operations_in import operations_in, operations_of


def sums_to_change(function: FuncOp) -> Iterator[ReduceOp]:
    """The reductions of a function, but those inside of others, that may be taken of other terms."""
    for definition in operations_of(function.body.block):
        if isinstance(definition, AssignOp) and _may_change_sums(definition):
            yield from (op for op in operations_of(definition.body.block) if isinstance(op, ReduceOp))


def _may_change_sums(definition: AssignOp) -> bool:
    """Whether sums of a definition may be taken of other terms: entries of a sparse result follow from these."""
    if not format_of(definition.result.type).is_dense or any(map(asks_if_stored, operations_in(definition, ApplyOp))):
        return False
    # A condition is that of all factors together.
    return not any(one.condition is not None for one in operations_in(definition, YieldOp))


def may_change_terms(reduction: ReduceOp, root: ApplyOp, operations: list[ApplyOp]) -> bool:
    """Whether a reduction may combine other values than those that operations compute; `root` is the last one."""
    type = reduction.result.type
    if root.exact is not None or any(value.type != type for op in operations for value in (*op.operands, *op.results)):
        return False
    return not (rounds(find_operator(reduction.operator, reduction), element_name(type)) and keeps_order(reduction))


def computing(value: SSAValue, reduction: ReduceOp) -> list[Operation]:
    """The operations of a reduction's terms that a value is computed by, in their order."""
    block, needed, left = reduction.body.block, set[Operation](), [value]
    while left:
        op = left.pop().owner
        if isinstance(op, Operation) and op.parent is block and op not in needed:
            needed.add(op)
            left += [operand for one in op.walk() for operand in one.operands]
    return [op for op in operations_of(block) if op in needed]


def indices_of(value: SSAValue) -> set[SSAValue]:
    """The index variables that a value depends on."""
    op = value.owner
    if isinstance(op, Block):
        return {value} if isinstance(op.parent_op(), AssignOp | ReduceOp) else set()
    if isinstance(op, ReduceOp):
        return indices_of(op.value) - {*op.indices}
    return set[SSAValue]().union(*map(indices_of, op.operands))


def ranges_of(value: SSAValue) -> set[SSAValue]:
    """The index variables that a value depends on, and whose extents it says: they index a tensor by themselves."""
    op = value.owner
    if isinstance(op, Block):
        return set()
    if isinstance(op, ReduceOp):
        return ranges_of(op.value) - {*op.indices}
    indexed = indices_of_all(value for value in op.operands if isinstance(value.owner, Block))
    return (indexed if isinstance(op, AccessOp) else set[SSAValue]()).union(*map(ranges_of, op.operands))


def indices_of_all(values: Iterable[SSAValue]) -> set[SSAValue]:
    """The index variables that some of these values depend on."""
    return set[SSAValue]().union(*map(indices_of, values))


def copied_over(indices: Sequence[SSAValue], operations: Iterable[Operation]) -> tuple[Block, dict[SSAValue, SSAValue]]:
    """A block with copies of operations and with index variables of its own for some, and what each value is there."""
    block = create_block([index.type for index in indices])
    known: dict[SSAValue, SSAValue] = {}
    for index, own in zip(indices, block.args, strict=True):
        known[index], own.name_hint = own, index.name_hint
    for op in operations:
        append_operation(block, clone_operation(op, known))
    return block, known
