"""Writing tables of numbers as text, so that reading them gives the same numbers."""

from __future__ import annotations

import gzip
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TextIO

import numpy as np

from irtensor.core.diagnostics import UserError, refused_file
from irtensor.storage.level_storage import Array

_ROWS = 1 << 16


@contextmanager
def open_for_writing(path: str) -> Generator[TextIO]:
    """A text file, compressed if its name ends with .gz. Raises UserError [cannot-write]."""
    try:
        opened = gzip.open if path.lower().endswith(".gz") else open
        with opened(path, "wt", encoding="ascii", newline="\n") as file:
            yield file
    # A path with a null character is a ValueError; so is a UserError, which is not about the file.
    except (OSError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise refused_file("cannot-write", path, error) from error


def write_rows(file: TextIO, coordinates: Sequence[Array], values: Array, has_values: bool = True) -> None:
    """One line per value: coordinates counted from 1, then the value in its shortest exact form, unless without."""
    parts = [np.real(values), np.imag(values)] if values.dtype.kind == "c" else [values]
    if values.dtype == bool:
        parts = [values.astype(np.int8)] if has_values else []
    for start in range(0, values.size, _ROWS):
        end = start + _ROWS
        columns = [map(str, (row[start:end] + 1).tolist()) for row in coordinates]
        columns += [map(repr, part[start:end].tolist()) for part in parts]
        file.write("\n".join(map(" ".join, zip(*columns, strict=True))))
        file.write("\n")
