"""Matrix Market files (NIST, Boisvert et al. 1996): all fields, symmetries and both layouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.io.number_lines import Block, NumberFile
from irtensor.io.number_writer import open_for_writing, write_rows
from irtensor.storage.convert_format import check_rank
from irtensor.storage.element_types import same_fill
from irtensor.storage.level_storage import Array
from irtensor.tensor import Tensor

_FIELDS: dict[str, np.dtype[Any] | None] = {
    "real": np.dtype(np.float64),
    "double": np.dtype(np.float64),
    "integer": np.dtype(np.int64),
    "unsigned-integer": np.dtype(np.int64),
    "complex": np.dtype(np.complex128),
    "pattern": None,
}
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
_LAYOUTS = ("coordinate", "array")


@dataclass(frozen=True)
class _Header:
    layout: str
    field: str
    symmetry: str
    shape: tuple[int, int]
    entries: int
    line: int

    @property
    def value(self) -> np.dtype[Any] | None:
        return _FIELDS[self.field]


def read_matrix_market(
    path: str, shape: tuple[int, ...] | None, format: TensorFormat | None, dtype: np.dtype[Any] | None
) -> Tensor:
    """The matrix in a file; see `irtensor.io.read`."""
    if shape is not None and len(shape) != 2:
        raise UserError("rank-mismatch", f"shape {shape} has rank {len(shape)}, but a .mtx file holds a matrix")
    if format is not None:
        check_rank(format, 2)
    with NumberFile(path, "%") as file:
        header = _read_header(file)
        if shape is not None and any(new < old for new, old in zip(shape, header.shape, strict=True)):
            message = f"the file's matrix of shape {header.shape} does not fit shape {shape}"
            raise file.error(message, header.line, help="leave shape= out, or give larger extents")
        read = _read_coordinates if header.layout == "coordinate" else _read_array
        rows, columns, values = read(file, header)
    if dtype is not None and dtype != values.dtype:
        values = Tensor.from_numpy(values).astype(dtype).values
    extents = header.shape if shape is None else shape
    if header.layout == "array":
        array = np.zeros(extents, values.dtype)
        array[rows, columns] = values
        return Tensor.from_numpy(array, format)
    return Tensor.from_coo([rows, columns], values, shape=extents, format=format)


def _read_header(file: NumberFile) -> _Header:
    banner = file.read_line() or ""
    words = banner.lower().split()
    usage = "the first line reads: %%MatrixMarket matrix coordinate real general"
    if not words or words[0] != "%%matrixmarket" or len(words) != 5:
        raise file.error("this is not a Matrix Market header of five words", 1, banner, help=usage)
    for word, known in zip(words[1:], (("matrix",), _LAYOUTS, tuple(_FIELDS), _SYMMETRIES), strict=True):
        if word not in known:
            column = banner.lower().index(word, len(words[0])) + 1
            raise file.error(f"'{word}' is none of {', '.join(known)}", 1, banner, column, help=usage)
    layout, field, symmetry = words[2:]
    if layout == "array" and field == "pattern":
        raise file.error("an array layout has values, so its field cannot be pattern", 1, banner)
    if (symmetry == "hermitian" and field != "complex") or (symmetry == "skew-symmetric" and field == "pattern"):
        raise file.error(f"a {field} matrix cannot be {symmetry}", 1, banner)
    text = file.data_line()
    if text is None:
        raise file.error("the file ends before the line of sizes", file.line)
    sizes = _read_sizes(file, text, 3 if layout == "coordinate" else 2)
    shape = (sizes[0], sizes[1])
    if symmetry != "general" and shape[0] != shape[1]:
        raise file.error(f"a {symmetry} matrix cannot be {shape[0]} x {shape[1]}", file.line, text)
    entries = sizes[2] if layout == "coordinate" else _array_entries(shape, symmetry)
    return _Header(layout, field, symmetry, shape, entries, file.line)


def _read_sizes(file: NumberFile, text: str, count: int) -> list[int]:
    words = text.split()
    if len(words) != count or not all(word.isdecimal() and word.isascii() and len(word) < 19 for word in words):
        names = "rows, columns and entries" if count == 3 else "rows and columns"
        raise file.error(f"expected the numbers of {names}, found '{text[:60]}'", file.line, text)
    return [int(word) for word in words]


def _array_entries(shape: tuple[int, int], symmetry: str) -> int:
    rows, columns = shape
    if symmetry == "general":
        return rows * columns
    return rows * (rows - 1) // 2 if symmetry == "skew-symmetric" else rows * (rows + 1) // 2


def _read_blocks(file: NumberFile, header: _Header, integers: int) -> tuple[list[Array], Array]:
    """All index columns, counted from 0, and values; the number of entries is as the header says."""
    rows: list[list[Array]] = [[np.zeros(0, np.int64)] for _ in range(integers)]
    values: list[Array] = [np.zeros(0, header.value or np.dtype(np.float64))]
    found = 0
    for block in file.blocks():
        indices, block_values = block.columns(integers, header.value)
        count = indices[0].size if indices else 0 if block_values is None else block_values.size
        if found + count > header.entries:
            message = f"there are more entries than the {header.entries} that line {header.line} announces"
            raise block.row_error(header.entries - found, 0, message)
        if indices:
            _check_indices(block, header, indices, block_values)
        for column, new in zip(rows, indices, strict=True):
            column.append(new - 1)
        values.append(np.ones(count) if block_values is None else block_values)
        found += count
    if found != header.entries:
        raise file.error(
            f"the file ends after {found} entries, line {header.line} announces {header.entries}", file.line
        )
    return [np.concatenate(column) for column in rows], np.concatenate(values)


def _check_indices(block: Block, header: _Header, indices: list[Array], values: Array | None) -> None:
    for column, (index, extent) in enumerate(zip(indices, header.shape, strict=True)):
        if index.size and not (int(index.min()) >= 1 and int(index.max()) <= extent):
            row = int(np.argmax((index < 1) | (index > extent)))
            name = ("row", "column")[column]
            message = f"{name} {index[row]} is outside 1..{extent}"
            raise block.row_error(row, column, message, "Matrix Market counts from 1")
    if header.symmetry in ("skew-symmetric", "hermitian") and values is not None:
        part = values if header.symmetry == "skew-symmetric" else np.imag(values)
        wrong = (indices[0] == indices[1]) & (part != 0)
        if wrong.any():
            row = int(np.argmax(wrong))
            message = f"the diagonal of a {header.symmetry} matrix cannot hold {values[row]}"
            raise block.row_error(row, 2, message)


def _read_coordinates(file: NumberFile, header: _Header) -> tuple[Array, Array, Array]:
    (rows, columns), values = _read_blocks(file, header, 2)
    if header.symmetry == "general":
        return rows, columns, values
    if bool((rows < columns).any()) and bool((rows > columns).any()):
        message = f"a {header.symmetry} matrix stores one triangle, but there are entries in both"
        raise file.error(message, header.line, help="keep the entries on and below the diagonal, or write 'general'")
    return _mirror(rows, columns, values, header.symmetry)


def _read_array(file: NumberFile, header: _Header) -> tuple[Array, Array, Array]:
    _, values = _read_blocks(file, header, 0)
    if header.symmetry == "general":
        columns, rows = np.divmod(np.arange(values.size, dtype=np.int64), max(header.shape[0], 1))
        return rows, columns, values
    # Column by column from the diagonal, which a skew-symmetric matrix leaves out.
    columns, rows = np.triu_indices(header.shape[0], 1 if header.symmetry == "skew-symmetric" else 0)
    diagonal = rows == columns
    if header.symmetry == "hermitian" and bool((np.imag(values)[diagonal] != 0).any()):
        raise file.error("the diagonal of a hermitian matrix must be real", header.line)
    return _mirror(rows.astype(np.int64), columns.astype(np.int64), values, header.symmetry)


def _mirror(rows: Array, columns: Array, values: Array, symmetry: str) -> tuple[Array, Array, Array]:
    off = rows != columns
    other = values[off]
    if symmetry == "skew-symmetric":
        other = -other
    elif symmetry == "hermitian":
        other = other.conj()
    both = np.concatenate([rows, columns[off]]), np.concatenate([columns, rows[off]])
    return *both, np.concatenate([values, other])


def write_matrix_market(path: str, tensor: Tensor) -> None:
    """Write a matrix: array layout if its format is dense, else coordinate; see `irtensor.io.write`."""
    if len(tensor.shape) != 2:
        message = f"a .mtx file holds a matrix, the tensor has rank {len(tensor.shape)}"
        raise UserError("rank-mismatch", message, help="write a .tns file")
    if not tensor.format.is_dense and not same_fill(tensor.fill_value, 0):
        message = f"a .mtx file has no fill value, the tensor's is {tensor.fill_value}"
        raise UserError("fill-mismatch", message, help="convert to a dense format first")
    field = {"b": "integer", "i": "integer", "f": "real", "c": "complex"}[tensor.dtype.kind]
    sizes = " ".join(str(extent) for extent in tensor.shape)
    with open_for_writing(path) as file:
        if tensor.format.is_dense:
            file.write(f"%%MatrixMarket matrix array {field} general\n{sizes}\n")
            write_rows(file, [], tensor.to_numpy().T.reshape(-1))
        else:
            coordinates, values = tensor.to_coo()
            file.write(f"%%MatrixMarket matrix coordinate {field} general\n{sizes} {values.size}\n")
            write_rows(file, list(coordinates), values)
