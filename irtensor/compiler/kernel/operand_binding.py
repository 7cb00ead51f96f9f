"""How the operands of a kernel are read: as arrays or Tensors, in the dtype and format that were promised for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irtensor.compiler.kernel.twin import twin
from irtensor.core.diagnostics import UserError, about
from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import with_widths_of
from irtensor.frontend.element_types import check_dtype, dtype_of
from irtensor.frontend.expression_tree import Statement
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.interop.as_operand import as_operand

# Errors of calls for a GPU that this process cannot use.
NO_DEVICE = ("no-cuda", "cuda-after-fork")


class OperandBinding:
    """What one operand must be. `read` gives it as kernels take it; `notes` collects the conversions."""

    def __init__(
        self, name: str, rank: int, format: TensorFormat | None, dtype: np.dtype | None, convert: bool
    ) -> None:
        self.name = name
        self.rank = rank
        self.format = format
        self.dtype = dtype
        self.convert = convert
        self.notes: dict[str, None] = {}
        self.is_plain = format is None or (format.is_row_major and format.fill is None)
        # Dtype or format of the last operand that needed nothing done, and the class of the last such Tensor: a call
        # has no time to find out again.
        self._accepted: Any = None
        self._tensors: Any = None

    @classmethod
    def of(cls, name: str, rank: int, format: Any, dtype: Any, convert: bool) -> OperandBinding:
        """From `formats=` and `dtypes=` as the user gave them."""
        if format is not None:
            from irtensor.frontend.requested_format import resolve_format

            format = resolve_format(format, rank, f"operand {name}")
        return cls(name, rank, format, None if dtype is None else read_dtype(dtype, name), convert)

    def again(self) -> OperandBinding:
        """The same promise for another kernel, with its own notes."""
        other = twin(self)
        other.notes = {}
        return other

    def default(self) -> OperandDescription:
        """The assumptions before the first call."""
        is_pattern = self.format is not None and self.format.is_pattern
        dtype = self.dtype or np.dtype(np.bool_ if is_pattern else np.float64)
        return OperandDescription(dtype, self.rank, None if self.is_plain else self.format)

    def read(self, value: Any) -> Any:
        """A C-contiguous native array, or a Tensor. Raises UserError naming the operand."""
        if type(value) is not np.ndarray and type(value) is not self._tensors:
            value = as_operand(value)
        if type(value) is np.ndarray:
            if value.dtype is self._accepted and (flags := value.flags).c_contiguous and flags.aligned:
                return value
        elif getattr(value, "format", self) is self._accepted and (self.dtype is None or value.dtype == self.dtype):
            return value
        if self.dtype is not None and value.dtype != self.dtype:
            value = self._cast(value, self.dtype)
        if type(value) is not np.ndarray:
            return self._read_tensor(value)
        return self._read_plain(value) if self.is_plain else self._pack(value)

    def _read_plain(self, value: Any) -> Any:
        dtype = value.dtype
        if not dtype.isnative:
            value = value.astype(dtype.newbyteorder("="))
        if dtype.kind not in "fciub" or dtype.itemsize not in (1, 2, 4, 8, 16):
            check_dtype(value.dtype, f"operand {self.name}")
        if value.dtype is dtype:
            self._accepted = dtype
        flags = value.flags
        return value if flags.c_contiguous and flags.aligned else np.require(value, requirements=["C", "ALIGNED"])

    def _cast(self, value: Any, dtype: np.dtype) -> Any:
        if not np.can_cast(value.dtype, dtype, "same_kind"):
            message = f"operand {self.name} has dtype {value.dtype}, which is not converted to {dtype}"
            raise UserError("bad-cast", message, help="convert it yourself with .astype, or change dtypes=")
        return value.astype(dtype)

    def _pack(self, array: np.ndarray) -> Any:
        from irtensor.storage.make_tensors import tensor_of_array

        format = self.format
        assert format is not None
        self.check_rank(array)
        if not format.is_dense:
            self._note_conversion("a dense array", format)
        with about(f"operand {self.name}"):
            return tensor_of_array(np.asarray(array, array.dtype.newbyteorder("=")), format)

    def _read_tensor(self, tensor: Any) -> Any:
        actual: TensorFormat = tensor.format
        wanted = self.format
        if wanted is None:
            if actual.is_row_major and actual.fill is None:
                return tensor.values.reshape(tensor.shape)
            self._accept(tensor)
            return tensor
        self.check_rank(tensor)
        # Index widths, and a fill that was not asked for, are the operand's own.
        fill = actual.fill if wanted.fill is None else wanted.fill
        wanted = with_widths_of(wanted.with_fill(fill), actual)
        if wanted != actual:
            self._note_conversion(f"stored {actual}", wanted)
            with about(f"operand {self.name}"):
                tensor = tensor.to_format(wanted)
        elif not self.is_plain:
            self._accept(tensor)
        return tensor.values.reshape(tensor.shape) if self.is_plain and fill is None else tensor

    def _accept(self, tensor: Any) -> None:
        self._accepted = tensor.format
        self._tensors = type(tensor)

    def check_rank(self, operand: Any) -> None:
        """Raise UserError [rank-mismatch] unless the operand has as many dimensions as the statement reads."""
        if len(operand.shape) != self.rank:
            message = f"operand {self.name} has {len(operand.shape)} dimensions, the statement reads {self.rank}"
            raise UserError("rank-mismatch", message)

    def _note_conversion(self, given: str, wanted: TensorFormat) -> None:
        operand = f"operand {self.name}, {given}"
        if not self.convert:
            message = f"operand {self.name} is not stored as promised: {operand}"
            help = f"convert it once with .to_format('{wanted}'), or allow convert=True"
            raise UserError("format-mismatch", message, help=help)
        self.notes[f"{operand}, is converted to {wanted} at each call"] = None


def read_dtype(dtype: Any, name: str, what: str = "operand") -> np.dtype:
    """A dtype as the user gave it for a tensor. Raises UserError [unsupported-dtype]."""
    try:
        return check_dtype(dtype_of(dtype), f"{what} {name}")
    except TypeError:
        raise UserError("unsupported-dtype", f"dtypes[{name!r}] = {dtype!r} is not a dtype") from None


def check_named(
    given: Mapping[str, Any], ranks: Mapping[str, int], what: str, statement: Statement | None = None
) -> None:
    """Raise UserError [unknown-operand] for a name in formats= or dtypes= that a statement, or several, do not have."""
    for name in given:
        if name not in ranks:
            where, whose = ("statements", "their") if statement is None else (f"statement {statement}", "its")
            message = f"{what} names {name!r}, which is not in the {where}"
            raise UserError("unknown-operand", message, help=f"{whose} tensors are {', '.join(ranks)}")
