"""Columns of the numbers in lines of text, read by compiled code."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from irtensor.core.text_files import text_of_file
from irtensor.runtime.array_address import array_address
from irtensor.runtime.powers_of_five import powers_of_five
from irtensor.runtime.result_memory import RESULT_MEMORY

Array = np.ndarray[Any, np.dtype[Any]]

# The code takes eight digits at a time as one word, whose first byte is the lowest.
IS_FOR_THIS_PROCESSOR = sys.byteorder == "little"
_WORD = ctypes.c_int64
_HARD_WORDS = 4
# How many numbers are left to Python at a time.
_MOST_HARD = 1 << 12


class _Hard(NamedTuple):
    """A number that the code leaves to Python: its position in the text, and where it belongs."""

    begin: int
    end: int
    row: int
    column: int


def read_number_table(text: bytes, lines: int, dtypes: list[np.dtype[Any]], comment: str) -> list[Array] | None:
    """A column for each of `dtypes`, first those of int64, then those of float64; None where the
    text has anything but such numbers, blanks and comments.

    There are at most so many lines. A comment starts a line, or follows a blank.
    """
    parse, powers = _parse(), array_address(_powers())
    columns = [RESULT_MEMORY.empty((lines,), dtype) for dtype in dtypes]
    whole, width = sum(dtype.kind == "i" for dtype in dtypes), len(dtypes)
    pointers = np.array([array_address(column) for column in columns], np.uint64)
    hard = np.empty((_MOST_HARD + width, _HARD_WORDS), np.int64)
    state = np.zeros(2, np.int64)
    found = 0
    while True:
        arguments = lines - found, whole, width, ord(comment)
        addresses = [array_address(array) for array in (pointers, hard, state)]
        number = parse(text, len(text), *arguments, addresses[0], powers, addresses[1], len(hard), addresses[2])
        if number < 0:
            return None
        for begin, end, row, column in _left(hard, int(state[1])):
            value = _number(text[begin:end], column < whole)
            if value is None:
                return None
            columns[column][found + row] = value
        found += number
        if not state[1]:
            return [column[:found] for column in columns]
        pointers += np.uint64(8 * number)


def _left(hard: Array, count: int) -> Iterator[_Hard]:
    return (_Hard(*row) for row in hard[:count].tolist())


def _number(word: bytes, whole: bool) -> float | None:
    """What the code has found to be made of digits; None for an integer that is too large."""
    if not whole:
        return float(word.lower().replace(b"d", b"e"))
    digits = word.lstrip(b"+-").lstrip(b"0") or b"0"
    if len(digits) > 19:
        return None
    value = -int(digits) if word.startswith(b"-") else int(digits)
    return value if -(2**63) <= value < 2**63 else None


@cache
def _powers() -> Array:
    return powers_of_five()


@cache
def _parse() -> Any:
    from irtensor.runtime.cpu_engine import compiled_once

    pointer = ctypes.c_void_p
    types = pointer, *(_WORD,) * 5, *(pointer,) * 3, _WORD, pointer
    text = text_of_file("llvm/decimal.ll") + text_of_file("llvm/number_table.ll")
    return compiled_once(text, "parse", effort="full").exported("parse", _WORD, *types)
