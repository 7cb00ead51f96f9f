"""What a Tensor is made of: a shape, a format, and arrays that fit them for as long as the Tensor exists."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeVar

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.interop.other_arrays import may_be_on_device, refuse_sparse
from irtensor.late_imports import load_for
from irtensor.runtime.array_address import array_address
from irtensor.storage.check_storage import check_arrays, check_values
from irtensor.storage.element_types import element_values, fill_element
from irtensor.storage.fixed_attribute import fixed_attribute
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.unpack_coordinates import stored_count

_fixed = partial(fixed_attribute, owner="a Tensor")


class HeldArrays:
    """The arrays of a tensor, which fit each other, until another thread gives it others.

    Who passes addresses to a kernel keeps this until the kernel has run: the arrays live as long.
    """

    __slots__ = ("_arguments", "_bounds", "_buffers", "_kept", "_shape", "levels", "values")

    def __init__(self, shape: tuple[int, ...], levels: tuple[LevelStorage, ...], values: Array) -> None:
        self._shape = shape
        self.levels = levels
        # NumPy resizes no array in place to which there are two references.
        self.values = self._kept = values
        self._arguments: tuple[int, ...] | None = None
        self._bounds: tuple[int, int] | None = None
        self._buffers: tuple[Array, ...] | None = None

    def buffers(self) -> tuple[Array, ...]:
        """All arrays in kernel order: per level positions, coordinates, flags (those it has), last the values."""
        if self._buffers is None:
            self._buffers = (*(array for level in self.levels for array in level.arrays()), self.values)
        return self._buffers

    def arguments(self) -> tuple[int, ...]:
        """What a kernel is given: extents, and addresses of `buffers()`, each of readable memory.

        They are found once: a call has no time for more.
        """
        if self._arguments is None:
            self._arguments = (*self._shape, *[array_address(array) for array in self.buffers()])
        return self._arguments

    def bounds(self) -> tuple[int, int]:
        """The first byte of `buffers()`, and the one behind the last; there may be much else in between."""
        if self._bounds is None:
            parts = [(array_address(array), array.nbytes) for array in self.buffers()]
            self._bounds = min(begin for begin, _ in parts), max(begin + size for begin, size in parts)
        return self._bounds


class StoredArrays:
    """Shape, format and arrays. Kernels rely on it that these fit each other, and keep the arrays' addresses."""

    __slots__ = ("__weakref__", "_dtype", "_format", "_held", "_shape", "from_narrow")
    # Whether the arrays are in the memory of a GPU.
    is_on_device = False

    # Whatever is given: the message says who makes tensors.
    def __init__(self, *arrays: Any, **named: Any) -> None:
        makers = "irtensor.as_tensor, or by Tensor.from_numpy, from_coo, from_scipy, from_pydata and from_buffers"
        raise UserTypeError("bad-argument", "a Tensor is not made by its class", help=f"tensors are made by {makers}")

    def _hold(
        self,
        shape: tuple[int, ...],
        format: TensorFormat,
        levels: tuple[LevelStorage, ...],
        values: Array,
    ) -> None:
        self._shape = shape
        self._dtype = values.dtype
        self._format = format
        self._held = HeldArrays(shape, levels, values)
        # Whether it was made of tensors with indices of 32 bits at most, which SciPy then gets back.
        self.from_narrow = format.position_width <= 32 and format.coordinate_width <= 32

    shape: tuple[int, ...] = _fixed(
        "shape",
        help="make a tensor of the entries: Tensor.from_coo(*T.to_coo(), shape=...)",
        doc="How many coordinates each dimension has.",
    )
    dtype: np.dtype[Any] = _fixed("dtype", help="convert it: T.astype(...)", doc="The type of the elements.")
    format: TensorFormat = _fixed("format", help="convert it: T.to_format(...)", doc="How the elements are stored.")
    levels: tuple[LevelStorage, ...] = _fixed(
        "levels",
        help="make a tensor of other arrays: Tensor.from_buffers(shape, format, levels, values)",
        doc="The arrays of each level of the format.",
        place="_held.levels",
    )

    @property
    def values(self) -> Array:
        """The stored elements, in the order of the positions of the last level.

        They may be changed in place, and another array of the same length and dtype may be assigned, whose memory is
        shared. Raises UserError [bad-storage] for an array that does not fit.

        >>> A = it.Tensor.from_numpy(np.eye(2), "csr")
        >>> A.values = np.array([3.0, 4.0])
        >>> A.values[0] *= 2
        >>> A.to_numpy()
        array([[6., 0.],
               [0., 4.]])
        """
        return self._held.values

    @values.setter
    def values(self, array: Any) -> None:
        held = self._held
        self._replace_arrays(held.levels, self._checked_values(array, held))

    def _checked_values(self, array: Any, held: HeldArrays) -> Array:
        """An array that can take the place of the elements among these. Raises UserError."""
        if may_be_on_device(array):
            load_for("cards")
            from irtensor.interop.device_operands import is_device_operand

            if is_device_operand(array):
                message = f"the tensor of shape {self._shape} is in the memory of the host, and these values on a GPU"
                raise UserError("operand-on-device", message, help="copy them: .to_numpy()")
        refuse_sparse(array, "values")
        values = element_values(array, "values")
        check_values(self._shape, self._format, held.levels, held.values, values)
        return values

    def _replace_arrays(self, levels: tuple[LevelStorage, ...], values: Array) -> None:
        # All at once: other threads and kernels find arrays that fit each other.
        self._held = HeldArrays(self._shape, levels, values)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def nnz(self) -> int:
        """Number of stored elements: explicit zeros, padding of blocks and innermost dense levels included.

        Slots of diagonals outside of the shape are not elements.
        """
        held = self._held
        return stored_count(self.shape, self.format, held.levels, held.values.size)

    @property
    def fill_value(self) -> Any:
        """The value of elements that are not stored, as a NumPy scalar of the tensor's dtype."""
        return fill_element(self.format, self.dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays of the tensor."""
        return sum(array.nbytes for array in self.buffers())

    def buffers(self) -> tuple[Array, ...]:
        """All arrays in kernel order: per level positions, coordinates, flags (those it has), last the values."""
        return self._held.buffers()

    def arguments(self) -> tuple[int, ...]:
        """What a kernel is given: extents, and addresses of `buffers()`; see `HeldArrays`."""
        return self.held().arguments()

    def held(self) -> HeldArrays:
        """The arrays as they are now, for who reads several of them, or has a kernel read them."""
        return self._held

    def check(self, name: str = "tensor") -> None:
        """Raise UserError [bad-storage] unless the arrays are what the format promises."""
        held = self._held
        check_arrays(self.shape, self.format, held.levels, held.values, name)

    @property
    def has_indices(self) -> bool:
        """Whether any level has positions or coordinates."""
        for level in self._held.levels:
            if level.positions is not None or level.coordinates is not None:
                return True
        return False


_Stored = TypeVar("_Stored", bound=StoredArrays)


def of_arrays(
    kind: type[_Stored],
    shape: tuple[int, ...],
    format: TensorFormat,
    levels: tuple[LevelStorage, ...],
    values: Any,
) -> _Stored:
    """A tensor of arrays that fit the shape and the format: nothing is checked, and kernels rely on it."""
    made = kind.__new__(kind)
    made._hold(shape, format, levels, values)
    return made


def pattern_of(tensor: _Stored) -> _Stored:
    """The tensor with true in the place of each value, in the same storage: a stored zero is an entry."""
    held = tensor.held()
    values = np.ones(len(held.values), bool)
    return of_arrays(type(tensor), tensor.shape, tensor.format.with_fill(None), held.levels, values)
