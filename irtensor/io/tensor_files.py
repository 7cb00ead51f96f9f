"""`read` and `write`: the file format follows from the name of the file."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import PurePath
from typing import Any

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.arguments import as_flag
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.frontend.requested_format import format_by_rank
from irtensor.interop.as_tensor import as_tensor
from irtensor.io.frostt import read_frostt, write_frostt
from irtensor.io.matrix_market import read_matrix_market, write_matrix_market
from irtensor.io.rutherford_boeing import read_rutherford_boeing
from irtensor.io.scipy_npz import read_scipy_npz, write_scipy_npz
from irtensor.storage.element_types import check_shape, element_dtype
from irtensor.tensors.tensor import Tensor

FilePath = str | os.PathLike[str]

# The format of a file by the end of its name. SciPy reads both Rutherford-Boeing and the older Harwell-Boeing.
_FILE_FORMATS = {
    ".mtx": "market",
    ".ttx": "market",
    ".tns": "frostt",
    ".rb": "boeing",
    ".hb": "boeing",
    ".npz": "scipy",
}
_WRITTEN = (".mtx", ".ttx", ".tns", ".npz")
_READERS = {
    "market": read_matrix_market,
    "frostt": read_frostt,
    "boeing": read_rutherford_boeing,
    "scipy": read_scipy_npz,
}
# Files that are compressed anyway have no further .gz.
_COMPRESSED = (".npz",)


def read(
    path: FilePath,
    shape: Sequence[int] | None = None,
    format: TensorFormat | str | None = None,
    dtype: Any = None,
) -> Tensor:
    """The tensor in a Matrix Market, FROSTT or Rutherford-Boeing file, or one of SciPy's, by the end of its name.

    Known are .mtx, .ttx (TACO), .tns, .rb and .hb, each also with .gz (compression is recognised by content), and .npz
    of `scipy.sparse.save_npz`. Entries given twice add up.

    - `shape`: overrides what the file says or implies, and must hold every entry.
    - `format`: without it the tensor is COO, dense for Matrix Market's array layout, CSC for Rutherford-Boeing, and as
      SciPy's array is stored for .npz.
    - `dtype`: by default what the file says, float64 for .tns and for patterns. It must hold every value.

    Raises UserError [bad-file] at `file:line:column`, [cannot-read].

    >>> it.write("matrix.mtx", np.eye(2))
    >>> it.read("matrix.mtx", format="csr").to_numpy()
    array([[1., 0.],
           [0., 1.]])
    """
    reader = _READERS[_file_format(path)]
    extents = None if shape is None else check_shape(shape)
    element = None if dtype is None else element_dtype(dtype)
    return reader(os.fspath(path), extents, None if format is None else format_by_rank(format), element)


def write(path: FilePath, tensor: Any, header: bool = True) -> None:
    """Write a tensor (or anything `as_tensor` takes) to a .mtx, .ttx or .tns file, which a further .gz compresses, or
    to a .npz file for `scipy.sparse.load_npz`.

    Reading it back gives the same values, explicit zeros included. A .tns file gets the extended header with the
    shape unless `header` is false. Raises UserError [cannot-write], [fill-mismatch], [operand-on-device],
    [rank-mismatch], [unsupported-dtype].

    >>> it.write("tensor.tns", np.ones((2, 3, 4)))
    >>> it.read("tensor.tns").shape
    (2, 3, 4)
    """
    source = as_tensor(tensor)
    if source.is_on_device:
        message = f"the tensor of shape {source.shape} is on a GPU, and files are written from the memory of the host"
        raise UserError("operand-on-device", message, help="copy it: .to_host(), or .to_numpy() of an array")
    file_format = _file_format(path, _WRITTEN)
    if file_format == "market":
        write_matrix_market(os.fspath(path), source)
    elif file_format == "scipy":
        write_scipy_npz(os.fspath(path), source)
    else:
        write_frostt(os.fspath(path), source, as_flag("header=", header))


def _file_format(path: FilePath, known: Collection[str] = tuple(_FILE_FORMATS)) -> str:
    if not isinstance(path, str | os.PathLike):
        raise UserTypeError("bad-argument", f"the name of a file is a text or a path, not {type(path).__name__}")
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    if suffixes[-1:] == [".gz"] and not {*suffixes[-2:-1]}.intersection(_COMPRESSED):
        suffixes.pop()
    if suffixes and suffixes[-1] in known:
        return _FILE_FORMATS[suffixes[-1]]
    names = ".mtx and .ttx (Matrix Market) and .tns (FROSTT)"
    if ".rb" in known:
        names = ".mtx and .ttx (Matrix Market), .tns (FROSTT), .rb and .hb (Rutherford-Boeing)"
    names = f"{names}, also .gz, and .npz (SciPy)"
    message = f"'{path}' is not the name of a known kind of tensor file"
    if suffixes and suffixes[-1] in _FILE_FORMATS:
        message = f"{suffixes[-1]} files are read, not written"
    raise UserError("unknown-file-format", message, help=f"known are {names}")
