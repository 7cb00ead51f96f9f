"""`Tensor`: a shape, a storage format and the arrays of its levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.fill_values import fill_text
from irtensor.core.level_format import LevelFormat
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.arguments import as_flag, is_word
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.frontend.requested_format import read_format
from irtensor.interop.operators_of_others import asking_library
from irtensor.interop.other_arrays import may_be_on_device, refuse_sparse
from irtensor.late_imports import load_for
from irtensor.storage.check_storage import check_arrays
from irtensor.storage.convert_format import check_rank, convert, pack_array, scatter
from irtensor.storage.element_types import (
    check_shape,
    conversion_dtype,
    element_values,
    fill_element,
    same_fill,
)
from irtensor.storage.level_storage import DENSE_LEVEL, Array
from irtensor.storage.pack_coordinates import pack
from irtensor.storage.read_arguments import (
    LevelArrays,
    check_bounds,
    coordinate_rows,
    entry_values,
    inferred_shape,
    level_storages,
)
from irtensor.storage.unpack_coordinates import unpack
from irtensor.tensors.array_names import ArrayNames
from irtensor.tensors.duplicates import duplicate_policy
from irtensor.tensors.indexing import Indexable
from irtensor.tensors.stored_arrays import StoredArrays, of_arrays
from irtensor.tensors.tensor_arithmetic import Arithmetic

if TYPE_CHECKING:
    from irtensor.frontend.user_operator import UserOperator
    from irtensor.semirings import Semiring


class Tensor(StoredArrays, Arithmetic, ArrayNames, Indexable):
    """A sparse or dense array, stored in a format.

    Elements that are not stored have the value `fill_value`. The methods `from_numpy`, `from_coo`, `from_scipy`,
    `from_pydata` and `from_buffers` make tensors. `levels[k]` holds the arrays
    of `format.levels[k]`, `values` the stored elements. The arrays may be shared with NumPy and SciPy objects. Values
    may be changed in place, and replaced: `T.values = array`. Positions and coordinates must not be changed in place:
    they are checked when a tensor is made and by `check`, not by each call, and with wrong ones a kernel reads outside
    of its arrays. No array may be resized. Other attributes are fixed.

    Operators, comparisons and NumPy's functions compute by element, `@` multiplies matrices. Sparse tensors give
    sparse tensors. `T[i, j]` with index variables is a lazy expression (see `indices`).

    >>> A = it.Tensor.from_numpy(np.diag([1.0, 2.0, 3.0]), "csr")
    >>> A
    Tensor(shape=(3, 3), dtype=float64, nnz=3, format='(i, j) -> (i : dense, j : compressed)')
    >>> (A @ A + A).to_numpy()
    array([[ 2.,  0.,  0.],
           [ 0.,  6.,  0.],
           [ 0.,  0., 12.]])
    """

    __slots__ = ()

    @staticmethod
    def from_numpy(array: Any, format: TensorFormat | str | None = None) -> Tensor:
        """A tensor with the elements of an array; dense and sharing memory unless a format is given.

        Elements equal to the format's fill value are not stored in sparse levels.

        >>> it.Tensor.from_numpy(np.array([[1.0, np.inf]]), "dense, compressed, fill = inf").nnz
        1
        """
        if type(array) is not np.ndarray:
            refuse_sparse(array, "the array")
        elements = element_values(array, "array")
        if format is None:
            # The way of every dense operand of a kernel call, so kept short.
            chosen = TensorFormat.dense(elements.ndim)
            return of_arrays(
                Tensor, elements.shape, chosen, (DENSE_LEVEL,) * elements.ndim, np.ascontiguousarray(elements).ravel()
            )
        chosen = read_format(format, elements.ndim)
        check_rank(chosen, elements.ndim)
        return of_arrays(Tensor, elements.shape, chosen, *pack_array(elements, chosen))

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
        rows = coordinate_rows(coordinates)
        extents = inferred_shape(rows) if shape is None else check_shape(shape)
        if not rows and len(extents) == 1:
            rows = [np.zeros(0, dtype=np.int64)]
        if len(rows) != len(extents):
            message = f"coordinates have {len(rows)} rows, but shape {extents} has rank {len(extents)}"
            raise UserError(
                "bad-coordinates",
                message,
                help="coordinates have shape (rank, entries)",
            )
        elements = entry_values(values, rows)
        check_bounds(rows, extents)
        chosen = coordinate_format(len(extents)) if format is None else read_format(format, len(extents))
        check_rank(chosen, len(extents))
        fill_element(chosen, elements.dtype)
        policy = "sum" if is_word(duplicates, "sum") else duplicate_policy(duplicates, elements.dtype)
        return of_arrays(Tensor, extents, chosen, *pack(rows, elements, extents, chosen, policy))

    @staticmethod
    def from_buffers(
        shape: Sequence[int] | int,
        format: TensorFormat | str,
        levels: Sequence[LevelArrays],
        values: Any,
        check: bool = True,
    ) -> Tensor:
        """A tensor that shares the given arrays: per level (positions, coordinates), None where there is none.

        A bitmap level is given by its flags, an array of bools. Any level may be given as its arrays by name, as in
        `{"positions": [0, 1, 3], "coordinates": [2, 0, 1]}`.
        Types and lengths are always checked; `check=False` skips the passes over the arrays' contents, and kernels may
        crash where these are damaged. Lists are converted to the format's widths; arrays must have them. Where `values`
        are on a GPU, so are all arrays and the tensor. Raises UserError [bad-storage], [operand-on-host].

        >>> it.Tensor.from_buffers((2, 3), "csr", [None, ([0, 1, 3], [2, 0, 1])], [5.0, 6.0, 7.0]).to_numpy()
        array([[0., 0., 5.],
               [6., 7., 0.]])
        """
        extents = check_shape(shape)
        chosen = read_format(format, len(extents))
        if may_be_on_device(values):
            load_for("cards")
            from irtensor.interop.device_operands import is_device_operand
            from irtensor.tensors.device_tensor import tensor_of_buffers

            if is_device_operand(values):
                return tensor_of_buffers(extents, chosen, levels, values, as_flag("check=", check))
        storage = level_storages(levels, chosen)
        elements = element_values(values, "values")
        check_arrays(extents, chosen, storage, elements, content=as_flag("check=", check))
        return of_arrays(Tensor, extents, chosen, storage, elements)

    @staticmethod
    def from_scipy(array: Any, format: TensorFormat | str | None = None, check: bool = True) -> Tensor:
        """A tensor with the entries of a scipy.sparse array or matrix, sharing its memory where canonical.

        Without `format`: csr and lil are CSR, csc CSC, bsr BCSR, coo and dok COO, dia diagonals, with SciPy's widths.
        A format that differs from that one in widths only, of 32 and 64 bits, leaves the widths as they are.
        """
        from irtensor.interop.scipy_sparse import tensor_from_scipy

        chosen = None if format is None else read_format(format, _rank_of(array))
        return tensor_from_scipy(array, chosen, as_flag("check=", check))

    @staticmethod
    def from_pydata(array: Any, format: TensorFormat | str | None = None) -> Tensor:
        """A tensor with the entries and fill value of a pydata/sparse COO, GCXS or DOK array."""
        load_for("pydata")
        from irtensor.interop.pydata_sparse import tensor_from_pydata

        return tensor_from_pydata(array, None if format is None else read_format(format, _rank_of(array)))

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

    def to_format(self, format: TensorFormat | str) -> Tensor:
        """The same tensor stored in another format, in time of the stored entries and the dense extents.

        Arrays are shared where they are the same in both. Duplicates add up. Raises UserError [fill-mismatch],
        [bad-format].

        >>> it.Tensor.from_numpy(np.eye(2), "csr").to_format("coo")
        Tensor(shape=(2, 2), dtype=float64, nnz=2, format='(i, j) -> (i : compressed(nonunique), j : singleton)')
        """
        chosen = read_format(format, self.ndim)
        if chosen == self.format:
            return self
        held = self._held
        stored = convert(self.shape, self.format, held.levels, held.values, chosen)
        return of_arrays(Tensor, self.shape, chosen, *stored).made_of(self)

    def to_device(self, device: int = 0, *, stream: Any = None) -> Tensor:
        """A copy in the memory of a GPU, which kernels for `target="cuda"` take.

        `stream` is as for `irtensor.cuda.to_device`. Raises UserError [no-cuda], and MemoryError.

        >>> it.Tensor.from_numpy(np.eye(2), "csr").to_device()  # doctest: +SKIP
        Tensor(shape=(2, 2), dtype=float64, nnz=2, format='(i, j) -> (i : dense, j : compressed)', device=0)
        """
        load_for("cards")
        from irtensor.tensors.device_tensor import copied_to_device

        return copied_to_device(self, device, stream)

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

    def with_fill(self, fill: Any) -> Tensor:
        """The same stored entries, and another value for all others; None is zero. The arrays are shared.

        >>> it.Tensor.from_numpy(np.eye(2), "csr").with_fill(np.inf).to_numpy()
        array([[ 1., inf],
               [inf,  1.]])
        """
        held = self._held
        return of_arrays(Tensor, self.shape, self.format.with_fill(fill), held.levels, held.values).made_of(self)

    def to_scipy(self) -> Any:
        """A scipy.sparse array: csr, csc, bsr or coo by format, any other format as coo; memory is shared if it can be.

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

    def astype(self, dtype: Any) -> Tensor:
        """The tensor with its values and fill value converted; the index arrays are shared."""
        target = conversion_dtype(self.dtype, dtype)
        if target == self.dtype:
            return self
        format = self.format
        if format.fill is not None:
            with np.errstate(all="ignore"):
                fill: Any = np.array(self.fill_value).astype(target)[()]
            # Explicit, because inf as an integer is not any value the user meant.
            if target.kind == "i" and not same_fill(fill, self.fill_value):
                message = f"fill value {fill_text(format.fill)} is not a value of dtype {target}"
                raise UserError("bad-fill", message, help="convert to a floating-point dtype")
            format = format.with_fill(fill)
        held = self._held
        return of_arrays(type(self), self.shape, format, held.levels, held.values.astype(target)).made_of(self)

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

    def copy(self) -> Tensor:
        """A tensor with its own arrays."""
        held = self._held
        levels = tuple(level.mapped(np.copy) for level in held.levels)
        return of_arrays(Tensor, self.shape, self.format, levels, held.values.copy()).made_of(self)

    def made_of(self, *operands: Any) -> Tensor:
        """This tensor itself, which remembers what these operands' indices were: narrow if those of all sparse ones."""
        narrow = self.from_narrow
        for operand in operands:
            if isinstance(operand, Tensor):
                if operand.from_narrow:
                    narrow = True
                elif operand.has_indices:
                    return self
        self.from_narrow = narrow
        return self

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
        return f"Tensor(shape={self.shape}, dtype={self.dtype}, nnz={self.nnz}, format='{levels}'{fill})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Addresses must not travel to another process.
        held = self._held
        return of_arrays, (Tensor, self.shape, self.format, held.levels, held.values)


def coordinate_format(rank: int) -> TensorFormat:
    """COO of any rank: sorted coordinates of whole entries; a scalar is dense."""
    singles = [LevelFormat("singleton", unique=False)] * (rank - 2) + [LevelFormat("singleton")] * (rank > 1)
    return TensorFormat.of([LevelFormat("compressed", unique=rank == 1), *singles] if rank else [])


def _rank_of(array: Any) -> int:
    """The rank of what may be an array: it is read before anything else of it is looked at."""
    shape = getattr(array, "shape", ())
    return len(shape) if isinstance(shape, tuple) else 0
