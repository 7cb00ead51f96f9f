"""What a tensor is: a shape, a format, and arrays that fit them for as long as the tensor exists.

All below the names that a user calls takes and gives these values. `irtensor.Tensor` is a class of them that adds what
kernels compute (see `give_tensors_class`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Self, TypeVar

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.fill_values import fill_text
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.late_imports import load_for
from irtensor.runtime.array_address import array_address
from irtensor.storage.check_storage import check_arrays
from irtensor.storage.convert_format import convert, scatter
from irtensor.storage.convert_runs import joined_runs
from irtensor.storage.element_types import conversion_dtype, fill_element, same_fill
from irtensor.storage.fixed_attribute import fixed_attribute
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.pattern_values import true_values
from irtensor.storage.unpack_coordinates import block_count, covered_count, stored_count, unpack

_fixed = partial(fixed_attribute, owner="a Tensor")


class HeldArrays:
    """The arrays of a tensor, which fit each other, until another thread gives it others.

    Who passes addresses to a kernel keeps this until the kernel has run: the arrays live as long.
    """

    __slots__ = ("_arguments", "_bounds", "_buffers", "_flags", "_kept", "_shape", "_stored", "levels", "values")

    def __init__(
        self, shape: tuple[int, ...], levels: tuple[LevelStorage, ...], values: Array, has_values: bool = True
    ) -> None:
        """`has_values`: whether the values are stored; those of a pattern are not."""
        self._shape = shape
        self._stored = (values,) if has_values else ()
        self.levels = levels
        # NumPy resizes no array in place to which there are two references.
        self.values = self._kept = values
        self._flags: tuple[Array | None] | None = None
        self._arguments: tuple[int, ...] | None = None
        self._bounds: tuple[int, int] | None = None
        self._buffers: tuple[Array, ...] | None = None

    def buffers(self) -> tuple[Array, ...]:
        """All arrays in kernel order: per level positions, coordinates, flags (those it has), last the values, if those
        are stored."""
        if self._buffers is None:
            self._buffers = (*(array for level in self.levels for array in level.arrays()), *self._stored)
        return self._buffers

    def entry_flags(self) -> Array | None:
        """Which positions have an entry: the flags of the last level that has flags or coordinates; None where all have
        one. They are found once.
        """
        if self._flags is None:
            listed = [one.flags for one in self.levels if one.flags is not None or one.coordinates is not None]
            self._flags = (listed[-1] if listed else None,)
        return self._flags[0]

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
            begins, ends = [begin for begin, _ in parts], [begin + size for begin, size in parts]
            self._bounds = min(begins, default=0), max(ends, default=0)
        return self._bounds


class StoredTensor:
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
        if format.is_pattern and not self.is_on_device:
            values = true_values(values.size)
        self._held = HeldArrays(shape, levels, values, not format.is_pattern)
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
        attribute="_held.levels",
    )

    @property
    def values(self) -> Array:
        """The stored elements, in the order of the positions of the last level.

        They may be changed in place, and another array of the same length and dtype may be assigned, whose memory is
        shared. Those of a pattern are all true, take no memory, and stay as they are.
        Raises UserError [bad-storage] for an array that does not fit.

        >>> A = it.Tensor.from_numpy(np.eye(2), "csr")
        >>> A.values = np.array([3.0, 4.0])
        >>> A.values[0] *= 2
        >>> A.to_numpy()
        array([[6., 0.],
               [0., 4.]])
        """
        return self._held.values

    def _replace_arrays(self, levels: tuple[LevelStorage, ...], values: Array) -> None:
        # All at once: other threads and kernels find arrays that fit each other.
        self._held = HeldArrays(self._shape, levels, values, not self._format.is_pattern)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def nnz(self) -> int:
        """Number of stored elements: explicit zeros, padding of blocks and innermost dense levels included.

        All elements that a run covers are stored. Slots of diagonals outside of the shape are not elements.
        """
        return covered_count(self.shape, self.format, self._levels_to_count(), self._held.values.size)

    @property
    def pieces(self) -> int:
        """Number of stored values: as `nnz`, but a run is one piece, however many elements it covers, and so is a block
        of an innermost level that lists blocks.

        >>> R = it.Tensor.from_numpy(np.repeat([1.0, 2.0], 500), "run_list")
        >>> R.nnz, R.pieces
        (1000, 2)
        """
        if self.format.has_pieces and not self.format.has_runs:
            return block_count(self.format, self.levels)
        return stored_count(self.shape, self.format, self._levels_to_count(), self._held.values.size)

    def _levels_to_count(self) -> tuple[LevelStorage, ...]:
        """The levels, with arrays that the host can read where their content decides how much is stored."""
        return self._held.levels

    @property
    def fill_value(self) -> Any:
        """The value of elements that are not stored, as a NumPy scalar of the tensor's dtype."""
        return fill_element(self.format, self.dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays of the tensor."""
        return sum(array.nbytes for array in self.buffers())

    def buffers(self) -> tuple[Array, ...]:
        """All arrays in kernel order: per level positions, coordinates, flags (those it has), last the values, if those
        are stored."""
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

    def to_numpy(self) -> Array:
        """The tensor as an array: a view of `values` if it is dense and unblocked, else a new array."""
        held = self._held
        return scatter(self.shape, self.format, held.levels, held.values)

    def to_coo(self) -> tuple[Array, Array]:
        """Coordinates of shape (rank, n), int64, and n values, in storage order, duplicates as stored.

        Elements equal to the fill value that an innermost dense level stores are omitted; explicit ones in sparse
        levels are kept.

        >>> coordinates, values = it.Tensor.from_numpy(np.array([[0.0, 5.0], [7.0, 0.0]]), "csr").to_coo()
        >>> coordinates
        array([[0, 1],
               [1, 0]])
        """
        held = self._held
        rows, values = unpack(self.shape, self.format, held.levels, held.values)
        return np.array(rows, dtype=np.int64).reshape(len(self.shape), values.size), values

    def to_format(self, format: TensorFormat) -> StoredTensor:
        """The same tensor stored in another format; arrays are shared where they are the same in both."""
        if format == self.format:
            return self
        held = self._held
        stored = convert(self.shape, self.format, held.levels, held.values, format)
        return make_tensor(self.shape, format, *stored).made_of(self)

    def with_joined_runs(self) -> StoredTensor:
        """The same tensor; neighbouring runs of equal values in its innermost level are one.

        A tensor that has no runs there is given as it is.
        """
        held = self._held
        joined = joined_runs(self.shape, self.format, held.levels, held.values)
        return self if joined is None else make_tensor(self.shape, self.format, *joined).made_of(self)

    @property
    def whole(self) -> StoredTensor:
        """The tensor with all entries stored, also those that mirror others in a symmetric format.

        >>> it.Tensor.from_numpy(np.ones((2, 2)), "csr, symmetric").whole.nnz
        4
        """
        return self.to_format(self.format.with_mirrors)

    @property
    def stored_part(self) -> StoredTensor:
        """The tensor of the stored entries of a symmetric one, without their mirrors. The arrays are shared.

        >>> it.Tensor.from_numpy(np.ones((2, 2)), "csr, symmetric").stored_part.to_numpy()
        array([[1., 1.],
               [0., 1.]])
        """
        part = of_arrays(type(self), self._shape, self._format.whole, self._held.levels, self._held.values)
        # Addresses that are found for one are those of the other.
        part._held, part.from_narrow = self._held, self.from_narrow
        return part

    def with_fill(self, fill: Any) -> Self:
        """The same stored entries, and another value for all others; None is zero. The arrays are shared.

        >>> it.Tensor.from_numpy(np.eye(2), "csr").with_fill(np.inf).to_numpy()
        array([[ 1., inf],
               [inf,  1.]])
        """
        held = self._held
        return of_arrays(type(self), self.shape, self.format.with_fill(fill), held.levels, held.values).made_of(self)

    def astype(self, dtype: Any) -> Self:
        """The tensor with its values and fill value converted; the index arrays are shared. A pattern gets values."""
        target = conversion_dtype(self.dtype, dtype)
        if target == self.dtype:
            return self
        format = self.format.with_values
        if format.fill is not None:
            with np.errstate(all="ignore"):
                fill: Any = np.array(self.fill_value).astype(target)[()]
            # Explicit, because inf as an integer is not any value the user meant.
            if target.kind in "iu" and not same_fill(fill, self.fill_value):
                message = f"fill value {fill_text(format.fill)} is not a value of dtype {target}"
                raise UserError("bad-fill", message, help="convert to a floating-point dtype")
            format = format.with_fill(fill)
        held = self._held
        return of_arrays(type(self), self.shape, format, held.levels, held.values.astype(target)).made_of(self)

    def copy(self) -> Self:
        """A tensor with its own arrays."""
        held = self._held
        levels = tuple(level.mapped(np.copy) for level in held.levels)
        values = held.values if self.format.is_pattern else held.values.copy()
        return of_arrays(type(self), self.shape, self.format, levels, values).made_of(self)

    def made_of(self, *operands: Any) -> Self:
        """This tensor itself, which remembers what these operands' indices were: narrow if those of all sparse ones."""
        narrow = self.from_narrow
        for operand in operands:
            if isinstance(operand, StoredTensor):
                if operand.from_narrow:
                    narrow = True
                elif operand.has_indices:
                    return self
        self.from_narrow = narrow
        return self


# The class that tensors are made of; see there.
_class: type[StoredTensor] | None = None


def give_tensors_class(cls: type[StoredTensor]) -> None:
    """Let tensors be made of a class from now on, which adds methods: that of `irtensor.Tensor`."""
    global _class
    _class = cls


def make_tensor(
    shape: tuple[int, ...], format: TensorFormat, levels: tuple[LevelStorage, ...], values: Any
) -> StoredTensor:
    """A tensor as a user sees it, of arrays that fit; see `of_arrays`."""
    if _class is None:
        load_for("tensors")
        return make_tensor(shape, format, levels, values)
    made = _class.__new__(_class)
    made._hold(shape, format, levels, values)
    return made


_Stored = TypeVar("_Stored", bound=StoredTensor)


def of_arrays(
    cls: type[_Stored],
    shape: tuple[int, ...],
    format: TensorFormat,
    levels: tuple[LevelStorage, ...],
    values: Any,
) -> _Stored:
    """A tensor of arrays that fit the shape and the format: nothing is checked, and kernels rely on it.

    Of the values of a pattern only their number counts.
    """
    made = cls.__new__(cls)
    made._hold(shape, format, levels, values)
    return made


def pattern_of(tensor: _Stored) -> _Stored:
    """The tensor with true in the place of each value, in the same arrays: a stored zero is an entry."""
    if tensor.format.is_pattern:
        return tensor
    held = tensor.held()
    format = replace(tensor.format, fill=None, is_pattern=True)
    return of_arrays(type(tensor), tensor.shape, format, held.levels, true_values(held.values.size))
