"""`Tensor`: a shape, a storage format and the arrays of its levels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.fill_values import fill_text
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.arguments import as_flag, is_word
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.frontend.requested_format import read_format
from irtensor.interop.operators_of_others import asking_library
from irtensor.interop.other_arrays import may_be_on_device, refuse_sparse
from irtensor.late_imports import load_for
from irtensor.storage.check_storage import check_values
from irtensor.storage.element_types import check_shape, element_values
from irtensor.storage.level_storage import Array
from irtensor.storage.make_tensors import tensor_of_array, tensor_of_buffers, tensor_of_entries
from irtensor.storage.read_arguments import LevelArrays
from irtensor.storage.stored_tensor import HeldArrays, StoredTensor, give_tensors_class, of_arrays
from irtensor.tensors.array_names import ArrayNames
from irtensor.tensors.duplicates import duplicate_policy
from irtensor.tensors.indexing import Indexable
from irtensor.tensors.tensor_arithmetic import Arithmetic

if TYPE_CHECKING:
    from irtensor.frontend.user_operator import UserOperator
    from irtensor.semirings import Semiring


class Tensor(StoredTensor, Arithmetic, ArrayNames, Indexable):
    """A sparse or dense array, stored in a format.

    Elements that are not stored have the value `fill_value`. The methods `from_numpy`, `from_coo`, `from_scipy`,
    `from_pydata` and `from_buffers` make tensors. `levels[k]` holds the arrays
    of `format.levels[k]`, `values` the stored elements. The arrays may be shared with NumPy and SciPy objects. Values
    may be changed in place, and replaced: `T.values = array`. Positions and coordinates must not be changed in place:
    they are checked when a tensor is made and by `check`, not by each call, and with wrong ones a kernel reads outside
    of its arrays. No array may be resized. Other attributes are fixed.

    Operators, comparisons and NumPy's functions compute by element, `@` multiplies matrices. Sparse tensors give
    sparse tensors. `T[2:5, ::2]`, and other keys of NumPy's, take parts. `T[i, j]` with index variables is a lazy
    expression (see `indices`).

    >>> A = it.Tensor.from_numpy(np.diag([1.0, 2.0, 3.0]), "csr")
    >>> A
    Tensor(shape=(3, 3), dtype=float64, nnz=3, format='(i, j) -> (i : dense, j : compressed)')
    >>> (A @ A + A).to_numpy()
    array([[ 2.,  0.,  0.],
           [ 0.,  6.,  0.],
           [ 0.,  0., 12.]])
    """

    __slots__ = ()

    @StoredTensor.values.setter
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
        if self._format.is_pattern:
            message = "the elements of a pattern are true, and it has no values"
            raise UserError("bad-storage", message, help=f"store values: T.to_format('{self._format.with_values}')")
        refuse_sparse(array, "values")
        values = element_values(array, "values")
        check_values(self._shape, self._format, held.levels, held.values, values)
        return values

    @staticmethod
    def from_numpy(array: Any, format: TensorFormat | str | None = None) -> Tensor:
        """A tensor with the elements of an array; dense and sharing memory unless a format is given.

        Elements equal to the format's fill value are not stored in sparse levels.

        >>> it.Tensor.from_numpy(np.array([[1.0, np.inf]]), "dense, compressed, fill = inf").nnz
        1
        """
        if format is None:
            return _as_user_sees(tensor_of_array(array))
        return _as_user_sees(tensor_of_array(array, partial(read_format, format)))

    @staticmethod
    def from_coo(
        coordinates: Any,
        values: Any,
        *,
        shape: Sequence[int] | int | None = None,
        format: TensorFormat | str | None = None,
        duplicates: str | UserOperator | Semiring = "sum",
    ) -> Tensor:
        """A tensor from integer `coordinates` of shape (rank, n), in any order, and n values (or one for all).

        Without `shape` each extent is the largest coordinate plus one; without `format` the result is COO.
        `duplicates`: 'sum' adds them, 'mul', 'min', 'max', 'and', 'or' and 'xor' combine them, 'first' and 'last' take
        one in the order given, 'error' refuses them, 'keep' stores each (nonunique innermost level). A semiring
        combines them by its addition, and an associative operator, made by `irtensor.operator`, by itself.

        Raises UserError [bad-coordinates], [duplicate-coordinates], [bad-shape], [bad-argument], [not-a-reduction],
        [unsupported-dtype].

        >>> it.Tensor.from_coo([[0, 0], [1, 1]], [5.0, 3.0], shape=(2, 2), duplicates="min").to_numpy()
        array([[0., 3.],
               [0., 0.]])
        """
        policy = "sum" if is_word(duplicates, "sum") else partial(duplicate_policy, duplicates)
        chosen = None if format is None else partial(read_format, format)
        return _as_user_sees(tensor_of_entries(coordinates, values, shape=shape, format=chosen, policy=policy))

    @staticmethod
    def from_buffers(
        shape: Sequence[int] | int,
        format: TensorFormat | str,
        levels: Sequence[LevelArrays],
        values: Any = None,
        check: bool = True,
    ) -> Tensor:
        """A tensor that shares the given arrays: per level (positions, coordinates), None where there is none.

        A level with one array, such as a bitmap or a point, may be given as that array. Any level may be given as its
        arrays by name, as in `{"positions": [0, 1, 3], "coordinates": [2, 0, 1]}`.
        Types and lengths are always checked; `check=False` skips the passes over the arrays' contents, and kernels may
        crash where these are damaged. Lists are converted to the format's widths; arrays must have them. Where `values`
        are on a GPU, so are all arrays and the tensor. A format with `leaf = pattern` has no `values`.
        Raises UserError [bad-storage], [operand-on-host].

        >>> it.Tensor.from_buffers((2, 3), "csr", [None, ([0, 1, 3], [2, 0, 1])], [5.0, 6.0, 7.0]).to_numpy()
        array([[0., 0., 5.],
               [6., 7., 0.]])
        """
        extents = check_shape(shape)
        chosen = read_format(format, len(extents))
        if may_be_on_device(values):
            load_for("cards")
            from irtensor.interop.device_operands import device_tensor_of_buffers, is_device_operand

            if is_device_operand(values):
                made = device_tensor_of_buffers(extents, chosen, levels, values, as_flag("check=", check))
                return _as_user_sees(made)
        return _as_user_sees(tensor_of_buffers(extents, chosen, levels, values, as_flag("check=", check)))

    @staticmethod
    def from_scipy(array: Any, format: TensorFormat | str | None = None, check: bool = True) -> Tensor:
        """A tensor with the entries of a scipy.sparse array or matrix, sharing its memory where canonical.

        Without `format`: csr and lil are CSR, csc CSC, bsr BCSR, coo and dok COO, dia diagonals, with SciPy's widths.
        A format that differs from that one in widths only, of 32 and 64 bits, leaves the widths as they are.
        """
        from irtensor.interop.scipy_sparse import tensor_from_scipy

        chosen = None if format is None else read_format(format, _rank_of(array))
        return _as_user_sees(tensor_from_scipy(array, chosen, as_flag("check=", check)))

    @staticmethod
    def from_pydata(array: Any, format: TensorFormat | str | None = None) -> Tensor:
        """A tensor with the entries and fill value of a pydata/sparse COO, GCXS or DOK array."""
        load_for("pydata")
        from irtensor.interop.pydata_sparse import tensor_from_pydata

        chosen = None if format is None else read_format(format, _rank_of(array))
        return _as_user_sees(tensor_from_pydata(array, chosen))

    def to_format(self, format: TensorFormat | str) -> Tensor:
        """The same tensor stored in another format, in time of the stored entries and the dense extents.

        Arrays are shared where they are the same in both. Duplicates add up. Raises UserError [fill-mismatch],
        [bad-format].

        >>> it.Tensor.from_numpy(np.eye(2), "csr").to_format("coo")
        Tensor(shape=(2, 2), dtype=float64, nnz=2, format='(i, j) -> (i : compressed(nonunique), j : singleton)')
        """
        # What asks for the format that a tensor has often has the same object.
        if format is self.format:
            return self
        chosen = read_format(format, self.ndim)
        return self if chosen == self.format else _as_user_sees(super().to_format(chosen))

    def to_device(self, device: int = 0, *, stream: Any = None) -> Tensor:
        """A copy in the memory of a GPU, which kernels for `target="cuda"` take.

        `stream` is as for `irtensor.cuda.to_device`. Raises UserError [no-cuda], and MemoryError.

        >>> it.Tensor.from_numpy(np.eye(2), "csr").to_device()  # doctest: +SKIP
        Tensor(shape=(2, 2), dtype=float64, nnz=2, format='(i, j) -> (i : dense, j : compressed)', device=0)
        """
        load_for("cards")
        from irtensor.interop.device_copies import copied_tensor

        return _as_user_sees(copied_tensor(self, device, stream))

    def to_host(self) -> Tensor:
        """The tensor in the memory of the host: itself, unless it is on a GPU."""
        return self

    def to_cupy(self) -> Any:
        """An array of cupyx.scipy.sparse that shares the memory of a tensor on a GPU: csr, csc or coo by format.

        Raises UserError [operand-on-host] for a tensor of the host.
        """
        raise self._not_on_device()

    def to_torch(self) -> Any:
        """A sparse tensor of PyTorch that shares the memory of a tensor on a GPU: csr, csc, bsr or coo by format.

        Raises UserError [operand-on-host] for a tensor of the host.
        """
        raise self._not_on_device()

    def _not_on_device(self) -> UserError:
        message = f"the tensor of shape {self.shape} is in the memory of the host"
        return UserError("operand-on-host", message, help="copy it: .to_device()")

    def to_scipy(self) -> Any:
        """A scipy.sparse array: csr, csc, bsr, dia or coo by format, any other format as coo.

        Memory is shared where it can be. Lists of blocks are csr or bsr; bands are dia where they are along diagonals.
        Where all sparse operands of a result had 32-bit indices, as SciPy's have, it gets such too if they fit.
        Raises UserError [fill-mismatch] unless the fill value is zero.
        """
        from irtensor.interop.scipy_sparse import tensor_to_scipy

        return tensor_to_scipy(self)

    def to_pydata(self) -> Any:
        """A pydata/sparse COO array with the same entries and fill value."""
        load_for("pydata")
        from irtensor.interop.pydata_sparse import tensor_to_pydata

        return tensor_to_pydata(self)

    def replace_storage(self, other: Tensor) -> None:
        """Take over the arrays of a tensor of the same shape and dtype, in this tensor's format.

        `C[i, j] = ...` calls it; arrays handed out before keep the old elements.
        """
        if not isinstance(other, Tensor):
            raise UserTypeError("bad-argument", f"the storage is that of a Tensor, not of {type(other).__name__}")
        if other.shape != self.shape or other.dtype != self.dtype:
            message = (
                f"a tensor of shape {other.shape} and dtype {other.dtype} is not one of {self.shape}, {self.dtype}"
            )
            raise UserError("extent-mismatch", message)
        stored = other.to_format(self.format)._held
        self._replace_arrays(stored.levels, stored.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if asking_library() == "scipy":
            return np.array(None, dtype=object)
        if not self.format.is_dense:
            raise UserError(
                "silent-densification",
                f"a sparse tensor of shape {self.shape} with format {self.format} is not turned into an array silently",
                help="call .to_numpy() to make a dense array, or use irtensor.einsum",
            )
        return np.array(self.to_numpy(), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        fill = "" if self.format.fill is None else f", fill={fill_text(self.format.fill)}"
        levels = self.format.with_fill(None).with_widths(64, 64)
        stored = f"nnz={self.nnz}" + (f", pieces={self.pieces}" if self.format.has_pieces else "")
        return f"Tensor(shape={self.shape}, dtype={self.dtype}, {stored}, format='{levels}'{fill})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Addresses must not travel to another process.
        held = self._held
        return of_arrays, (Tensor, self.shape, self.format, held.levels, held.values)


def _rank_of(array: Any) -> int:
    """The rank of what may be an array: it is read before anything else of it is looked at."""
    shape = getattr(array, "shape", ())
    return len(shape) if isinstance(shape, tuple) else 0


def _as_user_sees(tensor: StoredTensor) -> Tensor:
    """A tensor that is of the class here, as all are that are made once it is there."""
    assert isinstance(tensor, Tensor)
    return tensor


give_tensors_class(Tensor)
