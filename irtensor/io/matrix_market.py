"""Matrix Market files (NIST, Boisvert et al. 1996): all fields, symmetries and both layouts, and TACO's tensors."""

from __future__ import annotations

import math
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

_FIELDS: dict[str, np.dtype[Any] | None] = {
    "real": np.dtype(np.float64),
    "double": np.dtype(np.float64),
    "integer": np.dtype(np.int64),
    "unsigned-integer": np.dtype(np.uint64),
    "complex": np.dtype(np.complex128),
    "pattern": None,
}
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
_LAYOUTS = ("coordinate", "array")
_OBJECTS = ("matrix", "tensor")
_MAXIMUM_RANK = 64


class _Header(NamedTuple):
    object: str
    layout: str
    field: str
    symmetry: str
    shape: tuple[int, ...]
    entries: int
    line: int

    @property
    def lines(self) -> LineLayout:
        value = {"pattern": [], "complex": ["real part", "imaginary part"]}.get(self.field, [f"{self.field} value"])
        coordinates = (
            ["row", "column"] if self.object == "matrix" else [f"{self.rank} coordinate{'s' * (self.rank > 1)}"]
        )
        words = [*(coordinates if self.layout == "coordinate" else []), *value]
        text = " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"
        return LineLayout(self.rank if self.layout == "coordinate" else 0, _FIELDS[self.field], text)

    @property
    def rank(self) -> int:
        return len(self.shape)


def read_matrix_market(
    path: str, shape: tuple[int, ...] | None, format: Callable[[int], TensorFormat] | None, dtype: np.dtype[Any] | None
) -> Tensor:
    """The matrix or tensor in a file; see `irtensor.io.read`."""
    with NumberFile(path, "%") as file:
        header = _read_header(file)
        chosen = None if format is None else format(header.rank)
        if chosen is not None:
            check_rank(chosen, header.rank)
        _check_request(file, header, shape, dtype)
        read = _read_coordinates if header.layout == "coordinate" else _read_array
        coordinates, values = read(file, header, dtype)
        extents = header.shape if shape is None else shape
        if header.layout == "coordinate":
            return Tensor.from_coo(coordinates, values, shape=extents, format=chosen)
        try:
            array = np.zeros(extents, values.dtype)
        except (MemoryError, ValueError):
            message = f"an array of shape {extents} and dtype {values.dtype} does not fit into memory"
            help = "omit shape=, or write the file in coordinate layout"
            raise file.error(message, header.line, help, slug="storage-too-large") from None
    array[tuple(coordinates)] = values
    return Tensor.from_numpy(array, chosen)


def _check_request(
    file: NumberFile, header: _Header, shape: tuple[int, ...] | None, dtype: np.dtype[Any] | None
) -> None:
    if shape is not None and len(shape) != header.rank:
        message = f"shape {shape} has rank {len(shape)}, but the file holds a {header.object} of rank {header.rank}"
        help = f"give a shape of {header.rank} extents, or omit shape="
        raise file.error(message, header.line, help, slug="rank-mismatch")
    if shape is not None and any(new < old for new, old in zip(shape, header.shape, strict=True)):
        message = f"the file's {header.object} of shape {header.shape} does not fit shape {shape}"
        raise file.error(message, header.line, help="omit shape=, or give larger extents")
    if header.field == "complex" and dtype is not None and dtype.kind not in "cb":
        message = f"the file's values are complex, and dtype {dtype} would lose the imaginary part"
        help = "read it without dtype=, then take the real part in a statement: real(A[i,j])"
        raise file.error(message, 1, help, slug="unsupported-dtype")


def _read_header(file: NumberFile) -> _Header:
    object, layout, field, symmetry = _read_banner(file)
    text = file.data_line()
    extents = ["rows", "columns"] if object == "matrix" else ["the extents"]
    names = [*extents, "entries"] if layout == "coordinate" else extents
    named = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    help = f"the first line after the comments holds {'the numbers of ' * (object == 'matrix')}{named}"
    if text is None:
        raise file.error("the file ends before the line of sizes", file.line, help)
    sizes = [file_extent(word) for word in text.split()]
    counted = layout == "coordinate"
    expected = 2 + counted if object == "matrix" else min(max(len(sizes), 1 + counted), _MAXIMUM_RANK + counted)
    if len(sizes) != expected or None in sizes:
        raise file.error(f"expected {expected} sizes, found '{text[:60]}'", file.line, help, text)
    numbers = [size for size in sizes if size is not None]
    shape = tuple(numbers[:-1] if counted else numbers)
    if symmetry != "general" and (len(shape) != 2 or shape[0] != shape[1]):
        message = f"a {symmetry} {object} cannot be {' x '.join(map(str, shape))}"
        raise file.error(message, file.line, f"write 'general' for '{symmetry}' in line 1, or correct the sizes", text)
    entries = numbers[-1] if counted else _array_entries(shape, symmetry)
    return _Header(object, layout, field, symmetry, shape, entries, file.line)


def _read_banner(file: NumberFile) -> tuple[str, str, str, str]:
    banner = file.read_line() or ""
    words = banner.split()
    usage = "the first line reads: %%MatrixMarket matrix coordinate real general"
    if len(words) != 5 or words[0].lower() != "%%matrixmarket":
        raise file.error("this is not a Matrix Market header of five words", 1, usage, banner)
    for word, known in zip(words[1:], (_OBJECTS, _LAYOUTS, tuple(_FIELDS), _SYMMETRIES), strict=True):
        if word.lower() not in known:
            column = banner.index(word, len(words[0])) + 1
            raise file.error(f"'{word}' is none of {', '.join(known)}", 1, usage, banner, column)
    object, layout, field, symmetry = (word.lower() for word in words[1:])
    if layout == "array" and field == "pattern":
        help = "write 'real' for 'pattern', or 'coordinate' for 'array'"
        raise file.error("an array layout has values, so its field cannot be pattern", 1, help, banner)
    if symmetry == "skew-symmetric" and field == "pattern":
        help = "write 'real' for 'pattern', or 'symmetric' for 'skew-symmetric'"
        raise file.error("a pattern has no signs, so its symmetry cannot be skew-symmetric", 1, help, banner)
    return object, layout, field, symmetry


def _array_entries(shape: tuple[int, ...], symmetry: str) -> int:
    if symmetry == "general":
        return math.prod(shape)
    rows, _ = shape
    return rows * (rows - 1) // 2 if symmetry == "skew-symmetric" else rows * (rows + 1) // 2


def _read_blocks(file: NumberFile, header: _Header, dtype: np.dtype[Any] | None) -> tuple[list[Array], Array]:
    """All index columns, counted from 0, and values; the number of entries is as the header says."""
    layout = header.lines
    rows: list[list[Array]] = [[np.zeros(0, np.int64)] for _ in range(layout.integers)]
    values: list[Array] = [np.zeros(0, dtype or layout.value or np.float64)]
    found = 0
    for block in file.blocks(layout):
        indices, new = block.columns()
        new = np.ones(indices[0].size) if new is None else new
        if found + new.size > header.entries:
            message = f"there are more entries than the {header.entries} that line {header.line} announces"
            raise block.row_error(header.entries - found, 0, message, _sizes_help(header))
        if indices:
            _check_indices(block, header, indices, new)
        for column, index in zip(rows, indices, strict=True):
            index -= 1
            column.append(index)
        values.append(block.converted(new, dtype))
        _check_negatives(block, header, values[-1])
        found += new.size
    if found != header.entries:
        message = f"the file ends after {found} entries, line {header.line} announces {header.entries}"
        raise file.error(message, file.line, f"the file is cut off, or {_sizes_help(header)}")
    return [join(column) for column in rows], join(values)


def _check_negatives(block: Block, header: _Header, values: Array) -> None:
    if header.symmetry == "skew-symmetric" and values.dtype.kind in "iu":
        wrong = values == np.iinfo(values.dtype).min if values.dtype.kind == "i" else values != 0
        if wrong.any():
            message = f"{values[int(np.argmax(wrong))]} has no negative of dtype {values.dtype} to mirror it"
            raise block.row_error(int(np.argmax(wrong)), header.lines.integers, message, "give a wider dtype=")


def _sizes_help(header: _Header) -> str:
    if header.layout == "coordinate":
        ordinal = "third" if header.object == "matrix" else "last"
        return f"correct the number of entries, the {ordinal} in line {header.line}"
    sizes = " x ".join(map(str, header.shape))
    return f"correct the sizes in line {header.line}: a {header.symmetry} array of {sizes}"


def _check_indices(block: Block, header: _Header, indices: list[Array], values: Array) -> None:
    for column, (index, extent) in enumerate(zip(indices, header.shape, strict=True)):
        if index.size and not (int(index.min()) >= 1 and int(index.max()) <= extent):
            row = int(np.argmax((index < 1) | (index > extent)))
            subject = f"coordinate {index[row]} of dimension {column}"
            if header.object == "matrix":
                subject = f"{('row', 'column')[column]} {index[row]}"
            message = f"{subject} is outside 1..{extent}"
            raise block.row_error(
                row, column, message, f"Matrix Market counts from 1; line {header.line} has the sizes"
            )
    if header.symmetry in ("skew-symmetric", "hermitian"):
        part = values if header.symmetry == "skew-symmetric" else np.imag(values)
        wrong = (indices[0] == indices[1]) & (part != 0)
        if wrong.any():
            row = int(np.argmax(wrong))
            message = f"the diagonal of a {header.symmetry} matrix cannot hold {values[row]}"
            raise block.row_error(row, 2, message, "remove the entry, or write 'general' in line 1")


def _read_coordinates(file: NumberFile, header: _Header, dtype: np.dtype[Any] | None) -> tuple[list[Array], Array]:
    coordinates, values = _read_blocks(file, header, dtype)
    if header.symmetry == "general":
        return coordinates, values
    rows, columns = coordinates
    if bool((rows < columns).any()) and bool((rows > columns).any()):
        message = f"a {header.symmetry} {header.object} stores one triangle, but there are entries in both"
        raise file.error(message, header.line, help="keep the entries on and below the diagonal, or write 'general'")
    return _mirror(rows, columns, values, header.symmetry)


def _read_array(file: NumberFile, header: _Header, dtype: np.dtype[Any] | None) -> tuple[list[Array], Array]:
    _, values = _read_blocks(file, header, dtype)
    if header.symmetry == "general":
        # The first coordinate changes fastest.
        left = np.arange(values.size, dtype=np.int64)
        coordinates: list[Array] = []
        for extent in header.shape[:-1]:
            left, coordinate = np.divmod(left, max(extent, 1))
            coordinates.append(coordinate)
        return [*coordinates, left], values
    # Column by column from the diagonal; a skew-symmetric matrix is stored without it.
    columns, rows = np.triu_indices(header.shape[0], 1 if header.symmetry == "skew-symmetric" else 0)
    diagonal = rows == columns
    if header.symmetry == "hermitian" and bool((np.imag(values)[diagonal] != 0).any()):
        help = "write 'general' in line 1 with all values, or make the imaginary parts zero"
        raise file.error("the diagonal of a hermitian matrix must be real", header.line, help)
    return _mirror(rows.astype(np.int64), columns.astype(np.int64), values, header.symmetry)


def _mirror(rows: Array, columns: Array, values: Array, symmetry: str) -> tuple[list[Array], Array]:
    off = rows != columns
    other = values[off]
    if symmetry == "skew-symmetric" and other.dtype != bool:
        other = -other
    elif symmetry == "hermitian":
        other = other.conj()
    both = [np.concatenate([rows, columns[off]]), np.concatenate([columns, rows[off]])]
    return both, np.concatenate([values, other])


def write_matrix_market(path: str, tensor: Tensor) -> None:
    """Write a matrix or tensor: array layout if its format is dense, else coordinate; see `irtensor.io.write`."""
    if not tensor.shape:
        raise UserError("rank-mismatch", "a .mtx file holds no tensor of rank 0")
    if not tensor.format.is_dense and not same_fill(tensor.fill_value, 0):
        message = f"a .mtx file has no fill value, the tensor's is {tensor.fill_value}"
        raise UserError("fill-mismatch", message, help="convert to a dense format first")
    object = "matrix" if len(tensor.shape) == 2 else "tensor"
    field = {"b": "integer", "i": "integer", "u": "unsigned-integer", "c": "complex"}.get(tensor.dtype.kind, "real")
    sizes = " ".join(str(extent) for extent in tensor.shape)
    # Without values, all of them are one.
    is_pattern = tensor.format.is_pattern
    written = "pattern" if is_pattern else field
    with open_for_writing(path) as file:
        if tensor.format.is_dense:
            file.write(f"%%MatrixMarket {object} array {field} general\n{sizes}\n")
            write_rows(file, [], tensor.to_numpy().T.reshape(-1))
        else:
            # Of mirrors, a file has the one below the diagonal.
            is_symmetric = tensor.format.symmetric == (0, 1) and len(tensor.shape) == 2
            coordinates, values = (tensor.stored_part if is_symmetric else tensor).to_coo()
            symmetry, rows = ("symmetric", coordinates[::-1]) if is_symmetric else ("general", coordinates)
            file.write(f"%%MatrixMarket {object} coordinate {written} {symmetry}\n{sizes} {values.size}\n")
            write_rows(file, list(rows), values, not is_pattern)
