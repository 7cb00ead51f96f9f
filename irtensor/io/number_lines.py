"""Text files of numbers, read in blocks of lines: fast where all is well, exact about the location of an error."""

from __future__ import annotations

import gzip
import io
import os
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from irtensor.core.cached_property import cached_property
from irtensor.core.diagnostics import SourceLocation, UserError, refused_file
from irtensor.io.plain_numbers import read_plain
from irtensor.io.progress import Progress
from irtensor.runtime.result_memory import RESULT_MEMORY
from irtensor.storage.level_storage import Array

# The text of a block and its columns of numbers stay in the processor's second cache.
_BLOCK_BYTES = 1 << 19
_LONGEST_LINE = 1 << 22
_TOKEN = re.compile(r"\S+")
_UTF8_MARK = b"\xef\xbb\xbf"
# Bytes of a damaged file must not reach a terminal; each stays one character wide above its caret.
UNPRINTABLE = {code: "\ufffd" for code in (*range(9), *range(10, 32), *range(127, 160))}


def file_extent(word: str) -> int | None:
    """A count or an extent in a header, None if it is not a number from 0 to 2^63-1."""
    if not (word.isdecimal() and word.isascii()) or len(digits := word.lstrip("0")) > 19:
        return None
    return size if (size := int(digits or "0")) < 2**63 else None


class LineLayout(NamedTuple):
    """What each line holds: integers, then a value (two numbers if complex, none if None); `words` says it."""

    integers: int
    value: np.dtype[Any] | None
    words: str

    @property
    def parts(self) -> int:
        return 0 if self.value is None else 2 if self.value.kind == "c" else 1

    @property
    def part(self) -> np.dtype[Any]:
        # A column of integers keeps those beyond 2^53 exact.
        if self.value is None or self.value.kind not in "iu":
            return np.dtype(np.float64)
        return np.dtype(np.int64 if self.value.kind == "i" else np.uint64)

    @property
    def width(self) -> int:
        return self.integers + self.parts

    @property
    def help(self) -> str:
        return f"each line holds {self.words}, separated by blanks"


class NumberFile:
    """A file, gzip-compressed or not; header lines are taken one by one, the rest as tables.

    A comment starts a line, or follows a blank. Raises UserError [cannot-read], [bad-file].
    """

    def __init__(self, path: str, comment: str):
        self.path = path
        self.comment = comment
        self.line = 0  # number of the last line read, from 1
        self._comment = re.compile(rf"(?:^|\s){re.escape(comment)}")
        try:
            self._raw = open(path, "rb")
        # A path with a null character is a ValueError.
        except (OSError, ValueError) as error:
            raise refused_file("cannot-read", path, error) from error
        compressed = self._raw.read(2) == b"\x1f\x8b"
        self._raw.seek(0)
        self._stream: Any = gzip.GzipFile(fileobj=self._raw) if compressed else self._raw
        self._bytes = io.BufferedReader(self._stream, 1 << 20) if compressed else self._stream
        self._kept: list[tuple[int, str]] = []
        size = os.fstat(self._raw.fileno()).st_size
        self._progress = Progress(f"reading {os.path.basename(str(path))}", size, in_bytes=True)

    def __enter__(self) -> NumberFile:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.close()
        self._bytes.close()
        self._raw.close()

    def error(
        self, message: str, line: int, help: str, text: str | None = None, column: int = 1, slug: str = "bad-file"
    ) -> UserError:
        shown = None if text is None else text[:200].translate(UNPRINTABLE)
        location = SourceLocation(self.path, max(line, 1), column, None, shown)
        return UserError(slug, message.translate(UNPRINTABLE), location=location, help=help)

    def read_line(self) -> str | None:
        """The next line, comments included; None at the end of the file."""
        if self._kept:
            self.line, text = self._kept.pop(0)
            return text
        raw = self._read_to_line_end(b"")
        if not raw:
            return None
        self.line += 1
        if self.line == 1:
            raw = raw.removeprefix(_UTF8_MARK)
        text = raw.decode("latin-1").rstrip("\r\n")
        if "\r" in self.without_comment(text):
            raise self.carriage_return(self.line, text)
        return text

    def carriage_return(self, line: int, text: str) -> UserError:
        help = "end lines with a line feed, or with carriage return and line feed"
        return self.error("a carriage return stands inside this line", line, help, text, text.index("\r") + 1)

    def without_comment(self, text: str) -> str:
        return self._comment.split(text, 1)[0].strip()

    def data_line(self) -> str | None:
        """The next line that is neither blank nor a comment, without a trailing comment."""
        while (text := self.read_line()) is not None:
            if content := self.without_comment(text):
                return content
        return None

    def put_back(self, lines: list[tuple[int, str]]) -> None:
        """Let lines (number, text) be read again."""
        self._kept = lines + self._kept

    def blocks(self, layout: LineLayout) -> Iterator[Block]:
        """The remaining lines, many at a time."""
        kept, self._kept = self._kept, []
        for number, text in kept:
            self.line = number
            yield Block(self, layout, number, text.encode("latin-1"), 1)
        while raw := self._read(lambda: self._bytes.read(_BLOCK_BYTES)):
            raw = self._read_to_line_end(raw)
            first = self.line + 1
            # Where lines are short, `raw.count` takes four times as long.
            ends = int(np.count_nonzero(np.frombuffer(raw, np.uint8) == ord("\n")))
            count = ends + (not raw.endswith(b"\n"))
            self.line += count
            self._progress.update(self._raw.tell())
            yield Block(self, layout, first, raw, count)

    def _read_to_line_end(self, raw: bytes) -> bytes:
        if raw.endswith(b"\n"):
            return raw
        rest = self._read(lambda: self._bytes.readline(_LONGEST_LINE))
        # Reading such a line whole could exhaust memory, and reading it in pieces would make two lines of it.
        if len(rest) == _LONGEST_LINE and not rest.endswith(b"\n"):
            line = self.line + (raw + rest).count(b"\n") + 1
            message = f"this line is longer than {_LONGEST_LINE} bytes"
            raise self.error(message, line, help="write one entry per line; shorten a comment")
        return raw + rest

    def _read(self, read: Callable[[], bytes]) -> bytes:
        try:
            return read()
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            message = f"the compressed file is damaged: {error}"
            raise self.error(
                message, self.line + 1, help="get the file again: 'gzip -t' finds out if it is whole"
            ) from None
        except OSError as error:
            raise refused_file("cannot-read", self.path, error) from error


class Block:
    """So many consecutive lines of a file as a table of numbers."""

    def __init__(self, file: NumberFile, layout: LineLayout, first_line: int, raw: bytes, count: int):
        self.file = file
        self.layout = layout
        self.first_line = first_line
        self.raw = raw
        self.count = count

    @cached_property
    def lines(self) -> list[str]:
        lines = self.raw.decode("latin-1").split("\n")
        return lines if lines[-1] else lines[:-1]

    def columns(self) -> tuple[list[Array], Array | None]:
        """The columns of integers, and the values behind them."""
        layout = self.layout
        plain = read_plain(self.raw, self.count, layout.integers, layout.part, layout.parts, self.file.comment)
        rows, parts = self._columns_of_any_numbers() if plain is None else plain
        if layout.parts < 2:
            return rows, parts[0] if parts else None
        # Not real + 1j * imaginary: that makes NaN of infinities.
        values = np.empty(parts[0].size, np.complex128)
        values.real, values.imag = parts
        return rows, values

    def converted(self, values: Array, dtype: np.dtype[Any] | None) -> Array:
        """The values as elements of `dtype`; UserError where that is more than rounding."""
        if dtype is None or dtype == values.dtype:
            return values
        new, row = converted_values(values, dtype)
        if row is not None:
            message = f"{values[row]} is not a value of dtype {dtype}"
            raise self.row_error(row, self.layout.integers, message, "omit dtype=, or give a wider one")
        return new

    def _columns_of_any_numbers(self) -> tuple[list[Array], list[Array]]:
        layout = self.layout
        rows = [(f"c{number}", "i8") for number in range(layout.integers)]
        parts = [(f"v{number}", layout.part.str) for number in range(layout.parts)]
        table = self._table(np.dtype(rows + parts))
        columns = [np.ascontiguousarray(table[name]) for name, _ in rows + parts]
        return columns[: layout.integers], columns[layout.integers :]

    def _table(self, dtype: np.dtype[Any]) -> Array:
        data = self._data_lines()
        if not data:
            return np.zeros(0, dtype=dtype)
        try:
            return _parse(data, dtype)
        except (ValueError, OverflowError, Warning):
            pass
        try:
            # Fortran writes 1.5D3; files that went through several systems have lines that end in two returns.
            return _parse([line.strip().replace("D", "E").replace("d", "e") for line in data], dtype)
        except (ValueError, OverflowError, Warning) as problem:
            raise self._first_error(str(problem)) from None

    def _data_lines(self) -> list[str]:
        return [text for _, text in self._numbered()] if self._has_comments() else list(filter(str.strip, self.lines))

    def _has_comments(self) -> bool:
        return any(self.file.comment in line for line in self.lines)

    def _numbered(self) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(self.lines, self.first_line):
            content = self.file.without_comment(line)
            if content:
                yield number, line[: line.index(content) + len(content)]

    def _first_error(self, problem: str) -> UserError:
        layout = self.layout
        for number, text in self._numbered():
            if "\r" in text:
                return self.file.carriage_return(number, text)
            tokens = list(_TOKEN.finditer(text))
            if len(tokens) != layout.width:
                found = f"{len(tokens)} number{'s' * (len(tokens) > 1)}"
                message = f"this line has {found}, expected {layout.width}: {layout.words}"
                last = tokens[min(layout.width, len(tokens) - 1)]
                return self.file.error(message, number, layout.help, text, last.start() + 1)
            for position, token in enumerate(tokens):
                whole = position < layout.integers or layout.part.kind in "iu"
                dtype = np.dtype(np.int64) if position < layout.integers else layout.part
                if not _is_number(token[0], dtype if whole else None):
                    integer = "an unsigned 64-bit integer" if dtype.kind == "u" else "a 64-bit integer"
                    message = f"'{token[0][:40]}' is not {integer if whole else 'a number'}"
                    return self.file.error(message, number, layout.help, text, token.start() + 1)
        return self.file.error(problem, self.first_line, layout.help)

    def row_error(self, row: int, column: int, message: str, help: str) -> UserError:
        """An error at a column (from 0) of a row of the table (from 0)."""
        for position, (number, text) in enumerate(self._numbered()):
            if position == row:
                token = list(_TOKEN.finditer(text))[column]
                return self.file.error(message, number, help, text, token.start() + 1)
        raise AssertionError("the row is one of this block")


def converted_values(values: Array, dtype: np.dtype[Any]) -> tuple[Array, int | None]:
    """The values as elements of `dtype`, and the number of the first that is more than rounded, None without one."""
    with np.errstate(all="ignore"):
        new = values.astype(dtype)
    if dtype.kind == "b":
        return new, None
    wrong = new != values if dtype.kind in "iu" else np.isinf(new) & ~np.isinf(values)
    return new, int(np.argmax(wrong)) if wrong.any() else None


def join(arrays: list[Array]) -> Array:
    """The arrays, all of one type, one after the other."""
    joined = RESULT_MEMORY.empty((sum(array.size for array in arrays),), arrays[0].dtype)
    return np.concatenate(arrays, out=joined)


def _parse(lines: list[str], dtype: np.dtype[Any]) -> Array:
    with warnings.catch_warnings():
        # Older NumPy only warns about a float where an integer must be.
        warnings.simplefilter("error")
        return np.loadtxt(lines, dtype=dtype, comments=None, ndmin=1)


def _is_number(text: str, whole: np.dtype[Any] | None) -> bool:
    """Whether a word is an integer of a dtype, or any number."""
    try:
        if whole is not None:
            limits = np.iinfo(whole)
            return int(limits.min) <= int(text) <= int(limits.max) and "_" not in text
        float(text.replace("D", "E").replace("d", "e"))
    except ValueError:
        return False
    return "_" not in text
