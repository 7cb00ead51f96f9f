"""Any array a user may pass as an operand, as a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.interop.other_arrays import may_be_on_device, refuse_sparse
from irtensor.late_imports import load_for
from irtensor.tensors.tensor import Tensor


def as_tensor(value: Any, format: TensorFormat | None = None) -> Tensor:
    """A tensor from a Tensor, a NumPy array or number, a scipy.sparse or a pydata/sparse array.

    Memory is shared where the layouts agree. An array of CuPy or PyTorch on a GPU, a sparse one as well, gives a Tensor
    there. With `format`, the tensor is stored so. Raises UserError [bad-argument]
    for anything else.

    >>> it.as_tensor([[1, 0], [0, 2]], it.COO()).nnz
    2
    """
    if isinstance(value, Tensor):
        return value if format is None else value.to_format(format)
    if isinstance(value, np.ndarray | np.generic | int | float | complex | list | tuple):
        return Tensor.from_numpy(value, format)
    load_for("pydata")
    from irtensor.interop.pydata_sparse import is_pydata_sparse
    from irtensor.interop.scipy_sparse import is_scipy_sparse

    if is_scipy_sparse(value):
        return Tensor.from_scipy(value, format)
    if is_pydata_sparse(value):
        return Tensor.from_pydata(value, format)
    if may_be_on_device(value):
        load_for("cards")
        from irtensor.interop.device_operands import as_device_tensor, is_device_operand

        if is_device_operand(value):
            tensor: Any = as_device_tensor(value)
            return tensor if format is None else tensor.to_format(format)
    refuse_sparse(value, "the operand")
    if hasattr(value, "__array__"):
        return Tensor.from_numpy(np.asarray(value), format)
    raise UserError(
        "bad-argument",
        f"cannot make a tensor from {type(value).__name__}",
        help="pass a NumPy array, a scipy.sparse or pydata/sparse array, or an irtensor Tensor",
    )
