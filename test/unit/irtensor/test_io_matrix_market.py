"""Matrix Market files: SciPy agrees on good files, bad ones are refused at their line, and files round-trip."""

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from irtensor.dialects.diagnostics import UserError
from irtensor.io import read, write
from irtensor.named_formats import BCSR, CSC, CSR, Dense
from irtensor.tensor import Tensor

REAL = "%%MatrixMarket matrix coordinate real general\n"


def put(path: Path, text: str) -> Path:
    file = path / "matrix.mtx"
    file.write_text(text, newline="")
    return file


@pytest.mark.parametrize("field", ["real", "integer", "complex", "pattern"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric", "hermitian"])
@pytest.mark.parametrize("layout", ["coordinate", "array"])
def test_agrees_with_scipy(tmp_path: Path, layout: str, field: str, symmetry: str):
    if (layout == "array" and field == "pattern") or (symmetry == "hermitian" and field != "complex"):
        pytest.skip("not in the format")
    if symmetry == "skew-symmetric" and field == "pattern":
        pytest.skip("not in the format")
    rng = np.random.default_rng(5)
    size = 5
    lines = []
    for column in range(size):
        for row in range(size):
            lower = row > column or (row == column and symmetry != "skew-symmetric")
            if (symmetry != "general" and not lower) or (layout == "coordinate" and rng.random() < 0.5):
                continue
            real, imaginary = rng.integers(-9, 9, 2) * (1 if field == "integer" else 0.5)
            if symmetry == "hermitian" and row == column:
                imaginary = 0
            value = {"pattern": "", "complex": f" {real} {imaginary}"}.get(field, f" {real}")
            lines.append((f"{row + 1} {column + 1}" if layout == "coordinate" else "") + value)
    count = f" {len(lines)}" if layout == "coordinate" else ""
    header = f"%%MatrixMarket matrix {layout} {field} {symmetry}\n% a comment\n{size} {size}{count}\n"
    file = put(tmp_path, header + "\n".join(lines) + "\n")
    expected = scipy.io.mmread(file)
    expected = expected.toarray() if sp.issparse(expected) else expected
    for format in (None, CSR, CSC, BCSR(2, 2), Dense(2, [1, 0])):
        tensor = read(file, format=format)
        tensor.check()
        assert tensor.dtype == expected.dtype
        np.testing.assert_array_equal(tensor.to_numpy(), expected)


@pytest.mark.parametrize(
    "text",
    [
        REAL + "2 2 2\n1 1 1.5\n2 2 3\n",
        REAL.upper() + "2 2 2\n1 1 1.5\n2 2 3",
        REAL + "% c\n\n  % d\n2\t2  2\n%mid\n\t1 1\t 1.5 % note\n\n2 2 3\n\n",
        (REAL + "2 2 2\n1 1 1.5\n2 2 3\n").replace("\n", "\r\n"),
        REAL + "2 2 2\n+1 1 1.5D0\n2 2 0.3d+1\n",
        REAL.replace("real", "double") + "2 2 2\n2 2 3.0e0\n1 1 15e-1\n",
        REAL + "2 2 3\n1 1 1.5\n2 2 1\n2 2 2\n",
    ],
)
def test_spellings_of_one_matrix(tmp_path: Path, text: str):
    tensor = read(put(tmp_path, text))
    np.testing.assert_array_equal(tensor.to_numpy(), [[1.5, 0], [0, 3]])


def test_special_values(tmp_path: Path):
    tensor = read(put(tmp_path, REAL + "1 3 3\n1 1 nan\n1 2 -inf\n1 3 0\n"))
    np.testing.assert_array_equal(tensor.to_numpy(), [[np.nan, -np.inf, 0]])
    assert tensor.nnz == 3
    big = read(put(tmp_path, REAL.replace("real", "integer") + f"1 1 1\n1 1 {2**62 + 1}\n"))
    assert big.values[0] == 2**62 + 1
    wild = read(put(tmp_path, REAL.replace("real", "complex") + "1 1 1\n1 1 1 inf\n"))
    assert wild.values[0] == complex(1, np.inf)
    huge = read(put(tmp_path, REAL + f"{10**18 - 1} 5 1\n{10**18 - 1} 1 1\n"))
    assert huge.shape == (10**18 - 1, 5)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "not a Matrix Market header"),
        ("hello\n", 1, "not a Matrix Market header"),
        ("%%MatrixMarket vector coordinate real general\n", 1, "'vector' is none of matrix"),
        ("%%MatrixMarket matrix coordinate quaternion general\n", 1, "'quaternion' is none of real"),
        ("%%MatrixMarket matrix array pattern general\n2 2\n", 1, "cannot be pattern"),
        ("%%MatrixMarket matrix coordinate real hermitian\n2 2 0\n", 1, "a real matrix cannot be hermitian"),
        (REAL, 1, "the file ends before the line of sizes"),
        (REAL + "2 2\n", 2, "expected the numbers of rows, columns and entries"),
        (REAL + "-2 2 1\n1 1 1\n", 2, "expected the numbers"),
        (REAL + "2 2 99999999999999999999\n", 2, "expected the numbers"),
        (REAL + "2 2 2\n1 1 1.5abc\n2 2 3\n", 3, "'1.5abc' is not a number"),
        (REAL + "2 2 2\n1 1 0x1p3\n2 2 3\n", 3, "'0x1p3' is not a number"),
        (REAL + "2 2 2\n\n% c\n1 1 1\n1.5 2 3\n", 6, "'1.5' is not a 64-bit integer"),
        (REAL + "2 2 2\n1 1 1 7\n2 2 3\n", 3, "expected 3 numbers on this line, found 4"),
        (REAL + "2 2 2\n1 1 1\n2 2\n", 4, "expected 3 numbers on this line, found 2"),
        (REAL + "2 2 2\n1 1 1\n", 3, "ends after 1 entries, line 2 announces 2"),
        (REAL + "2 2 1\n1 1 1\n\n2 2 3\n", 5, "more entries than the 1 that line 2 announces"),
        (REAL + "2 2 2\n1 1 1\n3 1 1\n", 4, "row 3 is outside 1..2"),
        (REAL + "2 2 2\n1 1 1\n1 0 1\n", 4, "column 0 is outside 1..2"),
        (REAL.replace("real", "integer") + "2 2 1\n1 1 1.5\n", 3, "'1.5' is not a 64-bit integer"),
        (REAL.replace("real", "integer") + "2 2 1\n1 1 99999999999999999999\n", 3, "is not a 64-bit integer"),
        (REAL.replace("real", "pattern") + "2 2 1\n1 1 5\n", 3, "expected 2 numbers on this line, found 3"),
        (REAL.replace("general", "skew-symmetric") + "2 2 1\n1 1 1.5\n", 3, "diagonal of a skew-symmetric"),
        (REAL.replace("general", "symmetric") + "2 3 0\n", 2, "a symmetric matrix cannot be 2 x 3"),
        (REAL.replace("general", "symmetric") + "2 2 2\n1 2 1\n2 1 1\n", 2, "there are entries in both"),
        (
            REAL.replace("real", "complex").replace("general", "hermitian") + "2 2 1\n1 1 1.5 1\n",
            3,
            "diagonal of a hermitian",
        ),
        ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", 5, "ends after 3 entries, line 2 announces 4"),
        ("%%MatrixMarket matrix array real general\n2 2\n1 2\n3 4\n", 3, "expected 1 numbers on this line, found 2"),
    ],
)
def test_bad_files_are_refused_at_their_line(tmp_path: Path, text: str, line: int, message: str):
    file = put(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read(file)
    assert caught.value.slug == "bad-file"
    assert message in caught.value.message
    assert str(caught.value).startswith(f"{file}:{line}:")


@given(st.text(alphabet="0123 .-+eE%\nnaif\t\r", max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
def test_any_body_is_read_or_refused(tmp_path: Path, body: str):
    for header in (REAL, REAL + "3 3 2\n", "%%MatrixMarket matrix array complex symmetric\n2 2\n"):
        try:
            read(put(tmp_path, header + body)).check()
        except UserError:
            pass


def test_large_files_are_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("irtensor.io.number_lines._BLOCK_BYTES", 64)
    rng = np.random.default_rng(0)
    array = sp.random_array((50, 40), density=0.3, rng=rng)
    file = tmp_path / "matrix.mtx"
    scipy.io.mmwrite(file, array)
    np.testing.assert_array_equal(read(file).to_numpy(), array.toarray())
    lines = file.read_text().split("\n")
    lines[300] = "1 1 x"
    file.write_text("\n".join(lines))
    with pytest.raises(UserError, match=r"mtx:301:5: error: \[bad-file\] 'x' is not a number"):
        read(file)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", ["m.mtx", "m.mtx.gz"])
def test_written_files_read_back(tmp_path: Path, dtype: str, name: str):
    rng = np.random.default_rng(2)
    dense = (rng.random((5, 7)) < 0.4) * rng.normal(size=(5, 7)) * 30
    dense = dense.astype(dtype) * (1 + 0.1j if dtype.startswith("complex") else True)
    dense = dense.astype(dtype)
    for format in (CSR, CSC, BCSR(2, 2), Dense(2), Dense(2, [1, 0])):
        write(tmp_path / name, Tensor.from_numpy(dense, format))
        np.testing.assert_array_equal(read(tmp_path / name, dtype=dtype).to_numpy(), dense)
        opened = gzip.open(tmp_path / name) if name.endswith("gz") else open(tmp_path / name, "rb")
        with opened as file:
            theirs = scipy.io.mmread(io.BytesIO(file.read()))
        np.testing.assert_array_equal(theirs.toarray() if sp.issparse(theirs) else theirs, dense)


def test_arguments(tmp_path: Path):
    file = put(tmp_path, REAL + "2 2 1\n2 2 1\n")
    assert read(file, shape=(3, 4)).shape == (3, 4)
    assert read(file, dtype="float32", format=CSR).dtype == np.float32
    for arguments in ({"shape": (1, 2)}, {"shape": (2,)}, {"format": "dense"}, {"dtype": "uint8"}, {"shape": "ab"}):
        with pytest.raises(UserError):
            read(file, **arguments)
    with pytest.raises(UserError, match=r"known are .mtx"):
        read(tmp_path / "matrix.txt")
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.mtx")
    with pytest.raises(UserError, match="holds a matrix"):
        write(file, np.ones(3))
    with pytest.raises(UserError, match="no fill value"):
        write(file, Tensor.from_numpy(np.ones((2, 2)), CSR.with_fill(1)))
    write(file, sp.eye_array(2))
    np.testing.assert_array_equal(read(file).to_numpy(), np.eye(2))


def test_damaged_gzip_is_refused(tmp_path: Path):
    whole = gzip.compress((REAL + "2 2 1\n" + "% x\n" * 5000 + "2 2 1\n").encode())
    for damaged in (whole[:40], whole[:-12], whole[:20] + b"????????" + whole[28:]):
        file = tmp_path / "matrix.mtx.gz"
        file.write_bytes(damaged)
        with pytest.raises(UserError):
            read(file)
