"""How the operands of a kernel for a GPU are read: nothing is moved or converted, unless it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irtensor.compiler.kernel.operand_binding import OperandBinding
from irtensor.core.diagnostics import UserError
from irtensor.core.wide_formats import with_widths_of
from irtensor.interop.device_copies import copied_array, copied_tensor
from irtensor.interop.device_operands import as_device_operand
from irtensor.runtime.cuda_device import require_device
from irtensor.storage.stored_device_array import StoredDeviceArray, make_device_array
from irtensor.storage.stored_device_tensor import StoredDeviceTensor


class DeviceBinding(OperandBinding):
    """What one operand must be, on a GPU."""

    def read(self, value: Any) -> Any:
        """A DeviceArray, a DeviceTensor, or a number as an array of NumPy.

        Raises UserError naming the operand, and [no-cuda] without a GPU.
        """
        require_device()
        operand = as_device_operand(value, f"operand {self.name}")
        if isinstance(operand, np.ndarray):
            return operand if self.dtype is None else self._cast(operand, self.dtype)
        if self.dtype is not None and operand.dtype != self.dtype:
            message = f"operand {self.name} has dtype {operand.dtype}, and the kernel reads {self.dtype}"
            help = f"convert it first: .astype('{self.dtype}'); or change dtypes="
            raise UserError("cuda-conversion", message, help=help)
        return self._read_stored(operand) if isinstance(operand, StoredDeviceTensor) else self._read_array(operand)

    def moved(self, value: Any) -> Any:
        """An operand of the host, converted there to what the kernel reads, and copied to the default GPU.

        Numbers stay where they are. Raises UserError, and MemoryError.
        """
        require_device()
        operand = OperandBinding(self.name, self.rank, self.format, self.dtype, self.convert).read(value)
        if not isinstance(operand, np.ndarray):
            return copied_tensor(operand)
        return operand if operand.ndim == 0 else copied_array(operand)

    def _read_array(self, array: StoredDeviceArray) -> StoredDeviceArray:
        if not self.is_plain:
            self.check_rank(array)
            help = f"make a tensor of it on the host: irtensor.Tensor.from_numpy(x, '{self.format}').to_device()"
            raise self._other_format("a dense array", str(self.format), help)
        return array

    def _read_stored(self, tensor: StoredDeviceTensor) -> StoredDeviceArray | StoredDeviceTensor:
        actual, wanted = tensor.format, self.format
        if wanted is None:
            return tensor if not actual.is_row_major or actual.fill is not None else _dense(tensor)
        self.check_rank(tensor)
        # Index widths, and a fill that was not asked for, are the operand's own.
        fill = actual.fill if wanted.fill is None else wanted.fill
        wanted = with_widths_of(wanted.with_fill(fill), actual)
        if wanted != actual:
            help = f"convert it on the host: .to_host().to_format('{wanted}').to_device()"
            raise self._other_format(f"stored {actual}", str(wanted), help)
        return _dense(tensor) if self.is_plain and fill is None else tensor

    def _other_format(self, found: str, wanted: str, help: str) -> UserError:
        message = f"operand {self.name}, {found}, would have to be converted to {wanted}"
        return UserError("cuda-conversion", message, help=f"{help}; or remove it from formats=")


def _dense(tensor: StoredDeviceTensor) -> StoredDeviceArray:
    values = tensor.device_values
    return make_device_array(tensor.shape, values.dtype, values.memory)


def moved_operands(bindings: Sequence[Any], operands: Mapping[str, Any]) -> dict[str, Any]:
    """Operands of the host by name, copied to the default GPU as these bindings of a kernel read them."""
    return {binding.name: binding.moved(operands[binding.name]) for binding in bindings if binding.name in operands}
