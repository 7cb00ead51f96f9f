"""Types an expression as NumPy would: every operator gets arguments of the types its ufunc computes in.

Literals and expressions of literals are weak (NEP 50). Departures: where NumPy computes in float16, irtensor uses
float32; a sum or product of booleans counts in int64, and no other reduction widens its type; complex has no order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from irtensor.core.arithmetic import Always, kind_of, unchanged
from irtensor.core.diagnostics import UserError
from irtensor.core.operator_symbols import CASTS
from irtensor.core.operators import OPERATORS, convert
from irtensor.core.regions import holds
from irtensor.frontend.element_types import cast_dtype, check_dtype, element_name
from irtensor.frontend.exact_comparisons import COMPARISONS, compared_exactly, decided_by_sign, has_wide_integer
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    If,
    Literal,
    Reduce,
    Scalar,
    Span,
    Statement,
    Variable,
    accesses,
    format_expression,
    gathered,
)
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_errors import locate, notation_error
from irtensor.frontend.operator_signatures import other_types, resolve_types
from irtensor.frontend.stored_floats import computed, stored
from irtensor.frontend.typed_expression import (
    TypedAccess,
    TypedApply,
    TypedCast,
    TypedConstant,
    TypedExpression,
    TypedIf,
    TypedReduce,
    TypedVariable,
    converted,
    with_exact_operators,
)
from irtensor.frontend.user_operator import UserOperator
from irtensor.operators.known_operators import REDUCTIONS


class _Weak(NamedTuple):
    """An expression whose values are all literals, as of `where(c[i] > 0, 1.0, 0.2)`: it has the type of what it meets.

    `python_type` is the Python type that it has among numbers, `build` gives it in a dtype.
    """

    expression: Expression
    python_type: type
    build: Callable[[np.dtype], TypedExpression]

    def __str__(self) -> str:
        return format_expression(self.expression)

    def typed(self, dtype: np.dtype) -> TypedExpression:
        """The expression in a dtype; real numbers among complex ones keep their order until they meet them.

        Numbers among narrower ones keep their values as well: `2 & 3` as a condition is true, `2 & 1` is false.
        """
        if dtype.kind == "c" and self.python_type is not complex:
            return _cast(self.build(np.dtype(f"f{dtype.itemsize // 2}")), dtype)
        default = _DEFAULTS[self.python_type]
        if _KINDS.index(dtype.kind) < _KINDS.index(default.kind):
            return _cast(self.build(default), dtype)
        return self.build(dtype)


# A literal stays a bare Python number until it meets a typed neighbour.
_Weakly: TypeAlias = bool | int | float | complex | _Weak
_Partial: TypeAlias = TypedExpression | _Weakly

_DEFAULTS = {
    bool: np.dtype(np.bool_),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}
# Integers of more bits than an operator on literals, the 63rd power included, can need.
_UNBOUNDED = "i4160"
_PYTHON_TYPES: dict[str, type] = {"b": bool, "i": int, "f": float, "c": complex}
_KINDS = "biufc"  # literals have no kind "u": each other one holds the numbers of those before it
_ORDERED = ("lt", "le", "gt", "ge", "min", "max")


def type_statement(
    statement: Statement,
    operands: Mapping[str, OperandDescription],
    operators: Mapping[str, UserOperator] | None = None,
) -> TypedExpression:
    """The typed expression of a statement with explicit reductions; its dtype is the result's.

    `operators` are the user's, by `@name`.
    Raises UserError [unsupported-dtype], [unsupported-operator], [number-too-large], [not-a-reduction],
    [unknown-extent], [missing-operand], [rank-mismatch].
    """
    typing = _Typing(statement.source, operands, operators or {})
    for element in gathered([coordinate for _, coordinate in statement.coordinates]):
        typing.visit_coordinate(element)
    typed = _strong(typing.visit(statement.expression))
    return stored(with_exact_operators(typed) if statement.exact else typed)


def type_operator(operator: UserOperator, dtype: np.dtype) -> TypedExpression:
    """The body of a user's operator for arguments of one dtype, in the dtype that the operator gives for them.

    Raises UserError [bad-operator], and what typing the body raises.
    """
    return type_bodies(operator, dtype)[0]


def type_bodies(operator: UserOperator, dtype: np.dtype) -> list[TypedExpression]:
    """The body of a user's operator, and then those of its cases, in the dtype that all of them have in common."""
    description = OperandDescription(dtype, 0)
    typing = _Typing(None, dict.fromkeys(operator.parameters, description), {})
    partial = [typing.visit(body) for body in operator.bodies]
    dtypes = [_type_of(body) for body in partial if not isinstance(body, _Weakly)]
    # Numbers take the dtype of the operand beside them, as in an expression.
    bodies = [_strong(body) for body in partial] if not dtypes or len(partial) == 1 else None
    if bodies is None:
        common = np.result_type(*dtypes, *(_type_of(body)(0) for body in partial if isinstance(body, _Weakly)))
        bodies = [_cast(body, common) for body in partial]
    common = np.result_type(*(body.dtype for body in bodies))
    result = operator.result_dtype(dtype, check_dtype(common, f"the result of @{operator.name}"))
    return [_cast(body, result) for body in bodies]


def _strong(partial: _Partial) -> TypedExpression:
    if isinstance(partial, bool | int | float | complex):
        return TypedConstant(partial, _DEFAULTS[type(partial)])
    return partial.typed(_DEFAULTS[partial.python_type]) if isinstance(partial, _Weak) else partial


def _type_of(partial: _Partial) -> Any:
    """A dtype, or the Python type of a weak value."""
    if isinstance(partial, _Weak):
        return partial.python_type
    return type(partial) if isinstance(partial, bool | int | float | complex) else partial.dtype


def _cast(partial: _Partial, dtype: np.dtype) -> TypedExpression:
    if isinstance(partial, bool | int | float | complex):
        # A float literal beyond float32 becomes inf, silently as in NumPy's ufuncs.
        with np.errstate(over="ignore"):
            return TypedConstant(dtype.type(partial).item(), dtype)
    if isinstance(partial, _Weak):
        return partial.typed(dtype)
    return converted(partial, dtype)


@dataclass
class _Typing:
    source: str | None
    operands: Mapping[str, OperandDescription]
    operators: Mapping[str, UserOperator]
    # What the parameters of a user's operator stand for, in a body that is applied to numbers.
    numbers: Mapping[str, Scalar] = field(default_factory=dict)

    def fail(self, slug: str, message: str, span: Span | None, help: str | None = None) -> NoReturn:
        raise notation_error(slug, message, self.source, span, help=help)

    def visit(self, expression: Expression) -> _Partial:
        match expression:
            case Literal():
                return expression.value
            case Access():
                number = self.numbers.get(expression.tensor)
                return self.visit_access(expression) if number is None else number
            case Variable():
                return TypedVariable(expression.name, np.dtype(np.int64), expression.span)
            case Apply():
                return self.visit_apply(expression)
            case Reduce():
                return self.visit_reduce(expression)
            case If():
                body = _strong(self.visit(expression.body))
                condition = _cast(self.visit(expression.condition), np.dtype(np.bool_))
                return TypedIf(condition, body, body.dtype, expression.span)

    def visit_access(self, access: Access) -> TypedExpression:
        if access.tensor not in self.operands:
            help = f"give it by name: {access.tensor}=..."
            self.fail("missing-operand", f"no operand is described for {access.tensor}", access.span, help)
        description = self.operands[access.tensor]
        if description.rank != len(access.indices):
            message = f"{access.tensor} has {description.rank} dimensions, accessed as {format_expression(access)}"
            self.fail("rank-mismatch", message, access.span)
        for element in gathered(access.indices):
            self.visit_coordinate(element)
        value = TypedAccess(access, check_dtype(description.dtype, f"operand {access.tensor}"))
        return computed(value) if description.read_as is None else _cast(value, description.read_as)

    def visit_coordinate(self, access: Access) -> None:
        """Check an element that a coordinate is computed from."""
        typed = self.visit_access(access)
        if typed.dtype.kind not in "iu":
            message = f"{format_expression(access)} has dtype {typed.dtype}, and coordinates are integers"
            help = f"convert it first: {access.tensor}.astype(int)"
            self.fail("unsupported-index", message, access.span, help)
        format = self.operands[access.tensor].format
        if format is not None and not format.is_dense:
            message = f"{access.tensor} is sparse: coordinates are read from dense tensors"
            self.fail(
                "unsupported-index", message, access.span, f"give it as a dense array: {access.tensor}.to_numpy()"
            )

    def visit_apply(self, expression: Apply) -> _Partial:
        arguments = [self.visit(argument) for argument in expression.arguments]
        if expression.operator.startswith("@"):
            return self.visit_user_apply(expression, arguments)
        if expression.operator in CASTS:
            cast = TypedCast(_strong(arguments[0]), cast_dtype(expression.operator), expression.span, written=True)
            return computed(cast)
        if expression.operator not in OPERATORS:
            self.fail("unknown-operator", f"operator {expression.operator} is not declared", expression.span)
        numbers = [argument for argument in arguments if isinstance(argument, bool | int | float | complex)]
        if len(numbers) == len(arguments):
            return self.fold(expression, numbers)
        if (weak := self.weak(expression, arguments)) is not None:
            return weak
        if all(isinstance(argument, _Weakly) for argument in arguments):
            arguments = [_strong(argument) for argument in arguments]
        if (decided := decided_by_sign(expression.operator, arguments)) is not None:
            value, beside = decided
            return _constant_over(value, _cast(beside, np.dtype(np.bool_)))
        wanted = [_type_of(argument) for argument in arguments]
        types, result = self.signature(expression, wanted, arguments)
        if expression.operator in COMPARISONS and types[0] != types[1]:
            return compared_exactly(expression, [_strong(argument) for argument in arguments])
        converted = tuple(self.convert(expression, a, t) for a, t in zip(arguments, types, strict=True))
        return _without_effect(expression.operator, converted[0]) or TypedApply(
            expression.operator, converted, result, expression.span
        )

    def weak(self, expression: Apply, arguments: list[_Partial]) -> _Weak | None:
        """An operator whose result has the type of its arguments, if what these are is all weak."""
        values = arguments[1:] if expression.operator == "where" else arguments
        if not all(isinstance(value, _Weakly) for value in values) or OPERATORS[expression.operator].result != "same":
            return None
        _, result = self.signature(expression, [np.dtype(bool), *_defaults(values)][-len(arguments) :], arguments)

        def build(dtype: np.dtype) -> TypedExpression:
            # Bits of integers, beside a floating-point number; or numbers on the way to a result that has fewer bits.
            narrow = dtype.kind in "iu" and dtype.itemsize < result.itemsize and expression.operator != "where"
            if narrow or resolve_types(expression.operator, [dtype] * len(arguments)) is None:
                return _cast(build(result), dtype)
            types, given = self.signature(expression, [dtype] * len(arguments), arguments)
            converted = tuple(self.convert(expression, a, t) for a, t in zip(arguments, types, strict=True))
            return _cast(TypedApply(expression.operator, converted, given, expression.span), dtype)

        return _Weak(expression, _PYTHON_TYPES[result.kind], build)

    def user_operator(self, name: str, span: Span | None) -> UserOperator:
        if name not in self.operators:
            help = "declare it with irtensor.operator, and pass operators=[...]"
            self.fail("unknown-operator", f"operator {name} is not declared", span, help)
        return self.operators[name]

    def visit_user_apply(self, expression: Apply, arguments: list[_Partial]) -> _Partial:
        operator = self.user_operator(expression.operator, expression.span)
        if len(arguments) != len(operator.parameters):
            message = f"@{operator.name} takes {len(operator.parameters)} arguments, got {len(arguments)}"
            self.fail("wrong-arity", message, expression.span)
        numbers = [a for a in arguments if isinstance(a, bool | int | float | complex)]
        are_numbers = len(numbers) == len(arguments)
        wanted = [one(0) if isinstance(one, type) else one for one in map(_type_of, arguments)]
        wanted = [_DEFAULTS[type(number)] for number in numbers] if are_numbers else wanted
        dtype = check_dtype(np.result_type(*wanted), f"an argument of @{operator.name}")
        with self.located(expression.span):
            body = type_operator(operator, dtype)
            if are_numbers:
                converted = [convert(number, element_name(dtype)) for number in numbers]
                return _apply_to_numbers(operator, converted, body.dtype)
        operands = tuple(self.convert(expression, argument, dtype) for argument in arguments)
        return TypedApply(expression.operator, operands, body.dtype, expression.span)

    @contextmanager
    def located(self, span: Span | None) -> Generator[None]:
        """Errors of an operator's body are about the location where it is applied."""
        try:
            yield
        except UserError as error:
            error.location = error.location or locate(self.source, span)
            raise

    def signature(
        self, expression: Apply, wanted: Sequence[Any], arguments: Sequence[_Partial]
    ) -> tuple[tuple[np.dtype, ...], np.dtype]:
        operator = expression.operator
        if operator in COMPARISONS and has_wide_integer(arguments):
            # NumPy compares with an integer that does not fit exactly; int64 holds both sides.
            wanted = [np.dtype(np.int64) if isinstance(w, np.dtype) else w for w in wanted]
        types = resolve_types(operator, wanted)
        if types is not None and operator in _ORDERED and types[0].kind == "c":
            message = f"operator '{operator}' needs an order, which complex numbers do not have"
            self.fail("unsupported-operator", message, expression.span, help="take real(...) or abs(...) first")
        if types is None:
            names = ", ".join(w.__name__ if isinstance(w, type) else str(w) for w in wanted)
            message = f"operator '{operator}' is not defined for {names}"
            self.fail("unsupported-operator", message, expression.span, help=other_types(operator, wanted))
        for dtype in types[:-1]:
            check_dtype(dtype, f"an argument of '{operator}'")
        return types[:-1], check_dtype(types[-1], f"the result of '{operator}'")

    def convert(self, expression: Apply, argument: _Partial, dtype: np.dtype) -> TypedExpression:
        try:
            return _cast(argument, dtype)
        except OverflowError:
            message = f"{argument} does not fit in {dtype}, in which '{expression.operator}' computes"
            self.fail("number-too-large", message, expression.span)

    def fold(self, expression: Apply, values: list[Scalar]) -> Scalar:
        """An operator on literals gives a literal of the kind that NumPy would give; integers are exact."""
        dtypes = [_DEFAULTS[type(value)] for value in values]
        types, result = self.signature(expression, dtypes, values)
        if expression.operator == "pow" and types[0].kind == "i":
            self.check_power(expression, values)
        known = OPERATORS[expression.operator]
        is_exact = not known.counts_bits
        elements = [_UNBOUNDED if is_exact and dtype.kind == "i" else element_name(dtype) for dtype in types]
        value = known.value_of(values, elements)
        if value is None:
            names = ", ".join(str(dtype) for dtype in types)
            self.fail(
                "unsupported-operator", f"operator '{expression.operator}' has no value for {names}", expression.span
            )
        if result.kind == "i" and not -(1 << 63) <= value.real < 1 << 63:
            self.fail_large(expression)
        return _PYTHON_TYPES[result.kind](value)

    def check_power(self, expression: Apply, values: list[Scalar]) -> None:
        """A power of integers is one; it may be too large to compute, let alone to store."""
        base, exponent = (int(value.real) for value in values)
        if abs(base) > 1 and exponent > 63:
            self.fail_large(expression)
        if abs(base) != 1 and exponent < 0:
            message = f"{format_expression(expression)} raises an integer to a negative power"
            self.fail("unsupported-operator", message, expression.span, help="write the base with a point: 2.0 ** -1")

    def fail_large(self, expression: Apply) -> NoReturn:
        self.fail("number-too-large", f"{format_expression(expression)} does not fit in int64", expression.span)

    def check_user_reduction(self, expression: Reduce) -> None:
        operator = self.user_operator(expression.operator, expression.span)
        if operator.has_regions:
            message = f"@{operator.name} cannot reduce: which operands are stored decides what it computes"
            help = "reduce with an operator that has no region and no cases"
            self.fail("not-a-reduction", message, expression.span, help=help)
        if not operator.reduces:
            message = f"@{operator.name} cannot reduce: it does not declare associative=True and an identity"
            self.fail("not-a-reduction", message, expression.span, help="declare both if it has them")

    def visit_reduce(self, expression: Reduce) -> _Partial:
        operator = expression.operator
        if operator.startswith("@"):
            self.check_user_reduction(expression)
        elif operator not in REDUCTIONS:
            message = f"'{operator}' cannot reduce: it is not associative with an identity"
            self.fail("not-a-reduction", message, expression.span, help=f"reductions are {', '.join(REDUCTIONS)}")
        bound = {index for access in accesses(expression.body) for index in access.indices}
        for index in expression.indices:
            if index not in bound:
                message = f"{format_expression(expression)} reduces over {index}, which no operand inside it has"
                self.fail("unknown-extent", message, expression.span)
        visited = self.visit(expression.body)
        if isinstance(visited, _Weak) and visited.python_type is not bool and not operator.startswith("@"):
            return _Weak(
                expression, visited.python_type, lambda dtype: self.reduction(expression, visited.typed(dtype))
            )
        return self.reduction(expression, _strong(visited))

    def reduction(self, expression: Reduce, body: TypedExpression) -> TypedExpression:
        operator = expression.operator
        if body.dtype.kind == "b" and operator in ("add", "mul"):
            body = _cast(body, np.dtype(np.int64))
        if operator.startswith("@"):
            with self.located(expression.span):
                type_operator(self.operators[operator], body.dtype)
            return TypedReduce(operator, expression.indices, body, body.dtype, expression.span)
        types = resolve_types(operator, [body.dtype, body.dtype])
        if types is None or types[-1] != body.dtype or (operator in _ORDERED and body.dtype.kind == "c"):
            message = f"'{operator}' cannot reduce {body.dtype} values"
            help = (
                "take real(...) or abs(...) first"
                if body.dtype.kind == "c"
                else "convert them first, as in float64(...)"
            )
            self.fail("unsupported-operator", message, expression.span, help)
        return TypedReduce(operator, expression.indices, body, body.dtype, expression.span)


def _defaults(values: Sequence[_Partial]) -> list[np.dtype]:
    return [_DEFAULTS[_type_of(value)] for value in values]


def _apply_to_numbers(operator: UserOperator, numbers: Sequence[Scalar], dtype: np.dtype) -> Scalar:
    """A literal again, of the kind that the operator gives; numbers are stored everywhere."""
    element = element_name(dtype)
    if operator.region is not None and not holds(operator.region, [True] * len(numbers)):
        return convert(0 if operator.fill is None else operator.fill, element)
    value: Any = operator.annihilated(numbers)
    if value is None:
        body = dict(operator.cases).get(tuple(range(len(numbers))), operator.body)
        value = _Typing(None, {}, {}, dict(zip(operator.parameters, numbers, strict=True))).visit(body)
    return convert(value, element)


def _without_effect(operator: str, argument: TypedExpression) -> TypedExpression | None:
    """The replacement of an operator that does nothing, or gives a constant, on its argument's type."""
    known = OPERATORS[operator]
    definition = known.definitions[kind_of(element_name(argument.dtype))] if known.arity == 1 else None
    if definition is unchanged:
        return argument
    if isinstance(definition, Always):
        of_result = _cast(argument, np.dtype(np.bool_)) if known.result == "bool" else argument
        return _constant_over(of_result.dtype.type(definition.number).item(), of_result)
    return None


def _constant_over(value: Scalar, argument: TypedExpression) -> TypedExpression:
    """A constant that keeps the argument in the statement: index variables have their extents from it."""
    return TypedApply("first", (TypedConstant(value, argument.dtype), argument), argument.dtype)
