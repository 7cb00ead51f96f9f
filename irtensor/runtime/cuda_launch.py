"""Calls of host code whose kernels run on a card: what it is linked with, what it is passed, and how its errors end.

See launch_code for what the host code does itself.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from irtensor.core.argument_layout import DEVICE_FAILED, NO_MEMORY
from irtensor.errors import InternalError
from irtensor.late_imports import lock
from irtensor.runtime.cpu_engine import compiled_once
from irtensor.runtime.cuda_device import Device
from irtensor.runtime.cuda_driver import LEGACY_STREAM, driver_api, error_of, function_address
from irtensor.runtime.cuda_errors import OUT_OF_MEMORY, RUNNING, DriverFailure, error_for
from irtensor.runtime.launch_code import (
    DRIVER_FUNCTIONS,
    LAUNCH_FUNCTIONS,
    KernelEntry,
    KernelShape,
    KnownElement,
    LaunchContext,
    launch_code,
)
from irtensor.runtime.native_function import NativeFunction

# Into how many parts, each for a thread, work is divided at most, for each multiprocessor of a card.
PARTS_PER_MULTIPROCESSOR = 512
# The same for parts with memory of their own, such as a row of a product, unless there is much more work.
PARTS_WITH_MEMORY_PER_MULTIPROCESSOR = 8
# Of host code, by the names that it has for them.
_GIVEN = (
    "irtensor.grow",
    "irtensor.reserve",
    "irtensor.make_zeroed",
    "irtensor.launch",
    "irtensor.memset",
    "irtensor.read",
)
_STATUS = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


class _Functions:
    """The code of this process, compiled when it is first needed."""

    def __init__(self) -> None:
        imports = {name: function_address(name) for name in DRIVER_FUNCTIONS}
        entry, *others = LAUNCH_FUNCTIONS
        native = compiled_once(launch_code(), entry, effort="light", imports=imports, exports=others)
        self.native: NativeFunction = native
        self.enter = _STATUS(native.address_of("irtensor.enter"))
        self.leave = _STATUS(native.address_of("irtensor.leave"))
        if ctypes.CFUNCTYPE(ctypes.c_int32)(native.address_of("irtensor.start"))():
            raise InternalError("this process has no key left for data of single threads")


_functions: _Functions | None = None


def _launch_functions() -> _Functions:
    global _functions
    driver_api()
    with lock:
        if _functions is None:
            _functions = _Functions()
    return _functions


def host_imports() -> dict[str, int]:
    """What host code is linked with: addresses by the names of the functions that it calls."""
    native = _launch_functions().native
    addresses = {name: native.address_of(name) for name in _GIVEN}
    return {**addresses, "free": native.address_of("irtensor.release")}


class LoadedKernels:
    """The kernels of a statement on a card, and calls of the host code that launches them.

    `shapes` has the names of the kernels in the order of their numbers, and how each is launched; `what` is what errors
    call them.
    """

    def __init__(self, device: Device, ptx: str, shapes: Mapping[str, KernelShape], what: str) -> None:
        self.device = device
        self.what = what
        self._functions = _launch_functions()
        self._module = device.load(ptx)
        entries = [KernelEntry(self._module.function(name), *shape) for name, shape in shapes.items()]
        self._entries = (KernelEntry * max(len(entries), 1))(*entries)
        # What a context is at the beginning, by the stream.
        self._contexts: dict[int, bytes] = {}

    def context(self, stream: int = LEGACY_STREAM) -> LaunchContext:
        """What to pass to one call of the host code."""
        known = self._contexts.get(stream)
        if known is None:
            processors = self.device.multiprocessors
            parts, large = PARTS_PER_MULTIPROCESSOR * processors, PARTS_WITH_MEMORY_PER_MULTIPROCESSOR * processors
            made = LaunchContext(None, parts, 1, large, None, None, self.device.context, None, stream)
            made.kernels = ctypes.addressof(self._entries)
            # To fill in all fields takes longer than to copy them.
            known = self._contexts[stream] = bytes(made)
        return LaunchContext.from_buffer_copy(known)

    def run(
        self,
        function: Callable[..., int],
        arguments: list[Any],
        stream: int = LEGACY_STREAM,
        known: Sequence[tuple[int, int]] = (),
    ) -> int:
        """Call host code with its arguments and a context behind them: its status, where that is not about the card.

        `known` has addresses of integers in the card's memory, and their values: for them the host code does not wait.
        What it launches may still run afterwards. Raises MemoryError with sizes, and UserError [cuda-launch] for errors
        of whatever runs on the card.
        """
        # Of a parent that used the card, a child has the object and no use for it.
        driver_api()
        context = self.context(stream)
        address = ctypes.addressof(context)
        elements = (KnownElement * len(known))(*known)
        context.known, context.known_count = ctypes.addressof(elements), len(known)
        status = self._functions.enter(address)
        if status == 0:
            try:
                status = function(*arguments, address)
            finally:
                left = self._functions.leave(address)
            status = status or left
        self._note_launches(context, stream)
        # What was given back in vain has no status.
        if context.failed_call and status in (0, NO_MEMORY, DEVICE_FAILED):
            raise self._error(context)
        return status

    def _note_launches(self, context: LaunchContext, stream: int) -> None:
        if context.waited:
            RUNNING.finished(stream)
        if context.unfinished:
            RUNNING.launched(stream, self.what)

    def _error(self, context: LaunchContext) -> Exception:
        function = DRIVER_FUNCTIONS[context.failed_call - 1]
        if context.error == OUT_OF_MEMORY and context.bytes:
            # More than can be counted is the greatest number.
            return self.device.out_of_memory(context.bytes % 2**64)
        failure = DriverFailure(function, *error_of(context.error))
        said = error_for(failure)
        if isinstance(said, InternalError):
            said.message += f", in a call of '{self.what}'"
        return said
