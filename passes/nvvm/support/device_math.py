"""Functions of mathematics on the device: those of libdevice, as its processors have few of their own."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Operation

from irtensor.core.diagnostics import UserError
from irtensor.passes.llvm.support.lower_scalars import library_function

# What the names of its functions begin with.
LIBRARY = "__nv_"
# Where the name of an operation is not the name in the library.
_OTHER_NAMES = {"powf": "pow"}
_FUNCTIONS = (
    *("acos", "asin", "atan", "atan2", "acosh", "asinh", "atanh", "cos", "cosh", "sin", "sinh", "tan", "tanh"),
    *("exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "powf", "cbrt", "erf"),
)

DEVICE_MATH: dict[str, Any] = {
    f"math.{name}": library_function(f"{LIBRARY}{_OTHER_NAMES.get(name, name)}") for name in _FUNCTIONS
}


def _no_function(state: Any, op: Operation) -> None:
    name = op.name.partition(".")[2]
    message = f"function {name} of complex numbers does not exist on a GPU"
    help = 'compute it from the real and the imaginary part of a number, or compile for target="cpu"'
    raise UserError("unsupported-operator", message, op=op, help=help)


# Libraries of devices have functions of real numbers only.
COMPLEX_MATH: dict[str, Any] = {
    f"complex.{name}": _no_function for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "pow")
}
