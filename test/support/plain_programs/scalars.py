"""Operators on single numbers, by NumPy's scalars and Python's numbers, which are weak."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

BINARY: dict[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.true_divide,
    "//": np.floor_divide,
    "%": np.remainder,
    "**": np.power,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "min": np.minimum,
    "max": np.maximum,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "atan2": np.arctan2,
    "copysign": np.copysign,
    "heaviside": np.heaviside,
}


def _erf(x: Any) -> Any:
    return np.asarray(math.erf(x)).astype(np.result_type(x, np.float32))[()]


def _sigmoid(x: Any) -> Any:
    return np.asarray(1 / (1 + math.exp(-min(max(float(x), -700), 700)))).astype(np.result_type(x, np.float32))[()]


UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": np.negative,
    "not": np.invert,
    "abs": np.abs,
    "square": np.square,
    "cube": lambda x: x * x * x,
    "sign": np.sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.rint,
    "sqrt": np.sqrt,
    "cbrt": np.cbrt,
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "reciprocal": np.reciprocal,
    "erf": _erf,
    "sigmoid": _sigmoid,
    "real": np.real,
    "imag": np.imag,
    "conj": np.conjugate,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
}
# NumPy's names of functions, for operators on tensors; those that have none are not used there.
UFUNCS = {
    "abs": "abs", "square": "square", "sign": "sign", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "expm1": "expm1", "log1p": "log1p", "sin": "sin", "tan": "tan",
    "atan": "arctan", "tanh": "tanh", "asinh": "arcsinh", "sinh": "sinh", "min": "minimum", "max": "maximum",
    "cos": "cos", "isfinite": "isfinite", "isnan": "isnan", "copysign": "copysign", "heaviside": "heaviside",
}  # fmt: skip

# What rounding of an argument changes by more than rounding.
STEPS = {
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "//",
    "%",
    "sign",
    "floor",
    "ceil",
    "trunc",
    "round",
    "heaviside",
    "copysign",
}
# What is exact for the short dyadic fractions that operands hold.
EXACT = STEPS | {
    "+", "-", "*", "&", "|", "^", "min", "max", "neg", "not", "abs", "square", "cube", "real", "imag", "conj",
    "isnan", "isinf", "isfinite", "where",
}  # fmt: skip


def is_weak(value: Any) -> bool:
    return not isinstance(value, np.generic)


def apply(operator: str, values: list[Any]) -> Any:
    """What the operator gives; Python numbers among themselves give a Python number."""
    if operator == "where":
        return _where(*values)
    if len(values) == 1:
        found = UNARY[operator](values[0])
    else:
        found = values[0]
        for value in values[1:]:
            found = BINARY[operator](found, value)
    if all(map(is_weak, values)):
        return found.item() if isinstance(found, np.generic) else found
    return found


def _where(condition: Any, yes: Any, no: Any) -> Any:
    chosen = yes if condition else no
    if is_weak(yes) and is_weak(no):
        return float(chosen) if isinstance(yes, float) or isinstance(no, float) else chosen
    return np.asarray(chosen).astype(np.result_type(yes, no))[()]


def identity(operator: str, dtype: np.dtype[Any]) -> Any:
    """What a reduction gives for nothing."""
    if operator in ("+", "sum", "|", "^"):
        return dtype.type(0)
    if operator in ("*", "prod"):
        return dtype.type(1)
    if operator == "&":
        return dtype.type(True) if dtype.kind == "b" else dtype.type(-1)
    if dtype.kind == "b":
        return dtype.type(operator == "min")
    if dtype.kind == "f":
        return dtype.type(np.inf if operator == "min" else -np.inf)
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if operator == "min" else limits.min)
