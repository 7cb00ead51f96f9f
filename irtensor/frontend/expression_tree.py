"""The expression tree that every front end builds: frozen values, compared by structure, not by location in a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import count
from typing import TypeAlias, TypeVar

from irtensor.core.cached_property import cached_property
from irtensor.core.element_values import Scalar as Scalar
from irtensor.core.operator_precedence import Span as Span
from irtensor.core.sum_text import sum_text


class _Frozen:
    """A value that may remember what follows from it (`remembered`); its copies find that out again."""

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}


@dataclass(frozen=True)
class Access(_Frozen):
    """One component of a tensor, `A[i, j]`; a scalar tensor has no indices. A repeated index reads a diagonal.

    An index is the name of a variable, or a coordinate that is computed from variables, `x[i + 1]`.
    """

    tensor: str
    indices: tuple[Index, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    @cached_property
    def plain_indices(self) -> tuple[str, ...]:
        """The variables that are an index by themselves, and so range over the whole dimension."""
        return tuple([index for _, index in self.plain_dimensions])

    @cached_property
    def plain_dimensions(self) -> tuple[tuple[int, str], ...]:
        """The dimensions that such variables range over, each with its variable."""
        return tuple([(number, index) for number, index in enumerate(self.indices) if isinstance(index, str)])


@dataclass(frozen=True)
class Coordinate(_Frozen):
    """A coordinate that is computed: `(2 * i + k - 1) // divisor`, rounded down.

    `terms` are added up, each times its factor: variables, elements of integer tensors, other coordinates.
    `outside` says what to read where it is outside of the dimension: `pad` a constant, `value` or else the fill; `wrap`
    the element that periodic continuation has there; `clamp` that at the edge. Without it, that is an error.
    """

    terms: tuple[tuple[Term, int], ...]
    offset: int = 0
    divisor: int = 1
    outside: str | None = None
    value: Scalar | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Literal(_Frozen):
    """A Python number. It is weak in type promotion, as NumPy treats Python numbers (NEP 50)."""

    value: Scalar
    span: Span | None = field(default=None, repr=False)

    # 1, 1.0 and True are different literals, 0.0 and -0.0 as well, and NaN equals itself: repr tells them apart.
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Literal):
            return NotImplemented
        return type(self.value) is type(other.value) and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash((type(self.value), repr(self.value)))


@dataclass(frozen=True)
class Variable(_Frozen):
    """The coordinate that an index variable has, as an int64 value: `A[i, j] * i`."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Apply(_Frozen):
    """An operator (irtensor.core.operators, or `@name` of a user's) applied to its arguments."""

    operator: str
    arguments: tuple[Expression, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Reduce(_Frozen):
    """`body` combined over all values of `indices` with an associative operator."""

    operator: str
    indices: tuple[str, ...]
    body: Expression
    span: Span | None = field(default=None, compare=False, repr=False)
    is_nonempty: bool = field(default=False, compare=False, repr=False)


@dataclass(frozen=True)
class If(_Frozen):
    """`body` where a condition holds, and nothing elsewhere: what a reduction combines, or what a statement stores."""

    condition: Expression
    body: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


Expression: TypeAlias = Access | Literal | Variable | Apply | Reduce | If
Index: TypeAlias = str | Coordinate
Term: TypeAlias = str | Access | Coordinate
_T = TypeVar("_T")


@dataclass(frozen=True)
class Statement:
    """`target operator= expression`.

    `operator` names the reduction of a compound assignment as it was written (`min` for `min=`); after
    `insert_reductions` it is None and every reduction stands in the expression. `source` is the text of spans.
    Where it is `exact`, operators compute with what absent entries read as, and none annihilates another operand.
    `condition` says where it is computed; `insert_reductions` puts it into the expression. `coordinates` has the
    computed indices of the target, by the variables that stand for them (`with_plain_target`), `extents` the declared
    ones of variables; where it `stores_once`, a plain assignment is to store each element once.
    """

    target: Access
    operator: str | None
    expression: Expression
    source: str | None = field(default=None, compare=False, repr=False)
    exact: bool = False
    condition: Expression | None = None
    coordinates: tuple[tuple[str, Coordinate], ...] = ()
    extents: tuple[tuple[str, int], ...] = ()
    stores_once: bool = False

    def __str__(self) -> str:
        operator = "" if self.operator is None else _COMPOUND.get(self.operator, f" {self.operator}")
        condition = "" if self.condition is None else f" if {format_expression(self.condition)}"
        return f"{format_expression(self.target)} {operator.strip()}= {format_expression(self.expression)}{condition}"


def children(expression: Expression) -> tuple[Expression, ...]:
    """Direct subexpressions."""
    match expression:
        case Apply():
            return expression.arguments
        case Reduce():
            return (expression.body,)
        case If():
            return (expression.condition, expression.body)
        case Access():
            return gathered(expression.indices)
        case _:
            return ()


def gathered(indices: Iterable[Index | Term]) -> tuple[Access, ...]:
    """The elements of tensors that indices are computed from, `I[i]` in `x[I[i]]`."""
    found: list[Access] = []
    for index in indices:
        if isinstance(index, Coordinate):
            found += gathered([term for term, _ in index.terms])
        elif isinstance(index, Access):
            found.append(index)
    return tuple(found)


def variables_of(index: Index | Term) -> tuple[str, ...]:
    """The variables that an index is computed from, in order of first appearance."""
    match index:
        case str():
            return (index,)
        case Access():
            return free_indices(index)
        case Coordinate():
            return ordered_union(name for term, _ in index.terms for name in variables_of(term))


def with_terms(coordinate: Coordinate, of: Callable[[str | Access], Term]) -> Coordinate:
    """A coordinate with other variables and elements of tensors in the place of those that it is computed from."""

    def other(term: Term) -> Term:
        return with_terms(term, of) if isinstance(term, Coordinate) else of(term)

    return replace(coordinate, terms=tuple([(other(term), factor) for term, factor in coordinate.terms]))


def renamed(index: Index, rename: Callable[[str], str]) -> Index:
    """An index with other names of variables."""

    def of(term: str | Access) -> Term:
        if isinstance(term, str):
            return rename(term)
        return replace(term, indices=tuple([renamed(index, rename) for index in term.indices]))

    return with_terms(index, of) if isinstance(index, Coordinate) else rename(index)


def walk(expression: Expression) -> Iterator[Expression]:
    """All subexpressions, outermost first, left to right."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def replaced(expression: Expression, others: Mapping[Expression, Expression]) -> Expression:
    """The expression with other ones instead of some of its parts."""
    if expression in others:
        return others[expression]
    match expression:
        case Apply():
            return replace(expression, arguments=tuple([replaced(child, others) for child in expression.arguments]))
        case Reduce():
            return replace(expression, body=replaced(expression.body, others))
        case If():
            parts = [replaced(part, others) for part in (expression.condition, expression.body)]
            return replace(expression, condition=parts[0], body=parts[1])
        case _:
            return expression


def accesses(expression: Expression) -> Iterator[Access]:
    """All tensor accesses, left to right."""
    return (node for node in walk(expression) if isinstance(node, Access))


def tensor_names(expression: Expression) -> tuple[str, ...]:
    """Names of the tensors read, in order of first appearance."""
    return ordered_union(access.tensor for access in accesses(expression))


def remembered(function: Callable[[Expression], _T]) -> Callable[[Expression], _T]:
    """A function of an expression that is computed once for each: planning asks the same of all parts repeatedly."""
    name = f"_{function.__name__}"

    @wraps(function)
    def ask(expression: Expression) -> _T:
        # The value is frozen, so that what follows from it is.
        known = expression.__dict__
        if name not in known:
            known[name] = function(expression)
        return known[name]

    return ask


@remembered
def free_indices(expression: Expression) -> tuple[str, ...]:
    """Index variables that no reduction inside `expression` binds, in order of first appearance."""
    match expression:
        case Access():
            return ordered_union(name for index in expression.indices for name in variables_of(index))
        case Variable():
            return (expression.name,)
        case Reduce():
            return tuple([name for name in free_indices(expression.body) if name not in expression.indices])
        case _:
            return ordered_union([name for child in children(expression) for name in free_indices(child)])


def in_numbers(expression: Expression) -> Expression:
    """The expression with its index variables numbered as they appear: equal for equal ones with other names."""
    numbers, free = map(str, count()), dict[str, str]()

    def rename(expression: Expression, bound: Mapping[str, str]) -> Expression:
        def number(name: str) -> str:
            return bound.get(name) or free.get(name) or free.setdefault(name, next(numbers))

        match expression:
            case Access(_, indices):
                return replace(expression, indices=tuple([renamed(index, number) for index in indices]))
            case Apply(_, arguments):
                return replace(expression, arguments=tuple([rename(child, bound) for child in arguments]))
            case Reduce(_, indices, body):
                own = {name: next(numbers) for name in indices}
                return replace(expression, indices=tuple(own.values()), body=rename(body, {**bound, **own}))
            case Variable(name):
                return replace(expression, name=number(name))
            case If(condition, body):
                return replace(expression, condition=rename(condition, bound), body=rename(body, bound))
            case Literal():
                return expression

    return rename(expression, {})


def ordered_union(names: Iterable[str]) -> tuple[str, ...]:
    """The names without repetition, in order of first appearance."""
    return tuple(dict.fromkeys(names))


_COMPOUND = {"add": " +", "mul": " *", "or": " |", "and": " &", "xor": " ^"}
_INFIX = {
    "or": ("|", 2),
    "xor": ("^", 3),
    "and": ("&", 4),
    "shl": ("<<", 5),
    "shr": (">>", 5),
    "add": ("+", 6),
    "sub": ("-", 6),
    "mul": ("*", 7),
    "div": ("/", 7),
    "floordiv": ("//", 7),
    "mod": ("%", 7),
    "eq": ("==", 1),
    "ne": ("!=", 1),
    "lt": ("<", 1),
    "le": ("<=", 1),
    "gt": (">", 1),
    "ge": (">=", 1),
}
_PREFIX = {"neg": "-", "not": "~"}
_UNARY, _POWER = 8, 9
_REDUCTION_NAMES = {"add": "sum", "mul": "prod"}


def format_expression(expression: Expression) -> str:
    """The expression in the statement form's own syntax, with as few parentheses as keep its structure."""
    return _format(expression, 0)


def format_index(index: Index) -> str:
    """An index in the statement form's own syntax."""
    if isinstance(index, str):
        return index
    text = _format_sum(index)
    if index.outside is None:
        return text
    value = "" if index.value is None else f", {_format_literal(index.value, 0)}"
    return f"{index.outside}({text}{value})"


def _format_sum(index: Coordinate) -> str:
    terms = [(_format_term(term, factor), factor) for term, factor in index.terms]
    return sum_text(terms, index.offset, index.divisor)


def _format_term(term: Term, factor: int) -> str:
    match term:
        case str():
            return term
        case Access():
            return format_expression(term)
        case Coordinate():
            text = _format_sum(term)
            return f"({text})" if term.divisor == 1 or abs(factor) != 1 else text


def _format(expression: Expression, binding: int) -> str:
    match expression:
        case Access():
            indices = ", ".join(map(format_index, expression.indices))
            return f"{expression.tensor}[{indices}]" if indices else expression.tensor
        case Literal():
            return _format_literal(expression.value, binding)
        case Variable():
            return expression.name
        case If():
            return f"{_format(expression.body, 0)} if {_format(expression.condition, 0)}"
        case Reduce():
            name = _REDUCTION_NAMES.get(expression.operator, expression.operator.removeprefix("@"))
            return f"{name}({', '.join(expression.indices)}, {_format(expression.body, 0)})"
        case Apply():
            return _format_apply(expression, binding)


def _format_literal(value: Scalar, binding: int) -> str:
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        text = "inf" if value > 0 else "-inf"
    else:
        text = repr(value)
    return f"({text})" if text.startswith("-") and binding > _UNARY else text


def _format_apply(expression: Apply, binding: int) -> str:
    operator, arguments = expression.operator, expression.arguments
    if operator == "pow" and len(arguments) == 2:
        text, level = f"{_format(arguments[0], _POWER + 1)} ** {_format(arguments[1], _UNARY)}", _POWER
    elif operator in _PREFIX and len(arguments) == 1:
        text, level = f"{_PREFIX[operator]}{_format(arguments[0], _UNARY)}", _UNARY
    elif operator in _INFIX and len(arguments) == 2:
        symbol, level = _INFIX[operator]
        # Comparisons do not chain, and the others associate to the left.
        left = _format(arguments[0], level + (level == 1))
        text = f"{left} {symbol} {_format(arguments[1], level + 1)}"
    else:
        return f"{operator.removeprefix('@')}({', '.join(_format(argument, 0) for argument in arguments)})"
    return f"({text})" if level < binding else text
