"""What an iteration of a parallel loop does before its main loop, once: LLVM need spend no time on it.

That is to find where a part begins and ends, for the most part, which is as much code as many loops over a part are:
searches, or divisions: LLVM turns each division into a branch between a long one and a short one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.arith import DivSIOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import MemoryAllocEffect

from irtensor.dialects.loop.loop import SEARCH, CellOp, DataOp, ForOp, GetOp, ReserveOp, SetOp, WhileOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.support.operations_in import operations_of

# The operations on memory of an iteration's own that may be done after others on other memory.
_ON_ITS_OWN = (GetOp, SetOp, ReserveOp, DataOp)
# Loops of so many iterations are over in no time.
_FEW = 4


class Iteration(NamedTuple):
    """The operations of an iteration, in two functions: those that prepare it, and the rest."""

    preparation: list[Operation]
    rest: list[Operation]


def split_iteration(body: Block) -> Iteration:
    """What of an iteration is before its main loop, and needs nothing that LLVM keeps in registers for that."""
    operations = operations_of(body)
    main = next((n for n, op in enumerate(operations) if op.regions and not _is_brief(op)), len(operations))
    before = operations[:main]
    if not any(op.regions or isinstance(op, DivSIOp) for op in before):
        return Iteration([], operations)
    late = _late(before, set(before))
    if late is None:
        return Iteration([], operations)
    return Iteration(
        [op for op in before if op not in late], [op for op in operations if op in late or op not in before]
    )


def _is_brief(op: Operation) -> bool:
    """Whether a loop searches, or has few iterations that do no more than that."""
    if isinstance(op, ForOp):
        lower, upper = constant_index(op.lower), constant_index(op.upper)
        if lower is None or upper is None or upper - lower > _FEW:
            return False
    elif not (isinstance(op, WhileOp) and SEARCH in op.attributes):
        return False
    return all(_is_brief(inner) for region in op.regions for inner in region.block.ops if inner.regions)


def _late(before: Sequence[Operation], inside: set[Operation]) -> set[Operation] | None:
    """The operations that make memory which the main loop uses as well, and those that use it; None if not only they.

    A cell is in a register where only one function knows it.
    """
    late: set[Operation] = set()
    owned: set[SSAValue] = set()
    for op in before:
        if op.has_trait(MemoryAllocEffect) and (not isinstance(op, CellOp) or _is_used_later(op, inside)):
            late.add(op)
            owned.update(op.results)
        elif _uses(op, owned):
            if not isinstance(op, _ON_ITS_OWN):
                return None
            late.add(op)
            owned.update(op.results)
    return late


def _is_used_later(op: Operation, before: set[Operation]) -> bool:
    block = op.parent
    for use in op.results[0].uses:
        user: Operation | None = use.operation
        while user is not None and user.parent is not block:
            user = user.parent_op()
        if user not in before:
            return True
    return False


def _uses(op: Operation, values: set[SSAValue]) -> bool:
    return any(operand in values for inner in op.walk() for operand in inner.operands)
