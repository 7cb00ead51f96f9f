"""Finds an expression, given as a term of the notation, among the values that assignments store."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.core.expression_text import Application, Component, Number, Reduction, Term
from irtensor.core.operator_symbols import CAST_NAMES
from irtensor.core.operators import OPERATORS
from irtensor.core.sum_text import sum_text
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, OperatorOp, operator_of
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, WhereOp
from irtensor.dialects.index_notation.affine import AffineOp
from irtensor.dialects.index_notation.bounded import ClampOp, WrapOp
from irtensor.dialects.index_notation.index_notation import AccessOp as NotationAccessOp
from irtensor.dialects.index_notation.index_notation import ReduceOp
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.temporaries import NO_NAMES, Names, Temporary, indices_reduced_by, named, temporary_of


def term_of(value: SSAValue, names: Names = NO_NAMES) -> Term:
    """A value as its author may have written it, without the conversions of element types that nobody has written.

    A temporary without dimensions is written as what it is computed as. `names` are what variables are called.
    """
    op = value.owner
    match op:
        case CastOp():
            operand = term_of(op.operand, names)
            return operand if op.written is None else Application(CAST_NAMES[element_name(value.type)], (operand,))
        case AccessOp():
            temporary = temporary_of(op, names) if not op.indices else None
            if temporary is not None:
                return _term_of_temporary(temporary)
            return Component(name_of(op.tensor), tuple([named(index, names) for index in op.indices]))
        case NotationAccessOp():
            return Component(name_of(op.tensor), tuple([index_text(index) for index in op.indices]))
        case ReduceOp():
            return Reduction(_operator_name(op.operator), tuple(map(name_of, op.indices)), term_of(op.value, names))
        case ConstantOp():
            return Number(op.scalar)
        case ApplyOp():
            return Application(_operator_name(op.operator), tuple([term_of(one, names) for one in op.arguments]))
        case _:
            return Component(named(value, names))


def index_text(index: SSAValue) -> str:
    """An index of index notation as its author may have written it."""
    match op := index.owner:
        case ClampOp() | WrapOp():
            return f"{op.name.rpartition('.')[2]}({index_text(op.coordinate)})"
        case NotationAccessOp():
            return str(term_of(index))
        case AffineOp():
            terms = [(_term_text(term), factor) for term, factor in op.summands]
            return sum_text(terms, op.offset.value.data, op.divisor.value.data)
        case _:
            return name_of(index)


def _term_text(term: SSAValue) -> str:
    return f"({index_text(term)})" if isinstance(term.owner, AffineOp) else index_text(term)


def term_computed(where: WhereOp) -> Term:
    """What a component of a temporary is computed as, as its author may have written it; else its name."""
    read = where.consumer.block.args[0]
    users = [use.operation for use in read.uses]
    access = next((user for user in users if isinstance(user, AccessOp)), None)
    temporary = None if access is None else temporary_of(access)
    return Component(name_of(read)) if temporary is None else _term_of_temporary(temporary)


def _term_of_temporary(temporary: Temporary) -> Term:
    body = term_of(temporary.value, temporary.names)
    if temporary.operator is None or not temporary.reduced:
        return body
    return Reduction(_operator_name(temporary.operator), temporary.reduced, body)


def occurrences(term: Term, assign: AssignOp) -> list[SSAValue]:
    """The values equal to a term that an assignment's value is computed from, as converted if all are to one type.

    Equal means by structure: the arguments of commutative operators may stand in either order. Temporaries that are
    read are called by their names, or stand for what they are computed as.
    """
    commutative = commutative_names(assign)
    # A temporary cannot be asked whether it has an entry.
    whole = [value for value in values_of(assign) if not isinstance(value.owner, CastOp) or value.owner.written]
    values = [value for value in whole if not any(asks_if_stored(use.operation) for use in value.uses)]
    found: list[SSAValue] = []
    for sees_through in (False, True):
        numbers = Numbering(sees_through)
        wanted = numbers.of_term(term, commutative)
        found = found or [value for value in values if numbers.of_value(value) == wanted]
    converted = list(dict.fromkeys(map(_converted, found)))
    return converted if len({value.type for value in converted}) == 1 else found


def reduces_to(term: Term, assign: AssignOp) -> bool:
    """Whether an assignment itself does the reduction that a term is, over loops around it."""
    numbers = Numbering(sees_through=True)
    return numbers.of_assignment(assign) == numbers.of_term(term, commutative_names(assign))


def values_of(assign: AssignOp) -> Iterator[SSAValue]:
    """Every value that an assignment's value is computed from, itself first."""
    return values_behind(assign.value)


def values_behind(value: SSAValue) -> Iterator[SSAValue]:
    """Every value that one is computed from, itself first."""
    seen: set[SSAValue] = set()
    waiting = [value]
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
    if len(uses) == 1 and isinstance(uses[0].operation, CastOp) and uses[0].operation.written is None:
        return _converted(uses[0].operation.result)
    return value


def _operator_name(operator: Attribute) -> str:
    if isinstance(operator, StringAttr):
        return operator.data
    assert isinstance(operator, SymbolRefAttr)
    return f"@{operator.root_reference.data}"


def commutative_names(user: Operation) -> set[str]:
    """The commutative operators: built-in ones and those the module declares."""
    module = user
    while (parent := module.parent_op()) is not None:
        module = parent
    names = {name for name, operator in OPERATORS.items() if operator.commutative}
    declared = [op for region in module.regions for block in region.blocks for op in block.ops]
    return names | {op.value.name for op in declared if isinstance(op, OperatorOp) and op.commutative is not None}


class Numbering:
    """Gives equal terms equal numbers; in time proportional to their operations, however often a value is used.

    `sees_through` says whether a read of a temporary has the number of the value stored into it.
    """

    def __init__(self, sees_through: bool) -> None:
        self.sees_through = sees_through
        self.known: dict[object, int] = {}
        self.values: dict[tuple[SSAValue, Names], int] = {}
        # The operator, index variables and body of the reductions among them.
        self.reductions: dict[int, tuple[str, frozenset[str], int]] = {}

    def _number(self, key: object) -> int:
        return self.known.setdefault(key, len(self.known))

    def _application(self, operator: str, arguments: list[int], commutative: bool) -> int:
        return self._number((operator, *(sorted(arguments) if commutative else arguments)))

    def _reduction(self, operator: str, indices: frozenset[str], body: int) -> int:
        """A sum of sums is one sum, over index variables in any order."""
        if body in self.reductions and self.reductions[body][0] == operator:
            _, inner, body = self.reductions[body]
            indices |= inner
        number = self._number(("reduction", operator, indices, body))
        self.reductions[number] = operator, indices, body
        return number

    def of_term(self, term: Term, commutative: set[str]) -> int:
        match term:
            case Component():
                return self._number(term)
            case Number():
                return self._constant(term)
            case Application():
                arguments = [self.of_term(argument, commutative) for argument in term.arguments]
                return self._application(term.operator, arguments, term.operator in commutative)
            case Reduction():
                return self._reduction(term.operator, frozenset(term.indices), self.of_term(term.body, commutative))

    def of_value(self, value: SSAValue, names: Names = NO_NAMES) -> int:
        key = value, names
        if key not in self.values:
            self.values[key] = self._of_value(value, names)
        return self.values[key]

    def of_assignment(self, assign: AssignOp) -> int | None:
        """The reduction that an assignment does, None if it does none."""
        reduced = indices_reduced_by(assign)
        if assign.operator is None or not reduced:
            return None
        return self._reduction(_operator_name(assign.operator), frozenset(reduced), self.of_value(assign.value))

    def _of_value(self, value: SSAValue, names: Names) -> int:
        op = value.owner
        if isinstance(op, CastOp):
            operand = self.of_value(op.operand, names)
            if op.written is None:
                return operand
            return self._application(CAST_NAMES[element_name(value.type)], [operand], False)
        if isinstance(op, ApplyOp):
            arguments = [self.of_value(argument, names) for argument in op.arguments]
            return self._application(_operator_name(op.operator), arguments, operator_of(op).commutative)
        if isinstance(op, AccessOp):
            temporary = temporary_of(op, names) if self.sees_through else None
            if temporary is not None:
                return self._of_temporary(temporary)
            return self._number(Component(name_of(op.tensor), tuple([named(index, names) for index in op.indices])))
        term = term_of(value, names)
        return self._constant(term) if isinstance(term, Number) else self._number(term)

    def _of_temporary(self, temporary: Temporary) -> int:
        body = self.of_value(temporary.value, temporary.names)
        if temporary.operator is None or not temporary.reduced:
            return body
        return self._reduction(_operator_name(temporary.operator), frozenset(temporary.reduced), body)

    def _constant(self, number: Number) -> int:
        # 1, 1.0 and True are one number here: the notation's constants have taken their neighbours' types.
        return self._number(("constant", repr(complex(number.value))))
