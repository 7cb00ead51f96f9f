"""When an expression is an entry: a condition over which entries of its tensors are stored."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import StringAttr, i1
from xdsl.ir import Operation, SSAValue

from irtensor.core.operators import STORED, Scalar, convert, same_value
from irtensor.core.regions import Complement, Operand
from irtensor.core.regions import Region as EntryRegion
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, find_operator
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index import concrete_index
from irtensor.dialects.index_notation.index_notation import AccessOp, ReduceOp, YieldOp
from irtensor.dialects.storage.storage import fill_of, format_of
from irtensor.dialects.support.create_operation import copy_of_region
from irtensor.passes.analysis.absence import value_applied
from irtensor.passes.analysis.entry_diagrams import Choice, Diagram, Diagrams, Leaf, nothing_stored
from irtensor.passes.analysis.literals import is_literal
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.insertion import Insertion
from irtensor.passes.support.operations_in import operations_of

# A condition that is known is a Python bool.
Condition = bool | SSAValue
_Access = AccessOp | concrete_index.AccessOp


def _of_access(access: _Access, emit: Insertion) -> Condition:
    """Dense tensors and numbers have an entry at each coordinate."""
    if format_of(access.tensor.type).is_dense:
        return True
    value = access.result
    if isinstance(access, AccessOp):  # It may be in another reduction. Loops of concrete index notation read it once.
        own = AccessOp(access.tensor, access.indices)
        own.location = access.location
        value = emit.insert(own)
    return emit.apply(STORED, (value,), i1)


def _asked(op: ApplyOp) -> _Access | None:
    """The access that an application of `stored` asks about."""
    access = op.arguments[0].owner
    return access if asks_if_stored(op) and isinstance(access, _Access) else None


def _other_than_fill(access: _Access) -> Scalar | None:
    """What an entry is, if it can be one number only: a bool in a block is another than the fill value."""
    fill = fill_of(access.tensor.type)
    return not fill if isinstance(fill, bool) and format_of(access.tensor.type).stores_fill else None


class EntryConditions:
    """What values are where no tensor has an entry, and the conditions under which they are entries.

    A value is an entry where stored elements decide more about it than absent ones do: where it depends on stored
    values, or where it is another than without any entry, as `where(stored(a), 7, 0)` is. So has a sparse tensor an
    entry that such a value is assigned to.
    """

    def __init__(self) -> None:
        self._diagrams = Diagrams()
        self._found: dict[SSAValue, Diagram] = {}
        # What may be stored or not, in the order in which it was found: elements of tensors, reductions, and choices.
        self._optional: list[_Access | ReduceOp | ApplyOp] = []
        self._numbers: dict[tuple[SSAValue, ...], int] = {}

    def absent(self, value: SSAValue) -> Scalar | None:
        """A value where no tensor has an entry; None if it depends on stored elements everywhere, or is a number."""
        return None if is_literal(value) else nothing_stored(self._diagram(value))

    def of(self, value: SSAValue, emit: Insertion) -> Condition:
        """Whether a value is an entry, as a condition in front of what `emit` inserts before."""
        if isinstance(value.owner, ConstantOp):
            return value.owner.absent is None
        diagram = self._diagram(value)
        if isinstance(diagram, Leaf):
            # It is what it is without any entry; if it has none to be without, it is stored everywhere.
            return diagram.value is None or not _has_absent_parts(value)
        absent = nothing_stored(diagram)
        # The fill value of a sparse tensor, where data say what there is without entries.
        fill = convert(0, element_name(value.type)) if absent is None else absent
        entries = self._diagrams.applied(lambda found: found[0] is None or not same_value(found[0], fill), (diagram,))
        return _Emission(self, self._diagrams, emit).condition(entries)

    def decide(self, value: SSAValue) -> bool:
        """Whether stored elements alone decide which constant a value is."""
        unknown = self._diagrams.applied(lambda found: found[0] is None, (self._diagram(value),))
        return isinstance(unknown, Leaf) and not unknown.value

    def condition(self, number: int, emit: Insertion) -> Condition:
        """Whether an optional part is stored."""
        op = self._optional[number]
        if isinstance(op, ApplyOp):
            return _complement(op.arguments[0], emit)
        condition = _of_access(op, emit) if isinstance(op, _Access) else self._of_reduction(op, emit)
        if isinstance(condition, SSAValue):
            self._found[condition] = self._choice(number, True, False)
        return condition

    def _choice(self, number: int, stored: Scalar | None, absent: Scalar | None) -> Diagram:
        return self._diagrams.choice(number, self._diagrams.leaf(stored), self._diagrams.leaf(absent))

    def _optional_part(self, op: _Access | ReduceOp | ApplyOp) -> int:
        match op:
            case ReduceOp():
                key = (op.result,)
            case ApplyOp():
                key = (op.arguments[0],)
            case _:
                key = (op.tensor, *op.indices)
        if key not in self._numbers:
            self._numbers[key] = len(self._optional)
            self._optional.append(op)
        return self._numbers[key]

    def _diagram(self, value: SSAValue) -> Diagram:
        if value not in self._found:
            self._found[value] = self._diagram_of(value)
        return self._found[value]

    def _diagram_of(self, value: SSAValue) -> Diagram:
        match op := value.owner:
            case AccessOp() | concrete_index.AccessOp():
                if format_of(op.tensor.type).is_dense:
                    return self._diagrams.leaf(None)
                return self._choice(self._optional_part(op), _other_than_fill(op), fill_of(op.tensor.type))
            case ConstantOp():
                return self._diagrams.leaf(op.scalar)
            case CastOp():
                element = element_name(value.type)
                return self._diagrams.applied(
                    lambda found: None if found[0] is None else convert(found[0], element), [self._diagram(op.operand)]
                )
            case ReduceOp():
                absent = self._reduced(op)
                return (
                    self._diagrams.leaf(None) if absent is None else self._choice(self._optional_part(op), None, absent)
                )
            case ApplyOp() if (access := _asked(op)) is not None:
                return self._choice(self._optional_part(access), True, False)
            case ApplyOp():
                arguments = [self._diagram(argument) for argument in op.arguments]
                if op.entry is not None:
                    # Not the stored elements but the absent ones: the choice is open there.
                    refused = self._choice(self._optional_part(op), True, False)
                    return self._diagrams.applied(_chosen, (*arguments, refused))
                return self._diagrams.applied(partial(value_applied, op), arguments)
            case _:
                return self._diagrams.leaf(None)

    def _reduced(self, op: ReduceOp) -> Scalar | None:
        """A reduction where no tensor has an entry; None if that depends on an extent."""
        inner, operator = self.absent(op.value), find_operator(op.operator, op)
        identity = operator.identity(element_name(op.result.type))
        kept = inner is not None and identity is not None and same_value(inner, identity)
        return inner if kept or operator.idempotent else None

    def _of_reduction(self, op: ReduceOp, emit: Insertion) -> Condition:
        """A reduction is an entry where one of the values is that it combines."""
        body = copy_of_region(op.body)
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
        erase_unused(operations_of(body.block))
        reduction = ReduceOp(StringAttr("or"), body, i1)
        reduction.location = op.location
        return emit.insert(reduction)


def _chosen(values: Sequence[Scalar | None]) -> Scalar | None:
    """The value of a chosen entry; None where its value is not known, or equals the fill value."""
    condition, value, rest, refused = values
    if not condition if condition is not None else refused:
        return rest
    return None if value is None or rest is None or same_value(value, rest) else value


class _Emission:
    """Writes a diagram of conditions as operations."""

    def __init__(self, conditions: EntryConditions, diagrams: Diagrams, emit: Insertion) -> None:
        self._conditions = conditions
        self._diagrams = diagrams
        self._emit = emit
        self._parts: dict[int, Condition] = {}
        self._written: dict[Diagram, Condition] = {}

    def condition(self, diagram: Diagram) -> Condition:
        if isinstance(diagram, Leaf):
            return bool(diagram.value)
        if diagram not in self._written:
            self._written[diagram] = self._choice(diagram)
        return self._written[diagram]

    def _choice(self, choice: Choice) -> Condition:
        if choice.operand not in self._parts:
            self._parts[choice.operand] = self._conditions.condition(choice.operand, self._emit)
        part, stored, absent = self._parts[choice.operand], choice.stored, choice.absent
        if self._diagrams.is_complement(stored, absent):
            return self._join("xor", part, self.condition(absent))
        if self._diagrams.implies(absent, stored):
            inside = self._diagrams.without(stored, absent)
            return self._join("or", self._join("and", part, self.condition(inside)), self.condition(absent))
        outside = _complement(part, self._emit)
        if self._diagrams.implies(stored, absent):
            inside = self._diagrams.without(absent, stored)
            return self._join("or", self._join("and", outside, self.condition(inside)), self.condition(stored))
        one = self._join("and", part, self.condition(stored))
        return self._join("or", one, self._join("and", outside, self.condition(absent)))

    def _join(self, operator: str, left: Condition, right: Condition) -> Condition:
        return _join(operator, left, right, self._emit)


def _has_absent_parts(value: SSAValue) -> bool:
    """Whether a value is computed from what may be absent: anything but dense tensors and numbers."""
    seen: set[SSAValue] = set()
    left = [value]
    while left:
        one = left.pop()
        match op := one.owner:
            case AccessOp() | concrete_index.AccessOp():
                if not format_of(op.tensor.type).is_dense:
                    return True
            case ConstantOp():
                if op.absent is not None:
                    return True
            case ReduceOp():
                left.append(op.value)
            case Operation():
                left += [operand for operand in op.operands if operand not in seen]
                seen.update(op.operands)
            case _:
                pass
    return False


def _join(operator: str, left: Condition, right: Condition, emit: Insertion) -> Condition:
    for known, other in ((left, right), (right, left)):
        if isinstance(known, bool):
            if operator == "xor":
                return _complement(other, emit) if known else other
            return other if known == (operator == "and") else known
    assert isinstance(left, SSAValue) and isinstance(right, SSAValue)
    return left if left is right and operator != "xor" else emit.apply(operator, (left, right), i1)


def _complement(condition: Condition, emit: Insertion) -> Condition:
    if isinstance(condition, bool):
        return not condition
    op = condition.owner
    if isinstance(op, ApplyOp) and op.operator == StringAttr("not"):
        return op.arguments[0]
    return emit.apply("not", (condition,), i1)


_OPERATORS = {"&": "and", "|": "or", "^": "xor"}


def condition_of(region: EntryRegion, stored: Sequence[Condition], emit: Insertion) -> Condition:
    """Whether a coordinate is in a region, by whether the operands are stored there."""
    match region:
        case bool():
            return region
        case Operand():
            return stored[region.number]
        case Complement():
            return _complement(condition_of(region.inner, stored, emit), emit)
        case _:
            parts = [condition_of(part, stored, emit) for part in (region.left, region.right)]
            return _join(_OPERATORS[region.symbol], parts[0], parts[1], emit)


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
