"""`hoist-coordinates`: coordinates are computed outside of the loops that they do not depend on."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, ForallOp, LetOp
from irtensor.dialects.concrete_index.index_ranges import ExtentOp
from irtensor.dialects.support.create_operation import detach_operation, insert_operation
from irtensor.passes.analysis.iteration_graph import level_variables
from irtensor.passes.analysis.ranges import sources
from irtensor.passes.concrete_index.support.recorded_steps import recorded_steps
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class HoistCoordinatesPass(TensorPass):
    """Bind a computed coordinate outside of the loops that it does not depend on: the levels below it are traversed.

    Before: `forall %i { forall %j { let %k = %at(%i) { access %A[%k, %j] ... } } }`, %A in rows
    After:  `forall %i { let %k = %at(%i) { forall %j { access %A[%k, %j] ... } } }`
    Inside of the loop over %j, row %k would be searched for each %j. A coordinate that is read from an operand is
    hoisted, too; a loop that a schedule has arranged stays as it is.
    """

    name = "hoist-coordinates"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "choose-loop-order": "the order says which loops are innermost",
        "conditions-to-ranges": "a condition around a coordinate may be a range of its loop",
    }
    before = {"concordize": "coordinates are bound again for the levels of each access"}

    def on_function(self, function: FuncOp) -> None:
        given = set[SSAValue](function.body.block.args)
        for let in operations_in(function, LetOp):
            while (loop := _left_loop(let, given)) is not None and _is_above(let, loop):
                _hoist(let, loop)
            _hoist_parts(let, given)


def _is_above(let: LetOp, loop: ForallOp) -> bool:
    """Whether a loop is over a level of an operand below the one at the coordinate."""
    for use in let.variable.uses:
        if isinstance(use.operation, AccessOp):
            variables = list(level_variables(use.operation))
            if loop.variable in variables[variables.index(let.variable) + 1 :]:
                return True
    return False


def _left_loop(let: LetOp, given: set[SSAValue]) -> ForallOp | None:
    """The loop right around a `let` whose variable its coordinate does not depend on; None if it does, or if there is
    more in the loop."""
    body = let.parent
    loop = None if body is None else body.parent_op()
    if body is None or not isinstance(loop, ForallOp) or body.last_op is not let or recorded_steps(loop):
        return None
    before = operations_of(body)[:-1]
    if loop.variable in sources(let.coordinate) or any(op.regions for op in before):
        return None
    return loop if all(_may_move(op, given) for op in _computing(let, body)) else None


def _hoist_parts(let: LetOp, given: set[SSAValue]) -> None:
    """Move the reads that a coordinate is computed by, and what follows from them, out of loops around them."""
    body = let.parent
    while body is not None and isinstance(loop := body.parent_op(), ForallOp) and not recorded_steps(loop):
        computing = _computing(let, body)
        if not any(isinstance(op, AccessOp) for op in computing):
            return
        moved = [
            op
            for op in computing
            if _may_move(op, given) and not any(loop.variable in sources(operand) for operand in op.operands)
        ]
        for op in moved:
            detach_operation(op)
            insert_operation(op, loop)
        body = loop.parent


def _computing(let: LetOp, body: Block) -> list[Operation]:
    """The operations of a block that a coordinate is computed by, in their order."""
    needed = {let.coordinate.owner}
    found: list[Operation] = []
    for op in reversed(operations_of(body)):
        if op in needed:
            found.append(op)
            needed.update(operand.owner for operand in op.operands)
    return found[::-1]


def _may_move(op: Operation, given: set[SSAValue]) -> bool:
    """Whether an operation has the same value outside of a loop: a temporary may change in there."""
    if isinstance(op, AccessOp):
        return op.tensor in given
    return isinstance(op, ExtentOp) or op.name.startswith(("arith.", "algebra."))


def _hoist(let: LetOp, loop: ForallOp) -> None:
    body = loop.body.block
    moved = Block()
    emit = Emitter(moved)
    for op in _computing(let, body):
        detach_operation(op)
        emit.insert(op)
    detach_operation(let)
    emit.insert(let)
    inside = operations_of(let.body.block)
    Emitter(body).take(inside)
    move_before(moved, loop)
    detach_operation(loop)
    Emitter(let.body.block).insert(loop)
