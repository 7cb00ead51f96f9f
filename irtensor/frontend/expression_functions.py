"""Functions of lazy expressions under NumPy's names: `sqrt(A[i])`, `where(A[i] > 0, 1, 2)`, `sum(k, A[i, k])`.

NumPy's own functions of one and two arrays work as well: `np.sqrt(A[i])`. Statements have all of them by name.

>>> i, j = it.indices("i j")
>>> A, m = it.as_tensor(np.array([[1.0, 4.0], [9.0, 0.0]])), it.tensor_variable("m", 1)
>>> m[i] = it.functions.sum(j, it.functions.sqrt(A[i, j]))
>>> m.evaluate()
array([3., 3.])
"""

from __future__ import annotations

import functools
from typing import Any

from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.operators import OPERATORS
from irtensor.frontend.arguments import as_text
from irtensor.frontend.lazy_expression import Index, LazyExpression, Operand, apply, as_expression, reduce_over


def sum(*arguments: Any) -> LazyExpression:
    """`sum(k, e)` or `sum(k, l, e)`: e summed over all values of the index variables."""
    return _reduction("sum", "add", arguments)


def prod(*arguments: Any) -> LazyExpression:
    """`prod(k, e)`: the product of e over all values of the index variables."""
    return _reduction("prod", "mul", arguments)


def min(*arguments: Any) -> LazyExpression:
    """`min(a, b, ...)`: the least of several expressions; `min(k, e)`: the least e over an index variable."""
    return _choice("min", arguments)


def max(*arguments: Any) -> LazyExpression:
    """`max(a, b, ...)`: the greatest of several expressions; `max(k, e)`: the greatest e over an index variable."""
    return _choice("max", arguments)


def reduce(operator: str, *arguments: Any) -> LazyExpression:
    """`reduce("xor", k, e)`: e combined over the index variables with any associative operator."""
    return _reduction("reduce", operator, arguments)


def where(condition: Operand, chosen: Operand, other: Operand) -> LazyExpression:
    """`chosen` where the condition holds, else `other`."""
    return apply("where", condition, chosen, other)


def elementwise(operator: str, *arguments: Operand) -> LazyExpression:
    """Any operator of irtensor.dialects.operators by name: `elementwise("first", A[i], B[i])`."""
    known = OPERATORS.get(as_text("the name of an operator", operator))
    if known is None:
        raise UserError(
            "unknown-operator", f"'{operator}' is not an operator", help=f"operators are {', '.join(OPERATORS)}"
        )
    if known.arity != len(arguments):
        raise UserError("wrong-arity", f"{operator} takes {known.arity} arguments, got {len(arguments)}")
    return apply(operator, *arguments)


abs = functools.partial(elementwise, "abs")
sqrt = functools.partial(elementwise, "sqrt")
cbrt = functools.partial(elementwise, "cbrt")
exp = functools.partial(elementwise, "exp")
expm1 = functools.partial(elementwise, "expm1")
log = functools.partial(elementwise, "log")
log1p = functools.partial(elementwise, "log1p")
log2 = functools.partial(elementwise, "log2")
log10 = functools.partial(elementwise, "log10")
sin = functools.partial(elementwise, "sin")
cos = functools.partial(elementwise, "cos")
tan = functools.partial(elementwise, "tan")
asin = functools.partial(elementwise, "asin")
acos = functools.partial(elementwise, "acos")
atan = functools.partial(elementwise, "atan")
atan2 = functools.partial(elementwise, "atan2")
sinh = functools.partial(elementwise, "sinh")
cosh = functools.partial(elementwise, "cosh")
tanh = functools.partial(elementwise, "tanh")
asinh = functools.partial(elementwise, "asinh")
acosh = functools.partial(elementwise, "acosh")
atanh = functools.partial(elementwise, "atanh")
sign = functools.partial(elementwise, "sign")
copysign = functools.partial(elementwise, "copysign")
square = functools.partial(elementwise, "square")
cube = functools.partial(elementwise, "cube")
reciprocal = functools.partial(elementwise, "reciprocal")
real = functools.partial(elementwise, "real")
angle = functools.partial(elementwise, "angle")
imag = functools.partial(elementwise, "imag")
conj = functools.partial(elementwise, "conj")
floor = functools.partial(elementwise, "floor")
ceil = functools.partial(elementwise, "ceil")
trunc = functools.partial(elementwise, "trunc")
round = functools.partial(elementwise, "round")
stored = functools.partial(elementwise, "stored")
isnan = functools.partial(elementwise, "isnan")
isinf = functools.partial(elementwise, "isinf")
isfinite = functools.partial(elementwise, "isfinite")
erf = functools.partial(elementwise, "erf")
sigmoid = functools.partial(elementwise, "sigmoid")


def heaviside(value: Operand, at_zero: Operand = 0) -> LazyExpression:
    """0 below 0, 1 above, and `at_zero` at 0, as NumPy's; without it what is sparse stays sparse."""
    return apply("heaviside", value, at_zero)


def complex(real: Operand, imag: Operand = 0) -> LazyExpression:
    """The complex number with these parts."""
    return apply("complex", real, imag)


def astype(value: Operand, dtype: Any) -> LazyExpression:
    """`value` in another dtype, as `numpy.ndarray.astype`: `astype(A[i], "int32")`."""
    return as_expression(value).astype(dtype)


def clip(value: Operand, least: Operand, greatest: Operand) -> LazyExpression:
    """`value` within bounds: `min(max(value, least), greatest)`, as NumPy's."""
    return as_expression(value).clip(least, greatest)


def _choice(name: str, arguments: tuple[Any, ...]) -> LazyExpression:
    if arguments and _is_index(arguments[0]):
        return _reduction(name, name, arguments)
    if len(arguments) < 2:
        raise UserError("wrong-arity", f"{name} takes two or more expressions, or index variables and an expression")
    return functools.reduce(functools.partial(apply, name), arguments)


def _is_index(argument: Any) -> bool:
    return isinstance(argument, Index) or (
        isinstance(argument, tuple) and len(argument) > 0 and isinstance(argument[0], Index)
    )


def _reduction(name: str, operator: str, arguments: tuple[Any, ...]) -> LazyExpression:
    flat: list[Any] = []
    for argument in arguments:
        flat += argument if isinstance(argument, tuple) else [argument]
    if len(flat) < 2:
        message = f"{name} needs the index variables to reduce over, then an expression"
        raise UserError("wrong-arity", message, help=f"write {name}(k, A[i, k])")
    return reduce_over(operator, tuple(flat[:-1]), flat[-1])
