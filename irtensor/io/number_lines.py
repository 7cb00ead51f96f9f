"""Text files of numbers, read in blocks of lines: fast where all is well, exact about the place where it is not."""

from __future__ import annotations

import gzip
import io
import re
import warnings
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import numpy as np

from irtensor.dialects.diagnostics import SourceLocation, UserError
from irtensor.io.progress import ReadProgress
from irtensor.storage.level_storage import Array

_BLOCK_BYTES = 1 << 24
_TOKEN = re.compile(r"\S+")


class NumberFile:
    """A file, gzip-compressed or not, of which header lines are taken one by one and the rest as tables."""

    def __init__(self, path: str, comment: str):
        self.path = path
        self.comment = comment
        self.line = 0  # number of the last line read, from 1
        self._raw = open(path, "rb")
        compressed = self._raw.read(2) == b"\x1f\x8b"
        self._raw.seek(0)
        self._stream: Any = gzip.GzipFile(fileobj=self._raw) if compressed else self._raw
        self._bytes = io.BufferedReader(self._stream, 1 << 20) if compressed else self._stream
        self._kept: list[tuple[int, str]] = []
        self._progress = ReadProgress(self._raw)

    def __enter__(self) -> NumberFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.close()
        self._bytes.close()
        self._raw.close()

    def error(
        self, message: str, line: int, text: str | None = None, column: int = 1, help: str | None = None
    ) -> UserError:
        location = SourceLocation(self.path, line, column, None, None if text is None else text[:200])
        return UserError("bad-file", message, location=location, help=help)

    def read_line(self) -> str | None:
        """The next line, comments included; None at the end of the file."""
        if self._kept:
            self.line, text = self._kept.pop(0)
            return text
        # A line longer than a block is no line of numbers; reading it whole could exhaust memory.
        raw = self._read(lambda: self._bytes.readline(_BLOCK_BYTES))
        if not raw:
            return None
        self.line += 1
        return raw.decode("latin-1").rstrip("\r\n")

    def data_line(self) -> str | None:
        """The next line that is neither blank nor a comment, without a trailing comment."""
        while (text := self.read_line()) is not None:
            if content := text.split(self.comment)[0].strip():
                return content
        return None

    def put_back(self, lines: list[tuple[int, str]]) -> None:
        """Let lines (number, text) be read again."""
        self._kept = lines + self._kept

    def blocks(self) -> Iterator[Block]:
        """The remaining lines, many at a time."""
        kept, self._kept = self._kept, []
        for number, text in kept:
            self.line = number
            yield Block(self, number, [text])
        while True:
            raw = self._read(lambda: self._bytes.read(_BLOCK_BYTES))
            if not raw:
                return
            if not raw.endswith(b"\n"):
                raw += self._read(lambda: self._bytes.readline(_BLOCK_BYTES))
            lines = raw.decode("latin-1").split("\n")
            if not lines[-1]:
                lines.pop()
            first = self.line + 1
            self.line += len(lines)
            self._progress.update()
            yield Block(self, first, lines)

    def _read(self, read: Any) -> bytes:
        try:
            return read()
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise self.error(f"the compressed file is damaged: {error}", self.line + 1) from None


class Block:
    """Consecutive lines of a file as a table of numbers."""

    def __init__(self, file: NumberFile, first_line: int, lines: list[str]):
        self.file = file
        self.first_line = first_line
        self.lines = lines

    def columns(self, integers: int, value: np.dtype[Any] | None) -> tuple[list[Array], Array | None]:
        """The first `integers` columns, and the values behind them (two columns if complex, none if None)."""
        parts = 0 if value is None else 2 if value.kind == "c" else 1
        # An int64 value column keeps integers beyond 2^53 exact.
        part = np.dtype(np.int64) if value is not None and value.kind == "i" else np.dtype(np.float64)
        fields = [(f"c{number}", "i8") for number in range(integers)]
        table = self._table(np.dtype(fields + [(f"v{number}", part.str) for number in range(parts)]), integers, part)
        rows = [np.ascontiguousarray(table[name]) for name, _ in fields]
        if value is None:
            return rows, None
        if parts == 1:
            return rows, np.ascontiguousarray(table["v0"])
        # Not real + 1j * imaginary: that makes NaN of infinities.
        values = np.empty(table.size, np.complex128)
        values.real, values.imag = table["v0"], table["v1"]
        return rows, values

    def _table(self, dtype: np.dtype[Any], integers: int, part: np.dtype[Any]) -> Array:
        data = self._data_lines()
        if not data:
            return np.zeros(0, dtype=dtype)
        try:
            return _parse(data, dtype)
        except (ValueError, OverflowError, Warning):
            pass
        try:
            # Fortran writes 1.5D3.
            return _parse([line.replace("D", "E").replace("d", "e") for line in data], dtype)
        except (ValueError, OverflowError, Warning) as problem:
            raise self._first_error(len(dtype.names or ()), integers, part, str(problem)) from None

    def _data_lines(self) -> list[str]:
        return [text for _, text in self._numbered()] if self._has_comments() else list(filter(str.strip, self.lines))

    def _has_comments(self) -> bool:
        return any(self.file.comment in line for line in self.lines)

    def _numbered(self) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(self.lines, self.first_line):
            content = line.split(self.file.comment)[0].rstrip()
            if content:
                yield number, content

    def _first_error(self, width: int, integers: int, part: np.dtype[Any], problem: str) -> UserError:
        for number, text in self._numbered():
            tokens = list(_TOKEN.finditer(text))
            if len(tokens) != width:
                message = f"expected {width} numbers on this line, found {len(tokens)}"
                last = tokens[min(width, len(tokens) - 1)]
                return self.file.error(message, number, text, last.start() + 1)
            for place, token in enumerate(tokens):
                whole = place < integers or part.kind == "i"
                if not _is_number(token[0], whole):
                    what = "a 64-bit integer" if whole else "a number"
                    return self.file.error(f"'{token[0][:40]}' is not {what}", number, text, token.start() + 1)
        return self.file.error(problem, self.first_line)

    def row_error(self, row: int, column: int, message: str, help: str | None = None) -> UserError:
        """An error at a column (from 0) of a row of the table (from 0)."""
        for place, (number, text) in enumerate(self._numbered()):
            if place == row:
                token = list(_TOKEN.finditer(text))[column]
                return self.file.error(message, number, text, token.start() + 1, help)
        raise AssertionError("the row is one of this block")


def _parse(lines: list[str], dtype: np.dtype[Any]) -> Array:
    with warnings.catch_warnings():
        # Older NumPy only warns about a float where an integer must be.
        warnings.simplefilter("error")
        return np.loadtxt(lines, dtype=dtype, comments=None, ndmin=1)


def _is_number(text: str, whole: bool) -> bool:
    try:
        if whole:
            return -(2**63) <= int(text) < 2**63 and "_" not in text
        float(text.replace("D", "E").replace("d", "e"))
    except ValueError:
        return False
    return "_" not in text
