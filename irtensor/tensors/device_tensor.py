"""Tensors whose arrays are in the memory of a GPU."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.requested_format import read_format
from irtensor.late_imports import load_for
from irtensor.storage.level_storage import DENSE_LEVEL, LevelStorage
from irtensor.storage.read_arguments import arrays_by_name, as_levels
from irtensor.storage.unpack_coordinates import is_full, stored_count
from irtensor.tensors.device_array import DeviceArray
from irtensor.tensors.stays_on_device import StaysOnDevice
from irtensor.tensors.stored_arrays import HeldArrays, of_arrays
from irtensor.tensors.tensor import Tensor


class DeviceTensor(StaysOnDevice, Tensor):
    """A Tensor over DeviceArrays; made by `to_device`, and by kernels for `target="cuda"`.

    What needs the memory of the host is a UserError [operand-on-device]: `to_host` gives a copy there.
    """

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

    def _checked_values(self, array: Any, held: HeldArrays) -> Any:
        load_for("cards")
        from irtensor.compiler.device.device_checks import check_device_values
        from irtensor.interop.device_operands import as_device_operand, on_host

        values = as_device_operand(array, "values")
        if not isinstance(values, DeviceArray):
            raise on_host(array, "values")
        check_device_values(self, values)
        return values

    @property
    def device(self) -> int:
        """The number of the GPU."""
        return self.device_values.device

    @property
    def device_values(self) -> DeviceArray:
        """The stored elements."""
        values: Any = self.values
        return values

    @property
    def nnz(self) -> int:
        """How many entries are stored. Where levels have holes, it waits, and counts from a copy on the host."""
        if self._count is None:
            full = is_full(self.format)
            levels = self.levels if full else self._levels_on_host()
            self._count = stored_count(self.shape, self.format, levels, self.device_values.size)
        return self._count

    def _levels_on_host(self) -> tuple[LevelStorage, ...]:
        return tuple(level.mapped(DeviceArray.to_numpy) for level in self.levels)

    def device_buffers(self) -> list[DeviceArray]:
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

    def to_device(self, device: int = 0, *, stream: Any = None) -> Tensor:
        """The tensor itself, if it is on that GPU, else a copy that goes through the memory of the host."""
        return self if device == self.device else self.to_host().to_device(device, stream=stream)

    def to_host(self) -> Tensor:
        """A copy in the memory of the host; waits until the elements are there."""
        levels, values = self._levels_on_host(), self.device_values.to_numpy()
        return of_arrays(Tensor, self.shape, self.format, levels, values).made_of(self)

    def to_numpy(self) -> Any:
        """A dense array in the memory of the host; waits until the elements are there."""
        return self.to_host().to_numpy()

    def with_fill(self, fill: Any) -> Tensor:
        """The same stored entries, and another value for all others; None is zero. The arrays are shared."""
        return of_arrays(DeviceTensor, self.shape, self.format.with_fill(fill), self.levels, self.values).made_of(self)

    def to_cupy(self) -> Any:
        """An array of cupyx.scipy.sparse: csr, csc or coo by format; memory is shared.

        Raises UserError [cuda-conversion] for other formats, [fill-mismatch], and [missing-library].
        """
        load_for("cards")
        from irtensor.interop.cuda_sparse import tensor_to_cupy

        return tensor_to_cupy(self)

    def to_torch(self) -> Any:
        """A sparse tensor of PyTorch: csr, csc, bsr or coo by format; memory is shared, but the indices of coo.

        Raises UserError [cuda-conversion] for other formats, [fill-mismatch], and [missing-library].
        """
        load_for("cards")
        from irtensor.interop.cuda_sparse import tensor_to_torch

        return tensor_to_torch(self)

    def copy(self) -> Tensor:
        """A tensor with arrays of its own, on the same GPU."""
        levels = tuple(level.mapped(DeviceArray.copy) for level in self.levels)
        return of_arrays(DeviceTensor, self.shape, self.format, levels, self.values.copy()).made_of(self)

    def check(self, name: str = "tensor") -> None:
        """Raise UserError [bad-storage] unless the arrays are what the format promises; the GPU looks at them."""
        load_for("cards")
        from irtensor.compiler.device.device_checks import check_device_tensor

        check_device_tensor(self, name)

    def to_format(self, format: TensorFormat | str) -> Tensor:
        """The tensor itself, if it is stored so. Formats are converted on the host: UserError [operand-on-device]."""
        return self._stored_as(read_format(format, self.ndim), "to_format", "...")

    def _stored(self, format: Any, name: str) -> Tensor:
        return self._stored_as(self._with_own(format), name, "")

    def _stored_as(self, format: TensorFormat, name: str, arguments: str) -> Tensor:
        if format != self.format:
            raise self._works_on_host(name, arguments, ".to_device()")
        return self

    def _works_on_host(self, name: str, arguments: str = "...", after: str = "") -> UserError:
        return self.not_on_host(f"{name} works on the host", f"copy it: .to_host().{name}({arguments}){after}")

    def replace_storage(self, other: Tensor) -> None:
        """Take over the arrays of a tensor of the same shape, dtype and format on the same GPU: `C[i, j] = ...`."""
        if not isinstance(other, DeviceTensor):
            raise self._not_taken("a dense array")
        if other.format != self.format:
            raise self._not_taken(f"stored as {other.format}")
        if other.device != self.device:
            raise self._not_taken(f"on GPU {other.device}")
        super().replace_storage(other)

    def _not_taken(self, found: str) -> UserError:
        message = f"the result is {found}, the tensor for it on GPU {self.device} and stored as {self.format}"
        help = "use the result itself: formats are converted on the host"
        return UserError("operand-on-device", message, help=help)

    def __bool__(self) -> bool:
        if math.prod(self.shape) != 1:
            return Tensor.__bool__(self)
        return super().__bool__()

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, device={self.device})"


def make_device_tensor(
    shape: tuple[int, ...], format: TensorFormat, levels: tuple[LevelStorage, ...], values: DeviceArray
) -> DeviceTensor:
    """A tensor over arrays of a GPU."""
    given: Any = values
    return of_arrays(DeviceTensor, shape, format, levels, given)


def as_device_tensor(value: Any) -> DeviceTensor:
    """An operand on a GPU as a tensor; memory is shared. Raises UserError."""
    load_for("cards")
    from irtensor.interop.device_operands import as_device_operand

    operand = as_device_operand(value, "the operand")
    if isinstance(operand, DeviceTensor):
        return operand
    assert isinstance(operand, DeviceArray)
    levels = (DENSE_LEVEL,) * operand.ndim
    return make_device_tensor(
        operand.shape, TensorFormat.dense(operand.ndim), levels, operand.reshaped((operand.size,))
    )


def tensor_of_buffers(
    shape: tuple[int, ...], format: TensorFormat, levels: Sequence[Any], values: Any, check: bool
) -> DeviceTensor:
    """`Tensor.from_buffers` of arrays on a GPU. Raises UserError [bad-storage], [operand-on-host]."""
    load_for("cards")
    from irtensor.compiler.device.device_checks import check_device_tensor
    from irtensor.interop.device_operands import as_device_operand, on_host

    def shared(array: Any, subject: str) -> DeviceArray:
        given = as_device_operand(array, subject)
        if not isinstance(given, DeviceArray):
            raise on_host(array, subject)
        return given

    storage: list[LevelStorage] = []
    for number, level in enumerate(as_levels(levels)):
        named = arrays_by_name(number, level, format).items()
        storage.append(LevelStorage.of({name: shared(array, f"level {number}: {name}") for name, array in named}))
    tensor = make_device_tensor(shape, format, tuple(storage), shared(values, "values"))
    check_device_tensor(tensor, "tensor", check)
    return tensor


def on_device(tensor: DeviceTensor, why: str, name: str = "the tensor", help: str = "copy it: .to_host()") -> UserError:
    """The error for a tensor of a GPU where memory of the host is needed, and why it is."""
    message = f"{name} of shape {tensor.shape} is on GPU {tensor.device}, and {why}"
    return UserError("operand-on-device", message, help=help)


def copied_to_device(tensor: Tensor, device: int, stream: Any) -> DeviceTensor:
    """A copy of a tensor of the host on a GPU."""
    load_for("cards")
    from irtensor.cuda import to_device

    def moved(array: Any) -> Any:
        return to_device(array, device=device, stream=stream)

    levels = tuple(level.mapped(moved) for level in tensor.levels)
    made = make_device_tensor(tensor.shape, tensor.format, levels, moved(tensor.values))
    made.made_of(tensor)
    return made


def _ends_of_positions(level: LevelStorage) -> list[tuple[int, int]]:
    """Of the first and the last position: where they are, and what they are."""
    positions: Any = level.positions
    coordinates: Any = level.coordinates
    if positions is None or coordinates is None or not positions.size:
        return []
    first = positions.memory.address
    last = first + positions.nbytes - positions.dtype.itemsize
    return [(last, coordinates.size), (first, 0)]


def _refusing(name: str) -> Callable[..., NoReturn]:
    """A method of tensors of the host."""

    def refuse(self: DeviceTensor, *arguments: Any, **named: Any) -> NoReturn:
        raise self._works_on_host(name)

    refuse.__doc__ = "Of tensors in the memory of the host: UserError [operand-on-device]."
    return refuse


for _name in ("to_coo", "to_scipy", "to_pydata", "diagonal"):
    setattr(DeviceTensor, _name, _refusing(_name))
