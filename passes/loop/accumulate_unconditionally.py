"""`accumulate-unconditionally`: what has not been written yet is zero, and is added to like everything else."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.arith import SelectOp
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra import ApplyOp, ConstantOp, operator_of
from irtensor.dialects.loop import DataOp, ForOp, InsertOp, LoadOp, ReserveOp, ScratchOp, StoreOp
from irtensor.dialects.loop_growables import ZEROED
from irtensor.dialects.loop_sets import RemoveOp, VisitOp
from irtensor.dialects.operators import Scalar, same_value
from irtensor.dialects.scalar_types import element_name
from irtensor.passes.operations_in import operations_in
from irtensor.passes.pass_base import TensorPass, structured_functions


@dataclass(frozen=True)
class AccumulateUnconditionallyPass(TensorPass):
    """Let the values beside a set be zero wherever nothing is stored, so that nothing asks whether it is the first.

    Their memory is zero at first, and is made so again where members are taken out of the set. Only for operators of
    which zero is the identity; the sum of nothing but negative zeros is then 0, as it is in a dense result.
    Before: `%s = insert %j into %set; %o = load %w[%j]; store select(%s, %o + %v, %v), %w[%j]
             ... visit %j in %set { %r = load %w[%j]; ... }`
    After:  `insert %j into %set; %o = load %w[%j]; store %o + %v, %w[%j]
             ... visit %j in %set { %r = load %w[%j]; ...; store 0, %w[%j] }`
    A loop that does `remove %j from %set` is as good as a visit.
    """

    name = "accumulate-unconditionally"
    accepts = ("loop",)
    leaves = ("loop", "algebra")
    after = {"visit-drained-sets": "elements become zero again where a member is visited"}
    before = {"lower-algebra-to-arith": "whether zero is the identity is known of operators"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            for scratch in operations_in(function, ScratchOp):
                if (data := _only_data(scratch)) is not None:
                    _rewrite(scratch, data.buffer)


def _only_data(scratch: ScratchOp) -> DataOp | None:
    """The only access to memory for which room is made once."""
    users = [use.operation for use in scratch.growable.uses]
    data = [op for op in users if isinstance(op, DataOp)]
    return data[0] if len(users) == 2 and len(data) == 1 and any(isinstance(op, ReserveOp) for op in users) else None


def _rewrite(scratch: ScratchOp, values: SSAValue) -> None:
    users = [use.operation for use in values.uses]
    stores = [op for op in users if isinstance(op, StoreOp)]
    choices = [choice for store in stores if (choice := _first_or_combined(store)) is not None]
    if not choices or len(choices) < len(stores):
        return
    sets = {choice.insert.set for choice in choices}
    emptied = _emptied_by(*sets) if len(sets) == 1 else None
    combined = {choice.before for choice in choices}
    rest = [op for op in users if op not in combined and not isinstance(op, StoreOp)]
    if emptied is None or not all(_reads_member(op, emptied) for op in rest):
        return
    if any(emptied.loop.is_ancestor(choice.insert) for choice in choices):
        return
    for choice in choices:
        choice.select.result.replace_all_uses_with(choice.sum.result)
        choice.select.detach()
        choice.select.erase()
    scratch.attributes[ZEROED] = UnitAttr()
    element = choices[0].sum.result.type
    zero = ConstantOp.of(0, element)
    emptied.block.add_ops((zero, StoreOp.of(zero.result, values, emptied.member)))


@dataclass(frozen=True)
class _Choice:
    """A store of the sum with what was there before, or if that is nothing, of the operand alone."""

    insert: InsertOp
    before: LoadOp
    sum: ApplyOp
    select: SelectOp


def _first_or_combined(store: StoreOp) -> _Choice | None:
    select = store.value.owner
    if not isinstance(select, SelectOp):
        return None
    insert, sum = select.cond.owner, select.lhs.owner
    if not isinstance(insert, InsertOp) or not isinstance(sum, ApplyOp) or len(sum.arguments) != 2:
        return None
    before = sum.arguments[0].owner
    if not isinstance(before, LoadOp) or sum.arguments[1] is not select.rhs:
        return None
    only = all(value.has_one_use() for value in (before.value, sum.result, select.result))
    same = before.buffer is store.buffer and before.index is store.index and insert.member is store.index
    if not only or not same or not _is_zero(operator_of(sum).identity(element_name(sum.result.type))):
        return None
    return _Choice(insert, before, sum, select)


def _is_zero(identity: Scalar | None) -> bool:
    return identity is not None and same_value(identity, 0)


@dataclass(frozen=True)
class _Emptied:
    """The loop that takes members out of a set, its body, and the member of a turn."""

    loop: Operation
    block: Block
    member: SSAValue


def _emptied_by(set: SSAValue) -> _Emptied | None:
    """The loop that empties a set, if nothing else is ever done with it but to fill it."""
    users = [use.operation for use in set.uses]
    takes = [op for op in users if not isinstance(op, InsertOp)]
    match takes:
        case [VisitOp() as visit]:
            return _Emptied(visit, visit.body.block, visit.member)
        case [RemoveOp() as remove] if isinstance(loop := remove.parent_op(), ForOp):
            return _Emptied(loop, loop.body.block, remove.member)
        case _:
            return None


def _reads_member(op: Operation, emptied: _Emptied) -> bool:
    return isinstance(op, LoadOp) and op.index is emptied.member
