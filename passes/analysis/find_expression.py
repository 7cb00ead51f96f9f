"""Finds an expression, given as a term of the notation, among the values that assignments store."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.algebra import ApplyOp, CastOp, ConstantOp, OperatorOp, operator_of
from irtensor.dialects.concrete_index import AccessOp, AssignOp
from irtensor.dialects.expression_text import Application, Component, Number, Term
from irtensor.dialects.operators import OPERATORS
from irtensor.passes.analysis.iteration_graph import name_of


def term_of(value: SSAValue) -> Term:
    """A value as its author may have written it; conversions of element types are not written."""
    op = value.owner
    match op:
        case CastOp():
            return term_of(op.operand)
        case AccessOp():
            return Component(name_of(op.tensor), tuple(map(name_of, op.indices)))
        case ConstantOp():
            return Number(op.scalar)
        case ApplyOp():
            return Application(_operator_name(op.operator), tuple(map(term_of, op.arguments)))
        case _:
            return Component(name_of(value))


def occurrences(term: Term, assign: AssignOp) -> list[SSAValue]:
    """The values equal to a term that an assignment's value is computed from, as converted if all are to one type.

    Equal means by structure: the arguments of commutative operators may stand in either order.
    """
    numbers = _Numbering()
    wanted = numbers.of_term(term, _commutative_names(assign))
    values = [value for value in values_of(assign) if not isinstance(value.owner, CastOp)]
    found = [value for value in values if numbers.of_value(value) == wanted]
    converted = list(dict.fromkeys(map(_converted, found)))
    return converted if len({value.type for value in converted}) == 1 else found


def values_of(assign: AssignOp) -> Iterator[SSAValue]:
    """Every value that an assignment's value is computed from, itself first."""
    seen: set[SSAValue] = set()
    waiting = [assign.value]
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        yield value
        if isinstance(value.owner, Operation) and not isinstance(value.owner, AccessOp):
            waiting += reversed(value.owner.operands)


def _converted(value: SSAValue) -> SSAValue:
    """A value, or what it is converted to, where that is its only use."""
    uses = list(value.uses)
    if len(uses) == 1 and isinstance(uses[0].operation, CastOp):
        return _converted(uses[0].operation.result)
    return value


def _operator_name(operator: Attribute) -> str:
    if isinstance(operator, StringAttr):
        return operator.data
    assert isinstance(operator, SymbolRefAttr)
    return f"@{operator.root_reference.data}"


def _commutative_names(user: Operation) -> set[str]:
    """The operators whose arguments may change places: built-in ones and those the module declares."""
    module = user
    while (parent := module.parent_op()) is not None:
        module = parent
    names = {name for name, operator in OPERATORS.items() if operator.commutative}
    declared = [op for region in module.regions for block in region.blocks for op in block.ops]
    return names | {op.value.name for op in declared if isinstance(op, OperatorOp) and op.commutative is not None}


class _Numbering:
    """Gives equal terms equal numbers; in time proportional to their operations, however often a value is used."""

    def __init__(self) -> None:
        self.known: dict[object, int] = {}
        self.values: dict[SSAValue, int] = {}

    def _number(self, key: object) -> int:
        return self.known.setdefault(key, len(self.known))

    def _application(self, operator: str, arguments: list[int], commutative: bool) -> int:
        return self._number((operator, *(sorted(arguments) if commutative else arguments)))

    def of_term(self, term: Term, commutative: set[str]) -> int:
        match term:
            case Component():
                return self._number(term)
            case Number():
                return self._constant(term)
            case Application():
                arguments = [self.of_term(argument, commutative) for argument in term.arguments]
                return self._application(term.operator, arguments, term.operator in commutative)

    def of_value(self, value: SSAValue) -> int:
        if value not in self.values:
            self.values[value] = self._of_value(value)
        return self.values[value]

    def _of_value(self, value: SSAValue) -> int:
        op = value.owner
        if isinstance(op, CastOp):
            return self.of_value(op.operand)
        if isinstance(op, ApplyOp):
            arguments = [self.of_value(argument) for argument in op.arguments]
            return self._application(_operator_name(op.operator), arguments, operator_of(op).commutative)
        term = term_of(value)
        return self._constant(term) if isinstance(term, Number) else self._number(term)

    def _constant(self, number: Number) -> int:
        # 1, 1.0 and True are one number here: the notation's constants have taken their neighbours' types.
        return self._number(("constant", repr(complex(number.value))))
