"""A kernel whose loops run on a GPU: its operands and results are there, and host code launches what it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.compiler.compilation.kernel_signature import KernelSignature
from irtensor.compiler.device.device_results import (
    DenseDeviceResult,
    DeviceQueue,
    GrowableDeviceResult,
    ReplayedDeviceResult,
    new_array,
)
from irtensor.compiler.device.team_by_size import team_by_size
from irtensor.compiler.kernel.allocate_results import ResultLayout
from irtensor.compiler.kernel.check_ranges import check_ranges
from irtensor.compiler.kernel.kernel import Kernel, discard, prototype
from irtensor.core.diagnostics import UserError
from irtensor.core.schedule_words import WARP
from irtensor.interop.cuda_arrays import stream_handle
from irtensor.interop.device_operands import on_host
from irtensor.runtime import cuda_device
from irtensor.runtime.cuda_driver import LEGACY_STREAM
from irtensor.runtime.device_code import DeviceCode
from irtensor.runtime.launch_code import KernelShape
from irtensor.storage.stored_device_array import StoredDeviceArray, number_array
from irtensor.storage.stored_device_tensor import StoredDeviceTensor

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.runtime.cuda_device import Device
    from irtensor.runtime.native_function import NativeFunction


class DeviceKernel(Kernel):
    """A kernel of a GPU. Operands are DeviceArrays and DeviceTensors, and so are results.

    `text` is the LLVM IR of what the host code launches, `title` what errors call the kernel. A call does not wait for
    what it has launched, unless the host has to know how long a result is.
    """

    def __init__(self, signature: KernelSignature, native: NativeFunction, text: str, title: str) -> None:
        super().__init__(signature, native)
        shapes = {name: KernelShape(words, threads) for name, words, threads in signature.kernels}
        self._code = DeviceCode(text, shapes, title)
        # The context of a call is passed last, to code that launches nothing as well.
        self._function = prototype(signature.argument_count + (not signature.uses_threads))(native.address)
        self._stream: int | None = None
        self._by_team: Callable[[int], Kernel] | None = None
        self._device_layouts = [
            None if result.format is None else ResultLayout(result.dtype, result.format, signature.purpose)
            for result in signature.results
        ]

    @property
    def objects(self) -> tuple[bytes, ...]:
        """The host code, and last the kernels."""
        return (*self.native.objects, self._code.text.encode())

    def on_stream(self, stream: Any) -> DeviceKernel:
        """The same kernel, on a stream. Raises UserError [bad-argument] for anything but a stream."""
        kernel = copy(self)
        kernel._stream = stream_handle(stream)
        return kernel

    def with_teams(self, by_team: Callable[[int], Kernel]) -> DeviceKernel:
        """The same kernel, whose calls are those of the kernel with teams that are best for the operands."""
        kernel = copy(self)
        # To look one up takes longer than to choose it.
        kernel._by_team = cache(by_team)
        return kernel

    def __call__(self, operands: Sequence[Any], out: Any = None, index: Any = None) -> Any:
        """Run the kernel, as one of a CPU; `out` and the arrays of `index` are on the same GPU as the operands."""
        return self._for_sizes(operands)._call(operands, out, index)

    def _for_sizes(self, operands: Sequence[Any]) -> DeviceKernel:
        """The kernel with the teams that are best for these operands."""
        team = WARP if self._by_team is None else team_by_size(self.signature.lane_iterations, operands)
        if team == WARP or self._by_team is None:
            return self
        kernel = self._by_team(team)
        if self._stream is not None:
            kernel = kernel.on_stream(self._stream)
        assert isinstance(kernel, DeviceKernel)
        return kernel

    def _call(self, operands: Sequence[Any], out: Any, index: Any) -> Any:
        queue = self._queue(operands, out, index)
        for other in queue.others:
            queue.device.order(other, queue.stream)
        try:
            return self._run([_there(one, queue) for one in operands], out, index, queue)
        finally:
            # What others do with the operands' memory comes after the kernel.
            for other in queue.others:
                queue.device.order(queue.stream, other)

    def seconds_for(self, operands: Sequence[Any]) -> float:
        """How long the GPU takes for one call."""
        device, stream, _ = self._queue(operands, None, None)
        begin = device.record(stream)
        self(operands)
        return device.record(stream).milliseconds_since(begin) / 1e3

    def _queue(self, operands: Sequence[Any], out: Any, index: Any) -> DeviceQueue:
        """Where a call is. Raises UserError [operand-on-host], and [bad-argument] where arrays are on several GPUs."""
        device: Device | None = None
        streams: dict[int, None] = {}
        named = list(zip(self.argument_names, operands, strict=True))
        named += [("out", out)] if out is not None else []
        named += [("the index", index)] if isinstance(index, StoredDeviceTensor) else []
        for name, operand in named:
            for array in arrays_of(operand, name):
                memory = array.memory
                streams[memory.stream] = None
                if memory.device is not device:
                    if device is not None:
                        raise _several(name, memory.device, named, device)
                    device = memory.device
        stream = self._stream or next((one for one in streams if one != LEGACY_STREAM), LEGACY_STREAM)
        return DeviceQueue(device or cuda_device.device(), stream, tuple([one for one in streams if one != stream]))

    def _run(self, operands: Sequence[Any], out: Any, index: Any, queue: DeviceQueue) -> Any:
        signature = self.signature
        if signature.nonempty:
            check_ranges(signature, operands)
        arguments: list[int] = []
        for tensor in signature.passed:
            operand = operands[tensor.operand]
            arguments += operand.shape
            arguments += [array.memory.address for array in arrays_of(operand)]
        made: list[Any] = []
        try:
            for layout, result in zip(self._device_layouts, signature.results, strict=True):
                shape = result.shape(operands)
                if layout is None:
                    made.append(DenseDeviceResult(new_array(shape, result.dtype, queue) if out is None else out))
                elif layout.purpose == "compute":
                    made.append(ReplayedDeviceResult(layout, shape, index, queue))
                else:
                    made.append(GrowableDeviceResult(layout, shape, queue))
                arguments += shape
                arguments += made[-1].arguments
            known = [
                pair
                for one in (*operands, index)
                if isinstance(one, StoredDeviceTensor)
                for pair in one.known_elements()
            ]
            status = self._code.on(queue.device).run(self._function, arguments, queue.stream, known)
            if status != 0:
                self._raise_for(status, operands)
            finished = [memory.finish() for memory in made]
        except BaseException:
            discard(made)
            raise
        for one in finished:
            if isinstance(one, StoredDeviceTensor):
                one.made_of(*operands)
        return finished[0] if len(finished) == 1 else tuple(finished)


def _there(operand: Any, queue: DeviceQueue) -> Any:
    """The operand itself, but for a number, which is copied to where the call is."""
    return number_array(operand, queue.device, queue.stream) if isinstance(operand, np.ndarray) else operand


def arrays_of(operand: Any, name: str = "an operand") -> list[StoredDeviceArray]:
    """The arrays of an operand, in kernel order; a number has none. Raises UserError [operand-on-host]."""
    if isinstance(operand, StoredDeviceArray):
        return [operand]
    if isinstance(operand, StoredDeviceTensor):
        return operand.device_buffers()
    if isinstance(operand, np.ndarray) and operand.ndim == 0:
        return []
    raise on_host(operand, f"operand {name.removeprefix('operand')}")


def refuse_conversions(request: Request, signature: KernelSignature) -> None:
    """Raise UserError [cuda-conversion] for a kernel that only the host could prepare its operands for."""
    for tensor in signature.passed:
        if tensor.converted:
            name = signature.operand_names[tensor.operand]
            # Those of einsum are called so already.
            subject = name if name.startswith(("operand", "intermediate")) else f"operand {name}"
            message = f"{subject} would have to be converted to {tensor.format} before the call"
            call = f".to_host().to_format('{tensor.format}').to_device()"
            help = f"convert it on the host: {call}"
            if request.schedule is None:
                help += "; or compile with schedule='auto', which may find loops that read it as it is stored"
            raise UserError("cuda-conversion", message, help=help)
    if request.stored_as is not None:
        message = f"a result stored {request.stored_as} is computed as {signature.result.format}, and converted "
        message += "on the host"
        help = "ask for the format in which it is computed, and convert it: .to_host().to_format(...)"
        raise UserError("cuda-conversion", message, help=help)


def _several(name: str, device: Device, named: Sequence[tuple[str, Any]], first: Device) -> UserError:
    """The error for an operand on another GPU than those before."""
    earlier = next(other for other, operand in named if any(a.memory.device is first for a in arrays_of(operand)))
    message = f"{name} is on GPU {device.number}, and {earlier} on GPU {first.number}"
    return UserError("bad-argument", message, help="copy one of them to the GPU of the other")
