"""Tensors whose arrays are in the memory of a GPU; `irtensor.Tensor` has a class of them."""

from __future__ import annotations

from typing import Any, NoReturn, Self

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.late_imports import load_for
from irtensor.storage.level_storage import LevelStorage
from irtensor.storage.stays_on_device import StaysOnDevice
from irtensor.storage.stored_device_array import StoredDeviceArray
from irtensor.storage.stored_tensor import StoredTensor, make_tensor, of_arrays
from irtensor.storage.unpack_coordinates import is_full


class StoredDeviceTensor(StaysOnDevice, StoredTensor):
    """Shape, format and arrays of a GPU."""

    __slots__ = ("_arrays", "_count", "_known")
    called = "the tensor"
    copied_by = ".to_host()"

    def _hold(
        self, shape: tuple[int, ...], format: TensorFormat, levels: tuple[LevelStorage, ...], values: Any
    ) -> None:
        super()._hold(shape, format, levels, values)
        self._arrays: list[Any] = list(self.buffers())
        self._count: int | None = None
        self._known: list[tuple[int, int]] | None = None

    def _replace_arrays(self, levels: tuple[LevelStorage, ...], values: Any) -> None:
        super()._replace_arrays(levels, values)
        self._arrays, self._count, self._known = list(self.buffers()), None, None

    @property
    def device(self) -> int:
        """The number of the GPU."""
        return self.device_values.device

    @property
    def device_values(self) -> StoredDeviceArray:
        """The stored elements. Of a pattern they are there as well, but no kernel reads them."""
        values: Any = self.values
        return values

    @property
    def nnz(self) -> int:
        """How many entries are stored. Where levels have holes, it waits, and counts from a copy on the host."""
        if self._count is None:
            self._count = super().nnz
        return self._count

    def _levels_to_count(self) -> tuple[LevelStorage, ...]:
        return self.levels if is_full(self.format) else self._levels_on_host()

    def _levels_on_host(self) -> tuple[LevelStorage, ...]:
        return tuple(level.mapped(StoredDeviceArray.to_numpy) for level in self.levels)

    def device_buffers(self) -> list[StoredDeviceArray]:
        """All arrays in kernel order."""
        return self._arrays

    def known_elements(self) -> list[tuple[int, int]]:
        """Addresses of elements whose value the host knows, and the values: ends of lists of positions."""
        if self._known is None:
            self._known = [pair for level in self.levels for pair in _ends_of_positions(level)]
        return self._known

    def held(self) -> NoReturn:
        """Addresses are of no use to the host."""
        raise self.not_on_host("the kernel runs on the CPU")

    def to_host(self) -> StoredTensor:
        """A copy in the memory of the host; waits until the elements are there."""
        levels, values = self._levels_on_host(), self.device_values.to_numpy()
        return make_tensor(self.shape, self.format, levels, values).made_of(self)

    def to_numpy(self) -> Any:
        """A dense array in the memory of the host; waits until the elements are there."""
        return self.to_host().to_numpy()

    def copy(self) -> Self:
        """A tensor with arrays of its own, on the same GPU."""
        levels = tuple(level.mapped(StoredDeviceArray.copy) for level in self.levels)
        return of_arrays(type(self), self.shape, self.format, levels, self.values.copy()).made_of(self)

    def to_format(self, format: TensorFormat) -> StoredTensor:
        """The tensor itself, if it is stored so. Formats are converted on the host: UserError [operand-on-device]."""
        return self._stored_as(format, "to_format", "...")

    def _stored_as(self, format: TensorFormat, name: str, arguments: str) -> Self:
        if format != self.format:
            raise self._works_on_host(name, arguments, ".to_device()")
        return self

    def _works_on_host(self, name: str, arguments: str = "...", after: str = "") -> UserError:
        return self.not_on_host(f"{name} works on the host", f"copy it: .to_host().{name}({arguments}){after}")


# The class that tensors of a GPU are made of; see there.
_class: type[StoredDeviceTensor] | None = None


def give_device_tensors_class(cls: type[StoredDeviceTensor]) -> None:
    """Let tensors of a GPU be made of a class from now on, which adds methods, as `give_tensors_class` for others."""
    global _class
    _class = cls


def make_device_tensor(
    shape: tuple[int, ...], format: TensorFormat, levels: tuple[LevelStorage, ...], values: StoredDeviceArray
) -> StoredDeviceTensor:
    """A tensor over arrays of a GPU, as a user sees it."""
    if _class is None:
        load_for("cards")
        return make_device_tensor(shape, format, levels, values)
    given: Any = values
    made = _class.__new__(_class)
    made._hold(shape, format, levels, given)
    return made


def on_device(
    tensor: StoredDeviceTensor, why: str, name: str = "the tensor", help: str = "copy it: .to_host()"
) -> UserError:
    """The error for a tensor of a GPU where memory of the host is needed, and why it is."""
    message = f"{name} of shape {tensor.shape} is on GPU {tensor.device}, and {why}"
    return UserError("operand-on-device", message, help=help)


def _ends_of_positions(level: LevelStorage) -> list[tuple[int, int]]:
    """Of the first and the last position: where they are, and what they are."""
    positions: Any = level.positions
    coordinates: Any = level.coordinates
    if positions is None or coordinates is None or not positions.size:
        return []
    first = positions.memory.address
    last = first + positions.nbytes - positions.dtype.itemsize
    return [(last, coordinates.size), (first, 0)]
