"""What a call `f(...)` in a notation means: an operator applied, or a reduction over index variables."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from functools import reduce

from irtensor.core.diagnostics import UserError
from irtensor.core.operator_symbols import CASTS, CLIP, REDUCE_ONLY, VARIADIC_FUNCTIONS
from irtensor.core.operators import OPERATORS
from irtensor.frontend.expression_tree import Access, Apply, Expression, If, Literal, Reduce, Span, accesses
from irtensor.frontend.extremes import ENDS, FUNCTIONS, TRUTHS, number_of_arguments, reduction
from irtensor.frontend.notation.notation_errors import notation_error
from irtensor.operators.known_operators import ALIASES, REDUCTIONS, operator_named


def is_function(name: str) -> bool:
    """Is `name` called rather than accessed when a parenthesis follows?"""
    return operator_named(name) is not None or name in (*REDUCE_ONLY, *FUNCTIONS, *ENDS, *CASTS, CLIP)


def function_names() -> list[str]:
    """The names that may be called, in alphabetical order."""
    return sorted({*OPERATORS, *ALIASES, *REDUCE_ONLY, *FUNCTIONS, *ENDS, *CASTS, CLIP})


def unknown_function(name: str, declared: Collection[str], source: str | None, span: Span | None) -> UserError:
    """The error of a call of an unknown function; `declared` are the names of the user's operators."""
    known = [*function_names(), *sorted(declared)]
    close = get_close_matches(name, known, n=1)
    nearest = f"did you mean {close[0]}? " if close else ""
    help = f"{nearest}functions are {', '.join(known)}; declare others with irtensor.operator"
    return notation_error("unknown-function", f"unknown function {name}", source, span, help=help)


def build_call(
    name: str, arguments: Sequence[Expression | tuple[Access, ...]], source: str | None, span: Span | None
) -> Expression:
    """The expression of one call; a tuple among the arguments is a parenthesised list of index variables.

    `sum(k, e)` and `prod(k, e)` always reduce. An associative operator reduces when all arguments but the last are
    names that the last one uses as index variables: `min(k, A[i, k])`; otherwise it is applied.
    """
    if name in FUNCTIONS or (name in ENDS and (_has_variables(arguments) or operator_named(name) is None)):
        return _build_extreme(name, arguments, source, span)
    operator = REDUCE_ONLY.get(name) or ALIASES.get(name, name)
    if name in REDUCE_ONLY or _is_reduction(operator, arguments):
        return _build_reduction(name, operator, arguments, source, span)
    plain = [argument for argument in arguments if not isinstance(argument, tuple)]
    if len(plain) < len(arguments):
        raise notation_error("syntax-error", f"{name} does not reduce over index variables", source, span)
    known = operator_named(operator)
    if known is not None and known.default is not None and len(plain) == known.arity - 1:
        plain.append(Literal(known.default))
    _check_arity(name, operator, len(plain), source, span)
    if operator == CLIP:
        value, least, greatest = plain
        return Apply("min", (Apply("max", (value, least), span), greatest), span)
    if operator in VARIADIC_FUNCTIONS:
        return reduce(lambda a, b: Apply(operator, (a, b), span), plain)
    return Apply(operator, tuple(plain), span)


def _is_reduction(operator: str, arguments: Sequence[Expression | tuple[Access, ...]]) -> bool:
    return (operator in REDUCTIONS or operator.startswith("@")) and _has_variables(arguments)


def _has_variables(arguments: Sequence[Expression | tuple[Access, ...]]) -> bool:
    """Whether all arguments but the last are names that the last one uses as index variables."""
    if len(arguments) < 2:
        return False
    names, body = _split(arguments)
    if isinstance(body, tuple) or any(not isinstance(name, Access) or name.indices for name in names):
        return False
    used = {index for access in accesses(body) for index in access.indices}
    return all(isinstance(name, Access) and name.tensor in used for name in names)


def _split(arguments: Sequence[Expression | tuple[Access, ...]]):
    names: list[Expression] = []
    for argument in arguments[:-1]:
        names += argument if isinstance(argument, tuple) else [argument]
    return names, arguments[-1]


def _build_extreme(
    name: str, arguments: Sequence[Expression | tuple[Access, ...]], source: str | None, span: Span | None
) -> Expression:
    count = number_of_arguments(name)
    example = f"{name}(j, {', '.join(('A[i, j]', 'v[j]')[: count - 1])})"
    values = [one for one in arguments[1 - count :] if not isinstance(one, tuple)]
    names, _ = _split([*arguments[: 1 - count], Literal(0)])
    variables = [one.tensor for one in names if isinstance(one, Access) and not one.indices]
    is_one = name in TRUTHS or len(names) == 1
    if len(values) < count - 1 or not names or len({*variables}) < len(names) or not is_one:
        what = "different index variables" if name in TRUTHS else "one index variable"
        message = f"{name} takes {what}, then {'an expression' if count == 2 else 'two expressions'}"
        raise notation_error("wrong-arity", message, source, span, help=f"write {example}")
    if count == 3 and isinstance(values[1], If):
        raise notation_error("syntax-error", f"the last argument of {name} has a condition", source, values[1].span)
    return reduction(name, tuple(variables), tuple(values), span)


def _build_reduction(
    name: str,
    operator: str,
    arguments: Sequence[Expression | tuple[Access, ...]],
    source: str | None,
    span: Span | None,
) -> Expression:
    example = f"write {name}(k, A[i, k])"
    if len(arguments) < 2:
        message = f"{name} needs the index variables to reduce over, then an expression"
        raise notation_error("wrong-arity", message, source, span, help=example)
    names, body = _split(arguments)
    if isinstance(body, tuple):
        raise notation_error("syntax-error", f"the last argument of {name} must be an expression", source, span)
    indices: list[str] = []
    for index in names:
        if not isinstance(index, Access) or index.indices or index.tensor in indices:
            message = f"{name} reduces over different index variables, given by name"
            raise notation_error("syntax-error", message, source, index.span, help=example)
        indices.append(index.tensor)
    return Reduce(operator, tuple(indices), body, span)


def _check_arity(name: str, operator: str, count: int, source: str | None, span: Span | None) -> None:
    if operator.startswith("@"):
        return
    arity = 3 if operator == CLIP else 1 if operator in CASTS else OPERATORS[operator].arity
    if count == arity or (operator in VARIADIC_FUNCTIONS and count > arity):
        return
    more = " or more" if operator in VARIADIC_FUNCTIONS else ""
    message = f"{name} takes {arity}{more} argument{'s' if arity > 1 else ''}, got {count}"
    example = ", ".join(("A[i]", "B[i]", "C[i]")[:arity])
    raise notation_error("wrong-arity", message, source, span, help=f"write {name}({example})")
