"""`conditions-to-ranges`: loops over the coordinates at which a condition on their variable holds."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.concrete_index.concrete_index import AssignOp, ForallOp, IfOp, LetOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.analysis.linear_forms import LinearForm, emit_linear_form, linear_form
from irtensor.passes.concrete_index.support.loop_ranges import known_range, set_range
from irtensor.passes.concrete_index.support.sieves import conditions_of, set_conditions
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass

# Comparisons `a ? b` as forms that are at most 0: the factor of a - b, and a number to add.
_AT_MOST_ZERO = {"le": [(1, 0)], "lt": [(1, 1)], "ge": [(-1, 0)], "gt": [(-1, 1)], "eq": [(1, 0), (-1, 0)]}


class ConditionsToRangesPass(TensorPass):
    """Let a loop go over the coordinates at which a condition on its variable holds, and compare nothing inside.

    Before: `forall %i { forall %j { if %i <= %j { assign add %A[%i, %j] into %s[] } } }`
    After:  `forall %i { forall %j from %i to %n { assign add %A[%i, %j] into %s[] } }`
    The condition compares sums of variables and integers, in which the innermost variable stands once. Of several that
    all have to hold, each is taken by itself. Others stay where they are: those that read tensors, `!=`, remainders.
    Only where the loop does nothing but what the condition allows, and had no range before.
    """

    name = "conditions-to-ranges"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {"choose-loop-order": "the order says which of the variables is innermost"}

    def on_function(self, function: FuncOp) -> None:
        for sieve in operations_in(function, IfOp):
            if sieve.parent is not None:
                _narrow(sieve)


class _Limit(NamedTuple):
    """A condition on a loop: that a form is at most 0, in which its variable has the factor 1 or -1."""

    loop: ForallOp
    form: LinearForm


def _narrow(sieve: IfOp) -> None:
    # Several may be of one loop, which has a range after the first.
    found = [(condition, _limits(condition, sieve)) for condition in conditions_of(sieve.condition)]
    left = [condition for condition, limits in found if not (limits and all([_limit(one) for one in limits]))]
    if len(left) == len(found):
        return
    set_conditions(sieve, left)


def _limits(condition: SSAValue, sieve: IfOp) -> list[_Limit]:
    """What a comparison says of the innermost loop that it depends on; nothing if that is not to be said by a range."""
    op = condition.owner
    if not isinstance(op, ApplyOp) or not isinstance(op.operator, StringAttr) or op.operator.data not in _AT_MOST_ZERO:
        return []
    left, right = (linear_form(argument) for argument in op.arguments)
    difference = None if left is None or right is None else left.plus(right, -1)
    # An element of a tensor may be negative, and stands inside of the loop.
    if difference is None or not all(isinstance(value.owner, Block) for value in difference.factors):
        return []
    loop = _innermost(difference, sieve)
    if loop is None or loop.bounds or abs(difference.factors[loop.variable]) != 1:
        return []
    forms = [LinearForm({}, added).plus(difference, factor) for factor, added in _AT_MOST_ZERO[op.operator.data]]
    return [_Limit(loop, form) for form in forms if form is not None]


def _innermost(form: LinearForm, sieve: IfOp) -> ForallOp | None:
    """The first loop around a condition whose variable a form has, if all loops up to it do nothing else."""
    inner: Operation = sieve
    while (block := inner.parent) is not None:
        if any(op.regions or isinstance(op, AssignOp) for op in block.ops if op is not inner):
            return None
        around = block.parent_op()
        if isinstance(around, ForallOp) and around.variable in form.factors:
            return around
        if not isinstance(around, ForallOp | LetOp | IfOp):
            return None
        inner = around
    return None


def _limit(limit: _Limit) -> bool:
    """Let a loop begin or end where a condition does; says whether that could be done."""
    loop, form = limit
    if (known := known_range(loop)) is None:
        return False
    lo, hi = known
    computed = Block()
    emit = Emitter(computed)
    rest = form.without(loop.variable)
    if form.factors[loop.variable] > 0:
        # v + rest <= 0: it ends behind -rest.
        end = LinearForm({}, 1).plus(rest, -1)
        assert end is not None
        hi = emit.min(hi, emit_linear_form(end, emit))
    else:
        # -v + rest <= 0: it begins at the rest, which is a coordinate or behind the last one, or may be negative.
        begin = emit_linear_form(rest, emit)
        is_coordinate = rest.offset >= 0 and all(factor > 0 for factor in rest.factors.values())
        lo = begin if is_coordinate and constant_index(lo) == 0 else emit.max(lo, begin)
    set_range(loop, lo, hi, computed)
    return True
