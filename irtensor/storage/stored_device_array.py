"""A dense array in the memory of a card, and that memory; `irtensor.DeviceArray` is a class of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.late_imports import load_for
from irtensor.runtime.array_address import array_address
from irtensor.runtime.cuda_device import Device
from irtensor.runtime.cuda_driver import LEGACY_STREAM, is_usable
from irtensor.runtime.dlpack import CUDA, capsule
from irtensor.storage.element_types import check_shape
from irtensor.storage.fixed_attribute import fixed_attribute
from irtensor.storage.stays_on_device import StaysOnDevice

# Streams that exist as long as the process: the default one, and the default ones of threads.
_LASTING = (LEGACY_STREAM, 2)
# DLPack's word for a consumer that waits for nothing.
_NO_WAITING = -1
_MAKE = "make another array: irtensor.cuda.to_device(x)"
_fixed = partial(fixed_attribute, owner="a DeviceArray")


class DeviceMemory:
    """Bytes on a card, given back on their stream when nobody uses them any more; or bytes of an `owner`."""

    def __init__(self, device: Device, address: int, stream: int, owner: Any = None, read_only: bool = False) -> None:
        self.device = device
        self.address = address
        self.stream = stream
        self.owner = owner
        self.read_only = read_only
        # Streams of others that may use the memory.
        self._lent: set[int] = set()

    @staticmethod
    def of_size(device: Device, size: int, stream: int) -> DeviceMemory:
        """New bytes, usable by what comes later on the stream. Raises MemoryError."""
        return DeviceMemory(device, device.allocate(size, stream), stream)

    def lend(self, stream: int) -> None:
        """What comes later on another stream may use the memory."""
        self.device.order(self.stream, stream)
        self._lent.add(stream)

    def __del__(self) -> None:
        try:
            if self.owner is None and is_usable():
                self._wait_for_others()
                self.device.release(self.address, self.stream)
        except Exception:
            # After an error of a kernel, or as the process ends and half of it is gone, nothing can be given back.
            return

    def _wait_for_others(self) -> None:
        """Let the memory's own stream wait for those of others."""
        for stream in self._lent - {self.stream}:
            if stream in _LASTING:
                self.device.order(stream, self.stream)
            else:
                # Its own library may have destroyed it.
                self.device.synchronize()


class StoredDeviceArray(StaysOnDevice):
    """Shape, dtype and memory."""

    __slots__ = ("__weakref__", "_dtype", "_memory", "_nbytes", "_shape", "_size")
    called = "an array"
    # As of arrays of NumPy: they have no format.
    format = None
    has_indices = False

    def __init__(self, shape: Any = None, dtype: Any = None, memory: Any = None) -> None:
        if type(memory) is not DeviceMemory:
            message = "a DeviceArray is not made by its class"
            raise UserTypeError("bad-argument", message, help="copy an array to the GPU: irtensor.cuda.to_device(x)")
        self._shape = shape
        self._dtype = dtype
        self._memory = memory
        self._size = size = math.prod(shape)
        self._nbytes = size * dtype.itemsize

    shape: tuple[int, ...] = _fixed(
        "shape", help="take another view of it: x.reshaped(shape)", doc="How many coordinates each dimension has."
    )
    dtype: np.dtype[Any] = _fixed("dtype", help=_MAKE, doc="The type of the elements.")
    memory: DeviceMemory = _fixed("memory", help=_MAKE, doc="Where the elements lie.")
    size: int = _fixed("size", help=_MAKE, doc="How many elements there are.")
    nbytes: int = _fixed("nbytes", help=_MAKE, doc="Bytes of all elements.")

    @property
    def device(self) -> int:
        """The number of the GPU, as `irtensor.cuda.devices` has it."""
        return self.memory.device.number

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self.shape)

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """A copy in the memory of the host; waits until the elements are there."""
        result = np.empty(self.shape, self.dtype)
        memory = self.memory
        if result.nbytes:
            memory.device.copy_to_host(array_address(result), memory.address, result.nbytes, memory.stream)
        return result

    def copy(self) -> StoredDeviceArray:
        """A copy on the same GPU, with memory of its own; does not wait."""
        memory = self.memory
        made = DeviceMemory.of_size(memory.device, self.nbytes, memory.stream)
        if self.nbytes:
            memory.device.copy(made.address, memory.address, self.nbytes, memory.stream)
        return make_device_array(self.shape, self.dtype, made)

    def reshaped(self, shape: Sequence[int] | int) -> StoredDeviceArray:
        """The same elements under another shape of as many; the memory is shared. Raises UserError [bad-shape]."""
        extents = check_shape(shape)
        if math.prod(extents) != self.size:
            message = f"shape {extents} has {math.prod(extents)} elements, the array of shape {self.shape} {self.size}"
            raise UserError("bad-shape", message, help="give a shape of as many elements")
        return make_device_array(extents, self.dtype, self.memory)

    def replace_storage(self, other: Any) -> None:
        """Take over the elements of an array of the same shape and dtype on the same GPU: `X[i] = ...` calls it."""
        own, given = self.memory, other.memory
        if (other.shape, other.dtype, other.device) != (self.shape, self.dtype, self.device):
            raise UserError("extent-mismatch", f"the elements of {other!r} are not those of {self!r}")
        if own.read_only:
            raise UserError("bad-argument", f"an array of shape {self.shape} is read-only", help="take the result")
        if self.nbytes:
            own.device.order(given.stream, own.stream)
            own.device.copy(own.address, given.address, self.nbytes, own.stream)
            own.device.order(own.stream, given.stream)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        memory = self.memory
        # By this, nobody says on which stream it is used: the default one is that of most.
        memory.lend(LEGACY_STREAM)
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (memory.address if self.size else 0, memory.read_only),
            "strides": None,
            "version": 3,
            "stream": memory.stream,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self.device

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        own = self.__dlpack_device__()
        if copy or (dl_device is not None and tuple(dl_device) != own):
            raise BufferError("a DeviceArray passes on its own memory: use to_numpy() for a copy")
        versioned = max_version is not None and max_version[0] >= 1
        memory = self.memory
        if memory.read_only and not versioned:
            raise BufferError("the array is read-only, which DLPack says since version 1.0")
        if stream == 0:
            raise ValueError("DLPack does not allow stream 0: 1 is the default stream")
        if stream != _NO_WAITING:
            memory.lend(LEGACY_STREAM if stream is None else stream)
        address = memory.address if self.size else 0
        return capsule(memory, address, self.shape, self.dtype, own, versioned=versioned, read_only=memory.read_only)

    def __len__(self) -> int:
        if not self.shape:
            raise UserTypeError("rank-mismatch", "an array of rank 0 has no length")
        return self.shape[0]


# The class that arrays are made of; see there.
_class: type[StoredDeviceArray] | None = None


def give_device_arrays_class(cls: type[StoredDeviceArray]) -> None:
    """Let arrays be made of a class from now on, which adds methods: that of `irtensor.DeviceArray`."""
    global _class
    _class = cls


def make_device_array(shape: tuple[int, ...], dtype: np.dtype[Any], memory: DeviceMemory) -> StoredDeviceArray:
    """An array as a user sees it."""
    if _class is None:
        load_for("cards")
        return make_device_array(shape, dtype, memory)
    return _class(shape, dtype, memory)


def number_array(number: np.ndarray[Any, Any], device: Device, stream: int) -> StoredDeviceArray:
    """A number, or an array of few bytes, on a GPU; the host does not wait. Raises MemoryError."""
    memory = DeviceMemory.of_size(device, number.nbytes, stream)
    device.write_words(memory.address, np.frombuffer(number.tobytes().ljust(4, b"\0"), np.uint32).tolist(), stream)
    return make_device_array(number.shape, number.dtype, memory)
