"""A compiled kernel: binds NumPy arrays and Tensors to the argument layout, allocates results, calls native code."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.compiler.allocate_results import GrowableResult, allocate_result
from irtensor.dialects.argument_layout import tensor_arguments
from irtensor.dialects.tensor_format import TensorFormat

if TYPE_CHECKING:
    from irtensor.runtime.cpu_engine import NativeFunction


@dataclass(frozen=True)
class ResultDescription:
    """What a kernel makes; for every dimension, the operand number and dimension that its extent is taken from."""

    dtype: np.dtype
    format: TensorFormat | None
    extents: tuple[tuple[int, int], ...]


# One byte block that stands in for empty arrays: generated code may read element 0 of any array.
_EMPTY = np.zeros(2, dtype=np.complex128)
_EMPTY_ADDRESS: int = _EMPTY.__array_interface__["data"][0]


class Kernel:
    """Callable native code for one statement over operands of fixed types and formats.

    `argument_names` gives the order of operands. The call trusts shapes and formats: front doors check them once.
    """

    def __init__(
        self, argument_names: tuple[str, ...], formats: Sequence[TensorFormat | None], result: ResultDescription
    ) -> None:
        self.argument_names = argument_names
        self.result_dtype = result.dtype
        self.result = result
        self.formats = tuple(formats)
        self._function: Any = None

    def load(self, native: NativeFunction) -> None:
        """Use this code."""
        count = sum(len(tensor_arguments(f or TensorFormat.dense(0), False)) for f in self.formats)
        del count
        self._native = native
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32)
        function = prototype(native.address)
        self._function = function

    def __call__(self, operands: Sequence[Any], out: np.ndarray | None = None) -> Any:
        arguments: list[int] = []
        for operand in operands:
            arguments.extend(operand.shape)
            if isinstance(operand, np.ndarray):
                arguments.append(operand.__array_interface__["data"][0] if operand.size else _EMPTY_ADDRESS)
            elif operand.nnz:
                arguments.extend(operand.pointers())
            else:
                sizes = (array.size for array in operand.buffers())
                arguments.extend(p if n else _EMPTY_ADDRESS for p, n in zip(operand.pointers(), sizes, strict=True))
        result = self.result
        shape = tuple(operands[number].shape[dimension] for number, dimension in result.extents)
        arguments.extend(shape)
        if result.format is None:
            array = np.empty(shape, result.dtype) if out is None else out
            arguments.append(array.__array_interface__["data"][0] if array.size else _EMPTY_ADDRESS)
            self._run(arguments)
            return array
        made: GrowableResult = allocate_result(shape, result.dtype, result.format, operands)
        arguments.extend(made.arguments)
        self._run(arguments)
        return made.finish()

    def _run(self, arguments: list[int]) -> None:
        if self._function(*map(ctypes.c_int64, arguments)) != 0:
            raise MemoryError("the result of this kernel does not fit into memory")
