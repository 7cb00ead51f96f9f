"""The oracle: evaluates a statement over dense NumPy arrays. Simple on purpose, and independent of the compiler.

Promotion is NumPy's, with three rules of irtensor: a literal and any expression of literals is weak; where NumPy would
compute in float16, float32 takes its place; a sum or product of booleans counts in int64, and no other type widens.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from reference.rounding import Rounding

from irtensor.core.operator_symbols import CASTS
from irtensor.core.operators import OPERATORS
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    If,
    Literal,
    Reduce,
    Scalar,
    Statement,
    Variable,
    accesses,
)
from irtensor.frontend.operator_signatures import numpy_function
from irtensor.frontend.user_operator import UserOperator

_UFUNCS: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "pow": np.power,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": np.left_shift,
    "shr": np.right_shift,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "neg": np.negative,
    "abs": np.absolute,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sign": np.sign,
    "square": np.square,
    "reciprocal": np.reciprocal,
    "not": np.invert,
    "conj": np.conjugate,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "cbrt": np.cbrt,
    "expm1": np.expm1,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "copysign": np.copysign,
    "heaviside": np.heaviside,
}
# Operators whose result has a type of its own.
_DECIDES_TYPE = {"eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite"} | {
    *("abs", "real", "imag", "complex", "angle"),
}
_KEEPS_INTEGERS = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}


@dataclass(frozen=True)
class _Value:
    """An array whose axes are named by index variables, or a weak Python number without axes.

    An array of which all elements are such numbers, chosen by a condition, is weak as they are: `has_weak_type`.
    """

    array: Any
    axes: tuple[str, ...] = ()
    has_weak_type: bool = False

    @property
    def is_weak(self) -> bool:
        return not isinstance(self.array, np.ndarray)


def evaluate_dense(
    statement: Statement,
    operands: Mapping[str, Any],
    extents: Mapping[str, int] | None = None,
    operators: Sequence[UserOperator] = (),
    rounding: Rounding = lambda value, is_short_exact: value,
) -> np.ndarray:
    """The result array of a statement whose reductions are explicit (`insert_reductions` makes them so).

    `extents` gives the ranges of index variables that no operand has. Missing operands raise KeyError, ranks and
    extents that disagree ValueError. An index variable ranges over its whole extent, even where an operand lacks it.
    Operators of the user's compute by their bodies; the traits that they declare are not looked at. What is computed,
    and what is reduced, goes through `rounding`.
    """
    assert statement.operator is None, "insert_reductions comes first"
    arrays = {name: np.asarray(array) for name, array in operands.items()}
    sizes = dict(extents or {})
    for access in accesses(statement.expression):
        array = arrays[access.tensor]
        if array.ndim != len(access.indices):
            raise ValueError(
                f"{access.tensor} has {array.ndim} dimensions, accessed with {len(access.indices)} indices"
            )
        for index, size in zip(access.plain_indices, array.shape, strict=True):
            if sizes.setdefault(index, size) != size:
                raise ValueError(f"index {index} ranges over {sizes[index]} and over {size}")
    with np.errstate(all="ignore"):
        declared = {f"@{operator.name}": operator for operator in operators}
        value = _Evaluation(arrays, sizes, declared, rounding).visit(statement.expression)
        spread = _align(value, statement.target.plain_indices)
    shape = tuple(sizes[index] for index in statement.target.plain_indices)
    return np.array(np.broadcast_to(spread, shape), order="C")


@dataclass(frozen=True)
class _Evaluation:
    arrays: Mapping[str, np.ndarray]
    sizes: Mapping[str, int]
    operators: Mapping[str, UserOperator]
    rounding: Rounding
    # What the names of a user's operator stand for, inside its body.
    parameters: Mapping[str, _Value] = field(default_factory=dict)

    def visit(self, expression: Expression) -> _Value:
        match expression:
            case Literal():
                return _Value(expression.value)
            case Access(tensor):
                parameter = self.parameters.get(tensor)
                return _diagonal(self.arrays[tensor], expression.plain_indices) if parameter is None else parameter
            case Apply():
                return self.apply(expression.operator, [self.visit(argument) for argument in expression.arguments])
            case Reduce():
                return self.reduce(expression, self.visit(expression.body))
            case Variable() | If():
                raise NotImplementedError("statements that compute with coordinates have an oracle of their own")

    def apply(self, operator: str, values: list[_Value]) -> _Value:
        if operator in CASTS:
            return _Value(np.asarray(values[0].array).astype(operator), values[0].axes)
        if operator in self.operators:
            return self.apply_declared(self.operators[operator], values)
        values, has_weak_type = _meet(operator, values)
        axes = tuple(dict.fromkeys(name for value in values for name in value.axes))
        computed = _compute(operator, [_align(value, axes) for value in values])
        result = self.rounding(computed, not OPERATORS[operator].takes_long)
        if all(value.is_weak for value in values):
            return _Value(_weak(result))
        return _Value(np.asarray(result), axes, has_weak_type)

    def apply_declared(self, operator: UserOperator, values: list[_Value]) -> _Value:
        """Arguments have one dtype, which is that of the value as well if the operator may be applied to it again."""
        is_weak = all(value.is_weak for value in values)
        dtype = np.result_type(*(np.asarray(value.array) if is_weak else _number_or_array(value) for value in values))
        typed = [_Value(np.asarray(value.array).astype(dtype), value.axes) for value in values]
        given = [_Value(_weak(value.array)) for value in typed] if is_weak else typed
        result = replace(self, parameters=dict(zip(operator.parameters, given, strict=True))).visit(operator.body)
        array = np.asarray(result.array)
        if operator.associative or operator.idempotent:
            array = array.astype(dtype)
        return _Value(_weak(array) if is_weak else array, result.axes)

    def reduce(self, expression: Reduce, value: _Value) -> _Value:
        operator = expression.operator
        kept = tuple(name for name in value.axes if name not in expression.indices)
        axes = kept + expression.indices
        array = np.asarray(_align(value, axes))
        if operator in ("add", "mul") and array.dtype == np.bool_:
            array = array.astype(np.int64)
        array = self.rounding(np.broadcast_to(array, tuple(self.sizes[name] for name in axes)), True)
        if operator in self.operators:
            return self.reduce_declared(operator, array, kept)
        initial = _identity(operator, array.dtype)
        reduced_axes = tuple(range(len(kept), len(axes)))
        reduced = _UFUNCS[operator].reduce(array, axis=reduced_axes, initial=initial, dtype=array.dtype)
        # Short factors have a product that is rounded on the way, in one order or another.
        weak = value.has_weak_type and array.dtype != np.bool_ and value.array.dtype != np.bool_
        return _Value(np.asarray(self.rounding(reduced, True) if operator in ("add", "mul") else reduced), kept, weak)

    def reduce_declared(self, operator: str, array: np.ndarray, kept: tuple[str, ...]) -> _Value:
        shape = array.shape[: len(kept)]
        total = _Value(np.full(shape, self.operators[operator].identity, array.dtype), kept)
        for number in np.ndindex(array.shape[len(kept) :]):
            total = self.apply(operator, [total, _Value(np.asarray(array[(..., *number)]), kept)])
        return total


def _meet(operator: str, values: list[_Value]) -> tuple[list[_Value], bool]:
    """The arguments of an operator, of which those of weak type have that of the others; whether the result is weak."""
    decided = values[1:] if operator == "where" else values
    strong = [value.array for value in decided if not value.is_weak and not value.has_weak_type]
    if not strong:
        numbers = [type(value.array) for value in decided if value.is_weak]
        if any(kind in (float, complex) for kind in numbers):
            weak = [value.has_weak_type and value.array.dtype.kind == "i" for value in values]
            values = [_converted(value, np.dtype(float)) if is_weak else value for value, is_weak in zip(values, weak)]
        return values, operator not in _DECIDES_TYPE and not all(value.is_weak for value in values)
    met = [
        replace(_converted(value, np.result_type(_number_or_array(value), *strong)), has_weak_type=False)
        if value.has_weak_type
        else value
        for value in values
    ]
    return met, False


def _converted(value: _Value, dtype: np.dtype[Any]) -> _Value:
    """A value of weak type in the type of others. The largest of no integers has become that of no floats."""
    old, array = value.array, value.array.astype(dtype)
    if old.dtype.kind == "i" and dtype.kind in "fc" and old.size:
        limits = np.iinfo(old.dtype)
        array = np.where(old == limits.min, -np.inf, np.where(old == limits.max, np.inf, array)).astype(dtype)
    return replace(value, array=array)


def _number_or_array(value: _Value) -> Any:
    """A Python number in place of an array of weak type, as NumPy's promotion takes it."""
    return value.array.dtype.type(0).item() if value.has_weak_type else value.array


def _diagonal(array: np.ndarray, indices: tuple[str, ...]) -> _Value:
    """Axes that carry the same index variable become one."""
    axes = list(indices)
    for index in dict.fromkeys(indices):
        while axes.count(index) > 1:
            first = axes.index(index)
            second = axes.index(index, first + 1)
            array = np.diagonal(array, axis1=first, axis2=second)
            del axes[second], axes[first]
            axes.append(index)
    return _Value(np.asarray(array), tuple(axes))


def _align(value: _Value, axes: tuple[str, ...]) -> Any:
    """The array with its axes in the order of `axes` and extent 1 where it has none; a weak number stays as it is."""
    if value.is_weak:
        return value.array
    present = [value.axes.index(name) for name in axes if name in value.axes]
    shape = [value.array.shape[value.axes.index(name)] if name in value.axes else 1 for name in axes]
    return np.transpose(value.array, present).reshape(shape)


def _weak(result: Any) -> Scalar:
    return result.item() if isinstance(result, np.generic | np.ndarray) else result


def _compute(operator: str, arguments: list[Any]) -> Any:
    match operator:
        case "identity":
            return arguments[0]
        case _ if operator in _OF_PARTS:
            return _OF_PARTS[operator](arguments)
        case "first" | "second" | "choose":
            pair = np.broadcast_arrays(*_promoted(arguments))
            return np.where(pair[0] != 0, *pair) if operator == "choose" else pair[operator == "second"]
        case "where":
            return np.where(np.asarray(arguments[0]).astype(bool), *_promoted(arguments[1:]))
        case "cube":
            return arguments[0] * arguments[0] * arguments[0]
        case "erf" | "sigmoid":
            number = np.asarray(arguments[0]).astype(_ufunc(np.cbrt, arguments).dtype)
            if operator == "sigmoid":
                return 1 / (1 + np.exp(-number))
            return np.vectorize(math.erf, otypes=[number.dtype])(number)
        case _ if operator in _KEEPS_INTEGERS:
            number = np.asarray(arguments[0])
            return number if number.dtype.kind in "bi" else _KEEPS_INTEGERS[operator](number)
        case _ if operator in _UFUNCS:
            return _ufunc(_UFUNCS[operator], arguments)
        case _:
            return _registered(operator, arguments)


def _registered(operator: str, arguments: list[Any]) -> Any:
    """An operator from outside, by the function of NumPy's that it is said to be."""
    result = numpy_function(OPERATORS[operator])(*map(np.asarray, arguments))
    return np.asarray(result).astype(np.float32) if result.dtype == np.float16 else result


def _joined(parts: list[Any]) -> Any:
    """Complex numbers of parts, in the type in which a function of two floats computes."""
    real = _ufunc(np.arctan2, parts)
    result = np.empty(real.shape, np.result_type(real, np.complex64))
    result.real, result.imag = parts
    return result


def _angle(arguments: list[Any]) -> Any:
    number = np.asarray(arguments[0]).astype(_ufunc(np.sqrt, arguments).dtype)
    return np.arctan2(np.imag(number), np.real(number))


def _part(name: str, number: Any) -> Any:
    """A part of numbers. Python says that those of its True are integers; here they are as those of NumPy's."""
    return getattr(np.asarray(number), name)


_OF_PARTS = {
    **{"real": lambda arguments: _part("real", arguments[0]), "imag": lambda arguments: _part("imag", arguments[0])},
    **{"complex": _joined, "angle": _angle},
}


def _promoted(arguments: list[Any]) -> list[np.ndarray]:
    dtype = np.result_type(*arguments)
    return [np.asarray(argument).astype(dtype) for argument in arguments]


def _ufunc(ufunc: Any, arguments: list[Any]) -> Any:
    result = ufunc(*arguments)
    return ufunc(*arguments, dtype=np.float32) if result.dtype == np.float16 else result


def _identity(operator: str, dtype: np.dtype) -> Any:
    match operator:
        case "add" | "or" | "xor":
            return dtype.type(0)
        case "mul":
            return dtype.type(1)
        case "and":
            return np.bool_(True) if dtype.kind == "b" else dtype.type(-1)
        case "min" | "max":
            if dtype.kind == "b":
                return np.bool_(operator == "min")
            if dtype.kind == "i":
                info = np.iinfo(dtype)
                return dtype.type(info.max if operator == "min" else info.min)
            return dtype.type(np.inf if operator == "min" else -np.inf)
        case _:
            raise ValueError(f"{operator} is not a reduction with an identity")
