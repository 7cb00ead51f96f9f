"""`concordize`: make every access traverse its levels in storage order (Ahrens 2024, section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, LetOp
from irtensor.dialects.concrete_index.index_ranges import EntryCountOp, EntryNumberOp, EntryOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.iteration_graph import can_locate, level_variables
from irtensor.passes.analysis.ranges import computes_range, needed_by, sources
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import everything_in, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class ConcordizePass(TensorPass):
    """Rebind, inside the loop of the level above, a variable that is bound too early for its level.

    Before: `forall %j { forall %k { access %D[%k, %j] } }` with %D stored by %k, then %j
    After:  `forall %j { forall %k { let %j2 = %j { access %D[%k, %j2] } } }`
    A dense level is then located, a sparse one searched. An operation that counts entries below indices traverses the
    levels above. A coordinate that is computed from loops is bound outside of one that it is not computed from, and
    whose loop iterates over a list below it:
    Before: `forall %ko { forall %ki { forall %j { let %k = %ko * 2 + %ki { access %B[%k, %j] } } } }`, %B in rows
    After:  `forall %ko { forall %ki { let %k = %ko * 2 + %ki { forall %j { access %B[%k, %j] } } } }`
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
        changed = True
        while changed:  # A variable bound further outside for one access may be too early for another.
            accesses = operations_in(op, AccessOp, AssignOp, EntryOp, EntryCountOp, EntryNumberOp)
            changed = any([_rebind_early_levels(access) for access in accesses])


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


def _rebind_early_levels(access: _Traversal) -> bool:
    changed = False
    while _rebind_first_early_level(access):
        changed = True
    return changed


def _rebind_first_early_level(access: _Traversal) -> bool:
    binders = _binders(access)
    depth = {binder.variable: number for number, binder in enumerate(binders)}
    above = deepest = -1
    for level, (operand, variable) in enumerate(_indices(access)):
        if depth[variable] > deepest:
            above, deepest = deepest, depth[variable]
            continue
        binder, early = binders[deepest], binders[depth[variable]]
        if depth[variable] < above or not _is_listed(access, level) or not _bind_outside(binder, early):
            access.operands[operand] = _rebound(binder, variable)
        return True
    return False


def _is_listed(access: _Traversal, level: int) -> bool:
    """Whether what an access has below the levels above is a list, along which a loop goes."""
    return isinstance(access, AccessOp) and not can_locate(format_of(access.tensor.type), level)


def _bind_outside(let: ForallOp | LetOp, loop: ForallOp | LetOp) -> bool:
    """Bind a coordinate that is computed from other loops outside of a loop; says whether that could be done."""
    if not isinstance(let, LetOp) or not isinstance(loop, ForallOp) or loop.variable in sources(let.coordinate):
        return False
    around, block = loop.parent, let.parent
    assert around is not None and block is not None
    needed = list(needed_by([let.coordinate], [op for op in everything_in(loop.body.block) if computes_range(op)]))
    read = [let.coordinate, *(operand for op in needed for operand in op.operands)]
    if any(is_inside(value, loop) for value in read if value.owner not in needed):
        return False
    for op in needed:
        op.detach()
        around.insert_op_before(op, loop)
    move_before(let.body.block, let)
    let.detach()
    around.insert_op_before(let, loop)
    loop.detach()
    let.body.block.add_op(loop)
    return True


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
    while isinstance(inner, LetOp) and inner.next_op is None:
        if inner.coordinate is variable:
            return inner.variable
        inner = inner.body.block.first_op
    block = create_block((IndexType(),), (variable.name_hint,))
    Emitter(block).take(operations_of(body))
    body.add_op(LetOp.of(variable, create_region(block)))
    return block.args[0]
