"""`scalarize-reductions`: reduce into a scalar temporary wherever the innermost loops do not index the target."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.algebra import find_operator
from irtensor.dialects.algebra.order_of_sums import keeps_order, rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, IfOp, LetOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.analysis.iteration_graph import (
    accesses_in,
    enclosing_variables,
    last_append_level,
    level_variables,
)
from irtensor.passes.analysis.ranges import covered_by
from irtensor.passes.concrete_index.support.initial_state import is_conditional, is_in_part
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class ScalarizeReductionsPass(TensorPass):
    """Accumulate in a temporary and store once, instead of updating memory in every iteration of a reduction loop.

    Before: `forall %i { forall %j { assign add %p into %y[%i] } }`
    After:  `forall %i { where produce (%t) { forall %j { assign add %p into %t[] } }
             consume (%u) { assign %u into %y[%i] } }`
    Lets between the loops stay where they are, unless they bind an index of the target.
    Other statements of the loops that accumulate in the same target, as those for mirrors of symmetric operands do,
    stay in the loops, and the temporary is combined with what they store.
    Not where the temporary would hold a part of a floating-point sum, in a function that keeps the order of its sums.
    Not across a nonunique level into a target that can be updated in any order: there one loop visits all entries.
    """

    name = "scalarize-reductions"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {"choose-loop-order": "the order says which loops are innermost"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for assign in operations_in(op, AssignOp):
            # One of several may have been taken with another one.
            if assign.operator is not None and assign.parent is not None:
                scalarize(assign)


def scalarize(assign: AssignOp) -> None:
    """Let the loops around a compound assignment that do not index its target reduce into a temporary."""
    loop = _reduction_nest(assign)
    if loop is None or _is_scalar_temporary(assign.tensor, loop) or _shares_nonunique_loop(assign, loop):
        return
    assert isinstance(assign.tensor.type, TensorType)
    target, indices, operator = assign.tensor, tuple(assign.indices), assign.operator
    scalar = TensorType(assign.tensor.type.element_type, [])
    where = WhereOp.of(scalar, "t")
    producer, consumer = where.producer.block, where.consumer.block
    covered = covered_by(indices)
    alike = [one for one in operations_in(loop, AssignOp) if one.tensor is target]
    same = [one for one in alike if tuple(one.indices) == indices]
    repeated = len(same) < len(alike) or any(variable not in covered for variable in enclosing_variables(loop))
    if repeated and _keeps_order(assign):
        return
    outside = loop.parent
    assert outside is not None
    outside.insert_op_before(where, loop)
    loop.detach()
    producer.add_op(loop)
    for one in same:
        assert one.parent is not None
        one.parent.insert_op_before(AssignOp.of(one.value, producer.args[0], (), operator), one)
        erase_operation(one)
    total = AccessOp.of(consumer.args[0], ())
    consumer.add_op(total)
    # Coordinates that no iteration comes to keep what the target starts from: the identity of the reduction.
    is_whole = not repeated and not is_conditional(where) and not is_in_part(indices)
    consumer.add_op(AssignOp.of(total.result, target, indices, None if is_whole else operator))


def _keeps_order(assign: AssignOp) -> bool:
    """Whether the values are to be combined one by one."""
    assert assign.operator is not None
    operator = find_operator(assign.operator, assign)
    return rounds(operator, element_name(assign.value.type)) and keeps_order(assign)


def _reduction_nest(assign: AssignOp) -> ForallOp | None:
    """The outermost of the foralls around the assignment that do not index its target; lets may be between them."""
    nest: ForallOp | None = None
    inner: ForallOp | LetOp | IfOp | None = None
    block = assign.parent
    while block is not None:
        binder = block.parent_op()
        alone = all(_may_stay(op, assign) for op in block.ops if op is not inner)
        if isinstance(binder, IfOp) and alone and format_of(assign.tensor.type).is_dense:
            inner, block = binder, binder.parent
            continue
        if not isinstance(binder, ForallOp | LetOp) or binder.variable in assign.indices or not alone:
            return nest
        inner, block = binder, binder.parent
        nest = binder if isinstance(binder, ForallOp) else nest
    return nest


def _may_stay(op: Operation, assign: AssignOp) -> bool:
    """Whether an operation may stay in the loops of an assignment that stores into a temporary: also others that
    accumulate alike, and those that do so where a condition holds."""
    if isinstance(op, AssignOp):
        return op is assign or _accumulates_alike(op, assign)
    if isinstance(op, IfOp):
        return all(_may_stay(inner, assign) for inner in op.body.block.ops)
    return not op.regions


def _accumulates_alike(other: AssignOp, assign: AssignOp) -> bool:
    """Whether another assignment combines with the same tensor, and it does not matter which of the two comes first."""
    if other.tensor is not assign.tensor or other.operator is None or other.operator != assign.operator:
        return False
    operator = find_operator(other.operator, other)
    return operator.associative and operator.commutative


def _is_scalar_temporary(tensor: SSAValue, loop: ForallOp) -> bool:
    """Whether the loop already is the whole producer of a scalar temporary."""
    return isinstance(tensor.owner, Block) and tensor.owner is loop.parent and isinstance(loop.parent_op(), WhereOp)


def _shares_nonunique_loop(assign: AssignOp, loop: ForallOp) -> bool:
    """Whether an operand's nonunique level is iterated outside the loop and its next level by the loop."""
    if last_append_level(format_of(assign.tensor.type)) is not None:
        return False
    outside = list(enclosing_variables(loop))
    for access in accesses_in(loop.body.block):
        levels = format_of(access.tensor.type).levels
        for level, variable in zip(levels, level_variables(access), strict=True):
            if not level.format.unique and variable in outside:
                return True
    return False
