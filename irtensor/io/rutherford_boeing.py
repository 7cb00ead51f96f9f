"""Rutherford-Boeing files (Duff, Grimes, Lewis 1997), and the older Harwell-Boeing ones, read by SciPy."""

from __future__ import annotations

import gzip
import io
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from irtensor.core.diagnostics import SourceLocation, UserError, refused_file
from irtensor.core.tensor_format import TensorFormat
from irtensor.interop.optional_library import optional_library
from irtensor.io.number_lines import UNPRINTABLE, converted_values
from irtensor.named_formats import CSC
from irtensor.storage.convert_format import check_rank
from irtensor.storage.level_storage import Array
from irtensor.tensors.tensor import Tensor

# What a letter of the file's type says of the entries on the other side of the diagonal; SciPy reads 'u' alone.
_MIRRORED = {"s": 1, "z": -1}
_HELP = "SciPy reads assembled matrices of real or integer values; write others as .mtx"


def read_rutherford_boeing(
    path: str, shape: tuple[int, ...] | None, format: Callable[[int], TensorFormat] | None, dtype: np.dtype[Any] | None
) -> Tensor:
    """The matrix in a file; see `irtensor.io.read`."""
    chosen = CSC if format is None else format(2)
    check_rank(chosen, 2)
    text, structure = _unsymmetric(_text(path))
    rows, columns, values, extents = _read_by_scipy(path, text)
    if structure in _MIRRORED:
        off = rows != columns
        other = _MIRRORED[structure] * values[off]
        rows, columns = np.concatenate([rows, columns[off]]), np.concatenate([columns, rows[off]])
        values = np.concatenate([values, other])
    if shape is not None:
        _check_shape(path, shape, extents)
    elements = _converted(path, values, dtype)
    return Tensor.from_coo([rows, columns], elements, shape=shape or extents, format=chosen)


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            raw = file.read()
        return (gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw).decode("latin-1")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        help = "get the file again: 'gzip -t' finds out if it is whole"
        raise _error(path, f"the compressed file is damaged: {error}", help=help) from None
    # A path with a null character is a ValueError.
    except (OSError, ValueError) as error:
        raise refused_file("cannot-read", path, error) from error


def _unsymmetric(text: str) -> tuple[str, str]:
    """The text with the type of a matrix that stores all entries, and the letter of the structure it had."""
    lines = text.replace("\r\n", "\n").split("\n", 3)
    structure = lines[2][1:2].lower() if len(lines) > 2 else ""
    if structure in (*_MIRRORED, "r"):
        lines[2] = f"{lines[2][:1]}u{lines[2][2:]}"
    return "\n".join(lines), structure


def _read_by_scipy(path: str, text: str) -> tuple[Array, Array, Array, tuple[int, ...]]:
    library = optional_library("scipy.io", "files in Rutherford-Boeing format are read by")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Where a word is not a number, NumPy gives the numbers before it.
            warnings.filterwarnings("error", message="string or file could not be read")
            matrix = library.hb_read(io.StringIO(text))
        matrix.check_format(full_check=True)
    # SciPy cuts lines at fixed columns, so that damage may show as any error.
    except Exception as error:
        message = f"SciPy does not read this file: {str(error).splitlines()[0] if str(error) else repr(error)}"
        raise _error(path, message) from None
    entries = matrix.tocoo()
    return entries.row, entries.col, entries.data, tuple(map(int, matrix.shape))


def _check_shape(path: str, shape: tuple[int, ...], extents: tuple[int, ...]) -> None:
    if len(shape) != 2:
        message = f"shape {shape} has rank {len(shape)}, but the file holds a matrix of rank 2"
        help = "give a shape of 2 extents, or omit shape="
        raise _error(path, message, line=3, help=help, slug="rank-mismatch")
    if any(new < old for new, old in zip(shape, extents, strict=True)):
        message = f"the file's matrix of shape {extents} does not fit shape {shape}"
        raise _error(path, message, line=3, help="omit shape=, or give larger extents")


def _converted(path: str, values: Array, dtype: np.dtype[Any] | None) -> Array:
    if dtype is None:
        return values
    new, lost = converted_values(values, dtype)
    if lost is not None:
        message = f"{values[lost]} is not a value of dtype {dtype}"
        raise _error(path, message, line=3, help="omit dtype=, or give a wider one")
    return new


def _error(path: str, message: str, line: int = 1, help: str = _HELP, slug: str = "bad-file") -> UserError:
    return UserError(slug, message.translate(UNPRINTABLE), location=SourceLocation(path, line, 1), help=help)
