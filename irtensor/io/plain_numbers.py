"""Tables of plain decimal numbers, read by SciPy's parser where SciPy is installed: several times as fast as NumPy's.

SciPy reads a damaged `1 1 1.5.5` as 1.5 and goes on with the next line. So it gets only what consists of whole numbers
and blanks; all else, which is comments and infinities as well as mistakes, is left to NumPy.
"""

from __future__ import annotations

import io
import sys
from typing import Any

import numpy as np

from irtensor.late_imports import load_for
from irtensor.storage.level_storage import Array

# Fewer bytes are read by NumPy before SciPy is called, or is loaded and called.
_FEW_TO_CALL = 1 << 14
_FEW_TO_LOAD = 1 << 22
# Bytes whose checks stay in the cache.
_PIECE = 1 << 17
_LOWER = bytes.maketrans(b"E", b"e")
_USUAL = bytes.maketrans(b"\tDd", b" ee")
_ONE_PER_LINE = bytes.maketrans(b" ", b"\n")


def read_plain(text: bytes, integers: int, part: np.dtype[Any], parts: int) -> tuple[list[Array], list[Array]] | None:
    """Columns of lines that hold `integers` integers from 1 and then `parts` numbers of type `part`.

    None if there is anything else in `text`, if SciPy is missing, or if the text is too short to be worth a call.
    """
    if len(text) < (_FEW_TO_CALL if "scipy.io" in sys.modules else _FEW_TO_LOAD):
        return None
    try:
        load_for("reading")
        from scipy.io import mmread
    except ImportError:
        return None
    width, whole = integers + parts, integers + parts * (part.kind == "i")
    text = text if text.endswith(b"\n") else text + b"\n"
    lines = count_plain_lines(text, width, whole)
    if lines is None:
        text = _tidied(text)
        lines = count_plain_lines(text, width, whole)
    if lines is None:
        return None
    try:
        return _parse(mmread, text, lines, integers, part, parts)
    # A number is missing between two blanks, or an integer is out of range.
    except (ValueError, OverflowError):
        return None


def count_plain_lines(text: bytes, width: int, whole: int) -> int | None:
    """How many lines of `width` decimal numbers a text has, the first `whole` of each integers; None if it has others.

    One blank separates numbers, and a line feed ends the text. A number may have no digits, which its parser refuses;
    in all others there is nothing that it could stop at before their end.
    """
    between = text.translate(_LOWER, b"0123456789+-")
    separators = between.translate(None, b".e")
    lines = len(separators) // width
    if not lines or separators != (b" " * (width - 1) + b"\n") * lines:
        return None
    places = _points_are_in_place(np.frombuffer(b"\n" + between, np.uint8), width, whole)
    return lines if places and _signs_are_in_place(text) else None


def _points_are_in_place(marks: Array, width: int, whole: int) -> bool:
    """Whether no point or exponent is in the first `whole` numbers of a line, and others have at most one of each."""
    before, after = marks[:-1], marks[1:] > ord(" ")
    if whole == width:
        return not after.any()
    if ((before == ord("e")) & after).any() or ((before == ord(".")) & (marks[1:] == ord("."))).any():
        return False
    # The blanks behind these numbers stand side by side.
    here = before == ord("\n")
    for _ in range(whole):
        if (here & after).any():
            return False
        here = np.append(False, here[:-1])
    return True


def _signs_are_in_place(text: bytes) -> bool:
    """Whether each exponent is between a number and an integer, and a minus elsewhere begins a number."""
    if text[0] in b"+eE":
        return False
    codes = np.frombuffer(text, np.uint8)
    for start in range(0, codes.size, _PIECE):
        piece = codes[start : start + _PIECE + 1]
        # Signs are just below the point and the digits, and exponents above them.
        above = piece - np.uint8(ord("+"))
        sign, number = above <= ord("-") - ord("+"), above <= ord("9") - ord("+")
        exponent, blank = piece > ord("9"), piece <= ord(" ")
        wrong = sign[1:] & number[:-1]
        wrong |= (above[1:] == 0) & blank[:-1]
        wrong |= exponent[1:] & (sign | ~number)[:-1]
        wrong |= (sign | exponent)[:-1] & blank[1:]
        if wrong.any():
            return False
    return True


def _tidied(text: bytes) -> bytes:
    """The text with one blank between numbers, one line feed between lines, and exponents as C writes them."""
    text = text.replace(b"\r\n", b"\n").translate(_USUAL)
    for several, one in ((b"  ", b" "), (b" \n", b"\n"), (b"\n ", b"\n"), (b"\n\n", b"\n")):
        while several in text:
            text = text.replace(several, one)
    return text.lstrip()


def _parse(
    mmread: Any, text: bytes, lines: int, integers: int, part: np.dtype[Any], parts: int
) -> tuple[list[Array], list[Array]] | None:
    """The columns, read as a Matrix Market file: of coordinates, or of one column of all numbers."""
    kind = "integer" if part.kind == "i" else "real"
    if integers == 2:
        field, largest = ("pattern", kind, "complex")[parts], np.iinfo(np.int64).max
        matrix = _read_body(mmread, f"coordinate {field} general\n{largest} {largest} {lines}", text)
        rows = [matrix.row, matrix.col]
        for row in rows:
            row += 1
        return rows, [matrix.data.real, matrix.data.imag] if parts == 2 else [matrix.data] * parts
    width = integers + parts
    table = _read_body(mmread, f"array {kind} general\n{lines * width} 1", text.translate(_ONE_PER_LINE))
    table = table.reshape(lines, width)
    if kind == "real":
        # Larger integers may have been rounded, and zeros have lost their sign.
        large = integers and np.abs(table[:, :integers]).max() >= 2**53
        if large or (b"-" in text and not table.all()):
            return None
    columns = [np.ascontiguousarray(column) for column in table.T]
    return [column.astype(np.int64, copy=False) for column in columns[:integers]], columns[integers:]


def _read_body(mmread: Any, header: str, body: bytes) -> Any:
    return mmread(io.BytesIO(b"%%MatrixMarket matrix " + header.encode() + b"\n" + body))
