"""Which operators and functions are drawn for which kinds of numbers.

Kinds are NumPy's letters, h for int8, and w and W for Python's integers and floats.
"""

from .expressions import COMPARISONS

INTEGERS = (0, 1, 2, 3, 5, -1, -2)
FLOATS = (0.5, 2.0, -1.5, 1.0, 0.25)
REDUCTIONS = ("sum", "sum", "sum", "min", "max", "prod")

_ARITHMETIC = ("+", "+", "-", "-", "*", "*", "*", "*")
_ORDER = ("min", "max")
_BITS = ("&", "|", "^")
_DIVISIONS = ("/", "/", "//", "%")
_FLOAT_FUNCTIONS = (
    "sqrt", "exp", "log", "log1p", "sin", "cos", "tan", "tanh", "sinh", "cosh", "asinh", "atan", "cbrt", "expm1",
    "log2", "log10", "erf", "sigmoid", "reciprocal", "asin", "acos", "atanh", "acosh",
)  # fmt: skip
_FLOAT_STEPS = ("floor", "ceil", "trunc", "round", "sign", "isnan", "isinf", "isfinite")


def binary(kinds: set[str], exact: bool) -> tuple[str, ...]:
    """Operators of two arguments of these kinds; `exact` if steps at their values may be taken."""
    if kinds <= {"w", "W"}:
        return ("+", "*", "-", "min", "max")
    if "c" in kinds:
        return (*_ARITHMETIC, "/", *(("==", "!=") if exact else ()))
    steps = COMPARISONS if exact else ()
    if "f" in kinds or "W" in kinds:
        divisions = _DIVISIONS if exact else _DIVISIONS[:2]
        signs = ("copysign", "heaviside") if exact and "f" in kinds else ()
        return (*_ARITHMETIC, *_ORDER, *divisions, *steps, "**", *(("atan2",) if "f" in kinds else ()), *signs)
    if kinds == {"b"}:
        return (*_BITS, *_BITS, "==", "!=", "+", "*")
    if "b" in kinds:
        return (*_ARITHMETIC, *_ORDER, *steps)
    return (*_ARITHMETIC, *_ORDER, *_BITS, *_DIVISIONS, *COMPARISONS, "**")


def unary(kind: str, exact: bool) -> tuple[str, ...]:
    """Functions of an argument of this kind."""
    match kind:
        case "b":
            return ("not",)
        case "h":
            return ("neg", "abs", "square", "sign", "not")
        case "i":
            return ("neg", "abs", "square", "sign", "not", "cube", "sqrt", "exp", "sin", "cbrt")
        case "c":
            return ("neg", "conj", "real", "imag", "abs", "square", "exp")
        case "f":
            steps = _FLOAT_STEPS if exact else _FLOAT_STEPS[-3:]
            return ("neg", "neg", "abs", "abs", "square", "cube", *_FLOAT_FUNCTIONS, *steps)
        case _:
            return ()


def compound(kind: str) -> tuple[str, ...]:
    """Operators before an equals sign."""
    match kind:
        case "b":
            return ("+", "|", "|", "&", "^")
        case "h" | "i":
            return ("+", "*", "min", "max", "|", "&", "^")
        case "c":
            return ("+", "*")
        case _:
            return ("+", "+", "min", "max", "*")
