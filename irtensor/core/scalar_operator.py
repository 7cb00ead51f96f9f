"""What an operator is: its algebra, what it computes, and its meaning in NumPy; plain values, no IR.

Element types are named by their IR spelling ("f64", "i32", "i1", "complex<f64>"); constants are Python scalars.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from irtensor.core.arithmetic import INTEGER, UNSIGNED, Definition, kind_of, part_of
from irtensor.core.constant_arithmetic import ConstantArithmetic
from irtensor.core.element_values import Scalar, convert, is_complex

# The built-in operators and those that are registered, by name: `irtensor/operators/` fills it.
OPERATORS: dict[str, Operator] = {}
Traits = Callable[[str], tuple[Scalar, ...]]


@cache
def _constants(element: str) -> ConstantArithmetic:
    return ConstantArithmetic(element, OPERATORS)


def none(element: str) -> tuple[Scalar, ...]:
    """No constant has the role."""
    return ()


def always(value: Scalar) -> Traits:
    """A constant that has its role in every element type."""
    return lambda element: (value,)


@dataclass(frozen=True, eq=False)
class Operator:
    """One operator: what it computes, and the traits that rewrites may rely on; equal only to itself.

    A user's is named `@name` and is for `elements` alone, the types of its arguments; its `result` is a type. Others
    give the `same` type, `bool`, the `real` one, or the `complex` one. `identity` and the annihilators give, for
    an element type, the constants with that role; `left_*` hold when the constant is the first argument, `right_*` when
    it is the second. Of a user's operator, an identity is a value of the one type of arguments and result, and an
    annihilator one of the argument's type that the result's type has as well. A reduction starts from `identity`.
    """

    name: str
    arity: int
    evaluate: Callable[..., Scalar | None] | None = None
    """Of a user's, the value on constants of the types of its arguments; None if it is not defined for these."""
    result: str = "same"
    commutative: bool = False
    associative: bool = False
    idempotent: bool = False
    left_identity: Traits = none
    right_identity: Traits = none
    left_annihilator: Traits = none
    right_annihilator: Traits = none
    distributes_over: tuple[str, ...] = field(default=())
    undoes: str | None = None
    """The operator of `a` and `b` that it undoes by `b`: of factors, in any order, it has the annihilators as well."""
    elements: tuple[str, ...] = ()
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    """What it computes, by the kind of number of the last argument (`arithmetic.KINDS`); it has no others.

    Unsigned integers compute as integers do, where nothing else is said of them."""
    numpy: str | Callable[..., Any] | None = None
    """NumPy's function that it is, by name, or a function of arrays that gives the same. It decides about types."""
    types_of: str | None = None
    """NumPy's function that decides about types if it is none itself. Without both, the common type does."""
    also: tuple[str, ...] = ()
    """Other names in statements, and of functions of NumPy's and SciPy's that it is."""
    default: Scalar | None = None
    """The last argument where it is not written."""
    keeps_integers: bool = False
    """Whether whole numbers are their own results, of their own type, which NumPy's function may not say."""
    counts_truth: bool = False
    """Whether truth values are read as integers."""
    decide: Callable[[Sequence[Scalar | None], Collection[int]], Scalar | None] | None = None
    """Of a user's, what its body gives where only some arguments are known, and which of them are literals."""
    takes_long: bool = False
    """Whether it takes as long as reading and writing several elements, of numbers that are not whole."""
    divides: bool = False
    """Whether it is a division or a root, which instructions compute in several times the time of a product."""
    of_equals: str | None = None
    """The operator that gives, of a value and a number, what so many of the value are combined to."""
    counts_bits: bool = False
    """Whether a value depends on how many bits integers have: that of literals is computed in 64 of them."""
    cancels: bool = False
    """Whether a value combined with itself is the identity."""
    identities_at: tuple[Traits, ...] = ()
    """Of a user's operator of another number of arguments than two: the identity of each."""
    annihilators_at: tuple[Traits, ...] = ()

    def __post_init__(self) -> None:
        given = self.definitions
        if isinstance(given, Mapping) and INTEGER in given and UNSIGNED not in given:
            object.__setattr__(self, "definitions", {**given, UNSIGNED: given[INTEGER]})

    def value_of(self, arguments: Sequence[Scalar], elements: Sequence[str]) -> Scalar | None:
        """What it computes at run time of constants of these types; None if it is not defined for them."""
        values = [convert(value, element) for value, element in zip(arguments, elements, strict=True)]
        if self.evaluate is not None:
            result = self.evaluate(*values)
        else:
            definition = self.definitions.get(kind_of(elements[-1]))
            result = None if definition is None else definition(_constants(elements[-1]), *values)
        return None if result is None else convert(result, result_element(self, elements))

    @property
    def reduces(self) -> bool:
        """Whether it combines any number of values of some element type to one."""
        return self.associative and self.left_identity is not none and self.right_identity is not none

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
        return part_of(last)
    if operator.result == "complex":
        return f"complex<{last}>"
    return last if operator.result in ("same", "real") else operator.result


def symmetric(
    name: str, definitions: Mapping[str, Definition], identity: Traits, annihilator: Traits = none, **traits: Any
) -> Operator:
    """A commutative operator of two arguments that reduces."""
    return Operator(
        name,
        2,
        definitions=definitions,
        commutative=True,
        associative=True,
        left_identity=identity,
        right_identity=identity,
        left_annihilator=annihilator,
        right_annihilator=annihilator,
        **traits,
    )
