"""Cards of NVIDIA as this process uses them: their memory, streams and events, and the kernels that are loaded."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from irtensor.errors import InternalError, UserError
from irtensor.late_imports import lock
from irtensor.runtime.cuda_driver import LEGACY_STREAM, call, cannot_be_used, driver_api, is_usable, no_device
from irtensor.runtime.cuda_errors import (
    INVALID_VALUE,
    OUT_OF_MEMORY,
    RUNNING,
    DriverFailure,
    error_for,
    explained,
)

# Bytes of a pool that are kept although nobody uses them: all.
_KEPT = 2**64 - 1
_LOG_BYTES = 8192
# The bindings fill names up with zeros.
_NAME_BYTES = 256


class Device:
    """A card. Its context is the one that CuPy and PyTorch use as well."""

    def __init__(self, number: int) -> None:
        api = driver_api()
        handle = call("cuDeviceGet", number)
        self.number = number
        self.name: str = call("cuDeviceGetName", _NAME_BYTES, handle).split(b"\0")[0].decode()
        self.memory: int = call("cuDeviceTotalMem", handle)
        attributes = api.CUdevice_attribute
        major = call("cuDeviceGetAttribute", attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, handle)
        minor = call("cuDeviceGetAttribute", attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, handle)
        self.compute_capability: tuple[int, int] = (major, minor)
        count = attributes.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
        self.multiprocessors: int = call("cuDeviceGetAttribute", count, handle)
        self._handle = handle
        self._context: int | None = None

    @property
    def context(self) -> int:
        """The card's primary context, made when it is first used. Raises UserError [no-cuda] where there is none."""
        if self._context is None:
            try:
                context = int(call("cuDevicePrimaryCtxRetain", self._handle))
                api = driver_api()
                threshold = api.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
                call("cuMemPoolSetAttribute", self._pool(), threshold, api.cuuint64_t(_KEPT))
            except DriverFailure as failure:
                raise cannot_be_used(str(self), (failure.code, failure.name, failure.text)) from failure
            self._context = context
        return self._context

    @property
    def is_used(self) -> bool:
        """Whether this process has a context on the card."""
        return self._context is not None

    @contextmanager
    def current(self) -> Generator[None]:
        """Calls of the driver in this thread are about this card; errors of theirs become those of users."""
        context = self.context
        with explained():
            before = int(call("cuCtxGetCurrent"))
            if before != context:
                call("cuCtxSetCurrent", context)
            try:
                yield
            finally:
                if before != context:
                    call("cuCtxSetCurrent", before)

    def allocate(self, size: int, stream: int = LEGACY_STREAM) -> int:
        """The address of `size` bytes, usable by what comes later on the stream. Raises MemoryError with sizes."""
        with self.current():
            try:
                # Zero bytes cannot be allocated, and kernels may read element 0.
                return int(call("cuMemAllocAsync", max(size, 16), stream))
            except DriverFailure as failure:
                if failure.code == OUT_OF_MEMORY:
                    raise self.out_of_memory(size) from failure
                raise

    def release(self, address: int, stream: int = LEGACY_STREAM) -> None:
        """Give memory back once all work on the stream has run; nothing happens where that cannot be done any more."""
        _give_back(self, "cuMemFreeAsync", address, stream)

    def out_of_memory(self, size: int) -> MemoryError:
        """The error for an allocation of `size` bytes."""
        message = f"{self} has no memory for {size:,} bytes"
        with suppress(Exception), self.current():
            unused, total = call("cuMemGetInfo")
            message += f": {unused:,} of its {total:,} bytes are free"
        return MemoryError(message)

    def trim(self) -> None:
        """Give memory that is kept, and that nobody uses, to other programs and libraries."""
        with self.current():
            call("cuCtxSynchronize")
            RUNNING.finished()
            call("cuMemPoolTrimTo", self._pool(), 0)

    def _pool(self) -> Any:
        return call("cuDeviceGetDefaultMemPool", self._handle)

    def copy_to_device(self, address: int, source: int, size: int, stream: int = LEGACY_STREAM) -> None:
        """Copy from the host's memory, which may be changed afterwards."""
        with self.current():
            call("cuMemcpyHtoDAsync", address, source, size, stream)
            _wait(stream)

    def write_words(self, address: int, words: Sequence[int], stream: int = LEGACY_STREAM) -> None:
        """Write few words of four bytes, as what comes on the stream; the host does not wait."""
        with self.current():
            for number, word in enumerate(words):
                call("cuMemsetD32Async", address + 4 * number, word, 1, stream)

    def copy_to_host(self, target: int, address: int, size: int, stream: int = LEGACY_STREAM) -> None:
        """Copy to the host's memory, and wait for it."""
        with self.current():
            call("cuMemcpyDtoHAsync", target, address, size, stream)
            _wait(stream)

    def copy(self, target: int, address: int, size: int, stream: int = LEGACY_STREAM) -> None:
        """Copy from one address of the card's memory to another one; the host does not wait."""
        with self.current():
            call("cuMemcpyDtoDAsync", target, address, size, stream)

    def synchronize(self, stream: int | None = None) -> None:
        """Wait for the work on a stream, or on all streams."""
        with self.current():
            if stream is not None:
                _wait(stream)
            else:
                call("cuCtxSynchronize")
                RUNNING.finished()

    def new_stream(self) -> int:
        """A stream that waits for no other; whoever makes it destroys it."""
        with self.current():
            return int(call("cuStreamCreate", driver_api().CUstream_flags.CU_STREAM_NON_BLOCKING))

    def destroy_stream(self, stream: int) -> None:
        with self.current():
            call("cuStreamDestroy", stream)

    def order(self, first: int, second: int) -> None:
        """Let later work on the second stream wait for the work on the first one; the host does not wait."""
        driver_api()
        if first == second:
            return
        with self.current():
            event = call("cuEventCreate", driver_api().CUevent_flags.CU_EVENT_DISABLE_TIMING)
            try:
                call("cuEventRecord", event, first)
                call("cuStreamWaitEvent", second, event, 0)
            finally:
                call("cuEventDestroy", event)

    def record(self, stream: int = LEGACY_STREAM) -> Event:
        """An event that happens when the work on the stream has run."""
        with self.current():
            event = Event(self, call("cuEventCreate", driver_api().CUevent_flags.CU_EVENT_DEFAULT))
            call("cuEventRecord", event.handle, stream)
            return event

    def load(self, ptx: str) -> Module:
        """Kernels, as machine code that the driver makes of them."""
        return Module(self, ptx)

    def __repr__(self) -> str:
        return f"GPU {self.number} ({self.name})"


class Event:
    """A moment on a stream."""

    def __init__(self, device: Device, handle: Any) -> None:
        self.device = device
        self.handle = handle

    def milliseconds_since(self, earlier: Event) -> float:
        """How long the stream took from one event to another, which is waited for."""
        with self.device.current():
            call("cuEventSynchronize", self.handle)
            return call("cuEventElapsedTime", earlier.handle, self.handle)

    def __del__(self) -> None:
        _give_back(self.device, "cuEventDestroy", self.handle)


class Module:
    """Kernels that a card has loaded, as long as this object lives."""

    def __init__(self, device: Device, ptx: str) -> None:
        self.device = device
        self._handle: Any = None
        # Filled by the driver: it may not move, and ends with a zero.
        log = bytearray(_LOG_BYTES)
        options = driver_api().CUjit_option
        names = [options.CU_JIT_ERROR_LOG_BUFFER, options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        with device.current():
            try:
                self._handle = call("cuModuleLoadDataEx", ptx.encode() + b"\0", 2, names, [log, len(log)])
            except DriverFailure as failure:
                error = error_for(failure)
                if isinstance(error, InternalError):
                    said = log.split(b"\0")[0].decode(errors="replace").strip() or failure.text
                    message = f"the driver rejected the code of a kernel: {failure.name}: {said}"
                    error = InternalError(message, reproducer=ptx)
                raise error from failure

    def function(self, name: str) -> int:
        """The handle of a kernel."""
        with self.device.current():
            return int(call("cuModuleGetFunction", self._handle, name.encode()))

    def __del__(self) -> None:
        if self._handle is not None:
            _give_back(self.device, "cuModuleUnload", self._handle)


def _give_back(device: Device, function: str, *arguments: Any) -> None:
    """Call a function that gives something back, where that can be done."""
    try:
        if is_usable():
            with device.current():
                call(function, *arguments)
    except Exception:
        # After an error of a kernel, or as the process ends and half of it is gone, nothing can be given back.
        return


def _wait(stream: int) -> None:
    call("cuStreamSynchronize", stream)
    RUNNING.finished(stream)


_devices: dict[int, Device] = {}


def device(number: int = 0) -> Device:
    """A card by its number. Raises UserError [no-cuda] if it does not exist."""
    found = _devices.get(number)
    if found is None:
        count = device_count()
        if not 0 <= number < count:
            raise no_device(number, count)
        with lock, explained():
            found = _devices.setdefault(number, Device(number))
    # A child of a process that used it has the object, and no use for it.
    driver_api()
    return found


def device_at(address: int, subject: str) -> Device:
    """The card that has the memory at an address. Raises UserError [bad-argument] where it is not memory of a card."""
    attribute = driver_api().CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    with device().current():
        try:
            number = int(call("cuPointerGetAttribute", attribute, address))
        except DriverFailure as failure:
            if failure.code != INVALID_VALUE:
                raise
            message = f"{subject} says that it is at the address {address:#x}, which is not memory of a GPU"
            raise UserError("bad-argument", message) from failure
    return device(number)


def used_devices() -> list[Device]:
    """The cards on which this process has done something."""
    return [one for one in _devices.values() if one.is_used]


def trim_all() -> None:
    """Free the memory kept on all cards that this process has used; nothing where it may not use them."""
    if is_usable():
        for one in used_devices():
            one.trim()


def require_device() -> None:
    """Raise UserError [no-cuda] unless there is a card, or [cuda-after-fork]; most calls have no time to count them."""
    if not (_devices and is_usable()):
        device_count()


def device_count() -> int:
    """How many cards there are. Raises UserError [no-cuda] where there are none."""
    with explained():
        count = call("cuDeviceGetCount")
    if count == 0:
        raise no_device()
    return count
