"""The names of arrays that a Tensor has: transposes, reductions, conversions; and what stands for those it has not."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.wide_formats import with_widths_of
from irtensor.frontend.arguments import as_integer
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.late_imports import load_for
from irtensor.tensors.reductions import Reductions


class ArrayNames(Reductions):
    """Methods of NumPy's and SciPy's arrays, for tensors with data: of a sparse tensor, each gives a sparse one."""

    __slots__ = ()
    is_on_device: ClassVar[bool]

    @property
    def T(self) -> Any:
        """The tensor with its dimensions in reverse order, which shares its arrays: CSR becomes CSC.

        >>> it.Tensor.from_numpy(np.ones((2, 3)), "csr").T
        Tensor(shape=(3, 2), dtype=float64, nnz=6, format='(i, j) -> (j : dense, i : compressed)')
        """
        return self.transpose()

    def transpose(self, *axes: Any) -> Any:
        """The tensor whose dimension k is dimension `axes[k]` of this one, by default in reverse order.

        Raises UserError [bad-argument].
        """
        from irtensor.tensors.tensor_dimensions import check_axis, transposed

        tensor: Any = self
        given: Any = axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], tuple | list)) else axes
        order = [check_axis(axis, tensor.ndim) for axis in given] if given else list(range(tensor.ndim))[::-1]
        if sorted(order) != list(range(tensor.ndim)):
            message = f"the axes {tuple(given)} do not name each of {tensor.ndim} dimensions once"
            raise UserError("bad-argument", message)
        return transposed(tensor, order)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        """The elements whose coordinate in `axis2` is that in `axis1` plus `offset`; these two become one, the last.

        Raises UserError [rank-mismatch], [bad-argument].
        """
        from irtensor.tensors.tensor_dimensions import check_axis, diagonal

        tensor: Any = self
        if tensor.ndim < 2:
            raise UserError("rank-mismatch", f"a tensor of rank {tensor.ndim} has no diagonal")
        first, second = (check_axis(axis, tensor.ndim) for axis in (axis1, axis2))
        if first == second:
            raise UserError("bad-argument", f"a diagonal is along two dimensions, not twice along {first}")
        return diagonal(tensor, as_integer("offset", offset), first, second)

    def prune(self, value: Any = None) -> Any:
        """The tensor without the entries that have this value, by default the fill value; these then read as the fill.

        >>> A = it.Tensor.from_coo([[0, 1, 2]], [1.0, 0.0, 2.0], format="compressed")
        >>> A.nnz, A.prune().nnz
        (3, 2)
        """
        from irtensor.tensors.pruned import pruned

        return pruned(self, value)

    def toarray(self) -> np.ndarray[Any, Any]:
        """All elements as a NumPy array; `to_numpy` under SciPy's name."""
        tensor: Any = self
        return tensor.to_numpy()

    todense = toarray

    def tocsr(self) -> Any:
        """The matrix stored by rows, as a Tensor; `to_scipy` makes SciPy's array of it."""
        from irtensor.named_formats import CSR

        return self._stored(CSR, "tocsr")

    def tocsc(self) -> Any:
        """The matrix stored by columns, as a Tensor; `to_scipy` makes SciPy's array of it."""
        from irtensor.named_formats import CSC

        return self._stored(CSC, "tocsc")

    def tocoo(self) -> Any:
        """The tensor stored as sorted coordinates, as a Tensor; `to_coo` gives the arrays."""
        from irtensor.named_formats import COO

        tensor: Any = self
        return self._stored(COO(tensor.ndim), "tocoo")

    def _stored(self, format: Any, name: str) -> Any:
        """What the method of that name gives: the tensor in a format."""
        tensor: Any = self
        return tensor.to_format(self._with_own(format))

    def _with_own(self, format: Any) -> Any:
        """A format with the tensor's own fill value and index widths."""
        tensor: Any = self
        return with_widths_of(format.with_fill(tensor.format.fill), tensor.format)

    def __len__(self) -> int:
        tensor: Any = self
        if not tensor.shape:
            raise UserTypeError("rank-mismatch", "a tensor of rank 0 has no length")
        return tensor.shape[0]

    def __getattr__(self, name: str) -> NoReturn:
        load_for("pages")
        from irtensor.tensors.missing_names import missing_name

        raise missing_name(name, type(self).is_on_device)

    def _repr_html_(self) -> str:
        load_for("pages")
        from irtensor.tensors.tensor_page import tensor_html

        return tensor_html(self)
