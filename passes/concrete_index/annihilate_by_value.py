"""`annihilate-by-value`: absent entries annihilate where only their value tells that they are absent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.operators import Scalar, convert, is_exact, is_integer, same_value
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, operator_of
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp
from irtensor.dialects.storage.storage import fill_of, format_of
from irtensor.passes.analysis.absence import ValuesWithoutEntries, is_temporary
from irtensor.passes.analysis.deciding_arguments import deciding_arguments
from irtensor.passes.analysis.literals import is_literal
from irtensor.passes.concrete_index.support.entries_by_value import store_entries_by_value
from irtensor.passes.support.insertion import Insertion
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class AnnihilateByValuePass(TensorPass):
    """Compare a factor with its fill where that alone says that it has no entry: in padded levels and temporaries.

    Before: `%p = algebra.apply mul(%a, %x)`, where `%a` is read from blocks with fill 0
    After:  `where(%a != 0, %p, 0)`; in sums, if `%x` is never absent, `mul(%a, where(%a != 0, %x, 0))`
    A tensor that records its entries gets none for a value that is absent so: `where(%a != 0, %p, 0) entry`.
    The rest of an operand that is stored in lists is told apart when loops over it are merged.
    """

    name = "annihilate-by-value"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "precompute": "expressions are recognised in the form in which they were written",
        "accumulate-wide-unions": "expressions are recognised in the form in which they were written",
        "look-up-repeated-fibers": "expressions are recognised in the form in which they were written",
    }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for assign in operations_in(op, AssignOp):
            store_entries_by_value(assign)
        for apply in operations_in(op, ApplyOp):
            _ask_values(apply)
        guard = _Guard()
        for apply in operations_in(op, ApplyOp):
            guard.apply(apply)


def _ask_values(op: ApplyOp) -> None:
    """Compare a queried entry with the fill value, in a tensor that stores that value, too."""
    if not asks_if_stored(op) or not isinstance(access := op.arguments[0].owner, AccessOp):
        return
    if is_temporary(access.tensor) or not format_of(access.tensor.type).stores_absent:
        return
    differs = _differs(access.result, fill_of(access.tensor.type), Insertion(op))
    op.result.replace_all_uses_with(differs)
    Rewriter.erase_op(op)


class _Guard:
    """Works on the applications of a module in their order; `original` is what a value was before it was guarded."""

    def __init__(self) -> None:
        self.original: dict[SSAValue, SSAValue] = {}
        self.conditions: dict[SSAValue, SSAValue] = {}
        self._without = ValuesWithoutEntries().of

    def apply(self, op: ApplyOp) -> None:
        """Select the constant that an absent argument makes of an application."""
        zero, guards = None, dict[int, SSAValue]()
        for number, argument in enumerate(map(self._original, op.arguments)):
            constant = self._annihilated(op, number, argument)
            if constant is None or (zero is not None and not same_value(constant, zero)):
                continue
            if self._is_told_by_value(argument) and not _is_harmless(op, number, constant):
                zero = constant
                guards[number] = argument
        if zero is None:
            return
        emit = Insertion(op)
        condition = _junction("and", [self._stored(argument, emit) for argument in guards.values()], emit)
        if not (_is_added_up(op) and self._replace_other(op, guards, condition, zero, emit)):
            self._select(op, condition, zero)

    def _annihilated(self, op: ApplyOp, number: int, argument: SSAValue) -> Scalar | None:
        """What an application is without its argument of this number, if it is the same for all others."""
        operator, element = operator_of(op), element_name(argument.type)
        if op.exact is not None or is_exact(operator, (element,)):
            return None  # the value is the same
        absent = self._without(argument)
        if absent is None or is_literal(argument):
            return None
        decides = any(same_value(absent, zero) for zero in operator.annihilators(number, element))
        return absent if decides else None

    def _stored(self, value: SSAValue, emit: Insertion) -> SSAValue:
        """Whether a value, which has an absent form, is not absent; asked once in a block."""
        known = self.conditions.get(value)
        if known is None or known.owner.parent is not emit.block:
            known = self.conditions[value] = self._new_condition(value, emit)
        return known

    def _new_condition(self, value: SSAValue, emit: Insertion) -> SSAValue:
        match op := value.owner:
            case CastOp():
                return self._stored(self._original(op.operand), emit)
            case ApplyOp():
                arguments = [self._original(argument) for argument in op.arguments]
                zeros = self._annihilating(op)
                if zeros:
                    return _junction("and", [self._stored(argument, emit) for argument in zeros], emit)
                groups = deciding_arguments(operator_of(op).name, arguments, self._absent_values)
                found = [[value for value in group if self._may_be_absent(value)] for group in groups]
                conditions = [[self._stored(value, emit) for value in group] for group in found if group]
                return _junction("and", [_junction("or", group, emit) for group in conditions], emit)
            case _:
                return _differs(value, self._without(value), emit)

    def _annihilating(self, op: ApplyOp) -> list[SSAValue]:
        """The arguments of an application that decide what it gives where they have no entry."""
        arguments = enumerate(map(self._original, op.arguments))
        return [argument for number, argument in arguments if self._annihilated(op, number, argument) is not None]

    def _is_told_by_value(self, value: SSAValue) -> bool:
        """Whether only elements of padded levels and temporaries, which have no list of entries, say which elements are
        absent."""
        match op := value.owner:
            case AccessOp():
                format = format_of(op.tensor.type)
                return format.stores_absent or (is_temporary(op.tensor) and not format.records_entries)
            case CastOp():
                return self._is_told_by_value(self._original(op.operand))
            case ApplyOp():
                arguments = self._annihilating(op) or map(self._original, op.arguments)
                return any(map(self._is_told_by_value, arguments))
            case _:
                return False

    def _may_be_absent(self, value: SSAValue) -> bool:
        return not is_literal(value) and self._without(value) is not None

    def _absent_values(self, value: SSAValue) -> list[Scalar]:
        absent = self._without(value)
        return [] if absent is None else [absent]

    def _original(self, value: SSAValue) -> SSAValue:
        return self.original.get(value, value)

    def _replace_other(
        self, op: ApplyOp, guards: Mapping[int, SSAValue], condition: SSAValue, zero: Scalar, emit: Insertion
    ) -> bool:
        """Apply the operator to 0 or 1 in place of a dense factor: a sum adds up the product itself, then."""
        if len(guards) != 1 or len(op.arguments) != 2:
            return False
        position = 1 - next(iter(guards))
        other = op.arguments[position]
        if self._without(self._original(other)) is not None:
            return False
        for neutral in (0, 1):
            number = convert(neutral, element_name(other.type))
            if _gives(op, {position: number, 1 - position: zero}, zero):
                op.operands[position] = emit.apply(
                    "where", (condition, other, emit.constant(number, other.type)), other.type
                )
                return True
        return False

    def _select(self, op: ApplyOp, condition: SSAValue, zero: Scalar) -> None:
        uses = list(op.result.uses)
        emit = Insertion(op, behind=True)
        constant = emit.constant(convert(zero, element_name(op.result.type)), op.result.type)
        selected = emit.apply("where", (condition, op.result, constant), op.result.type)
        for use in uses:
            use.operation.operands[use.index] = selected
        self.original[selected] = op.result


def _is_added_up(op: ApplyOp) -> bool:
    """Whether a result is a term of a reduction, or a part of one, which adds a product by one instruction."""
    users = [use.operation for use in op.result.uses]
    return any(
        _is_added_up(user) if isinstance(user, ApplyOp) else isinstance(user, AssignOp) and user.operator is not None
        for user in users
    )


def _junction(operator: str, conditions: Sequence[SSAValue], emit: Insertion) -> SSAValue:
    """All or any of some conditions; of none, that there is a value."""
    if not conditions:
        return emit.constant(True, i1)
    return reduce(lambda a, b: emit.apply(operator, (a, b), i1), conditions)


def _differs(value: SSAValue, constant: Scalar | None, emit: Insertion) -> SSAValue:
    """Whether a value is another than a constant, which may be NaN."""
    assert constant is not None
    if constant != constant:
        return emit.apply("not", (emit.apply("isnan", (value,), i1),), i1)
    return emit.apply("ne", (value, emit.constant(constant, value.type)), i1)


def _is_harmless(op: ApplyOp, number: int, zero: Scalar) -> bool:
    """Whether an application gives the constant by itself, since all its other arguments are finite numbers."""
    known: list[Scalar] = []
    for position, argument in enumerate(op.arguments):
        owner = argument.owner
        if position == number:
            known.append(zero)
        elif isinstance(owner, ConstantOp):
            known.append(owner.scalar)
        elif isinstance(owner, CastOp) and is_integer(element_name(owner.operand.type)):
            known.append(convert(1, element_name(argument.type)))
        else:
            return False
    return _gives(op, dict(enumerate(known)), zero)


def _gives(op: ApplyOp, known: Mapping[int, Scalar], zero: Scalar) -> bool:
    elements = [element_name(argument.type) for argument in op.arguments]
    outcome = operator_of(op).value_of([known[number] for number in range(len(elements))], elements)
    return outcome is not None and same_value(outcome, zero)
