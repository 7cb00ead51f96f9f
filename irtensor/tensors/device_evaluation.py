"""Statements of operands on a GPU that are compiled when they are computed: expressions and operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irtensor.compiler.compilation.compile_kernel import compile_statement
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.bind_extents import bind_extents, wide_indices
from irtensor.frontend.expression_tree import Access, Statement
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.interop.device_operands import as_device_operand, format_of
from irtensor.storage.stored_device_array import StoredDeviceArray

TARGET = {"target": "cuda"}


def evaluate_on_device(
    statement: Statement, operands: Mapping[str, Any], format: TensorFormat | None, dtype: np.dtype | None = None
) -> Any:
    """Run a statement with explicit reductions over operands of a GPU: a DeviceArray, or with `format` a Tensor.

    Raises UserError, [operand-on-host] where some of them are in the memory of the host.
    """
    declared = tuple(operand for name, operand in operands.items() if name.startswith("@"))
    data = {
        name: as_device_operand(operand, f"operand {name}")
        for name, operand in operands.items()
        if not name.startswith("@")
    }
    shapes = {name: operand.shape for name, operand in data.items()}
    bind_extents(statement, shapes)
    described = {name: OperandDescription(one.dtype, len(one.shape), format_of(one)) for name, one in data.items()}
    wide = wide_indices(statement, shapes)
    kernel = compile_statement(
        statement, described, format, operators=declared, options=TARGET, wide=wide, result_dtype=dtype
    )
    return kernel([data[name] for name in kernel.argument_names])


_COPY = Statement(Access("result", ("i",)), None, Access("A", ("i",)))


def converted(array: StoredDeviceArray, dtype: np.dtype[Any]) -> StoredDeviceArray:
    """The elements as another type, in memory of their own on the same GPU; nothing is waited for."""
    flat = array.reshaped((array.size,))
    described = OperandDescription(array.dtype, 1, read_as=dtype)
    kernel = compile_statement(_COPY, {"A": described}, options=TARGET, wide=wide_indices(_COPY, {"A": flat.shape}))
    return kernel([flat]).reshaped(array.shape)
