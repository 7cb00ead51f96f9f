"""Finds the terms that loops combine with a cell or an element, as in sums and maxima."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from irtensor.core.operators import Operator
from irtensor.dialects.algebra.algebra import ApplyOp, operator_of
from irtensor.dialects.algebra.order_of_sums import may_reassociate, rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.loop.loop import AccumulateOp, ForOp, IfOp
from irtensor.dialects.loop.loop_memory import GetOp, LoadOp, SetOp, StoreOp
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.support.operations_in import operations_of


class Update(NamedTuple):
    """An operation that combines a cell or an element with the value `given`."""

    apply: ApplyOp | AccumulateOp
    operator: Operator
    given: SSAValue

    @property
    def read(self) -> Operation:
        """What reads the cell or element."""
        (own,) = (argument for argument in self.apply.operands if argument is not self.given)
        assert isinstance(own.owner, Operation)
        return own.owner


def is_foldable(update: Update) -> bool:
    """Whether a value that is combined several times may be combined at once; floats only as their flags say."""
    if not update.operator.associative:
        return False
    rounds_each = rounds(update.operator, element_name(update.given.type))
    return not rounds_each or may_reassociate(update.apply.fastmath)


def folded_updates(loop: ForOp) -> dict[SSAValue, Update]:
    """The updates that a body consists of, by the cells or the one array that they are of; none if it does more."""
    return _updates_of_cells(loop) or _updates_of_element(loop)


def _updates_of_cells(loop: ForOp) -> dict[SSAValue, Update]:
    """The updates of cells that a body consists of, beside the code that computes them; none if it does anything
    else."""
    found: dict[SSAValue, Update] = {}
    reads = Counter[SSAValue]()
    for op in loop.body.block.walk():
        if isinstance(op, SetOp):
            update = _cell_update(op)
            if update is None or op.cell in found:
                return {}
            found[op.cell] = update
        elif isinstance(op, GetOp):
            reads[op.cell] += 1
        elif not (is_pure(op) or isinstance(op, LoadOp) or (isinstance(op, IfOp) and op.otherwise.first_block is None)):
            return {}
    # A read elsewhere has another value in each iteration.
    return {} if any(reads[cell] != 1 for cell in found) else found


def _updates_of_element(loop: ForOp) -> dict[SSAValue, Update]:
    """The update of one element of a buffer that a body consists of, if it does."""
    ops = operations_of(loop.body.block)
    store = ops[-1] if len(ops) == 3 else None
    if not isinstance(store, StoreOp) or (update := _element_update(store)) is None:
        return {}
    return {} if any(is_inside(value, loop) for value in (update.given, store.index)) else {store.buffer: update}


def update_of(op: Operation) -> Update | None:
    """How an operation changes a cell or an element; None if it does not, or not by its own value."""
    match op:
        case SetOp():
            return _cell_update(op)
        case StoreOp():
            return _element_update(op)
        case _:
            return None


def _element_update(store: StoreOp) -> Update | None:
    """The term stored into an element, where the element is combined with it, the element on the left."""
    apply = store.value.owner
    if not isinstance(apply, ApplyOp) or len(apply.arguments) != 2 or not apply.result.has_one_use():
        return None
    left, right = apply.arguments
    load = left.owner
    if not isinstance(load, LoadOp) or not left.has_one_use() or load.parent is not store.parent:
        return None
    if load.buffer is not store.buffer or load.index is not store.index:
        return None
    return Update(apply, operator_of(apply), right)


def _cell_update(op: SetOp) -> Update | None:
    """What a cell is set to, where that is what it holds, combined with something else."""
    apply = op.value.owner
    if not isinstance(apply, ApplyOp) or len(apply.arguments) != 2 or apply.parent is not op.parent:
        return None
    left, right = apply.arguments
    for own, given in ((left, right), (right, left)):
        get = own.owner
        if isinstance(get, GetOp) and get.cell is op.cell and get.parent is op.parent:
            if own is given or not own.has_one_use() or not apply.result.has_one_use():
                return None
            return Update(apply, operator_of(apply), given)
    return None
