"""Python's operators on Tensors, computed by compiled kernels; no operator densifies silently.

The format of a result: an elementwise operation gives a tensor in the format of the left sparse operand, whose fill is
the operator applied to the operands' fills (`T + 1` has fill 1). Where a dense array leaves no fill, as in sparse plus
dense, the result is a dense array. `A @ B` of two matrices is stored as A is; with a dense operand it is dense.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from irtensor.dialects.diagnostics import UserError
from irtensor.frontend.expression_tree import Access, Apply, Reduce, Statement
from irtensor.interop.as_operand import as_operand


class Arithmetic:
    """Python's operators, for tensors with data."""

    __slots__ = ()
    # NumPy arrays and scalars on the left leave the operation to this class.
    __array_ufunc__ = None
    __array_priority__ = 100.0

    def __add__(self, other: Any) -> Any:
        return _binary("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _binary("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _binary("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _binary("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return _binary("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _binary("mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _binary("div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _binary("div", other, self)

    def __neg__(self) -> Any:
        return _unary("neg", self)

    def __abs__(self) -> Any:
        return _unary("abs", self)

    def __matmul__(self, other: Any) -> Any:
        return _matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _matmul(other, self)


def _operand(value: Any) -> Any:
    """A NumPy array or a Tensor; None for what takes no part in arithmetic."""
    if isinstance(value, str | bytes | dict | set) or value is None:
        return None
    return as_operand(value)


def _binary(operator: str, left: Any, right: Any) -> Any:
    a, b = _operand(left), _operand(right)
    if a is None or b is None:
        return NotImplemented
    if a.shape and b.shape and a.shape != b.shape:
        message = f"shapes {a.shape} and {b.shape} differ"
        help = "elementwise operations do not broadcast, except over numbers; write it with einsum or compile"
        raise UserError("extent-mismatch", message, help=help)
    sparse = next(operand for operand in (a, b) if not isinstance(operand, np.ndarray))
    if not a.shape or not b.shape:
        return _with_number(operator, _scalar(left, a), _scalar(right, b))
    format = None if sparse.format.is_dense or _is_dense_result(operator, a, b) else _plain(sparse)
    return _evaluate(operator, [a, b], len(sparse.shape), format)


def _scalar(given: Any, operand: Any) -> Any:
    """A Python number as it was given, for it is weak in promotion; a NumPy scalar in the place of a rank-0 array."""
    if type(given) in (bool, int, float, complex):
        return given
    if operand.shape:
        return operand
    return operand[()] if isinstance(operand, np.ndarray) else operand.to_numpy()[()]


def _with_number(operator: str, a: Any, b: Any) -> Any:
    """A tensor and a number: a literal in the statement, so that the fill of the result is known."""
    from irtensor.expression import access, evaluate, indices
    from irtensor.frontend.lazy_expression import apply, make_statement

    tensor = next((operand for operand in (a, b) if getattr(operand, "shape", ())), None)
    if tensor is None:
        return _evaluate(operator, [np.asarray(a), np.asarray(b)], 0, None)
    common = np.result_type(tensor.dtype, *(operand for operand in (a, b) if operand is not tensor))
    names = tuple(f"i{number}" for number in range(len(tensor.shape)))
    variables = indices(" ".join(names))
    read = access(tensor.astype(common), variables if isinstance(variables, tuple) else (variables,))
    # In the common type a literal has the value of the scalar.
    parts = [read if operand is tensor else getattr(operand, "item", lambda o=operand: o)() for operand in (a, b)]
    statement, tensors = make_statement(Access("result", names), apply(operator, *parts))
    return evaluate(statement, tensors, format=None if tensor.format.is_dense else _plain(tensor))


def _is_dense_result(operator: str, a: Any, b: Any) -> bool:
    """Whether a dense array decides values where the sparse operand has none."""
    from irtensor.dialects.operators import OPERATORS

    for position, operand in enumerate((a, b)):
        if isinstance(operand, np.ndarray):
            other = (b, a)[position]
            known = OPERATORS[operator]
            zeros = known.left_annihilator("f64") if position else known.right_annihilator("f64")
            return other.fill_value not in zeros
    return False


def _plain(tensor: Any) -> Any:
    """The tensor's format without its fill, which follows from the statement."""
    return tensor.format.with_fill(None)


@lru_cache(maxsize=256)
def _statement(operator: str, rank: int, arity: int) -> Statement:
    indices = tuple(f"i{number}" for number in range(rank))
    return Statement(
        Access("result", indices), None, Apply(operator, tuple(Access("AB"[k], indices) for k in range(arity)))
    )


def _unary(operator: str, tensor: Any) -> Any:
    format = None if tensor.format.is_dense else _plain(tensor)
    return _evaluate(operator, [tensor], len(tensor.shape), format)


def _evaluate(operator: str, operands: list[Any], rank: int, format: Any) -> Any:
    # The same object twice is one operand.
    statement = _statement(operator, rank, len(operands))
    return _run(statement, dict(zip("AB", operands, strict=False)), format)


def _run(statement: Statement, operands: dict[str, Any], format: Any) -> Any:
    from irtensor.expression import evaluate

    return evaluate(statement, operands, format=format)


def _matmul(left: Any, right: Any) -> Any:
    a: Any = _operand(left)
    b: Any = _operand(right)
    if a is None or b is None:
        return NotImplemented
    ranks = len(a.shape), len(b.shape)
    if not all(rank in (1, 2) for rank in ranks):
        message = f"@ takes vectors and matrices, got shapes {a.shape} and {b.shape}"
        raise UserError("rank-mismatch", message, help="use irtensor.einsum for higher ranks")
    if a.shape[-1] != b.shape[0]:
        raise UserError("extent-mismatch", f"shapes {a.shape} and {b.shape} do not match for @")
    rows, columns = ("i",) * (ranks[0] == 2), ("j",) * (ranks[1] == 2)
    product = Apply("mul", (Access("A", (*rows, "k")), Access("B", ("k", *columns))))
    statement = Statement(Access("result", (*rows, *columns)), None, Reduce("add", ("k",), product))
    both_sparse = not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray)
    is_sparse = both_sparse and ranks == (2, 2) and not a.format.is_dense  # pyright: ignore[reportAttributeAccessIssue]
    format = _plain(a) if is_sparse else None
    return _run(statement, {"A": a, "B": b}, format)
