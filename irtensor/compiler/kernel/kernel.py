"""A compiled kernel: binds NumPy arrays and Tensors to the argument layout, allocates results, calls native code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from copy import copy
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.compiler.compilation.kernel_signature import KernelSignature
from irtensor.compiler.kernel.check_bounds import other_extent
from irtensor.compiler.kernel.check_ranges import check_ranges
from irtensor.compiler.kernel.dense_result import DenseLayout, empty_array
from irtensor.core.argument_layout import BOUND_BROKEN, INDEX_MISMATCH, MAP_FULL, MISFIT
from irtensor.core.diagnostics import InternalError, UserError, about
from irtensor.late_imports import load_for
from irtensor.runtime.array_address import array_address

if TYPE_CHECKING:
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.runtime.native_function import NativeFunction
    from irtensor.storage.stored_tensor import HeldArrays


@cache
def prototype(count: int) -> Any:
    """The type of code that takes so many words."""
    # The call releases the GIL. Addresses and extents are both plain machine words; as c_void_p they are passed in half
    # the time that c_int64 takes.
    return ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * count)


class Kernel:
    """Callable native code for one statement over operands of fixed types and formats.

    `argument_names` gives the order of operands. The call trusts shapes, dtypes and formats: front ends check them.
    It may run in several threads at once.
    """

    def __init__(self, signature: KernelSignature, native: NativeFunction) -> None:
        self.signature = signature
        self.native = native
        self.argument_names = signature.operand_names
        self.result_dtype = signature.result.dtype
        self.warnings = signature.warnings
        # Seconds by stage of its compilation; empty if the code came from the disk.
        self.seconds: dict[str, float] = {}
        self._function = prototype(signature.argument_count)(native.address)
        self._converts = any(tensor.converted or tensor.is_stored_part for tensor in signature.passed)
        in_order = [tensor.operand for tensor in signature.passed] == list(range(len(self.argument_names)))
        self._is_direct = in_order and not self._converts
        # The format that a sparse result is converted to, where that is not one that kernels write.
        self.stored_as: TensorFormat | None = None
        # Gives the kernel for results with entries anywhere, where those of this one have to fit into its levels.
        self.whatever_fits: Callable[[], Kernel] | None = None
        self._dense = signature.result if signature.result.format is None and len(signature.results) == 1 else None
        self._layouts: list[Any] = []
        # The last argument: the address that says which threads to use, where code asks.
        self._threads: list[int] = []
        if signature.uses_threads and signature.target != "cuda":
            self._threads = [_context_address(1) if signature.target == "cpu" else _device_address()]
        # How many parts a loop that appends to lists of their own is divided into at most.
        self._parts = 1

    @property
    def objects(self) -> tuple[bytes, ...]:
        """What a kernel is made of in another process, with the signature."""
        return self.native.objects

    def on_stream(self, stream: Any) -> Kernel:
        """The same kernel, on a stream of a GPU. Raises UserError [bad-argument] for kernels of a CPU."""
        raise refuse_stream(self.signature.target)

    def prepare(self, operands: Sequence[Any]) -> None:
        """Make ready for operands of these shapes: code is."""

    def with_teams(self, by_team: Callable[[int], Kernel]) -> Kernel:
        """The same kernel, which may ask for one with teams of another size."""
        return self

    def with_threads(self, count: int) -> Kernel:
        """The same kernel, on so many threads at most."""
        if not self.signature.uses_threads or self.signature.target != "cpu":
            return self
        # Short kernels for one thread need none of it.
        from irtensor.runtime.thread_pool import most_parts

        kernel = copy(self)
        kernel._threads = [_context_address(count)]
        kernel._parts = most_parts(count)
        return kernel

    def __call__(self, operands: Sequence[Any], out: np.ndarray | None = None, index: Any = None) -> Any:
        """Run the kernel; see CompiledStatement. Raises MemoryError if a result does not fit into memory.

        Several results are a tuple. `out` is memory for the only one, if that is dense, and has its shape. `index` is
        the index of the result for a kernel that computes the values of one; it is not written to.
        """
        arguments: list[int] = []
        # Kept until the code has run: copies converted for this call have no other owner.
        passed = operands if self._is_direct else self._pass(operands)
        held: list[HeldArrays] = []
        for operand in passed:
            if type(operand) is np.ndarray:
                arguments += operand.shape
                arguments.append(array_address(operand))
            else:
                # Another thread may give other arrays to the tensor, and these would be gone.
                arrays = operand.held()
                held.append(arrays)
                arguments += arrays.arguments()
        result = self._dense
        if result is None:
            empty = None if index is None else self._without_elements(operands, index)
            return self._run_stored(arguments, operands, index) if empty is None else empty
        if out is None:
            shape = result.shape(operands)
            array = empty_array(shape, result.dtype)
        else:
            array, shape = out, out.shape
        arguments += shape
        arguments.append(array_address(array))
        arguments += self._threads
        status = self._function(*arguments)
        if status != 0:
            self._raise_for(status, operands)
        return array if self.stored_as is None else self._converted(array)

    def _converted(self, array: np.ndarray) -> Any:
        """A result that loops write as an array, in the format that was asked for."""
        from irtensor.storage.make_tensors import tensor_of_array

        with about("the result"):
            return tensor_of_array(array, self.stored_as)

    def seconds_for(self, operands: Sequence[Any]) -> float:
        """How long one call takes."""
        start = perf_counter()
        self(operands)
        return perf_counter() - start

    def _without_elements(self, operands: Sequence[Any], index: Any) -> Any:
        """A converted result that has no elements; None if it has some, or is not converted.

        No conversion of its index keeps entries of outer levels, so that none leads to the one that the kernel finds.
        """
        if self.stored_as is None:
            return None
        (result,) = self.signature.results
        assert result.format is not None
        if 0 not in (shape := result.shape(operands)):
            return None
        from irtensor.compiler.kernel.index_of_result import empty_result

        return empty_result(index, shape, self._final_format(result.format))

    def _run_stored(self, arguments: list[int], operands: Sequence[Any], index: Any) -> Any:
        """Run the kernel for a result that is stored in a format, or for several results."""
        signature = self.signature
        if signature.nonempty:
            check_ranges(signature, operands)
        made: list[Any] = []
        finished: list[Any] = []
        try:
            for layout, result in zip(self._layouts or self._make_layouts(), signature.results, strict=True):
                shape = result.shape(operands)
                self._check_extents(shape)
                if layout.purpose == "compute":
                    index = index if self.stored_as is None else index.to_format(result.format)
                    memory = layout.replay(shape, index)
                else:
                    memory = layout.allocate(shape, operands, self._parts)
                made.append(memory)
                arguments += shape
                arguments += memory.arguments
            arguments += self._threads
            status = self._function(*arguments)
            if status == MISFIT and self.whatever_fits is not None:
                # The conversion of its result says which entry does not fit.
                discard(made)
                made = []
                return self.whatever_fits()(operands, index=index)
            if status != 0:
                self._raise_for(status, operands)
            for memory in made:
                finished.append(memory.finish())
        except BaseException:
            discard(made[len(finished) :])
            raise
        return self._stored(finished, operands)

    def _stored(self, finished: list[Any], operands: Sequence[Any]) -> Any:
        """Results as they are given, in the format that was asked for."""
        for number, layout in enumerate(self._layouts):
            if type(finished[number]) is not np.ndarray:
                finished[number] = layout.accepted(finished[number], operands)
        if len(finished) > 1:
            return tuple(finished)
        result = finished[0]
        if self.stored_as is None:
            return result
        format = self._final_format(result.format)
        with about("the result"):
            if self.signature.purpose != "assemble":
                return result.to_format(format)
            from irtensor.compiler.kernel.index_of_result import stored_index

            return stored_index(result, format)

    def _check_extents(self, shape: tuple[int, ...]) -> None:
        """Raise UserError [index-overflow] for a result that would not fit the format that it is converted to."""
        if self.stored_as is not None:
            from irtensor.storage.index_overflow import check_coordinate_widths

            check_coordinate_widths(self.stored_as, shape)

    def _final_format(self, written: TensorFormat) -> TensorFormat:
        """The format that was asked for, with the fill value that the result turned out to have."""
        assert self.stored_as is not None
        return self.stored_as.with_fill(written.fill)

    def _raise_for(self, status: int, operands: Sequence[Any]) -> None:
        """Raise what the status stands for."""
        if self._threads:
            from irtensor.runtime import thread_pool

            if status == thread_pool.INTERRUPTED:
                thread_pool.raise_interruption()
        if status == INDEX_MISMATCH:
            # Loaded with the first kernel for an index that exists.
            from irtensor.compiler.kernel.index_of_result import other_index

            raise other_index()
        if status == BOUND_BROKEN:
            raise other_extent(self.signature.bounds, operands, self.argument_names)
        if status == MISFIT:
            message = "an entry does not fit into the format of a result, whose levels hold some coordinates only"
            raise UserError("format-mismatch", message, help="store the result in compressed levels, and convert it")
        if status == MAP_FULL:
            raise InternalError("a map on a GPU was given more pairs than had been counted; the result is not complete")
        if status != 0:
            raise MemoryError("the result of this kernel, or a temporary, does not fit into memory")

    def _make_layouts(self) -> list[Any]:
        # Loaded with the first sparse result.
        load_for("tensors")
        from irtensor.compiler.kernel.allocate_results import ResultLayout

        # A conversion to runs that cover all coordinates joins them.
        after = self.stored_as.levels[-1:] if self.stored_as is not None else ()
        joins_runs = not any(level.format.pieces == "runs" and level.format.pattern.full for level in after)
        self._layouts = [
            DenseLayout(dtype) if format is None else ResultLayout(dtype, format, self.signature.purpose, joins_runs)
            for dtype, format, _ in self.signature.results
        ]
        return self._layouts

    def _pass(self, operands: Sequence[Any]) -> list[Any]:
        """The tensors that the code takes, converted where its formats are not the operands'."""
        passed: list[Any] = []
        for tensor in self.signature.passed:
            operand = operands[tensor.operand]
            if tensor.is_stored_part:
                operand = operand.stored_part
            if tensor.converted:
                if tensor.is_pattern:
                    # Loaded with the operand; kernels of arrays do not need it.
                    from irtensor.storage.stored_tensor import pattern_of

                    operand = pattern_of(operand)
                if tensor.format is None:
                    operand = np.ascontiguousarray(operand.to_numpy())
                else:
                    # What a semiring reads where nothing is stored is not what the tensor says.
                    operand = operand.with_fill(tensor.format.fill).to_format(tensor.format)
            passed.append(operand)
        return passed


def refuse_stream(target: str) -> UserError:
    """The error for a stream that a kernel of another target is given."""
    message = f"stream= is for kernels of a GPU, and this one is compiled for target={target!r}"
    return UserError("bad-argument", message, help="omit stream=")


def discard(made: list[Any]) -> None:
    """Give the memory of results back."""
    for memory in made:
        memory.discard()


def _context_address(threads: int) -> int:
    # Loaded with the first kernel that uses threads.
    from irtensor.runtime.thread_pool import context_address

    return context_address(threads)


def _device_address() -> int:
    load_for("gpus")
    from irtensor.runtime.emulator import context_address

    return context_address()
