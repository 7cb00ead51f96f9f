"""The scalar operators of irtensor and their algebra; plain values, no IR.

Element types are named by their IR spelling ("f64", "i32", "i1", "complex<f64>"); constants are Python scalars.
Constants fold to what compiled code computes of them in their type (`constant_arithmetic`). A constant that meets a
run-time value folds by the traits below, which treat only stored entries as values (`0 * NaN` is 0), as every sparse
library does.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from irtensor.dialects.constant_arithmetic import evaluate
from irtensor.dialects.element_values import (
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

Traits = Callable[[str], tuple[Scalar, ...]]
# Whether an entry is stored: of what is absent false, and true of everything else, a number as well.
STORED = "stored"


def _none(element: str) -> tuple[Scalar, ...]:
    return ()


def _always(value: Scalar) -> Traits:
    return lambda element: (value,)


def _infinities(element: str) -> tuple[Scalar, ...]:
    return (math.inf, -math.inf) if is_float(element) else ()


def _all_ones(element: str) -> tuple[Scalar, ...]:
    return (True,) if element == "i1" else (-1,)


@dataclass(frozen=True, eq=False)
class Operator:
    """One operator: how it computes constants, and the traits that rewrites may rely on; equal only to itself.

    A user's is named `@name` and is for `elements` alone, the types of its arguments; its `result` is a type. Built-in
    ones give the `same` type, `bool`, the `real` one, or the `complex` one. `identity` and the annihilators give, for
    an element type, the constants with that role; `left_*` hold when the constant is the first argument, `right_*` when
    it is the second. Of a user's operator, an identity is a value of the one type of arguments and result, and an
    annihilator one of the argument's type that the result's type has as well. A reduction starts from `identity`.
    """

    name: str
    arity: int
    evaluate: Callable[..., Scalar | None]
    """The value on constants, which have the types of its arguments; None if it is not defined for these."""
    result: str = "same"
    commutative: bool = False
    associative: bool = False
    idempotent: bool = False
    left_identity: Traits = _none
    right_identity: Traits = _none
    left_annihilator: Traits = _none
    right_annihilator: Traits = _none
    distributes_over: tuple[str, ...] = field(default=())
    undoes: str | None = None
    """The operator of `a` and `b` that it undoes by `b`: of factors, in any order, it has the annihilators as well."""
    elements: tuple[str, ...] = ()
    ufunc: str | None = None
    """NumPy's function that it is, which decides about types; without one it computes in the arguments' common type."""
    types_of: str | None = None
    """NumPy's function that decides about types if it is none itself."""
    decide: Callable[[Sequence[Scalar | None], Collection[int]], Scalar | None] | None = None
    """Of a user's, what its body gives where only some arguments are known, and which of them are literals."""
    takes_long: bool = False
    """Whether it takes as long as reading and writing several elements, of numbers that are not whole."""
    identities_at: tuple[Traits, ...] = ()
    """Of a user's operator of another number of arguments than two: the identity of each."""
    annihilators_at: tuple[Traits, ...] = ()
    follows_type: bool = False
    """Whether `evaluate` takes the type in which it computes, that of the last argument, before the arguments."""

    def value_of(self, arguments: Sequence[Scalar], elements: Sequence[str]) -> Scalar | None:
        """What it computes at run time of constants of these types; None if it is not defined for them."""
        values = [convert(value, element) for value, element in zip(arguments, elements, strict=True)]
        result = self.evaluate(elements[-1], *values) if self.follows_type else self.evaluate(*values)
        return None if result is None else convert(result, result_element(self, elements))

    def annihilators(self, number: int, element: str) -> tuple[Scalar, ...]:
        """The constants that decide the result as an argument with this number."""
        if self.arity == 2:
            return self.right_annihilator(element) if number else self.left_annihilator(element)
        return self.annihilators_at[number](element) if self.annihilators_at else ()

    def identities(self, number: int, element: str) -> tuple[Scalar, ...]:
        """The constants beside which an argument is the result, as the argument with this number."""
        if self.arity == 2:
            return self.right_identity(element) if number else self.left_identity(element)
        return self.identities_at[number](element) if self.identities_at else ()

    def identity(self, element: str) -> Scalar | None:
        """The value a reduction over `element` starts from, or None if the operator cannot reduce."""
        left, right = self.left_identity(element), self.right_identity(element)
        if not self.associative or not left or not right:
            return None
        return convert(left[0], element)


def of_arguments(identities: tuple[Traits, ...], annihilators: tuple[Traits, ...]) -> dict[str, Any]:
    """The fields of an operator for the constants of each of its arguments."""
    if len(identities) != 2:
        return {"identities_at": identities, "annihilators_at": annihilators}
    (left, right), (left_zero, right_zero) = identities, annihilators
    return {
        "left_identity": left,
        "right_identity": right,
        "left_annihilator": left_zero,
        "right_annihilator": right_zero,
    }


def result_element(operator: Operator, elements: Sequence[str]) -> str:
    """Element type of an application: comparisons give i1, parts of complex numbers their float, what joins parts a
    complex number, a user's operator what it is declared with."""
    if operator.result == "bool":
        return "i1"
    last = elements[-1]
    if operator.result == "real" and is_complex(last):
        return last[len("complex<") : -1]
    if operator.result == "complex":
        return f"complex<{last}>"
    return last if operator.result in ("same", "real") else operator.result


def _built_in(name: str, arity: int, **traits: Any) -> Operator:
    return Operator(name, arity, partial(evaluate, name), follows_type=True, **traits)


def _symmetric(
    name: str,
    ufunc: str,
    identity: Traits,
    annihilator: Traits = _none,
    *,
    idempotent: bool = False,
    distributes_over: tuple[str, ...] = (),
) -> Operator:
    return _built_in(
        name,
        2,
        ufunc=ufunc,
        commutative=True,
        associative=True,
        idempotent=idempotent,
        left_identity=identity,
        right_identity=identity,
        left_annihilator=annihilator,
        right_annihilator=annihilator,
        distributes_over=distributes_over,
    )


def _functions(names: str, arity: int = 1, **traits: Any) -> Iterator[Operator]:
    """Functions that have no algebra, as `name` or `name=name of NumPy's`."""
    for entry in names.split():
        name, _, ufunc = entry.partition("=")
        yield _built_in(name, arity, ufunc=ufunc or name, takes_long=name in _LONG, **traits)


_COMPARISONS = "lt=less le=less_equal gt=greater ge=greater_equal"
_TESTS = "isnan isinf isfinite"
_ELEMENTWISE = (
    "neg=negative conj=conjugate not=invert square reciprocal sqrt cbrt exp expm1 log log1p log2 log10 sin cos tan "
    "asin=arcsin acos=arccos atan=arctan sinh cosh tanh asinh=arcsinh acosh=arccosh atanh=arctanh sign floor ceil "
    "trunc round=rint"
)
# A library computes them: there are no instructions for them.
_LONG = frozenset(
    "cbrt exp expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh atan2".split()
)
_OF_TWO = "atan2=arctan2 copysign heaviside"


def _build_table() -> dict[str, Operator]:
    zero, one = _always(0), _always(1)
    smallest_value: Traits = lambda element: (smallest(element),)  # noqa: E731
    largest_value: Traits = lambda element: (largest(element),)  # noqa: E731
    operators = [
        _symmetric("add", "add", zero, _infinities, distributes_over=("min", "max")),
        _symmetric("mul", "multiply", one, zero, distributes_over=("add", "sub")),
        _symmetric("min", "minimum", largest_value, smallest_value, idempotent=True, distributes_over=("max", "min")),
        _symmetric("max", "maximum", smallest_value, largest_value, idempotent=True, distributes_over=("min", "max")),
        _symmetric("and", "bitwise_and", _all_ones, zero, idempotent=True, distributes_over=("or", "xor")),
        _symmetric("or", "bitwise_or", zero, _all_ones, idempotent=True, distributes_over=("and",)),
        _symmetric("xor", "bitwise_xor", zero),
        _built_in("sub", 2, ufunc="subtract", right_identity=zero),
        _built_in("div", 2, ufunc="true_divide", right_identity=one, left_annihilator=zero, undoes="mul"),
        _built_in("floordiv", 2, ufunc="floor_divide", left_annihilator=zero),
        _built_in("mod", 2, ufunc="remainder", left_annihilator=zero),
        _built_in("pow", 2, ufunc="power", right_identity=one, takes_long=True),
        _built_in("first", 2, associative=True, idempotent=True),
        _built_in("second", 2, associative=True, idempotent=True),
        *_functions("eq=equal ne=not_equal", 2, result="bool", commutative=True),
        *_functions(_COMPARISONS, 2, result="bool"),
        *_functions("abs=absolute", result="real"),
        _built_in("real", 1, result="real"),
        _built_in("imag", 1, result="real"),
        _built_in("complex", 2, types_of="arctan2", result="complex"),
        _built_in("angle", 1, types_of="sqrt", result="real"),
        *_functions(_TESTS, result="bool"),
        _built_in("identity", 1),
        *_functions(_ELEMENTWISE),
        _built_in("cube", 1, types_of="square"),
        _built_in("erf", 1, types_of="cbrt", takes_long=True),
        _built_in("sigmoid", 1, types_of="cbrt", takes_long=True),
        *_functions(_OF_TWO, 2),
        _built_in("where", 3),
        _built_in(STORED, 1, result="bool"),
    ]
    return {operator.name: operator for operator in operators}


OPERATORS: dict[str, Operator] = _build_table()


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
            value = operator.value_of(arguments, elements)  # pyright: ignore[reportArgumentType]
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
