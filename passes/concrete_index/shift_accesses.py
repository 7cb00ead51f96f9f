"""`shift-accesses`: loops iterate over lists whose coordinates are at a distance from their variable."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, LetOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import create_block, create_region, erase_operation
from irtensor.passes.analysis.iteration_graph import can_locate, level_variables
from irtensor.passes.analysis.linear_forms import LinearForm, emit_linear_form, linear_form
from irtensor.passes.analysis.ranges import forall_of
from irtensor.passes.concrete_index.support.loop_ranges import known_range, set_range
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

_index = IndexType()


class ShiftAccessesPass(TensorPass):
    """Let a loop iterate over a list at a distance from its variable, so that no coordinate is searched.

    Before: `forall %j { let %k = %j + 1 { access %A[%i, %k] ... access %x[%j] } }`, %A in rows
    After:  `forall %k from 1 to %n + 1 { let %j = %k - 1 { access %A[%i, %k] ... access %x[%j] } }`
    The distance is computed from integers and from variables of loops around. Only where no list has the
    variable itself, and no result is appended to in its order: dense levels are located at the distance instead.
    """

    name = "shift-accesses"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "choose-loop-order": "the order says which variables the distance may depend on",
        "conditions-to-ranges": "ranges are shifted with the loops",
    }
    before = {"concordize": "coordinates are bound again for the levels of each access"}

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForallOp):
            if not _goes_along_list(loop.variable) and (found := _let_along_list(loop)) is not None:
                _shift(loop, *found)


def _goes_along_list(variable: SSAValue) -> bool:
    """Whether a variable indexes a level that is not located, by itself."""
    return any(
        not can_locate(format_of(access.tensor.type), level)
        for access in _users(variable)
        for level, index in enumerate(level_variables(access))
        if index is variable
    )


def _users(variable: SSAValue) -> Iterator[AccessOp | AssignOp]:
    for use in variable.uses:
        if isinstance(use.operation, AccessOp | AssignOp):
            yield use.operation


def _let_along_list(loop: ForallOp) -> tuple[LetOp, LinearForm] | None:
    """A coordinate of a list at a distance from a loop's variable, and the distance.

    None if several lists are at different distances: only one of them can lead the loop.
    """
    found: tuple[LetOp, LinearForm] | None = None
    for let in operations_in(loop, LetOp):
        if not _goes_along_list(let.variable):
            continue
        form = linear_form(let.coordinate)
        if form is None or loop.variable not in form.factors:
            continue
        distance = form.without(loop.variable)
        if form.factors[loop.variable] != 1 or found is not None or not _is_outside(distance, loop):
            return None
        found = let, distance
    return found


def _is_outside(form: LinearForm, loop: ForallOp) -> bool:
    """Whether the variables of a form are those of loops around another."""
    loops = [forall_of(variable) for variable in form.factors]
    return all(around is not None and around is not loop and around.is_ancestor(loop) for around in loops)


def _shift(loop: ForallOp, let: LetOp, distance: LinearForm) -> None:
    """Let a loop be over the coordinate of a `let`, and its variable be bound inside."""
    if (known := known_range(loop)) is None:
        return
    lo, hi = known
    computed = Block()
    emit = Emitter(computed)
    amount = emit_linear_form(distance, emit)
    lo, hi = emit.add(lo, amount), emit.add(hi, amount)
    shifted = set_range(loop, lo, hi, computed, amount)[0]
    _bind_behind(loop, let, shifted)


def _bind_behind(loop: ForallOp, let: LetOp, amount: SSAValue) -> None:
    body, old = loop.body.block, loop.variable
    inner = create_block((_index,), (old.name_hint,))
    old.replace_all_uses_with(inner.args[0])
    Emitter(inner).take(operations_of(body))
    let.variable.replace_all_uses_with(old)
    old.name_hint = let.variable.name_hint or old.name_hint
    emit = Emitter(body)
    emit.insert(LetOp.of(emit.sub(old, amount), create_region(inner)))
    coordinate = let.coordinate.owner
    move_before(let.body.block, let)
    erase_operation(let)
    if isinstance(coordinate, Operation) and not any(result.uses for result in coordinate.results):
        erase_operation(coordinate)
