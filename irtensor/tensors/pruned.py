"""A tensor without the entries that have some value, by a statement with a condition."""

from __future__ import annotations

from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.expression_tree import Access, Apply, If, Statement
from irtensor.storage.make_tensors import tensor_of_array
from irtensor.tensors.wide_results import evaluate_wide


def pruned(tensor: Any, value: Any) -> Any:
    """See `Tensor.prune`."""
    if tensor.format.is_dense:
        dropped = tensor.to_numpy() == (tensor.fill_value if value is None else value)
        return tensor_of_array(np.where(dropped, tensor.fill_value, tensor.to_numpy()))
    chosen: Any = tensor.fill_value if value is None else value
    if np.ndim(chosen):
        raise UserError("bad-argument", "the value of entries to drop is one number")
    element = np.asarray(chosen).astype(tensor.dtype)
    entry = Access("A", tuple([f"i{k}" for k in range(tensor.ndim)]))
    if element != element:
        kept = Apply("eq", (entry, entry))
    elif value is not None and not (element == chosen):
        return tensor
    else:
        kept = Apply("ne", (entry, Access("n")))
    statement = Statement(Access("result", entry.indices), None, If(kept, entry))
    format = tensor.format.with_mirrors.with_values.unstructured
    operands = {"A": tensor, "n": element} if element == element else {"A": tensor}
    return evaluate_wide(statement, operands, format.with_fill(None))
