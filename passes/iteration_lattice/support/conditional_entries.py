"""The remaining questions at run time which entries are stored, once all loops are known.

A body that serves several sets of entries asks which of them it has, as it asks for located entries.
"""

from __future__ import annotations

from functools import reduce

from xdsl.dialects.builtin import StringAttr, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.diagnostics import UserError
from irtensor.core.operators import Scalar, convert, stays_true
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, find_operator, operator_of
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.iteration_lattice.iteration_lattice import IfOp, PlaceOp, UpdateOp
from irtensor.dialects.storage.storage import FiberType, format_of
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.dialects.support.expect import expect
from irtensor.passes.iteration_lattice.support.annihilation import Annihilation, annihilate_selected
from irtensor.passes.iteration_lattice.support.known_values import conditions_of_entry
from irtensor.passes.iteration_lattice.support.updates import update_is_void
from irtensor.passes.support.insertion import Insertion
from irtensor.passes.support.operations_in import operations_in


def decide_entries(function: FuncOp) -> None:
    """Say which entries are there that operands of outer loops decide about, and store none that is not there."""
    _decide_stored(function)
    selected = annihilate_selected(function.body.block)
    _store_entries_alone(function, selected)


def _decide_stored(function: FuncOp) -> None:
    """Say of each payload whether it is an entry: all are by now, but those that a condition has selected."""
    for op in operations_in(function, ApplyOp):
        if asks_if_stored(op):
            emit = Insertion(op)
            conditions = conditions_of_entry(op.arguments[0])
            stored = reduce(lambda a, b: emit.apply("and", (a, b), i1), conditions) if conditions else None
            op.result.replace_all_uses_with(stored or emit.constant(True, i1))
            Rewriter.erase_op(op)


def _store_entries_alone(function: FuncOp, selected: Annihilation | None) -> None:
    """Let a value that is stored only if there is an entry be stored under that condition, where entries are told
    apart. A pattern has entries where its value is true."""
    for op in operations_in(function, UpdateOp):
        if not isinstance(op.target.type, FiberType) or format_of(op.target.type.tensor).is_dense:
            continue
        if format_of(op.target.type.tensor).is_pattern:
            _check_stays_true(op, function)
            if not (isinstance(op.value.owner, ConstantOp) and op.value.owner.scalar is True):
                _store_if(op.value, _around_entry(op))
            continue
        choice = _choice(op.value)
        if choice is not None:
            if update_is_void(op, choice[1]):
                _store_if(choice[0], op)
        elif selected is not None:
            absent = selected.absent_value(op.value)
            if absent is not None and update_is_void(op, absent) and not selected.is_entry_at(op, op.value):
                _store_if(selected.emit_presence(op.value, Insertion(op)), op)


def _check_stays_true(op: UpdateOp, function: FuncOp) -> None:
    """Raise UserError for an operator that may make an entry of a pattern false again."""
    if op.operator is not None and not stays_true(find_operator(op.operator, function)):
        name = op.operator.data if isinstance(op.operator, StringAttr) else str(op.operator)
        message = f"'{name}' combines elements of a result that has no values (leaf = pattern), and may make one false"
        help = "compute it in a format with values, and convert that, or combine elements by 'or'"
        raise UserError("unsupported-result", message, op=op, help=help)


def _around_entry(op: UpdateOp) -> UpdateOp | PlaceOp:
    """What has to be done under a condition, so that an entry is stored or not: where nothing else is done with the
    entry, its `place`. The operations inside of that, which compute the value, go before it."""
    place = op.parent_op()
    if not isinstance(place, PlaceOp) or len(list(place.body.block.args[0].uses)) != 1 or op.next_op is not None:
        return op
    for other in list(place.body.block.ops):
        if other is not op:
            other.detach()
            assert place.parent is not None
            place.parent.insert_op_before(other, place)
    return place


def _store_if(condition: SSAValue, op: UpdateOp | PlaceOp) -> None:
    assert op.parent is not None
    then = create_block()
    op.parent.insert_op_before(IfOp.of(condition, create_region(then), create_region(create_block())), op)
    op.detach()
    then.add_op(op)


def _choice(value: SSAValue) -> tuple[SSAValue, Scalar] | None:
    """The condition under which a value is an entry, and the constant that it is otherwise."""
    op = value.owner
    if isinstance(op, CastOp):
        choice = _choice(op.operand)
        return None if choice is None else (choice[0], convert(choice[1], element_name(value.type)))
    if not isinstance(op, ApplyOp):
        return None
    if op.entry is not None:
        condition, _, rest = op.arguments
        if isinstance(condition.owner, ConstantOp) or not isinstance(rest.owner, ConstantOp):
            return None
        return condition, rest.owner.scalar
    unknown = [argument for argument in op.arguments if not isinstance(argument.owner, ConstantOp)]
    choice = _choice(unknown[0]) if len(unknown) == 1 else None
    if choice is None:
        return None
    numbers = [choice[1] if one is unknown[0] else expect(one.owner, ConstantOp).scalar for one in op.arguments]
    result = operator_of(op).value_of(numbers, [element_name(argument.type) for argument in op.arguments])
    return None if result is None else (choice[0], result)
