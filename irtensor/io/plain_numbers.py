"""Tables of plain decimal numbers, read by compiled code where there are many: thirty times as fast as by NumPy.

It gets what consists of whole numbers, blanks and comments; all else, which is infinities as well as mistakes, is left
to NumPy.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from irtensor.runtime.number_table import IS_FOR_THIS_PROCESSOR, read_number_table
from irtensor.storage.level_storage import Array

# Compiled code reads more bytes than this at once, and all once it is loaded, which it is when NumPy has read so many:
# its first use in a process takes as long as NumPy does for so many, and longer where LLVM is not there yet.
_WORTH_LOADING, _WORTH_LOADING_LLVM = 1 << 17, 3 << 19
# Of how many bytes a call of NumPy takes as long as the calls around it.
_CALL = 1 << 10
_read_by_numpy = 0


def read_plain(
    text: bytes, lines: int, integers: int, part: np.dtype[Any], parts: int, comment: str
) -> tuple[list[Array], list[Array]] | None:
    """Columns of the numbers in up to `lines` lines: `integers` integers, and then `parts` numbers of type `part`.

    None if there is anything else in `text`, or if the text is too short to be worth loading code.
    """
    global _read_by_numpy
    if _read_by_numpy + len(text) < (_WORTH_LOADING if _has_llvm() else _WORTH_LOADING_LLVM):
        _read_by_numpy += len(text) + _CALL
        return None
    if not IS_FOR_THIS_PROCESSOR:
        return None
    _read_by_numpy = _WORTH_LOADING_LLVM
    signed = np.dtype(np.int64)
    column = signed if part.kind == "u" else part
    columns = read_number_table(text, lines, [signed] * integers + [column] * parts, comment)
    # Numbers from 2^63 on are too large for the code.
    if columns is None or (column != part and any((values < 0).any() for values in columns[integers:])):
        return None
    return columns[:integers], [values.view(part) for values in columns[integers:]]


def _has_llvm() -> bool:
    return "llvmlite.binding" in sys.modules
