"""`annihilate-by-value`: absent entries annihilate where only their value tells that they are absent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, i1
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.algebra import ApplyOp, CastOp, ConstantOp, operator_of
from irtensor.dialects.concrete_index import AccessOp
from irtensor.dialects.operators import Scalar, convert, is_complex, is_float, is_integer, same_value
from irtensor.dialects.scalar_types import element_name
from irtensor.dialects.storage import format_of
from irtensor.passes.analysis.absence import ValuesWithoutEntries, is_temporary
from irtensor.passes.analysis.literals import is_literal
from irtensor.passes.operations_in import operations_in
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class AnnihilateByValuePass(TensorPass):
    """Compare a factor with its fill where that alone says that it has no entry: in padded levels and temporaries.

    Before: `%p = algebra.apply mul(%a, %x)`, where `%a` is read from blocks with fill 0
    After:  `%p = algebra.apply mul(%a, where(%a != 0, %x, 0))`; if `%x` may be absent too, `where(%a != 0, %p, 0)`
    The rest of an operand that is stored in lists is told apart when loops over it are merged.
    """

    name = "annihilate-by-value"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        guard = _Guard()
        for apply in operations_in(op, ApplyOp):
            guard.apply(apply)


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
            if _is_told_by_value(argument) and not _is_harmless(op, number, constant):
                zero = constant
                guards[number] = argument
        if zero is None:
            return
        emit = _Before(op)
        condition = emit.junction("and", [self._stored(argument, emit) for argument in guards.values()])
        if not self._replace_other(op, guards, condition, zero, emit):
            self._select(op, condition, zero)

    def _annihilated(self, op: ApplyOp, number: int, argument: SSAValue) -> Scalar | None:
        """What an application is without its argument of this number, if it is the same for all others."""
        operator, element = operator_of(op), element_name(argument.type)
        if operator.elements or op.exact is not None or not (is_float(element) or is_complex(element)):
            return None  # what is computed is the same
        absent = self._without(argument)
        if absent is None or is_literal(argument):
            return None
        decides = any(same_value(absent, zero) for zero in operator.annihilators(number, element))
        return absent if decides else None

    def _stored(self, value: SSAValue, emit: _Before) -> SSAValue:
        """Whether a value, which has an absent form, is not absent; asked once in a block."""
        known = self.conditions.get(value)
        if known is None or known.owner.parent is not emit.block:
            known = self.conditions[value] = self._new_condition(value, emit)
        return known

    def _new_condition(self, value: SSAValue, emit: _Before) -> SSAValue:
        match op := value.owner:
            case CastOp():
                return self._stored(self._original(op.operand), emit)
            case ApplyOp():
                arguments = [self._original(argument) for argument in op.arguments]
                zeros = [a for n, a in enumerate(arguments) if self._annihilated(op, n, a) is not None]
                if zeros:
                    return emit.junction("and", [self._stored(argument, emit) for argument in zeros])
                groups = self._deciding(operator_of(op).name, arguments)
                return emit.junction("and", [self._any_stored(group, emit) for group in groups])
            case _:
                return emit.differs(value, self._without(value))

    def _original(self, value: SSAValue) -> SSAValue:
        return self.original.get(value, value)

    def _any_stored(self, values: Sequence[SSAValue], emit: _Before) -> SSAValue:
        some = [value for value in values if not is_literal(value) and self._without(value) is not None]
        return emit.junction("or", [self._stored(value, emit) for value in some])

    def _deciding(self, operator: str, arguments: Sequence[SSAValue]) -> list[Sequence[SSAValue]]:
        """Groups of the arguments: an entry of each group has to be there for the result to be."""
        if operator in ("first", "second"):
            return [arguments[:1] if operator == "first" else arguments[1:]]
        if operator != "where":
            return [arguments]
        condition, yes, no = map(self._without, arguments)
        groups = list[Sequence[SSAValue]]()
        if condition is not None:
            groups.append([arguments[0], arguments[1 if condition else 2]])
        if yes is not None and no is not None and same_value(yes, no) and not all(map(is_literal, arguments[1:])):
            groups.append(arguments[1:])
        return groups

    def _replace_other(
        self, op: ApplyOp, guards: Mapping[int, SSAValue], condition: SSAValue, zero: Scalar, emit: _Before
    ) -> bool:
        """Apply the operator to 0 or 1 in place of a dense factor, which leaves products in sums as they are."""
        if len(guards) != 1 or len(op.arguments) != 2:
            return False
        place = 1 - next(iter(guards))
        other = op.arguments[place]
        if self._without(self._original(other)) is not None:
            return False
        for neutral in (0, 1):
            number = convert(neutral, element_name(other.type))
            if _gives(op, {place: number, 1 - place: zero}, zero):
                op.operands[place] = emit.apply(
                    "where", (condition, other, emit.constant(number, other.type)), other.type
                )
                return True
        return False

    def _select(self, op: ApplyOp, condition: SSAValue, zero: Scalar) -> None:
        uses = list(op.result.uses)
        emit = _Before(op, after=True)
        constant = emit.constant(convert(zero, element_name(op.result.type)), op.result.type)
        selected = emit.apply("where", (condition, op.result, constant), op.result.type)
        for use in uses:
            use.operation.operands[use.index] = selected
        self.original[selected] = op.result


class _Before:
    """Inserts operations in front of another one, or behind it."""

    def __init__(self, op: Operation, after: bool = False):
        block = op.parent
        assert block is not None
        self.block, self.place = block, op.next_op if after else op

    def _insert(self, op: Operation) -> SSAValue:
        if self.place is None:
            self.block.add_op(op)
        else:
            self.block.insert_op_before(op, self.place)
        return op.results[0]

    def constant(self, value: Scalar, type: Attribute) -> SSAValue:
        return self._insert(ConstantOp.of(value, type))

    def apply(self, operator: str, arguments: Sequence[SSAValue], type: Attribute) -> SSAValue:
        return self._insert(ApplyOp.of(StringAttr(operator), arguments, type))

    def junction(self, operator: str, conditions: Sequence[SSAValue]) -> SSAValue:
        """All or any of some conditions; of none, that there is a value."""
        if not conditions:
            return self.constant(True, i1)
        return reduce(lambda a, b: self.apply(operator, (a, b), i1), conditions)

    def differs(self, value: SSAValue, constant: Scalar | None) -> SSAValue:
        """Whether a value is another than a constant, which may be NaN."""
        assert constant is not None
        if constant != constant:
            return self.apply("not", (self.apply("isnan", (value,), i1),), i1)
        return self.apply("ne", (value, self.constant(constant, value.type)), i1)


def _is_told_by_value(value: SSAValue) -> bool:
    """Whether a value is computed from what has no list of its entries: elements of padded levels, and temporaries."""
    match op := value.owner:
        case AccessOp():
            format = format_of(op.tensor.type)
            return is_temporary(op.tensor) or (format.stores_fill and not format.is_dense)
        case CastOp() | ApplyOp():
            return any(map(_is_told_by_value, op.operands))
        case _:
            return False


def _is_harmless(op: ApplyOp, number: int, zero: Scalar) -> bool:
    """Whether an application gives the constant by itself, since all its other arguments are finite numbers."""
    known: list[Scalar] = []
    for place, argument in enumerate(op.arguments):
        owner = argument.owner
        if place == number:
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
