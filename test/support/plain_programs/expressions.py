"""Right-hand sides of statements, and their text: as notation, as lazy expressions, and as operators on tensors."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Access:
    name: str
    indices: tuple[str, ...]


@dataclass(frozen=True)
class Number:
    value: int | float


@dataclass(frozen=True)
class Apply:
    operator: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True)
class Reduce:
    operator: str  # sum, prod, min or max
    variable: str
    body: "Expression"


Expression = Access | Number | Apply | Reduce

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
# How tightly an operator binds: Python's precedence, which the manual says statements have.
TIGHT = dict.fromkeys(COMPARISONS, 1) | {
    "|": 2,
    "^": 3,
    "&": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "//": 6,
    "%": 6,
    "**": 8,
}
UNARY, ATOM = 7, 9
PREFIXES = {"neg": "-", "not": "~"}


def children(node: Expression) -> tuple[Expression, ...]:
    match node:
        case Apply(_, arguments):
            return arguments
        case Reduce(_, _, body):
            return (body,)
        case _:
            return ()


def with_children(node: Expression, parts: tuple[Expression, ...]) -> Expression:
    match node:
        case Apply(operator, _):
            return Apply(operator, parts)
        case Reduce(operator, variable, _):
            return Reduce(operator, variable, parts[0])
        case _:
            return node


def walk(node: Expression) -> Iterator[Expression]:
    yield node
    for child in children(node):
        yield from walk(child)


def accesses(node: Expression) -> list[Access]:
    return [part for part in walk(node) if isinstance(part, Access)]


def free_variables(node: Expression) -> set[str]:
    match node:
        case Access(_, indices):
            return set(indices)
        case Reduce(_, variable, body):
            return free_variables(body) - {variable}
        case _:
            return {name for child in children(node) for name in free_variables(child)}


class Writer:
    """Writes expressions; `style` is "notation", "lazy" (Python over `f` and tensors) or "operators" (no indices)."""

    def __init__(self, style: str, ufuncs: dict[str, str] | None = None) -> None:
        self.style = style
        self.ufuncs = ufuncs or {}

    def text(self, node: Expression, at_least: int = 0) -> str:
        text, tightness = self._parts(node)
        return f"({text})" if tightness < at_least else text

    def access(self, name: str, indices: tuple[str, ...]) -> str:
        if self.style == "operators" or (self.style == "notation" and not indices):
            return name
        return f"{name}[{', '.join(indices) or '()'}]"

    def _parts(self, node: Expression) -> tuple[str, int]:
        match node:
            case Access(name, indices):
                return self.access(name, indices), ATOM
            case Number(value):
                return repr(value), UNARY if value < 0 else ATOM
            case Reduce(operator, variable, Reduce(inner, other, body)) if operator == inner and variable < other:
                return f"{self._function(operator)}({variable}, {other}, {self.text(body)})", ATOM
            case Reduce(operator, variable, body):
                return f"{self._function(operator)}({variable}, {self.text(body)})", ATOM
            case Apply(operator, (argument,)) if operator in PREFIXES:
                return PREFIXES[operator] + self.text(argument, UNARY), UNARY
            case Apply(operator, (left, right)) if operator in TIGHT:
                return self._binary(operator, left, right), TIGHT[operator]
            case Apply(operator, arguments) if self.style == "operators" and not accesses(node):
                return f"{operator}({', '.join(map(self.text, arguments))})", ATOM  # Python's, which gives its numbers
            case Apply(operator, arguments):
                return f"{self._function(operator)}({', '.join(map(self.text, arguments))})", ATOM

    def _binary(self, operator: str, left: Expression, right: Expression) -> str:
        tight = TIGHT[operator]
        if operator == "**":
            return f"{self.text(left, ATOM)} ** {self.text(right, UNARY)}"
        if operator in COMPARISONS:  # one, not chained
            return f"{self.text(left, tight + 1)} {operator} {self.text(right, tight + 1)}"
        return f"{self.text(left, tight)} {operator} {self.text(right, tight + 1)}"

    def _function(self, name: str) -> str:
        if self.style == "lazy":
            return f"f.{name}"
        if self.style == "operators":
            return f"np.{self.ufuncs.get(name, name)}"
        return name
