"""The scalar operators of irtensor and their algebra; plain values, no IR.

Element types are named by their IR spelling ("f64", "i32", "i1", "complex<f64>"); constants are Python scalars.
Two constants fold exactly as NumPy computes them. A constant that meets a run-time value folds by the traits below,
which treat only stored entries as values (`0 * NaN` is 0), as every sparse library does.
"""

import cmath
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Scalar = bool | int | float | complex
Traits = Callable[[str], tuple[Scalar, ...]]


def is_integer(element: str) -> bool:
    return element[0] == "i" and element not in ("i1", "index")


def is_float(element: str) -> bool:
    return element[0] == "f"


def is_complex(element: str) -> bool:
    return element.startswith("complex")


def smallest(element: str) -> Scalar:
    """The least value of an element type: the identity of max."""
    if is_integer(element):
        return -(1 << (int(element[1:]) - 1))
    return False if element == "i1" else -math.inf


def largest(element: str) -> Scalar:
    """The greatest value of an element type: the identity of min."""
    if is_integer(element):
        return (1 << (int(element[1:]) - 1)) - 1
    return True if element == "i1" else math.inf


def convert(value: Scalar, element: str) -> Scalar:
    """`value` as a constant of `element`; integers wrap around as NumPy's do."""
    if element == "i1":
        return bool(value)
    if is_integer(element):
        bits = int(element[1:])
        number = int(value.real if isinstance(value, complex) else value)
        return (number + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    if is_float(element):
        return float(value.real if isinstance(value, complex) else value)
    return complex(value) if is_complex(element) else int(value.real)


def is_value_of(value: Scalar, element: str) -> bool:
    """Whether an element type has a constant among its values; floats may round it."""
    if is_complex(element):
        return True
    if isinstance(value, complex):
        if value.imag != 0:
            return False
        value = value.real
    if is_float(element):
        return True
    exact = "i64" if element == "index" else element
    least, greatest = smallest(exact).real, largest(exact).real
    return least <= value <= greatest and value == int(value)


def converts_exactly(value: Scalar, element: str) -> bool:
    """Whether a constant is the same number in another element type, but for the rounding of floats."""
    return is_value_of(value, element) and same_value(convert(value, element), value)


def same_value(a: Scalar, b: Scalar) -> bool:
    """Equality of constants in which NaN equals NaN."""
    return a == b or (a != a and b != b)


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
    ones give the `same` type, `bool`, or the `real` one. `identity` and the annihilators give, for an element type, the
    constants with that role; `left_*` hold when the constant is the first argument, `right_*` when it is the second. Of
    a user's operator, an identity is a value of the one type of arguments and result, and an annihilator one of the
    argument's type that the result's type has as well. A reduction starts from `identity`.
    """

    name: str
    arity: int
    evaluate: Callable[..., Scalar]
    result: str = "same"
    commutative: bool = False
    associative: bool = False
    idempotent: bool = False
    left_identity: Traits = _none
    right_identity: Traits = _none
    left_annihilator: Traits = _none
    right_annihilator: Traits = _none
    distributes_over: tuple[str, ...] = field(default=())
    elements: tuple[str, ...] = ()

    def identity(self, element: str) -> Scalar | None:
        """The value a reduction over `element` starts from, or None if the operator cannot reduce."""
        left, right = self.left_identity(element), self.right_identity(element)
        if not self.associative or not left or not right:
            return None
        return convert(left[0], element)


def result_element(operator: Operator, elements: Sequence[str]) -> str:
    """Element type of an application: comparisons give i1, parts of complex numbers their float, a user's operator what
    it is declared with."""
    if operator.result == "bool":
        return "i1"
    last = elements[-1]
    if operator.result == "real" and is_complex(last):
        return last[len("complex<") : -1]
    return last if operator.result in ("same", "real") else operator.result


def _symmetric(
    name: str,
    evaluate: Callable[..., Scalar],
    identity: Traits,
    annihilator: Traits = _none,
    *,
    idempotent: bool = False,
    distributes_over: tuple[str, ...] = (),
) -> Operator:
    return Operator(
        name,
        2,
        evaluate,
        commutative=True,
        associative=True,
        idempotent=idempotent,
        left_identity=identity,
        right_identity=identity,
        left_annihilator=annihilator,
        right_annihilator=annihilator,
        distributes_over=distributes_over,
    )


def _divide(a: Scalar, b: Scalar) -> Scalar:
    if isinstance(a, complex) or isinstance(b, complex):
        return complex(a) / complex(b) if b != 0 else complex(math.nan, math.nan)
    if b == 0:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def _floor_divide(a: Scalar, b: Scalar) -> Scalar:
    if b == 0:
        return 0 if isinstance(b, int) else _divide(a, b)
    return a // b  # pyright: ignore[reportOperatorIssue]


def _modulo(a: Scalar, b: Scalar) -> Scalar:
    if b == 0:
        return 0 if isinstance(b, int) else math.nan
    if isinstance(a, float) and math.isinf(a):
        return math.nan
    return a % b  # pyright: ignore[reportOperatorIssue]


def _power(a: Scalar, b: Scalar) -> Scalar:
    try:
        return a**b
    except ZeroDivisionError:
        return math.inf
    except OverflowError:
        return math.inf


def _least(a: Scalar, b: Scalar) -> Scalar:
    if a != a:
        return a
    return b if b != b or b < a else a  # pyright: ignore[reportOperatorIssue]


def _greatest(a: Scalar, b: Scalar) -> Scalar:
    if a != a:
        return a
    return b if b != b or b > a else a  # pyright: ignore[reportOperatorIssue]


def _bitwise(operation: Callable[[int, int], int]) -> Callable[[Scalar, Scalar], Scalar]:
    def evaluate(a: Scalar, b: Scalar) -> Scalar:
        result = operation(int(a.real), int(b.real))
        return bool(result) if isinstance(a, bool) and isinstance(b, bool) else result

    return evaluate


def _function(of_float: Callable[[float], float], of_complex: Callable[[complex], complex] | None = None):
    def evaluate(a: Scalar) -> Scalar:
        try:
            return of_complex(a) if isinstance(a, complex) and of_complex else of_float(float(a.real))
        except (ValueError, ZeroDivisionError):
            return math.nan
        except OverflowError:
            return math.inf

    return evaluate


def _logarithm(a: float) -> float:
    return -math.inf if a == 0 else math.log(a)


def _sign(a: Scalar) -> Scalar:
    if isinstance(a, complex):
        return a / abs(a) if a else a
    return a if a == 0 or a != a else type(a)(1 if a > 0 else -1)


def _round_with(rounding: Callable[[float], int]) -> Callable[[Scalar], Scalar]:
    return lambda a: a if not isinstance(a, float) or not math.isfinite(a) else float(rounding(a))


def _comparison(name: str, evaluate: Callable[[Scalar, Scalar], Scalar], commutative: bool = False) -> Operator:
    return Operator(name, 2, evaluate, result="bool", commutative=commutative)


def _build_table() -> dict[str, Operator]:
    zero, one = _always(0), _always(1)
    smallest_value: Traits = lambda element: (smallest(element),)  # noqa: E731
    largest_value: Traits = lambda element: (largest(element),)  # noqa: E731
    operators = [
        _symmetric("add", lambda a, b: a + b, zero, _infinities, distributes_over=("min", "max")),
        _symmetric("mul", lambda a, b: a * b, one, zero, distributes_over=("add", "sub")),
        _symmetric("min", _least, largest_value, smallest_value, idempotent=True, distributes_over=("max", "min")),
        _symmetric("max", _greatest, smallest_value, largest_value, idempotent=True, distributes_over=("min", "max")),
        _symmetric("and", _bitwise(int.__and__), _all_ones, zero, idempotent=True, distributes_over=("or", "xor")),
        _symmetric("or", _bitwise(int.__or__), zero, _all_ones, idempotent=True, distributes_over=("and",)),
        _symmetric("xor", _bitwise(int.__xor__), zero),
        Operator("sub", 2, lambda a, b: a - b, right_identity=zero),
        Operator("div", 2, _divide, right_identity=one, left_annihilator=zero),
        Operator("floordiv", 2, _floor_divide, left_annihilator=zero),
        Operator("mod", 2, _modulo, left_annihilator=zero),
        Operator("pow", 2, _power, right_identity=one),
        Operator("first", 2, lambda a, b: a, associative=True, idempotent=True),
        Operator("second", 2, lambda a, b: b, associative=True, idempotent=True),
        _comparison("eq", lambda a, b: a == b, commutative=True),
        _comparison("ne", lambda a, b: a != b, commutative=True),
        _comparison("lt", lambda a, b: a < b),  # pyright: ignore[reportOperatorIssue]
        _comparison("le", lambda a, b: a <= b),  # pyright: ignore[reportOperatorIssue]
        _comparison("gt", lambda a, b: a > b),  # pyright: ignore[reportOperatorIssue]
        _comparison("ge", lambda a, b: a >= b),  # pyright: ignore[reportOperatorIssue]
        Operator("neg", 1, lambda a: -a),
        Operator("abs", 1, lambda a: abs(a), result="real"),
        Operator("real", 1, lambda a: a.real, result="real"),
        Operator("imag", 1, lambda a: a.imag, result="real"),
        Operator("conj", 1, lambda a: a.conjugate()),
        Operator("identity", 1, lambda a: a),
        Operator("not", 1, lambda a: (not a) if isinstance(a, bool) else ~int(a.real)),
        Operator("isnan", 1, lambda a: a != a, result="bool"),
        Operator("square", 1, lambda a: a * a),
        Operator("reciprocal", 1, lambda a: _divide(1.0, a)),
        Operator("sqrt", 1, _function(math.sqrt, cmath.sqrt)),
        Operator("exp", 1, _function(math.exp, cmath.exp)),
        Operator("log", 1, _function(_logarithm, cmath.log)),
        Operator("sin", 1, _function(math.sin, cmath.sin)),
        Operator("cos", 1, _function(math.cos, cmath.cos)),
        Operator("tan", 1, _function(math.tan, cmath.tan)),
        Operator("tanh", 1, _function(math.tanh, cmath.tanh)),
        Operator("sign", 1, _sign),
        Operator("floor", 1, _round_with(math.floor)),
        Operator("ceil", 1, _round_with(math.ceil)),
        Operator("where", 3, lambda c, a, b: a if c else b),
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


def fold(operator: Operator, arguments: Sequence[Scalar | None], elements: Sequence[str]) -> Constant | Argument | None:
    """Simplify an application whose known arguments are constants (None: only known at run time).

    Source: Ahrens 2024 (Finch), section 5; `elements` are the argument types.
    """
    if all(value is not None for value in arguments):
        value = operator.evaluate(*arguments)
        return Constant(convert(value, result_element(operator, elements)))
    if operator.name == "where" and arguments[0] is not None:
        return Argument(1 if arguments[0] else 2)
    if operator.name == "where" and arguments[1] is not None and arguments[2] is not None:
        return Constant(arguments[1]) if same_value(arguments[1], arguments[2]) else None
    if operator.name in ("first", "second"):
        return Argument(0 if operator.name == "first" else 1)
    if operator.arity != 2:
        return None
    left, right = arguments
    if left is not None:
        return _fold_left(operator, left, elements)
    assert right is not None
    if _is_one_of(right, operator.right_annihilator(elements[1])):
        return Constant(convert(right, result_element(operator, elements)))
    return Argument(0) if _is_one_of(right, operator.right_identity(elements[1])) else None


def fold_to_value(operator: Operator, arguments: Sequence[Scalar | None], elements: Sequence[str]) -> Scalar | None:
    """The value of an application that the known ones among its arguments decide; None if others say something."""
    outcome = fold(operator, arguments, elements) if any(value is not None for value in arguments) else None
    if isinstance(outcome, Argument):
        return arguments[outcome.index] if outcome.operator is None else None
    return None if outcome is None else outcome.value


def _fold_left(operator: Operator, left: Scalar, elements: Sequence[str]) -> Constant | Argument | None:
    element = elements[0]
    if _is_one_of(left, operator.left_annihilator(element)):
        return Constant(convert(left, result_element(operator, elements)))
    if _is_one_of(left, operator.left_identity(element)):
        return Argument(1)
    if operator.name == "sub" and left == 0 and element != "i1":
        return Argument(1, "neg")
    return None


def _is_one_of(value: Scalar, candidates: tuple[Scalar, ...]) -> bool:
    return any(same_value(value, candidate) for candidate in candidates)
