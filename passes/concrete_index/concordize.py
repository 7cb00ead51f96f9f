"""`concordize`: make every access traverse its levels in storage order (Ahrens 2024, section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index import AccessOp, AssignOp, ForallOp, LetOp
from irtensor.dialects.create_operation import create_block, create_region
from irtensor.dialects.index_ranges import EntryCountOp, EntryNumberOp, EntryOp
from irtensor.dialects.storage import format_of
from irtensor.passes.analysis.iteration_graph import level_variables
from irtensor.passes.operations_in import operations_in, operations_of
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class ConcordizePass(TensorPass):
    """Rebind, inside the loop of the level above, a variable that is bound too early for its level.

    Before: `forall %j { forall %k { access %D[%k, %j] } }` with %D stored by %k, then %j
    After:  `forall %j { forall %k { let %j2 = %j { access %D[%k, %j2] } } }`
    A dense level is then located, a sparse one searched. What counts entries below indices traverses the levels above.
    """

    name = "concordize"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "choose-loop-order": "accesses are fixed to the order of the loops",
        "scalarize-reductions": "accesses are fixed to the loops around them, which a temporary changes",
        "look-up-repeated-fibers": "accesses are fixed to the loops around them, which a workspace changes",
    }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for access in operations_in(op, AccessOp, AssignOp, EntryOp, EntryCountOp, EntryNumberOp):
            while _rebind_first_early_level(access):
                pass


_Traversal = AccessOp | AssignOp | EntryOp | EntryCountOp | EntryNumberOp


def _binders(access: _Traversal) -> list[ForallOp | LetOp]:
    """The loops around an access, outermost first."""
    found: list[ForallOp | LetOp] = []
    parent = access.parent_op()
    while parent is not None:
        if isinstance(parent, ForallOp | LetOp):
            found.append(parent)
        parent = parent.parent_op()
    return found[::-1]


def _rebind_first_early_level(access: _Traversal) -> bool:
    binders = _binders(access)
    depth = {binder.variable: number for number, binder in enumerate(binders)}
    deepest = -1
    for operand, variable in _indices(access):
        if depth[variable] > deepest:
            deepest = depth[variable]
            continue
        access.operands[operand] = _rebound(binders[deepest], variable)
        return True
    return False


def _indices(access: _Traversal) -> Iterator[tuple[int, SSAValue]]:
    """For every level that is traversed, outermost first: the number of the operand that indexes it, and its value."""
    if isinstance(access, EntryOp | EntryCountOp):
        yield from enumerate(access.prefix, start=1)
        return
    if isinstance(access, EntryNumberOp):
        yield from enumerate(access.indices, start=1)
        return
    format = format_of(access.tensor.type)
    first = len(access.operands) - len(access.indices)
    for level, variable in enumerate(level_variables(access)):
        yield first + (level if format.is_blocked else format.dimension_order[level]), variable


def _rebound(binder: ForallOp | LetOp, variable: SSAValue) -> SSAValue:
    """The variable of a `let` equal to `variable` around everything in the binder's body."""
    body = binder.body.block
    inner = body.first_op
    while isinstance(inner, LetOp) and inner is inner.parent.last_op:  # pyright: ignore[reportOptionalMemberAccess]
        if inner.coordinate is variable:
            return inner.variable
        inner = inner.body.block.first_op
    block = create_block((IndexType(),))
    block.args[0].name_hint = variable.name_hint
    for op in operations_of(body):
        op.detach()
        block.add_op(op)
    body.add_op(LetOp.of(variable, create_region(block)))
    return block.args[0]
