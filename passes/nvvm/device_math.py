"""Functions of mathematics on the device: those of libdevice, as its processors have few of their own."""

from __future__ import annotations

from typing import Any

from irtensor.passes.llvm.lower_scalars import library_function

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
