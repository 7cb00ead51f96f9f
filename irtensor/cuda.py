"""GPUs of NVIDIA: which there are, and arrays on them.

Needs the driver of the system, and NVIDIA's bindings of it: `pip install 'cuda-bindings>=12.9,<14'`. Where one of them
is missing, each function is a UserError [no-cuda] that says which.

- `devices()`: the GPUs, each with `number`, `name`, `compute_capability`, `multiprocessors` and `memory` in bytes.
- `to_device(array, *, device=0, stream=None)`: a copy of a dense array of the host on a GPU, a DeviceArray.
- `as_device_array(array, *, stream=None)`: an array of CuPy or PyTorch as a DeviceArray, without a copy.
- `synchronize(device=None)`: waits until all work on a GPU, or on all of them, is done. An error of a kernel that
  nobody has waited for is reported here: [cuda-launch].
- `selftest(device=0)`: runs small statements on a GPU, and says which of them gave what NumPy gives.

>>> it.cuda.devices()  # doctest: +SKIP
[Device(number=0, name='NVIDIA H100 80GB HBM3', compute_capability=(9, 0), multiprocessors=132, memory=85024112640)]
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from irtensor.core.diagnostics import UserError
from irtensor.frontend.arguments import as_integer
from irtensor.interop.cuda_arrays import read_interface, stream_handle
from irtensor.interop.device_copies import SPARSE, copied_array
from irtensor.late_imports import load_for
from irtensor.runtime import cuda_device
from irtensor.storage.stored_device_array import DeviceMemory, StoredDeviceArray, make_device_array
from irtensor.storage.stored_tensor import StoredTensor
from irtensor.tensors.device_array import DeviceArray

if TYPE_CHECKING:
    from irtensor.cuda_selftest import SelfTest

__all__ = ["Device", "as_device_array", "devices", "selftest", "synchronize", "to_device"]
# The module itself, by the name that the package has for it.
cuda = sys.modules[__name__]


class Device(NamedTuple):
    """A GPU."""

    number: int
    name: str
    compute_capability: tuple[int, int]
    multiprocessors: int
    memory: int


def devices() -> list[Device]:
    """The GPUs that there are. Raises UserError [no-cuda] where there is none."""
    cards = [cuda_device.device(number) for number in range(cuda_device.device_count())]
    return [
        Device(card.number, card.name, card.compute_capability, card.multiprocessors, card.memory) for card in cards
    ]


def to_device(array: Any, *, device: int = 0, stream: Any = None) -> DeviceArray:
    """A copy of a dense array of the host in the memory of a GPU; the array may be changed afterwards.

    A DeviceArray of that GPU is given as it is, one of another GPU is copied by way of the host.
    `stream` is the one that later work on the copy is on: a stream of CuPy or PyTorch, an object with
    `__cuda_stream__`, or the driver's number. Without it that is the default stream.
    Raises UserError [no-cuda], [bad-argument], [unsupported-dtype], and MemoryError.
    """
    return _as_user_sees(copied_array(array, device, stream))


def as_device_array(array: Any, *, stream: Any = None) -> DeviceArray:
    """An array of another library on a GPU, by its `__cuda_array_interface__`, without a copy.

    Later work on it is on `stream`, which waits for that of the library; the array lives as long as the DeviceArray.
    Raises UserError [bad-argument], [unsupported-dtype], [cuda-conversion] where its elements do not follow each other,
    and [no-cuda].
    """
    if isinstance(array, StoredDeviceArray):
        return _as_user_sees(array)
    if isinstance(array, StoredTensor):
        raise UserError("bad-argument", SPARSE, help="A.values has the stored elements of a Tensor")
    other = read_interface(array)
    handle = stream_handle(stream)
    card = cuda_device.device_at(other.address, "the array") if other.address else cuda_device.device(0)
    if other.stream is not None:
        card.order(other.stream, handle)
    memory = DeviceMemory(card, other.address, handle, array, other.read_only)
    return _as_user_sees(make_device_array(other.shape, other.dtype, memory))


def _as_user_sees(array: StoredDeviceArray) -> DeviceArray:
    """An array that is of the public class, as all are that are made once it is there."""
    assert isinstance(array, DeviceArray)
    return array


def synchronize(device: int | None = None) -> None:
    """Wait until all work on a GPU, or on all that this process has used, is done.

    Raises UserError [cuda-launch] for an error of the work there.
    """
    cuda_device.device_count()
    for card in cuda_device.used_devices() if device is None else [cuda_device.device(as_integer("device=", device))]:
        card.synchronize()


def selftest(device: int = 0) -> SelfTest:
    """Run small statements of all kinds on a GPU, and say which results are those of NumPy.

    The first thing to do on a new machine; it takes less than a minute. The result is printed as a table, with the
    card, its processor and the driver; `failed` lists the failures. Raises UserError [no-cuda].

    >>> print(it.cuda.selftest())  # doctest: +SKIP
    """
    load_for("cards")
    from irtensor.cuda_selftest import run_selftest

    return run_selftest(as_integer("device=", device))
