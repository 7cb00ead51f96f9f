"""`accumulate-unconditionally`: an element that has not been written yet is zero, and is added to like all others."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.operators import same_value
from irtensor.dialects.algebra.algebra import ConstantOp, find_operator
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.loop.loop import AccumulateOp, DataOp, ForOp, InsertOp, LoadOp, ReserveOp, ScratchOp, StoreOp
from irtensor.dialects.loop.loop_growables import ZEROED
from irtensor.dialects.loop.loop_sets import RemoveOp, VisitOp
from irtensor.dialects.loop.loop_types import held_type
from irtensor.passes.loop.support.accumulations import lower_accumulation
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class AccumulateUnconditionallyPass(TensorPass):
    """Let the values beside a set be zero wherever nothing is stored, so that nothing asks whether it is the first.

    Their memory is zero at first, and is made so again where members are taken out of the set. Only for operators whose
    identity is zero; the sum of nothing but negative zeros is then 0, as it is in a dense result.
    Before: `%s = insert %j into %set; accumulate add %v into %w[%j] where %s
             ... visit %j in %set { %r = load %w[%j]; ... }`
    After:  `insert %j into %set; %o = load %w[%j]; store %o + %v, %w[%j]
             ... visit %j in %set { %r = load %w[%j]; ...; store 0, %w[%j] }`
    A loop that does `remove %j from %set` is as good as a visit.
    """

    name = "accumulate-unconditionally"
    accepts = ("loop",)
    leaves = ("loop", "algebra")
    after = {"visit-drained-sets": "elements become zero again where a member is visited"}
    before = {"lower-algebra-to-arith": "what accumulates otherwise asks whether a value is the first"}

    def on_function(self, function: FuncOp) -> None:
        for scratch in operations_in(function, ScratchOp):
            if (data := _only_data(scratch)) is not None:
                _accumulate_always(scratch, data.buffer)


def _only_data(scratch: ScratchOp) -> DataOp | None:
    """The only access to memory for which room is made once."""
    users = [use.operation for use in scratch.growable.uses]
    data = [op for op in users if isinstance(op, DataOp)]
    return data[0] if len(users) == 2 and len(data) == 1 and any(isinstance(op, ReserveOp) for op in users) else None


def _accumulate_always(scratch: ScratchOp, values: SSAValue) -> None:
    """Let all that is accumulated in a memory be added to its elements, if these are zero wherever nothing is
    stored."""
    users = [use.operation for use in values.uses]
    accumulations = [op for op in users if isinstance(op, AccumulateOp)]
    inserts = {op: op.present.owner for op in accumulations}
    sets = {insert.set for insert in inserts.values() if isinstance(insert, InsertOp)}
    emptied = _emptied_by(*sets) if len(sets) == 1 else None
    if emptied is None or not all(_is_insertion(insert, op) for op, insert in inserts.items()):
        return
    if not all(_is_zero(op) for op in accumulations) or any(map(emptied.loop.is_ancestor, accumulations)):
        return
    if not all(op in inserts or _reads_member(op, emptied) for op in users):
        return
    for op in accumulations:
        lower_accumulation(op, always=True)
    scratch.attributes[ZEROED] = UnitAttr()
    element = held_type(values)
    zero = ConstantOp.of(0, element)
    emptied.block.add_ops((zero, StoreOp.of(zero.result, values, emptied.member)))


def _is_insertion(insert: Operation | Block, op: AccumulateOp) -> bool:
    """Whether the index that is accumulated at is put into a set."""
    return isinstance(insert, InsertOp) and insert.member is op.index


def _is_zero(op: AccumulateOp) -> bool:
    """Whether combining with zero changes nothing."""
    identity = find_operator(op.operator, op).identity(element_name(op.value.type))
    return identity is not None and same_value(identity, 0)


class _Emptied(NamedTuple):
    """The loop that takes members out of a set, its body, and the member of an iteration."""

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
