"""Functions of lazy expressions under NumPy's names: `sqrt(A[i])`, `where(A[i] > 0, 1, 2)`, `sum(k, A[i, k])`.

The module has all operators by name, as statements do. NumPy's own functions of one and two arrays work as well:
`np.sqrt(A[i])`.

>>> i, j = it.indices("i j")
>>> A, m = it.as_tensor(np.array([[1.0, 4.0], [9.0, 0.0]])), it.tensor_variable("m", 1)
>>> m[i] = it.functions.sum(j, it.functions.sqrt(A[i, j]))
>>> m.evaluate()
array([3., 3.])
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from irtensor.core.diagnostics import UserError
from irtensor.core.operators import OPERATORS
from irtensor.frontend.arguments import as_text
from irtensor.frontend.extremes import TRUTHS, number_of_arguments, reduction
from irtensor.frontend.lazy_expression import (
    Index,
    LazyExpression,
    Operand,
    apply,
    as_expression,
    combined,
    index_names,
    reduce_over,
)


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


def argmin(*arguments: Any) -> LazyExpression:
    """`argmin(k, e)`: the least coordinate k at which e is least, or NaN, as numpy.argmin."""
    return _extreme("argmin", arguments)


def argmax(*arguments: Any) -> LazyExpression:
    """`argmax(k, e)`: the least coordinate k at which e is greatest, or NaN, as numpy.argmax."""
    return _extreme("argmax", arguments)


def minby(*arguments: Any) -> LazyExpression:
    """`minby(k, e, v)`: v at `argmin(k, e)`."""
    return _extreme("minby", arguments)


def maxby(*arguments: Any) -> LazyExpression:
    """`maxby(k, e, v)`: v at `argmax(k, e)`."""
    return _extreme("maxby", arguments)


def choose(*arguments: Any) -> LazyExpression:
    """`choose(k, e)`: an e other than its fill over index variables, or the fill; `choose(a, b)`: a, or b if a is 0."""
    if arguments and _is_index(arguments[0]):
        return _reduction("choose", "choose", arguments)
    return elementwise("choose", *arguments)


def first(*arguments: Any) -> LazyExpression:
    """`first(k, e)`: e at the least coordinate k; `first(a, b)`: a, with the type and entries of both."""
    is_reduction = len(arguments) > 0 and _is_index(arguments[0])
    return _extreme("first", arguments) if is_reduction else elementwise("first", *arguments)


def last(*arguments: Any) -> LazyExpression:
    """`last(k, e)`: e at the greatest coordinate k."""
    return _extreme("last", arguments)


def any(*arguments: Any) -> LazyExpression:
    """`any(k, e)`: whether an e is true, or a number other than 0, over index variables."""
    return _extreme("any", arguments)


def all(*arguments: Any) -> LazyExpression:
    """`all(k, e)`: whether all e are true, or numbers other than 0, over index variables."""
    return _extreme("all", arguments)


def where(condition: Operand, chosen: Operand, other: Operand) -> LazyExpression:
    """`chosen` where the condition holds, else `other`."""
    return apply("where", condition, chosen, other)


def elementwise(operator: str, *arguments: Operand) -> LazyExpression:
    """Any operator of irtensor.core.operators by name: `elementwise("first", A[i], B[i])`."""
    known = OPERATORS.get(as_text("the name of an operator", operator))
    if known is None:
        raise UserError(
            "unknown-operator", f"'{operator}' is not an operator", help=f"operators are {', '.join(OPERATORS)}"
        )
    if len(arguments) == known.arity - 1 and known.default is not None:
        arguments = (*arguments, known.default)
    if known.arity != len(arguments):
        raise UserError("wrong-arity", f"{operator} takes {known.arity} arguments, got {len(arguments)}")
    return apply(operator, *arguments)


def __getattr__(name: str) -> functools.partial[LazyExpression]:
    """Operators by their names: `functions.sqrt`."""
    if name not in OPERATORS:
        raise AttributeError(f"no operator of irtensor is called {name}", name=name, obj=sys.modules[__name__])
    return functools.partial(elementwise, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *OPERATORS})


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


def _extreme(name: str, arguments: tuple[Any, ...]) -> LazyExpression:
    count = number_of_arguments(name)
    names = index_names(tuple(_flat(arguments[: 1 - count])))
    if not names or len(arguments) < count or (len(names) > 1 and name not in TRUTHS):
        what = "index variables" if name in TRUTHS else "one index variable"
        message = f"{name} takes {what}, then {'an expression' if count == 2 else 'two expressions'}"
        raise UserError("wrong-arity", message, help=f"write {name}(k, {', '.join(('A[i, k]', 'v[k]')[: count - 1])})")
    values = [as_expression(one) for one in arguments[1 - count :]]
    return combined(values, lambda *trees: reduction(name, names, trees, None))


def _flat(arguments: Iterable[Any]) -> Iterator[Any]:
    for argument in arguments:
        yield from argument if isinstance(argument, tuple) else (argument,)


def _reduction(name: str, operator: str, arguments: tuple[Any, ...]) -> LazyExpression:
    flat = list(_flat(arguments))
    if len(flat) < 2:
        message = f"{name} needs the index variables to reduce over, then an expression"
        raise UserError("wrong-arity", message, help=f"write {name}(k, A[i, k])")
    return reduce_over(operator, tuple(flat[:-1]), flat[-1])
