"""What a statement means, by plain loops over every coordinate.

Beside the value goes whether it is exact, and whether it is that of an absent entry: of operands that store nothing
there. What a program's result depends on beyond that is noted: a step taken at a rounded number, and numbers that are
not finite, or divided by zero, beside operands that are sparse.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .expressions import Access, Apply, Expression, Number, Reduce, free_variables
from .scalars import EXACT, STEPS, apply, identity, is_weak

REDUCTIONS = {"sum": "+", "prod": "*", "min": "min", "max": "max"}
# What an absent factor or dividend decides, whatever else is there.
ANNIHILATED_BY_ZERO = {"*": (0, 1), "/": (0,), "//": (0,), "%": (0,), "&": (0, 1)}


@dataclass(frozen=True)
class Elements:
    """The elements of an operand, and which of them it does not store."""

    values: np.ndarray
    absent: np.ndarray | None = None


@dataclass
class Result:
    value: Any
    exact: bool = True
    absent: bool = False
    operands: bool = True  # whether there are any in it: numbers alone are neither stored nor absent
    given: bool = False  # an element or a number as it stands


@dataclass
class Meaning:
    operands: Mapping[str, Elements]
    extents: Mapping[str, int]
    absent_rule: bool = False  # whether absent factors annihilate what is not finite
    unsure: bool = False  # a step at a rounded number
    special: bool = False  # something is not finite, or divided by zero
    largest: float = 1.0
    _types: dict[int, Any] = field(default_factory=dict)

    def evaluate(self, node: Expression, at: dict[str, int]) -> Result:
        match node:
            case Access(name, indices):
                place = tuple(at[index] for index in indices)
                operand = self.operands[name]
                absent = operand.absent is not None and bool(operand.absent[place])
                return self._noted(Result(operand.values[place], absent=absent, given=True))
            case Number(value):
                return self._noted(Result(value, operands=False, given=True))
            case Reduce(operator, variable, body):
                return self.reduce(REDUCTIONS[operator], (variable,), body, at)
            case Apply(operator, arguments):
                return self.applied(operator, [self.evaluate(argument, at) for argument in arguments])

    def reduce(self, operator: str, variables: tuple[str, ...], body: Expression, at: dict[str, int]) -> Result:
        """The reduction of the body over all coordinates of the variables."""
        found: Result | None = None
        for place in itertools.product(*(range(self.extents[variable]) for variable in variables)):
            term = self.evaluate(body, at | dict(zip(variables, place, strict=True)))
            term.value = self.counted(operator, term.value)
            found = term if found is None else self._combined(operator, found, term)
        if found is not None:
            return found
        value = self.counted(operator, self.sample(body))
        start = identity(operator, np.asarray(value).dtype)
        return Result(start.item() if is_weak(value) else start, absent=True)

    def counted(self, operator: str, value: Any) -> Any:
        """Sums and products of booleans count."""
        return np.int64(value) if operator in ("+", "*") and isinstance(value, np.bool_ | bool) else value

    def sample(self, node: Expression) -> Any:
        """Some value of the type that the expression has, also where it has no coordinates."""
        if (found := self._types.get(id(node))) is None:
            ones = {name: Elements(np.ones((1,) * o.values.ndim, o.values.dtype)) for name, o in self.operands.items()}
            meaning = Meaning(ones, dict.fromkeys(self.extents, 1))
            found = meaning.evaluate(node, dict.fromkeys(free_variables(node), 0)).value
            self._types[id(node)] = found
        return found

    def _combined(self, operator: str, left: Result, right: Result) -> Result:
        value = apply(operator, [left.value, right.value])
        exact = left.exact and right.exact and operator != "*"
        return self._noted(Result(value, exact, left.absent and right.absent, left.operands or right.operands))

    def applied(self, operator: str, arguments: list[Result]) -> Result:
        values = [argument.value for argument in arguments]
        exact = all(argument.exact for argument in arguments)
        if operator in STEPS and not exact and any(np.asarray(value).dtype.kind in "fc" for value in values):
            self.unsure = True
        if operator in ("/", "//", "%") and values[1] == 0:
            self.special = True
        if operator in ("copysign", "atan2", "/", "reciprocal") and any(
            argument.value == 0 and not argument.given for argument in arguments
        ):
            self.unsure = True  # whether a zero that is computed has a sign is not said
        if operator == "where" and not arguments[0].exact:
            self.unsure = True
        having = [argument for argument in arguments if argument.operands]
        absent = bool(having) and all(argument.absent for argument in having)
        result = Result(apply(operator, values), exact and operator in EXACT, absent, bool(having))
        if self.absent_rule:
            for place in ANNIHILATED_BY_ZERO.get(operator, ()):
                if arguments[place].absent and values[place] == 0:
                    result.value, result.absent = type(result.value)(0), True
        return self._noted(result)

    def _noted(self, result: Result) -> Result:
        if isinstance(result.value, np.inexact | float | complex):
            size = abs(result.value)
            if not size < np.inf:
                self.special = True
            elif size > self.largest:
                self.largest = float(size)
        return result


def additive_terms(node: Expression) -> list[tuple[str, Expression]]:
    """The terms that are added at the top, each with its sign."""
    match node:
        case Apply("+" | "-" as operator, (left, right)):
            return [*additive_terms(left), *_signed(operator, additive_terms(right))]
        case Apply("neg", (argument,)):
            return _signed("-", additive_terms(argument))
        case _:
            return [("+", node)]


def _signed(sign: str, terms: list[tuple[str, Expression]]) -> list[tuple[str, Expression]]:
    flip = {"+": "-", "-": "+"}
    return terms if sign == "+" else [(flip[before], term) for before, term in terms]


def component(meaning: Meaning, operator: str, left: tuple[str, ...], node: Expression, at: dict[str, int]) -> Result:
    """What a statement says of one component: `operator` is that before its equals sign, or + for none."""
    rest = tuple(sorted(free_variables(node) - set(left)))
    if operator != "+":
        return meaning.reduce(operator, rest, node, at) if rest else meaning.evaluate(node, at)
    return _summed(meaning, left, node, at)


def _summed(meaning: Meaning, left: tuple[str, ...], node: Expression, at: dict[str, int]) -> Result:
    match node:
        case Apply("+" | "-" as operator, (one, other)):
            parts = [_summed(meaning, left, one, at), _summed(meaning, left, other, at)]
            return meaning.applied(operator, parts)
        case Apply("neg", (argument,)):
            return meaning.applied("neg", [_summed(meaning, left, argument, at)])
        case _:
            rest = tuple(sorted(free_variables(node) - set(left)))
            return meaning.reduce("+", rest, node, at) if rest else meaning.evaluate(node, at)


@dataclass(frozen=True)
class Expected:
    values: np.ndarray
    absent: np.ndarray
    unsure: bool
    special: bool
    largest: float


def expected(
    meaning: Meaning, operator: str, left: tuple[str, ...], node: Expression, old: np.ndarray | None = None
) -> Expected:
    """All components of a statement's result, from old values of it if there are some."""
    shape = tuple(meaning.extents[variable] for variable in left)
    with np.errstate(all="ignore"):
        sample = np.asarray(component(_samples(meaning), operator, left, node, dict.fromkeys(left, 0)).value)
        values, absent = np.zeros(shape, sample.dtype), np.zeros(shape, bool)
        for place in itertools.product(*map(range, shape)):
            found = component(meaning, operator, left, node, dict(zip(left, place, strict=True)))
            if old is not None:
                found.value = apply(operator, [old[place], found.value])
            values[place], absent[place] = found.value, found.absent
    return Expected(values, absent, meaning.unsure, meaning.special, meaning.largest)


def _samples(meaning: Meaning) -> Meaning:
    ones = {name: Elements(np.ones((1,) * o.values.ndim, o.values.dtype)) for name, o in meaning.operands.items()}
    return Meaning(ones, dict.fromkeys(meaning.extents, 1))
