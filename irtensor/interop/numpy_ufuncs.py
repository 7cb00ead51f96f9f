"""NumPy's elementwise functions, and SciPy's, of Tensors and lazy expressions: which operator each of them is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.operators import OPERATORS
from irtensor.frontend.arguments import as_integer
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.frontend.operator_signatures import numpy_function


@cache
def operators_by_function() -> dict[str, str]:
    """Operators by the names of NumPy's and SciPy's functions."""
    named: dict[str, str] = {}
    for operator in OPERATORS.values():
        function = numpy_function(operator) if operator.numpy else None
        named.update(dict.fromkeys((getattr(function, "__name__", operator.name), *operator.also), operator.name))
    return named


def operator_of(ufunc: np.ufunc) -> str | None:
    """The operator that a function is, or None."""
    return operators_by_function().get(ufunc.__name__)


def apply_ufunc(
    apply: Callable[..., Any], ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]
) -> Any:
    """What `apply(operator, *inputs)` gives for a call of a function; NotImplemented for other calls.

    `settings` are the arguments by name. One of them may be `out`: the arrays to write to.
    """
    settings = dict(settings)
    out = settings.pop("out", None)
    if method != "__call__" or settings:
        return NotImplemented
    if ufunc.__name__ == "clip" and len(inputs) == 3:
        result = clip(apply, *inputs)
    else:
        operator = operator_of(ufunc)
        if operator is None or OPERATORS[operator].arity != len(inputs):
            return NotImplemented
        result = apply(operator, *inputs)
    return result if out is None else written(result, out[0])


def written(result: Any, out: Any) -> Any:
    """A result in the array or Tensor that is given for it, as in `array += tensor`; no expression has elements yet."""
    values = getattr(result, "to_numpy", None)
    if values is None and not isinstance(result, np.ndarray | np.generic):
        return NotImplemented
    if hasattr(out, "replace_storage"):
        if not np.can_cast(result.dtype, out.dtype, "same_kind"):
            message = f"the result has dtype {result.dtype}, which is not converted to {out.dtype}, the dtype of out"
            raise UserTypeError("bad-cast", message, help=f"convert it yourself: .astype('{out.dtype}')")
        out.replace_storage(result.astype(out.dtype))
        return out
    if not isinstance(out, np.ndarray):
        raise UserTypeError("bad-argument", f"out= is a NumPy array or a Tensor, not {type(out).__name__}")
    if (refuse := getattr(result, "not_on_host", None)) is not None:
        raise refuse("out is in the memory of the host", "omit out=, and copy the result: .to_numpy()")
    try:
        np.copyto(out, result if values is None else values(), casting="same_kind")
    except (TypeError, ValueError):
        message = f"out has shape {out.shape} and dtype {out.dtype}, the result has {result.shape} and {result.dtype}"
        raise UserTypeError("bad-argument", message) from None
    return out


def clip(apply: Callable[..., Any], value: Any, least: Any, greatest: Any, out: Any = None) -> Any:
    """`value` within bounds; None means no bound."""
    result = value if least is None else apply("max", value, least)
    result = result if greatest is None else apply("min", result, greatest)
    return result if out is None else written(result, out)


# Powers of ten that are numbers of float64.
_MOST_DECIMALS = 308


def round_to(apply: Callable[..., Any], value: Any, decimals: int, out: Any = None) -> Any:
    """`value` rounded to so many decimal places, halves to the even number."""
    decimals = as_integer("decimals", decimals)
    if abs(decimals) > _MOST_DECIMALS:
        message = f"decimals is {decimals}, outside of {-_MOST_DECIMALS} to {_MOST_DECIMALS}"
        raise UserError("bad-argument", message, help="float64 has numbers up to 1.8e308")
    scale = 10.0 ** abs(decimals)
    before, after = ("mul", "div") if decimals > 0 else ("div", "mul")
    result = apply("round", apply(before, value, scale) if decimals else value)
    result = apply(after, result, scale) if decimals else result
    return result if out is None else written(result, out)
