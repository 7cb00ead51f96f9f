"""What becomes of values that are given for one element: the policies of `Tensor.from_coo`, and those of semirings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.late_imports import load_for
from irtensor.storage.level_storage import Array
from irtensor.storage.sort_coordinates import Combine, add_groups, fold_groups

if TYPE_CHECKING:
    from irtensor.frontend.user_operator import UserOperator

    load_for("duplicates")
    from irtensor.semirings import Semiring

# Built-in operators that combine values beside the sum, each a function of NumPy's as well.
_OPERATORS = ("mul", "min", "max", "and", "or", "xor")
_KEPT = ("error", "keep")
_NAMES = ("sum", *_OPERATORS, "first", "last", *_KEPT)
_HELP = f"use {', '.join(repr(name) for name in _NAMES)}, a semiring, or an associative operator"


def duplicate_policy(policy: str | UserOperator | Semiring, dtype: np.dtype[Any]) -> str | Combine:
    """'error' or 'keep', or the function that combines groups of values of a dtype.

    Raises UserError [bad-argument] for other policies, and [not-a-reduction] for operators that cannot combine.
    """
    from irtensor.frontend.user_operator import UserOperator

    load_for("duplicates")
    from irtensor.semirings import Semiring

    if isinstance(policy, Semiring):
        return _combine_by(policy.addition, dtype)
    if isinstance(policy, UserOperator):
        return _combine_by(policy, dtype)
    if not isinstance(policy, str) or policy not in _NAMES:
        raise UserError("bad-argument", f"duplicates={policy!r} is not a policy", help=_HELP)
    if policy in _KEPT:
        return policy
    return _combine_by({"sum": "add", "last": "second"}.get(policy, policy), dtype)


def _combine_by(operator: str | UserOperator, dtype: np.dtype[Any]) -> Combine:
    if not isinstance(operator, str):
        return partial(fold_groups, apply=_compiled(operator, dtype))
    if operator == "add":
        return add_groups
    if operator in ("first", "second"):
        return _first_of_groups if operator == "first" else _last_of_groups
    if operator not in _OPERATORS:
        message = f"duplicates are not combined by '{operator}', which is not an associative operator"
        raise UserError("not-a-reduction", message, help=_HELP)
    from irtensor.core.operators import OPERATORS
    from irtensor.frontend.operator_signatures import numpy_function, resolve_types

    types = resolve_types(operator, (dtype, dtype))
    if types is None or (dtype.kind == "c" and operator in ("min", "max")):
        message = f"duplicates of dtype {dtype} are not combined by '{operator}'"
        raise UserError("unsupported-dtype", message, help="convert the values with .astype, or use another policy")
    return partial(_reduce_groups, numpy_function(OPERATORS[operator]))


def _reduce_groups(function: Any, values: Array, starts: Array) -> Array:
    return function.reduceat(values, starts, dtype=values.dtype) if starts.size else values[:0]


def _first_of_groups(values: Array, starts: Array) -> Array:
    return values[starts]


def _last_of_groups(values: Array, starts: Array) -> Array:
    return values[np.append(starts, values.size)[1:] - 1]


def _compiled(operator: UserOperator, dtype: np.dtype[Any]) -> Callable[[Array, Array], Array]:
    """A user's operator on arrays, by its own code."""
    operator.check_arity(2)
    if not operator.associative:
        message = f"@{operator.name} is not declared associative, so that duplicates are not combined by it"
        raise UserError("not-a-reduction", message, help="declare associative=True if it is")

    def apply(left: Array, right: Array) -> Array:
        load_for("duplicates")
        from irtensor.api.compile import compile

        kernel = compile(f"r[i] = @{operator.name}(a[i], b[i])", operators=[operator])
        return kernel(a=left, b=right).astype(dtype, copy=False)

    return apply


def with_combined_duplicates(operand: Any, semiring: Semiring) -> Any:
    """An operand of a semiring: where an element is stored in several parts, these are combined by the addition.

    Tensors and SciPy's arrays without such elements are what they were, as is everything else.
    """
    load_for("duplicates")
    from irtensor.semirings import Semiring

    if isinstance(operand, np.ndarray) or not isinstance(semiring, Semiring) or semiring.addition == "add":
        return operand
    from irtensor.interop.scipy_sparse import is_scipy_sparse, unmerged_entries
    from irtensor.storage.make_tensors import tensor_of_entries
    from irtensor.storage.stored_tensor import StoredTensor

    if is_scipy_sparse(operand):
        entries = unmerged_entries(operand)
        if entries is None:
            return operand
        coordinates, values, format = entries
    elif isinstance(operand, StoredTensor) and operand.format.allows_duplicates:
        coordinates, values = operand.to_coo()
        format = operand.format.with_fill(None)
    else:
        return operand
    if semiring.dtype is not None:
        values = values.astype(semiring.dtype)
    policy = partial(duplicate_policy, semiring)
    return tensor_of_entries(coordinates, values, shape=operand.shape, format=format, policy=policy)
