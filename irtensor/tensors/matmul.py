"""The product of vectors and matrices, by a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.expression_tree import Access, Apply, Reduce, Statement
from irtensor.tensors.elementwise import as_argument
from irtensor.tensors.wide_results import evaluate_wide, read_formats, wide_enough


def matmul(left: Any, right: Any) -> Any:
    """The product of vectors and matrices; NotImplemented for other types. Raises UserError."""
    a: Any = as_argument(left)
    b: Any = as_argument(right)
    if a is None or b is None:
        return NotImplemented
    shapes = getattr(a, "shape", ()), getattr(b, "shape", ())
    ranks = tuple(map(len, shapes))
    if not all(rank in (1, 2) for rank in ranks):
        message = f"@ takes vectors and matrices, got shapes {shapes[0]} and {shapes[1]}"
        raise UserError("rank-mismatch", message, help="use irtensor.einsum for higher ranks")
    if a.shape[-1] != b.shape[0]:
        raise UserError("extent-mismatch", f"shapes {a.shape} and {b.shape} do not match for @")
    rows, columns = ("i",) * (ranks[0] == 2), ("j",) * (ranks[1] == 2)
    # Of booleans, as NumPy's and SciPy's, whether there is a pair.
    addition, multiplication = ("or", "and") if a.dtype == b.dtype == np.dtype(bool) else ("add", "mul")
    product = Apply(multiplication, (Access("A", (*rows, "k")), Access("B", ("k", *columns))))
    statement = Statement(Access("result", (*rows, *columns)), None, Reduce(addition, ("k",), product))
    format = None if getattr(b, "format", None) is None or ranks != (2, 2) else getattr(a, "format", None)
    if format is not None:
        # The fill follows from the statement.
        plain = format.whole.with_values.with_fill(None).unstructured
        shape = (a.shape[0], b.shape[1])
        format = None if format.is_dense else wide_enough(plain, shape, read_formats((a, b)))
    return evaluate_wide(statement, {"A": a, "B": b}, format)
