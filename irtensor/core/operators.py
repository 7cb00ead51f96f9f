"""The scalar operators of irtensor, and how applications of them to constants fold.

Constants fold to what compiled code computes of them in their type (`constant_arithmetic`). A constant that meets a
run-time value folds by the traits below, which treat only stored entries as values (`0 * NaN` is 0), as every sparse
library does.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from irtensor.core.element_values import (
    Scalar,
    convert,
    converts_exactly,
    is_complex,
    is_float,
    is_integer,
    is_value_of,
    largest,
    same_value,
    smallest,
)
from irtensor.core.scalar_operator import Operator, Traits, of_arguments, result_element
from irtensor.operators.known_operators import OPERATORS
from irtensor.operators.ordering import STORED

__all__ = [
    "OPERATORS",
    "STORED",
    "Argument",
    "Constant",
    "Operator",
    "Scalar",
    "Traits",
    "convert",
    "converts_exactly",
    "fold",
    "fold_to_value",
    "is_complex",
    "is_exact",
    "is_float",
    "is_integer",
    "is_value_of",
    "largest",
    "of_arguments",
    "result_element",
    "same_value",
    "smallest",
]


@dataclass(frozen=True)
class Constant:
    """Outcome of a fold: the application is this constant."""

    value: Scalar


@dataclass(frozen=True)
class Argument:
    """Outcome of a fold: the application is its argument number `index`, under `operator` if one is named."""

    index: int
    operator: str | None = None


def fold(
    operator: Operator,
    arguments: Sequence[Scalar | None],
    elements: Sequence[str],
    literals: Collection[int] = (),
) -> Constant | Argument | None:
    """Simplify an application whose known arguments are constants (None: only known at run time).

    Those of `literals` are numbers of the program; others are there because an entry is absent. An absent entry that
    annihilates the operator makes the result absent whatever the other arguments are, also beside an infinite one. A
    literal is a number like a stored one: of 0 / x it depends on x whether it is 0.

    Source: Ahrens 2024 (Finch), section 5; `elements` are the argument types. None also if it is not defined for these.
    """
    if operator.name == STORED:
        return None if arguments[0] is None else Constant(0 in literals)
    believed = () if is_exact(operator, elements) else literals
    zeros = [*_annihilating(operator, arguments, elements, believed)]
    if all(value is not None for value in arguments):
        if zeros and all(same_value(zero, zeros[0]) for zero in zeros):
            return Constant(convert(zeros[0], result_element(operator, elements)))
        # Absent arguments that disagree, such as the infinities of a sum, annihilate nothing.
        if operator.decide is None:
            value = operator.value_of(cast("Sequence[Scalar]", arguments), elements)
        else:
            value = operator.decide(arguments, literals)
        return None if value is None else Constant(value)
    if operator.name == "where" and arguments[0] is not None:
        return Argument(1 if arguments[0] else 2)
    if operator.name == "where" and arguments[1] is not None and arguments[2] is not None:
        return Constant(arguments[1]) if same_value(arguments[1], arguments[2]) else None
    if operator.name in ("first", "second"):
        return Argument(0 if operator.name == "first" else 1)
    if zeros:
        return Constant(convert(zeros[0], result_element(operator, elements)))
    if (argument := _fold_identity(operator, arguments, elements)) is not None:
        return argument
    decided = None if operator.decide is None else operator.decide(arguments, literals)
    return None if decided is None else Constant(decided)


def _annihilating(
    operator: Operator, arguments: Sequence[Scalar | None], elements: Sequence[str], literals: Collection[int]
) -> Iterator[Scalar]:
    """The values of those absent arguments that decide the result."""
    for number, value in enumerate(arguments):
        if value is None or number in literals:
            continue
        if _is_one_of(value, operator.annihilators(number, elements[number])):
            yield value


def fold_to_value(
    operator: Operator,
    arguments: Sequence[Scalar | None],
    elements: Sequence[str],
    literals: Collection[int] = (),
) -> Scalar | None:
    """The value of an application that the known ones among its arguments decide; None if others say something."""
    outcome = fold(operator, arguments, elements, literals) if any(value is not None for value in arguments) else None
    if isinstance(outcome, Argument):
        return arguments[outcome.index] if outcome.operator is None else None
    return None if outcome is None else outcome.value


def is_exact(operator: Operator, elements: Sequence[str]) -> bool:
    """Whether an annihilator is what computing gives, of any number: of whole ones, and of declared operators."""
    return bool(operator.elements) or not any(is_float(element) or is_complex(element) for element in elements)


def _fold_identity(operator: Operator, arguments: Sequence[Scalar | None], elements: Sequence[str]) -> Argument | None:
    """The only argument that is not known, where all others are identities."""
    unknown = [number for number, value in enumerate(arguments) if value is None]
    if len(unknown) != 1:
        return None
    (left_over,) = unknown
    known = [(number, value) for number, value in enumerate(arguments) if value is not None]
    if known and all(_is_one_of(value, operator.identities(number, elements[number])) for number, value in known):
        return Argument(left_over)
    negates = operator.name == "sub" and left_over == 1 and arguments[0] == 0 and elements[0] != "i1"
    return Argument(1, "neg") if negates else None


def _is_one_of(value: Scalar, candidates: tuple[Scalar, ...]) -> bool:
    return any(same_value(value, candidate) for candidate in candidates)


def stays_true(operator: Operator) -> bool:
    """Whether an operator gives true for a true first argument, whatever the second one is."""
    return any(value is True for value in operator.annihilators(0, "i1"))
