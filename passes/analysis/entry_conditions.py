"""When an expression of index notation is an entry: a condition over which entries of its tensors are stored."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from xdsl.dialects.builtin import StringAttr, i1
from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.dialects.algebra import ApplyOp, CastOp, ConstantOp, find_operator
from irtensor.dialects.index_notation import AccessOp, ReduceOp, YieldOp
from irtensor.dialects.operators import STORED, Scalar, convert, same_value
from irtensor.dialects.regions import Complement, Operand
from irtensor.dialects.regions import Region as Places
from irtensor.dialects.scalar_types import element_name
from irtensor.dialects.storage import fill_of, format_of
from irtensor.passes.analysis.absence import value_applied
from irtensor.passes.analysis.literals import is_literal
from irtensor.passes.insertion import Insertion
from irtensor.passes.operations_in import operations_of

# A condition that is known is a Python bool.
Condition = bool | SSAValue


def _of_access(access: AccessOp, emit: Insertion) -> Condition:
    """Dense tensors and numbers have an entry at each coordinate; blocks and diagonals where the fill value is not."""
    format = format_of(access.tensor.type)
    if format.is_dense:
        return True
    own = AccessOp(access.tensor, access.indices)
    own.location = access.location
    value = emit.insert(own)
    if not format.stores_fill:
        return emit.apply(STORED, (value,), i1)
    fill = fill_of(access.tensor.type)
    if fill != fill:
        return emit.apply("not", (emit.apply("isnan", (value,), i1),), i1)
    return emit.apply("ne", (value, emit.constant(fill, value.type)), i1)


class EntryConditions:
    """What values are where no tensor has an entry, and the conditions under which they are entries."""

    def __init__(self) -> None:
        self._absent: dict[SSAValue, Scalar | None] = {}

    def absent(self, value: SSAValue) -> Scalar | None:
        """A value where no tensor has an entry; None if it depends on what is stored everywhere, or is a number."""
        return None if is_literal(value) else self._without_entries(value)

    def _without_entries(self, value: SSAValue) -> Scalar | None:
        if value not in self._absent:
            self._absent[value] = self._evaluate(value)
        return self._absent[value]

    def _evaluate(self, value: SSAValue) -> Scalar | None:
        match op := value.owner:
            case AccessOp():
                return None if format_of(op.tensor.type).is_dense else fill_of(op.tensor.type)
            case ConstantOp():
                return op.scalar
            case CastOp():
                inner = self._without_entries(op.operand)
                return None if inner is None else convert(inner, element_name(value.type))
            case ApplyOp():
                return value_applied(op, [self._without_entries(argument) for argument in op.arguments])
            case ReduceOp():
                inner, operator = self._without_entries(op.value), find_operator(op.operator, op)
                identity = operator.identity(element_name(value.type))
                kept = operator.idempotent or (
                    inner is not None and identity is not None and same_value(inner, identity)
                )
                return inner if kept else None
            case _:
                return None

    def of(self, value: SSAValue, emit: Insertion) -> Condition:
        """Whether a value is an entry, as a condition in front of what `emit` inserts before."""
        match op := value.owner:
            case AccessOp():
                return _of_access(op, emit)
            case CastOp():
                return self.of(op.operand, emit)
            case ReduceOp():
                return self._of_reduction(op, emit)
            case ApplyOp() if op.entry is not None:
                condition = op.arguments[0]
                return bool(condition.owner.scalar) if isinstance(condition.owner, ConstantOp) else condition
            case ApplyOp():
                return self._of_application(op, emit)
            case ConstantOp():
                return op.absent is None
            case _:
                return True

    def _of_application(self, op: ApplyOp, emit: Insertion) -> Condition:
        """An application is an entry where the absent ones among its arguments do not decide it."""
        absent = [self.absent(argument) for argument in op.arguments]
        optional = [number for number, value in enumerate(absent) if value is not None]
        numbers = [argument.owner.scalar if is_literal(argument) else None for argument in op.arguments]  # pyright: ignore
        deciding: list[Sequence[int]] = []
        for size in range(len(optional) + 1):
            for present in combinations(optional, size):
                known = [
                    numbers[number] if value is None or number in present else value
                    for number, value in enumerate(absent)
                ]
                if value_applied(op, known) is None and not any(set(one) <= set(present) for one in deciding):
                    deciding.append(present)
        if not deciding:
            return not optional
        conditions = {number: self.of(op.arguments[number], emit) for present in deciding for number in present}
        return any_condition([all_conditions([conditions[k] for k in present], emit) for present in deciding], emit)

    def _of_reduction(self, op: ReduceOp, emit: Insertion) -> Condition:
        """A reduction is an entry where one of the values is that it combines."""
        body = op.body.clone()
        for old, new in zip(op.indices, body.block.args, strict=True):
            new.name_hint = old.name_hint
        last = body.block.last_op
        assert isinstance(last, YieldOp)
        condition = self.of(last.value, Insertion(last))
        if isinstance(condition, bool):
            # Its accesses are no more of the statement's operands.
            body.drop_all_references()
            return condition
        last.operands[0] = condition
        erase_unused(body)
        reduction = ReduceOp(StringAttr("or"), body, i1)
        reduction.location = op.location
        return emit.insert(reduction)


def erase_unused(region: Region) -> None:
    """Remove the operations of a region that nothing uses."""
    for op in reversed(operations_of(region.block)):
        if op.results and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


def all_conditions(conditions: Sequence[Condition], emit: Insertion) -> Condition:
    """The conjunction of conditions."""
    return _joined("and", conditions, emit)


def any_condition(conditions: Sequence[Condition], emit: Insertion) -> Condition:
    """The disjunction of conditions."""
    return _joined("or", conditions, emit)


def _joined(operator: str, conditions: Sequence[Condition], emit: Insertion) -> Condition:
    result: Condition = operator == "and"
    for condition in conditions:
        result = _join(operator, result, condition, emit)
    return result


def _join(operator: str, left: Condition, right: Condition, emit: Insertion) -> Condition:
    for known, other in ((left, right), (right, left)):
        if isinstance(known, bool):
            if operator == "xor":
                return _complement(other, emit) if known else other
            return other if known == (operator == "and") else known
    assert isinstance(left, SSAValue) and isinstance(right, SSAValue)
    return left if left is right and operator != "xor" else emit.apply(operator, (left, right), i1)


def _complement(condition: Condition, emit: Insertion) -> Condition:
    return not condition if isinstance(condition, bool) else emit.apply("not", (condition,), i1)


_OPERATORS = {"&": "and", "|": "or", "^": "xor"}


def condition_of(places: Places, stored: Sequence[Condition], emit: Insertion) -> Condition:
    """Whether a coordinate is in a region, by whether the operands are stored there."""
    match places:
        case bool():
            return places
        case Operand():
            return stored[places.number]
        case Complement():
            return _complement(condition_of(places.inner, stored, emit), emit)
        case _:
            parts = [condition_of(part, stored, emit) for part in (places.left, places.right)]
            return _join(_OPERATORS[places.symbol], parts[0], parts[1], emit)


def constant_condition(condition: Condition, emit: Insertion) -> SSAValue:
    """A condition as a value."""
    return emit.constant(condition, i1) if isinstance(condition, bool) else condition


def accesses_behind(value: SSAValue) -> list[Operation]:
    """The accesses and reductions that a value is computed from, inside of reductions as well."""
    found: list[Operation] = []
    seen: set[SSAValue] = set()
    left = [value]
    while left:
        one = left.pop()
        if one in seen or not isinstance(op := one.owner, Operation):
            continue
        seen.add(one)
        if isinstance(op, AccessOp | ReduceOp):
            found.append(op)
        left += [op.value] if isinstance(op, ReduceOp) else [] if isinstance(op, AccessOp) else op.operands
    return found
