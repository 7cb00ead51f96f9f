"""FROSTT .tns files: plain (`i j k value` per line), with the extended header (rank, entries, extents), or ParTI's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.io.number_lines import Block, LineLayout, NumberFile, file_extent, join
from irtensor.io.number_writer import open_for_writing, write_rows
from irtensor.storage.convert_format import check_rank
from irtensor.storage.element_types import same_fill
from irtensor.storage.level_storage import Array
from irtensor.tensors.tensor import Tensor

_MARK = "# extended FROSTT format"
_MAXIMUM_RANK = 64


def read_frostt(
    path: str, shape: tuple[int, ...] | None, format: Callable[[int], TensorFormat] | None, dtype: np.dtype[Any] | None
) -> Tensor:
    """The tensor in a file; see `irtensor.io.read`.

    Without a header or `shape` the largest coordinates are the extents.
    """
    with NumberFile(path, "#") as file:
        header = _read_header(file, shape)
        bounds = header.shape if shape is None else shape
        if shape is not None and len(shape) != header.rank:
            message = f"the file's tensor has rank {header.rank}, but shape {shape} has rank {len(shape)}"
            raise file.error(message, header.line, help=f"give a shape of {header.rank} extents, or omit shape=")
        chosen = None if format is None else format(header.rank)
        if chosen is not None:
            check_rank(chosen, header.rank)
        rows, values = _read_entries(file, header, bounds, dtype)
    return Tensor.from_coo(rows, values, shape=bounds, format=chosen)


class _Header(NamedTuple):
    """What the first lines say; shape and number of entries are None where they do not say it."""

    rank: int
    line: int
    shape: tuple[int, ...] | None = None
    entries: int | None = None


def _read_header(file: NumberFile, shape: tuple[int, ...] | None) -> _Header:
    """The header, or the rank of the first entry; the entries stay to be read."""
    marked = False
    taken: list[tuple[int, str]] = []
    while len(taken) < 3 and (text := file.read_line()) is not None:
        marked |= not taken and text.lower().lstrip().startswith(_MARK.lower())
        if content := file.without_comment(text):
            taken.append((file.line, content))
    words = [text.split() for _, text in taken]
    counts = [len(line) for line in words]
    line, text = taken[0] if taken else (file.line, None)
    if marked and not _is_header(words[:2]):
        message = "expected the extended header: rank and number of entries, and the extents on the next line"
        help = f"write the rank (1 to {_MAXIMUM_RANK}) and as many extents, or remove the line '{_MARK}'"
        raise file.error(message, line, help, text)
    # Unmarked, the header shows by its lines' lengths: an entry has the rank's coordinates and a value.
    if marked or (_is_header(words[:2]) and counts[2:] == [counts[1] + 1]):
        file.put_back(taken[2:])
        extents = tuple(int(word) for word in words[1])
        return _Header(counts[1], line, extents, int(words[0][1]))
    if _is_header_without_entries(words[:2]):
        file.put_back(taken[2:])
        return _Header(counts[1], line, tuple(int(word) for word in words[1]))
    file.put_back(taken)
    if not taken:
        if shape is None:
            raise file.error("the file has no entries, so its shape is not known", line, help="pass shape=")
        return _Header(len(shape), line)
    if not 2 <= counts[0] <= _MAXIMUM_RANK + 1:
        message = f"expected coordinates and a value, found {counts[0]} number{'s' * (counts[0] > 1)}"
        help = f"each line holds 1 to {_MAXIMUM_RANK} coordinates and a value, separated by blanks"
        raise file.error(message, line, help, text)
    return _Header(counts[0] - 1, line)


def _is_header(words: list[list[str]]) -> bool:
    if len(words) != 2 or any(file_extent(word) is None for line in words for word in line):
        return False
    return len(words[0]) == 2 and int(words[0][0]) == len(words[1]) <= _MAXIMUM_RANK


def _is_header_without_entries(words: list[list[str]]) -> bool:
    """Whether the lines are ParTI's header, the rank alone and the extents: no entry has one number alone."""
    if len(words) != 2 or len(words[0]) != 1 or any(file_extent(word) is None for line in words for word in line):
        return False
    return int(words[0][0]) == len(words[1]) <= _MAXIMUM_RANK


def _read_entries(
    file: NumberFile, header: _Header, bounds: tuple[int, ...] | None, dtype: np.dtype[Any] | None
) -> tuple[list[Array], Array]:
    value = np.dtype(f"{dtype.kind}8" if dtype is not None and dtype.kind in "iu" else np.float64)
    words = f"{header.rank} coordinate{'s' * (header.rank > 1)} and a value, as line {header.line} says"
    columns: list[list[Array]] = [[np.zeros(0, np.int64)] for _ in range(header.rank)]
    values: list[Array] = [np.zeros(0, dtype or value)]
    found = 0
    for block in file.blocks(LineLayout(header.rank, value, words)):
        indices, new = block.columns()
        assert new is not None
        if header.entries is not None and found + new.size > header.entries:
            message = f"there are more entries than the {header.entries} that line {header.line} announces"
            raise block.row_error(header.entries - found, 0, message, f"correct the number in line {header.line}")
        _check_indices(block, indices, bounds)
        for column, index in zip(columns, indices, strict=True):
            index -= 1
            column.append(index)
        values.append(block.converted(new, dtype))
        found += new.size
    if header.entries is not None and found != header.entries:
        message = f"the file ends after {found} entries, line {header.line} announces {header.entries}"
        raise file.error(message, file.line, f"the file is cut off, or correct the number in line {header.line}")
    return [join(column) for column in columns], join(values)


def _check_indices(block: Block, indices: list[Array], bounds: tuple[int, ...] | None) -> None:
    for dimension, index in enumerate(indices):
        limit = 2**63 - 1 if bounds is None else bounds[dimension]
        if index.size and not (int(index.min()) >= 1 and int(index.max()) <= limit):
            row = int(np.argmax((index < 1) | (index > limit)))
            allowed = "below 1" if bounds is None else f"outside 1..{limit}"
            message = f"coordinate {index[row]} of dimension {dimension} is {allowed}"
            help = ".tns files count from 1" + ("" if bounds is None else "; or give a larger shape=")
            raise block.row_error(row, dimension, message, help)


def write_frostt(path: str, tensor: Tensor, header: bool) -> None:
    """Write the stored entries of a tensor; see `irtensor.io.write`."""
    if not tensor.shape:
        raise UserError("rank-mismatch", "a .tns file holds no tensor of rank 0")
    if tensor.dtype.kind == "c":
        message = f"a .tns file holds real numbers, the tensor has dtype {tensor.dtype}"
        raise UserError("unsupported-dtype", message, help="write real and imaginary part, or a .mtx file")
    if not tensor.format.is_dense and not same_fill(tensor.fill_value, 0):
        message = f"a .tns file has no fill value, the tensor's is {tensor.fill_value}"
        raise UserError("fill-mismatch", message, help="convert to a format with fill 0 first")
    # A dense tensor of another fill value is written without its zeros, not without its fill.
    source = tensor.to_format(tensor.format.with_fill(None)) if tensor.format.is_dense else tensor
    coordinates, values = source.to_coo()
    with open_for_writing(path) as file:
        if header:
            extents = " ".join(str(extent) for extent in tensor.shape)
            file.write(f"{_MARK}\n{len(tensor.shape)} {values.size}\n{extents}\n")
        write_rows(file, list(coordinates), values)
