"""What statements give if absent entries annihilate: arrays of values, and of whether entries are there.

Written for tests from the rule in docs/notation.md alone. Expressions are Python's, over the index variables i, j, k.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

AXES = {"i": 0, "j": 1, "k": 2}
INF = np.inf

# The arguments that decide a result by themselves, and their values.
ANNIHILATORS: dict[str, tuple[tuple[int, float], ...]] = {
    "mul": ((0, 0), (1, 0)),
    "div": ((0, 0),),
    "floordiv": ((0, 0),),
    "mod": ((0, 0),),
    "add": ((0, INF), (0, -INF), (1, INF), (1, -INF)),
    "min": ((0, -INF), (1, -INF)),
    "max": ((0, INF), (1, INF)),
}
FUNCTIONS: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "pow": np.power,
    "min": np.minimum,
    "max": np.maximum,
    "gt": np.greater,
    "ne": np.not_equal,
    "neg": np.negative,
    "where": np.where,
    **{name: getattr(np, name) for name in ("sqrt", "log", "exp", "abs", "reciprocal")},
}
SIGNS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.Gt: "gt",
    ast.NotEq: "ne",
    ast.USub: "neg",
}
REDUCTIONS = {"sum": "add", "prod": "mul", "min": "min", "max": "max"}


@dataclass
class Values:
    """Values along the axes i, j, k, and which of them are there; `fill` is the value of the others, None if data
    decides about it. A literal is neither there nor absent."""

    values: np.ndarray
    present: np.ndarray
    fill: float | None = None
    literal: bool = False


def literal(number: float) -> Values:
    return Values(np.float64(number), np.False_, float(number), literal=True)  # pyrefly: ignore[bad-argument-type]


def _same(a: Any, b: Any) -> Any:
    return (a == b) | ((a != a) & (b != b))


def apply(operator: str, arguments: Sequence[Values]) -> Values:
    values = FUNCTIONS[operator](*[one.values for one in arguments])
    if all(one.literal for one in arguments):
        return literal(values)
    values = np.array(values, dtype=float if values.dtype != bool else bool)
    present = _present(operator, arguments, values.shape)
    zeros = [(arguments[n], zero) for n, zero in ANNIHILATORS.get(operator, ()) if not arguments[n].literal]
    decided = np.zeros(values.shape, bool)
    for argument, zero in zeros:
        absent = np.broadcast_to(~argument.present & (argument.values == zero), values.shape)
        values[absent], decided[absent] = zero, True
    return Values(values, present & ~decided, _fill(operator, arguments, zeros))


def _present(operator: str, arguments: Sequence[Values], shape: tuple[int, ...]) -> np.ndarray:
    if operator != "where":
        return np.logical_or.reduce([np.broadcast_to(one.present, shape) for one in arguments])
    condition, yes, no = arguments
    chosen = condition.present | np.where(condition.values, yes.present, no.present)
    nothing = ~yes.present & ~no.present & _same(yes.values, no.values)
    return np.broadcast_to(chosen & ~nothing, shape)


def _fill(operator: str, arguments: Sequence[Values], zeros: Sequence[tuple[Values, float]]) -> float | None:
    for argument, zero in zeros:
        if argument.fill == zero:
            return zero
    fills = [one.fill for one in arguments]
    if operator == "where" and fills[0] is not None:
        return fills[1] if fills[0] else fills[2]
    if operator == "where" and fills[1] is not None and fills[2] is not None:
        return fills[1] if _same(fills[1], fills[2]) else None
    return None if None in fills else float(FUNCTIONS[operator](*map(np.float64, fills)))


def reduction(operator: str, axis: int, body: Values) -> Values:
    """A reduction is absent where it is what absent entries alone would give, if their number is of no matter."""
    values, fill = FUNCTIONS[operator].reduce(body.values, axis=axis, keepdims=True), None
    for _, zero in ANNIHILATORS[operator]:
        absent = ~body.present & (body.values == zero)
        values = np.where(absent.any(axis=axis, keepdims=True), zero, values)
    if body.fill is not None:
        few, more = (FUNCTIONS[operator].reduce(np.full(n, body.fill)) for n in (2, 3))
        fill = float(few) if _same(few, more) else None
    present = np.ones(values.shape, bool) if fill is None else ~_same(values, fill)
    return Values(values, present, fill)


def access(tensor: Values, indices: Sequence[str]) -> Values:
    order = sorted(range(len(indices)), key=lambda n: AXES[indices[n]])
    shape = [1, 1, 1]
    for n, index in enumerate(indices):
        shape[AXES[index]] = tensor.values.shape[n]
    values, present = (array.transpose(order).reshape(shape) for array in (tensor.values, tensor.present))
    return Values(values, present, tensor.fill)


def evaluate(expression: ast.expr, tensors: Mapping[str, Values]) -> Values:
    match expression:
        case ast.Constant(value):
            return literal(value)  # pyrefly: ignore[bad-argument-type]
        case ast.Name(name):
            return literal(INF) if name == "inf" else access(tensors[name], "")
        case ast.BinOp(left, sign, right):
            return apply(SIGNS[type(sign)], [evaluate(left, tensors), evaluate(right, tensors)])
        case ast.UnaryOp(sign, operand):
            return apply(SIGNS[type(sign)], [evaluate(operand, tensors)])
        case ast.Compare(left, [sign], [right]):
            return apply(SIGNS[type(sign)], [evaluate(left, tensors), evaluate(right, tensors)])
        case ast.Subscript(ast.Name(name), indices):
            names = indices.elts if isinstance(indices, ast.Tuple) else [indices]
            return access(tensors[name], [ast.unparse(one) for one in names])
        case ast.Call(ast.Name(name), arguments):
            *first, body = arguments
            if name in REDUCTIONS and all(isinstance(one, ast.Name) for one in first):
                result = evaluate(body, tensors)
                for index in first:
                    result = reduction(REDUCTIONS[name], AXES[ast.unparse(index)], result)
                return result
            return apply(name, [evaluate(one, tensors) for one in arguments])
        case _:
            raise TypeError(ast.dump(expression))


def values_of(statement: str, tensors: Mapping[str, Values]) -> np.ndarray:
    """The values of `O[i,j] = ...` or `O[i] = ...` at all coordinates."""
    target, _, text = statement.partition(" = ")
    values = evaluate(ast.parse(text, mode="eval").body, tensors).values
    indices = target[2:-1].split(",")
    extent = max(values.shape)
    shape = [extent if any(AXES[index] == axis for index in indices) else 1 for axis in range(3)]
    return np.broadcast_to(values, shape).reshape([extent] * len(indices))
