"""Methods of NumPy's arrays that combine elements: sums, products, extremes, means and tests."""

from __future__ import annotations

from typing import Any

from irtensor.core.diagnostics import UserError


class Reductions:
    """Reductions over some dimensions, for what has a shape and elements; kernels compute them."""

    __slots__ = ()

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Sums of the elements over `axis`: None for all, a dimension, or a tuple of them.

        Of all elements it is a number, else a tensor, sparse if this one is. Raises UserError [bad-argument].

        >>> A = it.Tensor.from_numpy(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]), "csr")
        >>> A.sum()
        np.float64(6.0)
        >>> A.sum(axis=0).to_numpy()
        array([1., 0., 5.])
        """
        return self._reduced("add", axis, keepdims, out, dtype)

    def prod(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Products of the elements over `axis`, as `sum`."""
        return self._reduced("mul", axis, keepdims, out, dtype)

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """The greatest elements over `axis`, as `sum`. Elements that are not stored count, with the fill value."""
        return self._reduced("max", axis, keepdims, out)

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """The least elements over `axis`, as `sum`. Elements that are not stored count, with the fill value."""
        return self._reduced("min", axis, keepdims, out)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Whether any of the elements over `axis` is not zero."""
        return self._reduced("or", axis, keepdims, out)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Whether all elements over `axis` are not zero."""
        return self._reduced("and", axis, keepdims, out)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Means of the elements over `axis`, those that are not stored included."""
        from irtensor.tensors.tensor_reductions import mean

        _check_no_out(out)
        return mean(self, axis, keepdims, dtype)

    def _reduced(self, operator: str, axis: Any, keepdims: bool, out: Any, dtype: Any = None) -> Any:
        from irtensor.tensors.tensor_reductions import reduced

        _check_no_out(out)
        return reduced(self, operator, axis, keepdims, dtype)


def _check_no_out(out: Any) -> None:
    if out is not None:
        raise UserError("bad-argument", "out= is for arrays", help="use the result, or convert it with .toarray()")
