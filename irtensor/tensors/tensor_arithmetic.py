"""Python's operators and NumPy's functions on Tensors, computed by compiled kernels; no operator densifies silently.

The format of a result: an elementwise operation gives a tensor in the format of the left sparse operand, whose fill is
the operator applied to the operands' fills (`T + 1` has fill 1). Where a dense array leaves no fill, as in sparse plus
dense, the result is a dense array. `A @ B` of two matrices is stored as A is; with a dense operand it is dense.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from irtensor.core.diagnostics import UserError
from irtensor.late_imports import load_for
from irtensor.tensors.elementwise import elementwise
from irtensor.tensors.matmul import matmul


def _forward(operator: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        return elementwise(operator, self, other)

    return method


def _reflected(operator: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        return elementwise(operator, other, self)

    return method


class Arithmetic:
    """Python's operators, for tensors with data; comparisons are by element as well."""

    __slots__ = ()
    __array_priority__ = 100.0

    __add__, __radd__ = _forward("add"), _reflected("add")
    __sub__, __rsub__ = _forward("sub"), _reflected("sub")
    __mul__, __rmul__ = _forward("mul"), _reflected("mul")
    __truediv__, __rtruediv__ = _forward("div"), _reflected("div")
    __floordiv__, __rfloordiv__ = _forward("floordiv"), _reflected("floordiv")
    __mod__, __rmod__ = _forward("mod"), _reflected("mod")
    __pow__, __rpow__ = _forward("pow"), _reflected("pow")
    __and__, __rand__ = _forward("and"), _reflected("and")
    __or__, __ror__ = _forward("or"), _reflected("or")
    __xor__, __rxor__ = _forward("xor"), _reflected("xor")
    __lshift__, __rlshift__ = _forward("shl"), _reflected("shl")
    __rshift__, __rrshift__ = _forward("shr"), _reflected("shr")
    __lt__, __le__, __gt__, __ge__ = _forward("lt"), _forward("le"), _forward("gt"), _forward("ge")

    # Tensors compare by element, so they cannot be keys.
    def __eq__(self, other: object) -> Any:
        return elementwise("eq", self, other)

    def __ne__(self, other: object) -> Any:
        return elementwise("ne", self, other)

    def __bool__(self) -> bool:
        tensor: Any = self
        if tensor.shape and any(extent != 1 for extent in tensor.shape):
            message = f"a tensor of shape {tensor.shape} has no truth value"
            raise UserError("tensor-as-condition", message, help="use .any() or .all()")
        return bool(tensor.to_numpy().reshape(())[()])

    def __neg__(self) -> Any:
        return elementwise("neg", self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return elementwise("abs", self)

    def __invert__(self) -> Any:
        return elementwise("not", self)

    def __matmul__(self, other: Any) -> Any:
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return matmul(other, self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        # Loaded with the first function of NumPy's.
        load_for("expressions")
        from irtensor.tensors.array_functions import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, keywords)

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __round__(self, decimals: int = 0) -> Any:
        return self.round(decimals)

    def __contains__(self, element: Any) -> bool:
        found: Any = self == element
        return bool(found.any())

    @property
    def real(self) -> Any:
        """The real part of each element."""
        return elementwise("real", self)

    @property
    def imag(self) -> Any:
        """The imaginary part of each element."""
        return elementwise("imag", self)

    def clip(self, min: Any = None, max: Any = None, out: Any = None) -> Any:
        """The elements within bounds, as `numpy.clip`: `T.clip(0, 1)`, `T.clip(max=2.5)`."""
        load_for("expressions")
        from irtensor.interop.numpy_ufuncs import clip

        return clip(elementwise, self, min, max, out)

    def round(self, decimals: int = 0, out: Any = None) -> Any:
        """The elements rounded, halves to the even number, as `numpy.round`."""
        load_for("expressions")
        from irtensor.interop.numpy_ufuncs import round_to

        return round_to(elementwise, self, decimals, out)
