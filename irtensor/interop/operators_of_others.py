"""Operators of SciPy's and pydata/sparse's arrays with a Tensor on their right: they leave the work to the Tensor.

Both first try to make an array of what they do not know. SciPy gives up where that has no numbers, pydata/sparse where
something is not implemented; then Python asks the operand on the right.
"""

from __future__ import annotations

import sys

_NAMES = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_OPERATORS = {f"__{name}__" for name in (*_NAMES, *_COMPARISONS)}
# More calls lie between none of their operators and the look at an operand.
_DEPTH = 16


def asking_library() -> str | None:
    """The library of whose operator this call is a part, `scipy` or `sparse`; None elsewhere."""
    # The functions around this one are those of the Tensor.
    frame = sys._getframe(1)
    while frame is not None and _library(frame.f_globals) == "irtensor":
        frame = frame.f_back
    library = None if frame is None else _library(frame.f_globals)
    if library not in ("scipy", "sparse"):
        return None
    for _ in range(_DEPTH):
        if frame is None or _library(frame.f_globals) != library:
            return None
        if frame.f_code.co_name in _OPERATORS:
            return library
        frame = frame.f_back
    return None


def _library(names: dict[str, object]) -> str:
    return str(names.get("__name__")).partition(".")[0]
