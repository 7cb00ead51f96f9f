"""Tensors on a GPU, with what a Tensor has beside its storage."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.requested_format import read_format
from irtensor.late_imports import load_for
from irtensor.storage.stored_device_array import StoredDeviceArray
from irtensor.storage.stored_device_tensor import StoredDeviceTensor, give_device_tensors_class
from irtensor.storage.stored_tensor import HeldArrays
from irtensor.tensors.tensor import Tensor


class DeviceTensor(StoredDeviceTensor, Tensor):
    """A Tensor over DeviceArrays; made by `to_device`, and by kernels for `target="cuda"`.

    What needs the memory of the host is a UserError [operand-on-device]: `to_host` gives a copy there.
    """

    __slots__ = ()

    def _checked_values(self, array: Any, held: HeldArrays) -> Any:
        load_for("cards")
        from irtensor.compiler.device.device_checks import check_device_values
        from irtensor.interop.device_operands import as_device_operand, on_host

        values = as_device_operand(array, "values")
        if not isinstance(values, StoredDeviceArray):
            raise on_host(array, "values")
        check_device_values(self, values)
        return values

    def to_device(self, device: int = 0, *, stream: Any = None) -> Tensor:
        """The tensor itself, if it is on that GPU, else a copy that goes through the memory of the host."""
        return self if device == self.device else self.to_host().to_device(device, stream=stream)

    def to_host(self) -> Tensor:
        """A copy in the memory of the host; waits until the elements are there."""
        made = super().to_host()
        assert isinstance(made, Tensor)
        return made

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


def _refusing(name: str) -> Callable[..., NoReturn]:
    """A method of tensors of the host."""

    def refuse(self: DeviceTensor, *arguments: Any, **named: Any) -> NoReturn:
        raise self._works_on_host(name)

    refuse.__doc__ = "Of tensors in the memory of the host: UserError [operand-on-device]."
    return refuse


for _name in ("to_coo", "to_scipy", "to_pydata", "diagonal"):
    setattr(DeviceTensor, _name, _refusing(_name))

give_device_tensors_class(DeviceTensor)
