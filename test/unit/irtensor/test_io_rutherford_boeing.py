"""Rutherford-Boeing files: what SciPy writes is read, one triangle is mirrored, the rest is refused."""

import gzip
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from irtensor.core.diagnostics import UserError
from irtensor.io import read, write
from irtensor.named_formats import CSC, CSR


def text_of(path: Path, dense: np.ndarray) -> str:
    scipy.io.hb_write(path / "written.rb", sp.csc_array(dense))
    return (path / "written.rb").read_text()


def put(path: Path, text: str) -> Path:
    (path / "matrix.rb").write_text(text)
    return path / "matrix.rb"


def drawn(rows: int, columns: int, dtype: str = "float64") -> np.ndarray:
    rng = np.random.default_rng(rows)
    return ((rng.random((rows, columns)) < 0.6) * rng.normal(size=(rows, columns)) * 9).astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "int64"])
@pytest.mark.parametrize("name", ["a.rb", "a.hb", "a.RB.gz"])
def test_what_scipy_writes_is_read(tmp_path: Path, name: str, dtype: str):
    dense = drawn(7, 5, dtype)
    text = text_of(tmp_path, dense)
    (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    for format in (None, CSR):
        tensor = read(tmp_path / name, format=format)
        tensor.check()
        assert tensor.dtype == dtype
        assert tensor.format == (format or CSC)
        np.testing.assert_array_equal(tensor.to_numpy(), dense)
    assert read(tmp_path / name, shape=(8, 6), dtype="float32").shape == (8, 6)


@pytest.mark.parametrize("structure, sign", [("S", 1), ("Z", -1)])
def test_one_triangle_is_mirrored(tmp_path: Path, structure: str, sign: int):
    lower = np.tril(drawn(6, 6), -1 if structure == "Z" else 0)
    text = text_of(tmp_path, lower).replace("RUA", f"R{structure}A")
    expected = lower + sign * np.tril(lower, -1).T
    for spelling in (text, text.replace(f"R{structure}A", f"r{structure}a".lower()), text.replace("\n", "\r\n")):
        np.testing.assert_array_equal(read(put(tmp_path, spelling)).to_numpy(), expected)


def test_what_is_refused(tmp_path: Path):
    text = text_of(tmp_path, drawn(6, 6))
    changed = [text.replace("RUA", "PUA"), text.replace("E-", "?-"), text.replace("6", "9")]
    for spelling in ["", text[:100], text[:-400], *changed]:
        with pytest.raises(UserError, match="SciPy does not read this file") as caught:
            read(put(tmp_path, spelling))
        assert caught.value.slug == "bad-file"
        assert caught.value.location is not None
    put(tmp_path, text)
    for arguments in ({"shape": (5, 6)}, {"shape": (6,)}, {"dtype": "int64"}, {"format": "dense"}):
        with pytest.raises(UserError):
            read(tmp_path / "matrix.rb", **arguments)  # pyrefly: ignore[bad-argument-type]
    (tmp_path / "cut.rb.gz").write_bytes(gzip.compress(text.encode())[:-9])
    with pytest.raises(UserError, match="the compressed file is damaged"):
        read(tmp_path / "cut.rb.gz")
    with pytest.raises(UserError, match="No such file"):
        read(tmp_path / "absent.rb")
    with pytest.raises(UserError, match="are read, not written"):
        write(tmp_path / "matrix.rb", np.eye(2))


def test_positions_out_of_order_are_refused(tmp_path: Path):
    lines = text_of(tmp_path, np.eye(3)).split("\n")
    lines[4] = " 1 9 3 4"
    with pytest.raises(UserError, match="SciPy does not read this file"):
        read(put(tmp_path, "\n".join(lines)))
