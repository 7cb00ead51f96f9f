"""Writing tables of numbers as text, so that reading them gives the same numbers."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from typing import TextIO

import numpy as np

from irtensor.storage.level_storage import Array

_ROWS = 1 << 16


def open_for_writing(path: str) -> TextIO:
    """A text file, compressed if its name ends with .gz."""
    if path.lower().endswith(".gz"):
        return gzip.open(path, "wt", encoding="ascii", newline="\n")  # pyright: ignore[reportReturnType]
    return open(path, "w", encoding="ascii", newline="\n")


def write_rows(file: TextIO, coordinates: Sequence[Array], values: Array) -> None:
    """One line per value: coordinates counted from 1, then the value in its shortest exact form."""
    parts = [np.real(values), np.imag(values)] if values.dtype.kind == "c" else [values]
    if values.dtype == bool:
        parts = [values.astype(np.int8)]
    for start in range(0, values.size, _ROWS):
        end = start + _ROWS
        columns = [map(str, (row[start:end] + 1).tolist()) for row in coordinates]
        columns += [map(repr, part[start:end].tolist()) for part in parts]
        file.write("\n".join(map(" ".join, zip(*columns, strict=True))))
        file.write("\n")
