"""Seeking: cursors that stand before a range move to the first chunk that ends behind its start.

A loop over a list begins at its cursor. So the cursor has to be there when a loop begins later than the list does, or
when a loop before it has passed over the list.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    JumperOp,
    SequenceOp,
    StepperOp,
    SwitchOp,
)
from irtensor.dialects.loop.loop import IfOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.iteration_lattice.support.coiteration import inline_region
from irtensor.passes.iteration_lattice.support.gallop_loop import first_position
from irtensor.passes.iteration_lattice.support.list_order import check_order
from irtensor.passes.support.emit import Emitter


def is_entered(op: CoiterateOp) -> bool:
    """Whether all cursors of a loop are known to stand at the first chunk that ends behind the start of its range."""
    return op.entered is not None or constant_index(op.lo) == 0


def seek_all(op: CoiterateOp, emit: Emitter) -> None:
    """Move the cursors of a loop's lists to the start of its range, unless they are known to be there."""
    if not is_entered(op):
        for nest in op.nests:
            seek(nest, op.lo, emit)


def seek(nest: SSAValue, lo: SSAValue, emit: Emitter) -> None:
    """Move the cursors of the lists that a nest begins with to the first chunk that ends behind a coordinate.

    That takes time of the logarithm of the distance. Raises UserError [unordered-merge] for chunks in no order.
    """
    for stepper in _first_lists(nest):
        _move(stepper, stepper.cursor, lo, emit)


def position_behind(stepper: StepperOp, hi: SSAValue, emit: Emitter) -> SSAValue:
    """The position of the first chunk, from the cursor on, that ends behind a coordinate; found as `seek` finds it."""
    position = emit.cell(emit.get(stepper.cursor))
    _move(stepper, position, hi, emit)
    return emit.get(position)


def _first_lists(nest: SSAValue) -> Iterator[StepperOp | JumperOp]:
    owner = nest.owner
    if isinstance(owner, StepperOp | JumperOp):
        yield owner
    elif isinstance(owner, SequenceOp):
        yield from _first_lists(owner.nests[0])
    elif isinstance(owner, SwitchOp):
        yield from _first_lists(owner.positive)
        yield from _first_lists(owner.negative)


def has_lists(nest: SSAValue) -> bool:
    """Whether a nest is a list, or has one in any of its phases or sides."""
    owner = nest.owner
    if isinstance(owner, SequenceOp):
        return any(map(has_lists, owner.nests))
    if isinstance(owner, SwitchOp):
        return has_lists(owner.positive) or has_lists(owner.negative)
    return isinstance(owner, StepperOp | JumperOp)


def _move(stepper: StepperOp | JumperOp, cell: SSAValue, coordinate: SSAValue, emit: Emitter) -> None:
    """Move a position in a list to the first chunk from it on that ends behind a coordinate."""
    check_order(stepper)

    def is_before(position: SSAValue, inner: Emitter) -> SSAValue:
        (end,) = inline_region(stepper.load, (position,), inner)
        return inner.compare("sle", end, coordinate)

    begin = emit.get(cell)
    some = emit.insert(IfOp.of(emit.compare("slt", begin, stepper.end)))
    inner = Emitter(some.then.block)
    behind = inner.insert(IfOp.of(is_before(begin, inner)))
    inner = Emitter(behind.then.block)
    inner.set(first_position(begin, stepper.end, is_before, inner), cell)
