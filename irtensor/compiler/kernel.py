"""A compiled kernel: binds NumPy arrays and Tensors to the argument layout, allocates results, calls native code."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.compiler.kernel_signature import KernelSignature
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.runtime.result_memory import RESULT_MEMORY, SMALLEST_BLOCK

if TYPE_CHECKING:
    from irtensor.runtime.cpu_engine import NativeFunction

# One block that stands in for empty arrays: generated code may read element 0 of any array.
_EMPTY = np.zeros(2, dtype=np.complex128)
_EMPTY_ADDRESS: int = _EMPTY.__array_interface__["data"][0]


@cache
def _prototype(count: int) -> Any:
    # The call releases the GIL. Addresses and extents are both plain machine words.
    return ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * count)


class Kernel:
    """Callable native code for one statement over operands of fixed types and formats.

    `argument_names` gives the order of operands. The call trusts shapes, dtypes and formats: front doors check them.
    It may run in several threads at once.
    """

    def __init__(self, signature: KernelSignature, native: NativeFunction) -> None:
        self.signature = signature
        self.native = native
        self.argument_names = signature.operand_names
        self.result_dtype = signature.result_dtype
        # Seconds by stage of its compilation; empty if the code came from the disk.
        self.seconds: dict[str, float] = {}
        self._function = _prototype(signature.argument_count)(native.address)
        self._converts = any(tensor.converted for tensor in signature.passed)
        self._is_direct = [tensor.operand for tensor in signature.passed] == list(range(len(self.argument_names)))

    def __call__(self, operands: Sequence[Any], out: np.ndarray | None = None) -> Any:
        """Run the kernel; see CompiledStatement. Raises MemoryError if a result does not fit into memory."""
        signature = self.signature
        passed = operands if self._is_direct and not self._converts else self._pass(operands)
        arguments: list[int] = []
        for operand in passed:
            arguments.extend(operand.shape)
            if type(operand) is np.ndarray:
                arguments.append(operand.__array_interface__["data"][0] if operand.size else _EMPTY_ADDRESS)
            elif operand.values.size:
                arguments.extend(operand.pointers())
            else:
                sizes = (array.size for array in operand.buffers())
                arguments.extend(p if n else _EMPTY_ADDRESS for p, n in zip(operand.pointers(), sizes, strict=True))
        shape = tuple([operands[number].shape[dimension] for number, dimension in signature.extents])
        arguments.extend(shape)
        if signature.result_format is not None:
            return self._run_sparse(arguments, shape, signature.result_format, operands)
        array = _empty(shape, signature.result_dtype) if out is None else out
        arguments.append(array.__array_interface__["data"][0] if array.size else _EMPTY_ADDRESS)
        self._run(arguments)
        return array

    def _run_sparse(
        self, arguments: list[int], shape: tuple[int, ...], format: TensorFormat, operands: Sequence[Any]
    ) -> Any:
        # Loaded with the first sparse result.
        from irtensor.compiler.allocate_results import allocate_result

        made = allocate_result(shape, self.signature.result_dtype, format, operands)
        arguments.extend(made.arguments)
        try:
            self._run(arguments)
            return made.finish()
        except BaseException:
            made.discard()
            raise

    def _pass(self, operands: Sequence[Any]) -> list[Any]:
        """The tensors that the code takes, converted where its formats are not the operands'."""
        passed: list[Any] = []
        for tensor in self.signature.passed:
            operand = operands[tensor.operand]
            if tensor.converted:
                assert tensor.format is not None
                operand = operand.to_format(tensor.format)
            passed.append(operand)
        return passed

    def _run(self, arguments: list[int]) -> None:
        if self._function(*arguments) != 0:
            raise MemoryError("the result of this kernel does not fit into memory")


def _empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Memory of a dense result: from the pool where a first touch would cost more than the pool does."""
    size = dtype.itemsize
    for extent in shape:
        size *= extent
    if size < 4 * SMALLEST_BLOCK:
        return np.empty(shape, dtype)
    try:
        return RESULT_MEMORY.empty(shape, dtype)
    except MemoryError:
        message = f"no memory for a dense result of shape {shape} and dtype {dtype}: {size} bytes"
        raise MemoryError(f"{message}; ask for a sparse one, with a format for the result") from None
