"""What iterations of a loop share besides buffers: what each part of the loop can have for itself, and sums."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from irtensor.core.operators import Scalar
from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.algebra.order_of_sums import may_reassociate, rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.loop.loop import (
    CellOp,
    CellType,
    CounterOp,
    CounterType,
    DataOp,
    ForOp,
    GetOp,
    IndexMapOp,
    IndexMapType,
    IndexSetOp,
    IndexSetType,
    ReserveOp,
    ScratchOp,
    SetOp,
    SetSizeOp,
)
from irtensor.dialects.loop.loop_parallel import changed_by, used_from_outside
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.races import PARALLEL
from irtensor.passes.cleanup.remove_unread_memory import WRITES, memory_of
from irtensor.passes.loop.support.shared_between_iterations import Shared, appends, counts_on, left_behind
from irtensor.passes.support.operations_in import operations_in

_SETUP = (ScratchOp, IndexSetOp, IndexMapOp, ReserveOp, DataOp)
# What a function makes for itself.
_OWN = (CellType, CounterType, IndexSetType, IndexMapType)
# What sets and maps hold, for people.
_CONTENTS: dict[type[Operation], str] = {IndexSetOp: "integers into a set", IndexMapOp: "pairs into a map"}


class Reduction(NamedTuple):
    """A cell that every iteration combines with something."""

    cell: CellOp
    operator: Attribute
    identity: Scalar
    example: ApplyOp


@dataclass
class ParallelState:
    """What a loop uses of its function that is not a value or a buffer of the caller."""

    setup: list[Operation] = field(default_factory=list[Operation])
    """Operations before the loop that make the memory that every thread needs for itself, in order."""
    cells: list[CellOp] = field(default_factory=list[CellOp])
    """Cells that an iteration sets before it reads them."""
    reductions: list[Reduction] = field(default_factory=list[Reduction])


def state_of(loop: ForOp) -> ParallelState:
    """Take apart what a loop changes outside of itself; raises Shared where its iterations depend on each other."""
    state = ParallelState()
    roots: dict[Operation, None] = {}
    for value in used_from_outside(loop):
        owner = value.owner
        if isinstance(owner, CellOp):
            _classify_cell(owner, loop, state)
        elif isinstance(owner, CounterOp) or (isinstance(value, BlockArgument) and isinstance(value.type, _OWN)):
            _check_unchanged(value, loop)
        elif isinstance(owner, Operation) and (root := _root(owner)) is not None:
            roots[root] = None
    for inner in operations_in(loop.body, ReserveOp, SetSizeOp):
        if not is_inside(inner.operands[0], loop):
            if not isinstance(inner.operands[0].owner, ScratchOp):
                raise appends(inner.operands[0])
    for root in roots:
        _claim(root, loop, state)
    state.setup.sort(key=_position_in_block)
    return state


def _check_unchanged(value: SSAValue, loop: ForOp) -> None:
    """Raise Shared where a loop changes a counter, or an argument that a function only makes for itself."""
    if any(changed_by(op) is value for op in loop.body.walk()):
        if isinstance(value, BlockArgument):
            raise Shared(f"it changes argument '{value.name_hint or value.index}' in each iteration")
        raise counts_on(value)


def _position_in_block(op: Operation) -> int:
    assert op.parent is not None
    return next(number for number, other in enumerate(op.parent.ops) if other is op)


# Scratches, sets and maps.


def _root(op: Operation) -> Operation | None:
    """The operation that makes the memory that an operation gives."""
    if isinstance(op, ScratchOp | IndexSetOp | IndexMapOp):
        return op
    return _root_of_data(op) if isinstance(op, DataOp) else None


def _root_of_data(op: DataOp) -> Operation | None:
    owner = op.growable.owner
    return owner if isinstance(owner, ScratchOp) else None


def _claim(root: Operation, loop: ForOp, state: ParallelState) -> None:
    """Give each thread memory of its own, if the loops that use it do so in every iteration anew."""
    made = [root]
    outside: list[Operation] = []
    loops = {loop}
    for op in made:
        for result in op.results:
            for use in result.uses:
                user = use.operation
                if loop.is_ancestor(user):
                    continue
                if isinstance(user, _SETUP) and user.parent is root.parent:
                    if user not in made:
                        made.append(user)
                elif (other := _parallel_loop_around(user)) is None:
                    outside.append(user)
                else:
                    loops.add(other)
    if outside or (len(loops) > 1 and any(_begins_with_read(one, root) for one in loops)):
        # Made or read elsewhere: iterations share it, as they share a result.
        contents = _CONTENTS.get(type(root))
        if contents is not None and any(changed_by(op) is root.results[0] for op in loop.body.walk()):
            name = root.results[0].name_hint
            whose = f" of '{name}'" if name else ""
            raise Shared(f"it puts {contents}{whose} that is read outside of it")
        return
    state.setup += made


def _begins_with_read(loop: ForOp, root: Operation) -> bool:
    """Whether iterations read memory that another loop has written, and not what they wrote themselves."""
    (memory,) = root.results
    for op in loop.walk():
        used = [number for number, operand in enumerate(op.operands) if memory_of(operand) is memory]
        if used and not isinstance(op, DataOp):
            return not {*used} & {*WRITES.get(type(op), ())}
    return False


def _parallel_loop_around(op: Operation) -> ForOp | None:
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, ForOp) and PARALLEL in parent.attributes:
            return parent
        parent = parent.parent_op()
    return None


# Cells.


def _classify_cell(cell: CellOp, loop: ForOp, state: ParallelState) -> None:
    inside = [use.operation for use in cell.cell.uses if loop.is_ancestor(use.operation)]
    sets = [op for op in inside if isinstance(op, SetOp)]
    gets = [op for op in inside if isinstance(op, GetOp)]
    if not sets:
        return
    if all(is_set_before(get, sets, loop) for get in gets) and not _read_after(cell, loop):
        state.cells.append(cell)
        return
    reduction = reduction_of(cell, sets, gets)
    if reduction is None:
        raise left_behind(gets, sets)
    state.reductions.append(reduction)


def is_set_before(get: Operation, sets: list[SetOp], loop: ForOp) -> bool:
    """Whether a set stands before the read in its block, or in one around it, within the loop."""
    op: Operation = get
    while op is not loop:
        before = op.prev_op
        while before is not None:
            if before in sets:
                return True
            before = before.prev_op
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return False


def _read_after(cell: CellOp, loop: ForOp) -> bool:
    gets = (use.operation for use in cell.cell.uses if isinstance(use.operation, GetOp))
    return any(_parallel_loop_around(get) is None for get in gets)


def reduction_of(cell: CellOp, sets: list[SetOp], gets: list[GetOp]) -> Reduction | None:
    """The reduction that a cell is, if all that is done with it is to combine it with other values by one operator."""
    found: Reduction | None = None
    remaining = list(gets)
    for op in sets:
        combine = op.value.owner
        if not isinstance(combine, ApplyOp) or len(list(combine.result.uses)) != 1:
            return None
        read = next((get for get in remaining if get.value in combine.operands), None)
        if read is None or len(list(read.value.uses)) != 1:
            return None
        remaining.remove(read)
        made = _reduction_by(cell, combine)
        if made is None or (found is not None and made.operator != found.operator):
            return None
        found = made
    return None if remaining else found


def _reduction_by(cell: CellOp, combine: ApplyOp) -> Reduction | None:
    operator = combine.operator
    assert isinstance(operator, StringAttr | SymbolRefAttr)
    known = find_operator(operator, combine)
    element = element_name(combine.result.type)
    identity = known.identity(element)
    if rounds(known, element) and not may_reassociate(combine.fastmath):
        help = "let the operator be reassociated, as its fast-math flags say"
        raise Shared("it combines floating-point numbers in their order", help)
    # Parts are combined in their order, so the operator need not be commutative if the cell is its left operand.
    ordered = known.commutative or isinstance(combine.operands[0].owner, GetOp)
    if not ordered or identity is None:
        return None
    return Reduction(cell, operator, identity, combine)
