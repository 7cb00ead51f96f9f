"""Applications that a missing entry decides, in loop bodies to which a missing entry is its fill value at run time.

Whether 0 annihilates depends on the stored entries: 0 * inf is 0 where the 0 is a missing entry. A body made for
one set of entries folds such an application; one that serves several sets has to compute it, and would find NaN.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.arith import SelectOp
from xdsl.dialects.builtin import StringAttr, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.operators import Constant, Operator, Scalar, convert, fold, is_integer, same_value
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, operator_of
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.passes.analysis.deciding_arguments import deciding_arguments
from irtensor.passes.iteration_lattice.support.conditions_around import always_holds
from irtensor.passes.iteration_lattice.support.known_values import (
    Fill,
    Folding,
    forget_presence,
    known_value,
    presence_of,
)
from irtensor.passes.support.insertion import Insertion
from irtensor.passes.support.operations_in import operations_in


class _Entry(NamedTuple):
    """A cursor has an entry."""

    cursor: int


class _Given(NamedTuple):
    """A condition that was computed in front of the loop: whether an operand of an outer loop has an entry."""

    value: SSAValue


@dataclass(frozen=True, eq=False)
class _Comparison:
    """A value is ("eq"), or is not ("ne"), a certain constant."""

    operator: str
    value: SSAValue
    constant: Scalar


@dataclass(frozen=True, eq=False)
class _Junction:
    """The conjunction ("and") or disjunction ("or") of conditions."""

    operator: str
    parts: tuple[_Condition, ...]


_Condition = bool | _Entry | _Given | _Comparison | _Junction


def _join(operator: str, parts: Sequence[_Condition]) -> _Condition:
    """The junction of conditions, without those that others imply: a product of n operands has n parts, not 2**n."""
    decisive = operator == "or"
    if any(part is decisive for part in parts):
        return decisive
    given = [inner for part in parts for inner in _parts(part, operator) if not isinstance(inner, bool)]
    # a and (a or b) is a, and so is a or (a and b). Sums have hundreds of single conditions, which nothing implies.
    distinct: dict[frozenset[_Condition], _Condition] = {}
    for part in given:
        distinct.setdefault(frozenset(_parts(part, "and" if operator == "or" else "or")), part)
    left = [part for own, part in distinct.items() if len(own) == 1 or not any(other < own for other in distinct)]
    if len(left) < 2:
        return left[0] if left else not decisive
    return _Junction(operator, tuple(left))


def _parts(condition: _Condition, operator: str) -> tuple[_Condition, ...]:
    """What a condition is the junction of by this operator."""
    if isinstance(condition, _Junction) and condition.operator == operator:
        return condition.parts
    return (condition,)


def _holds(condition: _Condition, entries: Collection[int] = (), given: Collection[SSAValue] = ()) -> bool:
    """Whether a condition is known to hold where these cursors have an entry, and these other conditions hold, whatever
    the others do."""
    match condition:
        case bool():
            return condition
        case _Entry():
            return condition.cursor in entries
        case _Given():
            return condition.value in given
        case _Junction():
            combine = any if condition.operator == "or" else all
            return combine(_holds(part, entries, given) for part in condition.parts)
        case _:
            return False


class Annihilation:
    """Makes one body right for several cases: `payloads` are its arguments that the cursors' entries give.

    `present` gets an argument of the body for each cursor that it has to ask about: whether there is an entry.
    """

    def __init__(
        self, body: Block, payloads: Mapping[SSAValue, int], nests: Sequence[SSAValue], cases: Sequence[Collection[int]]
    ) -> None:
        self.body = body
        self.cases = cases
        self.present: dict[int, SSAValue] = {}
        self.folding = Folding(known_value)
        for argument, nest in zip(body.args[1:], nests, strict=bool(nests)):
            self.folding.bind(argument, nest)
        everywhere = set[int](cases[0]).intersection(*cases)
        self.stored: dict[SSAValue, _Condition] = {
            argument: True if k in everywhere else _Entry(k) for argument, k in payloads.items()
        }
        """When a value depends on an entry that is there; everything else always may."""

    def apply(self) -> None:
        """Select the constant in place of each application that a missing entry makes constant."""
        for op in operations_in(self.body, ApplyOp, CastOp):
            if isinstance(op, ApplyOp):
                self.folding.user = op
                self._apply(op)
            else:
                self.stored[op.result] = self._is_stored(op.operand)

    def absent_value(self, value: SSAValue) -> Scalar | None:
        """What a value is where it depends on no entry, if that is one constant and entries decide whether it is so."""
        gaps = [] if isinstance(self._is_stored(value), bool) else self._gaps(value)
        return gaps[0] if len(gaps) == 1 else None

    def is_entry_at(self, op: Operation, value: SSAValue) -> bool:
        """Whether a value depends on an entry wherever an operation is reached."""
        condition = self._is_stored(value)
        return always_holds(op, lambda given: _holds(condition, given=given))

    def emit_presence(self, value: SSAValue, emit: Insertion) -> SSAValue:
        """Whether a value depends on an entry, as a condition."""
        return self._condition(self._is_stored(value), emit)

    def _is_stored(self, value: SSAValue) -> _Condition:
        if isinstance(value.owner, ConstantOp):
            return False
        present = presence_of(value)
        if present is None and isinstance(value.owner, ApplyOp) and value.owner.entry is not None:
            present = value.owner.arguments[0]
        return self.stored.get(value, True) if present is None else _Given(present)

    def _gaps(self, value: SSAValue) -> list[Scalar]:
        """Constants that a value may be where it depends on no entry."""
        known = known_value(value)
        gaps = self.folding.gaps_of(value) if known is None else (known,)
        return [gap for gap in gaps if not isinstance(gap, Fill)]

    def _apply(self, op: ApplyOp) -> None:
        operator, arguments = operator_of(op), list(op.arguments)
        groups = deciding_arguments(operator.name, arguments, self._gaps)
        stored = _join("and", [_join("or", [self._is_stored(argument) for argument in group]) for group in groups])
        result = op.result
        if stored is not False:
            for number, argument in enumerate(arguments):
                for zero, constant in self._annihilators(op, operator, number):
                    keep = self._is_stored(argument)
                    if len(self._gaps(argument)) > 1:
                        keep = _join("or", [keep, _Comparison("ne", argument, zero)])
                    stored = _join("and", [stored, keep])
                    keep = _join("or", [keep, *self._exceptions(op, operator, number, zero, constant)])
                    if not _is_exact(op) and not all(_holds(keep, case) for case in self.cases):
                        result = self._select(op, keep, result, constant)
        self.stored[op.result] = self.stored[result] = stored

    def _exceptions(
        self, op: ApplyOp, operator: Operator, number: int, zero: Scalar, constant: Scalar
    ) -> list[_Condition]:
        """Fill values of other arguments that an annihilator does not annihilate, such as inf under 0."""
        found: list[_Condition] = []
        for other, argument in enumerate(op.arguments):
            if other == number:
                continue
            for gap in self._gaps(argument):
                outcome = _constant(operator, {number: zero, other: gap}, op)
                if outcome is None or not same_value(outcome, constant):
                    found.append(_Comparison("eq", argument, gap))
        return found

    def _annihilators(self, op: ApplyOp, operator: Operator, number: int) -> list[tuple[Scalar, Scalar]]:
        """Values of a missing argument that make the result constant whatever the others are, and the constants."""
        if operator.arity == 1 or op.exact is not None or isinstance(self._is_stored(op.arguments[number]), bool):
            return []
        outcomes = [(gap, _constant(operator, {number: gap}, op)) for gap in self._gaps(op.arguments[number])]
        return [(gap, outcome) for gap, outcome in outcomes if outcome is not None]

    def _select(self, op: ApplyOp, keep: _Condition, value: SSAValue, zero: Scalar) -> SSAValue:
        """Use the constant instead of a value unless the condition holds; a condition per select, for `and`."""
        uses = list(value.uses)
        assert isinstance(value.owner, Operation)
        emit = Insertion(value.owner, behind=True)
        result = op.result.type
        constant = emit.constant(convert(zero, element_name(result)), result)
        selected = value
        for part in keep.parts if isinstance(keep, _Junction) and keep.operator == "and" else (keep,):
            if isinstance(part, _Given) and _is_selected(selected, part.value):
                continue  # The outer loop has done it.
            condition = self._condition(part, emit)
            selected = emit.apply("where", (condition, selected, constant), result)
        for use in uses:
            use.operation.operands[use.index] = selected
        self.folding.gaps[selected] = self.folding.gaps_of(value)
        return selected

    def _condition(self, condition: _Condition, emit: Insertion) -> SSAValue:
        match condition:
            case bool():
                return emit.constant(condition, i1)
            case _Entry(cursor):
                if cursor not in self.present:
                    self.present[cursor] = self.body.insert_arg(i1, len(self.body.args))
                return self.present[cursor]
            case _Given(value):
                return value
            case _Comparison(operator, value, constant):
                if constant != constant:
                    return emit.apply("isnan", (value,), i1)
                other = emit.constant(constant, value.type)
                return emit.apply(operator, (value, other), i1)
            case _Junction(operator, parts):
                result = self._condition(parts[0], emit)
                for part in parts[1:]:
                    result = emit.apply(operator, (result, self._condition(part, emit)), i1)
                return result


def annihilate_selected(body: Block) -> Annihilation | None:
    """Do so for what operands of outer loops decide, whose payloads are selected, together with those of inner loops;
    gives the known facts about values then, or None if nothing is selected.

    It is known in the end which entries of inner loops are there: constants replace those that are not.
    """
    selects = operations_in(body, SelectOp, ApplyOp)
    if not any(presence_of(one.results[0]) is not None or "entry" in one.properties for one in selects):
        return None
    annihilation = Annihilation(body, {}, (), [()])
    annihilation.apply()
    return annihilation


def forget_absence(function: FuncOp) -> None:
    """All that absent entries decide is decided: the payloads of absent and of stored entries are numbers like
    others."""
    for op in operations_in(function, ConstantOp, SelectOp, ApplyOp):
        op.properties.pop("entry", None)
        if type(op) is ConstantOp:
            op.properties.pop("absent", None)
        else:
            forget_presence(op)


def _is_selected(value: SSAValue, condition: SSAValue) -> bool:
    """Whether each use of a value chooses it by a condition."""
    users = [use.operation for use in value.uses]
    choices = [user for user in users if isinstance(user, ApplyOp) and user.operator == StringAttr("where")]
    return len(choices) == len(users) and all(tuple(one.arguments[:2]) == (condition, value) for one in choices)


def _constant(operator: Operator, known: Mapping[int, Scalar], op: ApplyOp) -> Scalar | None:
    """What an application is if some of its arguments are known, whatever the others are."""
    outcome = fold(
        operator,
        [known.get(number) for number in range(len(op.arguments))],
        [element_name(argument.type) for argument in op.arguments],
    )
    return outcome.value if isinstance(outcome, Constant) else None


def _is_exact(op: ApplyOp) -> bool:
    """Whether an annihilator gives what computing does: operators of integers do, declared ones need not."""
    element = element_name(op.arguments[0].type)
    return isinstance(op.operator, StringAttr) and (is_integer(element) or element in ("i1", "index"))
