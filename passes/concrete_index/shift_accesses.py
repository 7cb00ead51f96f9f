"""`shift-accesses`: loops iterate over lists whose coordinates are at a distance from their variable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, IfOp, LetOp
from irtensor.dialects.concrete_index.index_loops import binder_of
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import (
    create_block,
    create_operation,
    create_region,
    erase_operation,
)
from irtensor.passes.analysis.iteration_graph import can_locate, last_append_level, level_variables
from irtensor.passes.analysis.linear_forms import LinearForm, emit_linear_form, linear_form
from irtensor.passes.analysis.ranges import forall_of
from irtensor.passes.concrete_index.support.loop_ranges import known_range, set_range
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

_index = IndexType()


class _Line(NamedTuple):
    """A coordinate of a list, `factor * variable + distance`, that a `let` binds."""

    let: LetOp
    factor: int
    distance: LinearForm


class ShiftAccessesPass(TensorPass):
    """Let a loop iterate over a list at a distance from its variable, so that no coordinate is searched.

    Before: `forall %j { let %k = %j + 1 { access %A[%i, %k] ... access %x[%j] } }`, %A in rows
    After:  `forall %k from 1 to %n + 1 { let %j = %k - 1 { access %A[%i, %k] ... access %x[%j] } }`
    The distance is computed from integers and from variables of loops around. A multiple of the variable is reached
    with a step: `if (%k - 1) % 2 == 0 { let %j = (%k - 1) / 2 { ... } }`. Only where no list has the variable itself:
    dense levels are located at the distance instead. The innermost level of a result may be appended to
    in its order, which is that of %k.
    """

    name = "shift-accesses"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "choose-loop-order": "the order says which variables the distance may depend on",
        "conditions-to-ranges": "ranges are shifted with the loops",
        "hoist-coordinates": "what the distance is computed from stands outside of the loop",
    }
    before = {"concordize": "coordinates are bound again for the levels of each access"}

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForallOp):
            if _reads_along_list(loop.variable) or _appends_below(loop.variable):
                continue
            if (line := _let_along_list(loop)) is not None:
                _shift(loop, line)


def _reads_along_list(variable: SSAValue) -> bool:
    """Whether a variable indexes a level that is read and not located, by itself."""
    return any(
        not can_locate(format_of(access.tensor.type), level)
        for access in _users(variable)
        if isinstance(access, AccessOp)
        for level, index in enumerate(level_variables(access))
        if index is variable
    )


def _appends_below(variable: SSAValue) -> bool:
    """Whether a result is appended to in levels below that of a variable: their order is that of loops by name."""
    for access in _users(variable):
        if isinstance(access, AssignOp) and last_append_level(format_of(access.tensor.type)) is not None:
            if list(level_variables(access))[-1] is not variable:
                return True
    return False


def _is_walked(variable: SSAValue, loop: ForallOp) -> bool:
    """Whether the levels above a list are bound outside of a loop, so that it iterates over the list."""
    for access in _users(variable):
        variables = list(level_variables(access))
        if isinstance(access, AccessOp) and variable in variables:
            above = variables[: variables.index(variable)]
            if any((binder := binder_of(one)) is None or not binder.is_ancestor(loop) for one in above):
                return False
    return True


def _users(variable: SSAValue) -> Iterator[AccessOp | AssignOp]:
    for use in variable.uses:
        if isinstance(use.operation, AccessOp | AssignOp):
            yield use.operation


def _let_along_list(loop: ForallOp) -> _Line | None:
    """A coordinate of a list that grows with a loop's variable.

    None if there are several: only one of them can lead the loop.
    """
    found: _Line | None = None
    for let in operations_in(loop, LetOp):
        if not _reads_along_list(let.variable):
            continue
        form = linear_form(let.coordinate)
        if form is None or loop.variable not in form.factors:
            continue
        distance, factor = form.without(loop.variable), form.factors[loop.variable]
        if factor < 1 or found is not None or not _is_outside(distance, loop):
            return None
        if factor > 1 and not _is_walked(let.variable, loop):
            return None
        found = _Line(let, factor, distance)
    return found


def _is_outside(form: LinearForm, loop: ForallOp) -> bool:
    """Whether all that a form is computed from stands outside of a loop."""
    for value in form.factors:
        around = value.owner.parent_op() if isinstance(value.owner, Operation) else forall_of(value)
        if around is None or around is loop or not around.is_ancestor(loop):
            return False
    return True


def _shift(loop: ForallOp, line: _Line) -> None:
    """Let a loop be over the coordinate of a `let`, and its variable be bound inside."""
    if (known := known_range(loop)) is None:
        return
    lo, hi = known
    computed = Block()
    emit = Emitter(computed)
    amount = emit_linear_form(line.distance, emit)
    if line.factor == 1:
        lo, hi = emit.add(lo, amount), emit.add(hi, amount)
    else:
        factor = emit.index(line.factor)
        lo, hi = emit.add(emit.mul(lo, factor), amount), emit.add(emit.mul(hi, factor), amount)
    shifted = set_range(loop, lo, hi, computed, amount)[0]
    _bind_behind(loop, line, shifted)


def _bind_behind(loop: ForallOp, line: _Line, amount: SSAValue) -> None:
    let, body, old = line.let, loop.body.block, loop.variable
    inner = create_block((_index,), (old.name_hint,))
    old.replace_all_uses_with(inner.args[0])
    Emitter(inner).take(operations_of(body))
    let.variable.replace_all_uses_with(old)
    old.name_hint = let.variable.name_hint or old.name_hint
    emit = Emitter(body)
    coordinate = emit.sub(old, amount)
    if line.factor > 1:
        factor = emit.index(line.factor)
        left = emit.insert(arith.RemSIOp(coordinate, factor)).result
        meets = emit.compare("eq", left, emit.index(0))
        reached = create_block(())
        emit.insert(create_operation(IfOp, (meets,), regions=[create_region(reached)]))
        emit = Emitter(reached)
        coordinate = emit.divide(coordinate, factor)
    emit.insert(LetOp.of(coordinate, create_region(inner)))
    computed = let.coordinate.owner
    move_before(let.body.block, let)
    erase_operation(let)
    if isinstance(computed, Operation) and not any(result.uses for result in computed.results):
        erase_operation(computed)
