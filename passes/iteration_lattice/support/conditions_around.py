"""Which conditions are known to hold at an operation: those of the branches and of the merges' cases around it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from xdsl.dialects.arith import AndIOp, OrIOp
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.iteration_lattice.iteration_lattice import IfOp, MergeOp

# Sets of conditions: all of one of them hold.
_Alternatives = list[frozenset[SSAValue]]
# How many sets one condition may be the disjunction of before it is taken as it is.
_MOST_ALTERNATIVES = 16


def always_holds(op: Operation, holds: Callable[[Collection[SSAValue]], bool]) -> bool:
    """Whether something that follows from conditions, as `holds` says, follows from those that are known at `op`."""
    found = list(_alternatives_around(op))
    certain = frozenset[SSAValue]().union(*(one[0] for one in found if len(one) == 1))
    if holds(certain):
        return True
    return any(all(holds(certain | some) for some in one) for one in found if len(one) > 1)


def _alternatives_around(op: Operation) -> Iterator[_Alternatives]:
    region = op.parent_region()
    while region is not None and (around := region.parent_op()) is not None:
        if isinstance(around, IfOp) and region is around.then:
            yield _alternatives_of(around.condition)
        elif isinstance(around, MergeOp) and around.selects and region in around.bodies:
            aligned = region.block.args[2 + 2 * len(around.cursors) :]
            yield [frozenset(aligned[k] for k in case) for case in around.case_sets()]
        region = around.parent_region()


def _alternatives_of(condition: SSAValue) -> _Alternatives:
    """A condition as alternatives: all conditions of one of these sets hold. Each set has the condition itself, too."""
    owner, found = condition.owner, [frozenset[SSAValue]()]
    match owner:
        case AndIOp() | ApplyOp(operator=StringAttr("and")):
            left, right = map(_alternatives_of, owner.operands)
            found = [a | b for a in left for b in right]
        case OrIOp() | ApplyOp(operator=StringAttr("or")):
            found = [some for operand in owner.operands for some in _alternatives_of(operand)]
        case _:
            pass
    if len(found) > _MOST_ALTERNATIVES:
        found = [frozenset()]
    return [some | {condition} for some in found]
