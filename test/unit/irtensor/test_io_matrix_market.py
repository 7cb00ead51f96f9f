"""Matrix Market files: SciPy agrees on good files, bad ones are refused at their line, and files round-trip."""

import gzip
import io
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from irtensor.core.diagnostics import UserError
from irtensor.io import read, write
from irtensor.named_formats import BCSR, COO, CSC, CSF, CSR, Dense
from irtensor.tensors.tensor import Tensor

REAL = "%%MatrixMarket matrix coordinate real general\n"
TENSOR = "%%MatrixMarket tensor coordinate real general\n"


def put(path: Path, text: str) -> Path:
    file = path / "matrix.mtx"
    file.write_text(text, newline="")
    return file


@pytest.mark.parametrize("field", ["real", "integer", "complex", "pattern"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric", "hermitian"])
@pytest.mark.parametrize("layout", ["coordinate", "array"])
def test_agrees_with_scipy(tmp_path: Path, layout: str, field: str, symmetry: str):
    if layout == "array" and field == "pattern":
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
        ("%%MatrixMarket vector coordinate real general\n", 1, "'vector' is none of matrix, tensor"),
        ("%%MatrixMarket matrix coordinate quaternion general\n", 1, "'quaternion' is none of real"),
        ("%%MatrixMarket matrix array pattern general\n2 2\n", 1, "cannot be pattern"),
        ("%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 0\n", 1, "a pattern has no signs"),
        (REAL, 1, "the file ends before the line of sizes"),
        (REAL + "2 2\n", 2, "expected 3 sizes, found '2 2'"),
        (REAL + "-2 2 1\n1 1 1\n", 2, "expected 3 sizes"),
        (REAL + "2 2 99999999999999999999\n", 2, "expected 3 sizes"),
        (REAL + "2 2 2\n1 1 1.5abc\n2 2 3\n", 3, "'1.5abc' is not a number"),
        (REAL + "2 2 2\n1 1 0x1p3\n2 2 3\n", 3, "'0x1p3' is not a number"),
        (REAL + "2 2 2\n\n% c\n1 1 1\n1.5 2 3\n", 6, "'1.5' is not a 64-bit integer"),
        (REAL + "2 2 2\n1 1 1 7\n2 2 3\n", 3, "this line has 4 numbers, expected 3: row, column and real value"),
        (REAL + "2 2 2\n1 1 1\n2 2\n", 4, "this line has 2 numbers, expected 3: row, column and real value"),
        (REAL + "2 2 2\n1 1 1\n", 3, "ends after 1 entries, line 2 announces 2"),
        (REAL + "2 2 1\n1 1 1\n\n2 2 3\n", 5, "more entries than the 1 that line 2 announces"),
        (REAL + "2 2 2\n1 1 1\n3 1 1\n", 4, "row 3 is outside 1..2"),
        (REAL + "2 2 2\n1 1 1\n1 0 1\n", 4, "column 0 is outside 1..2"),
        (REAL.replace("real", "integer") + "2 2 1\n1 1 1.5\n", 3, "'1.5' is not a 64-bit integer"),
        (REAL.replace("real", "integer") + "2 2 1\n1 1 99999999999999999999\n", 3, "is not a 64-bit integer"),
        (REAL.replace("real", "pattern") + "2 2 1\n1 1 5\n", 3, "this line has 3 numbers, expected 2: row and column"),
        (REAL.replace("general", "skew-symmetric") + "2 2 1\n1 1 1.5\n", 3, "diagonal of a skew-symmetric"),
        (REAL.replace("general", "symmetric") + "2 3 0\n", 2, "a symmetric matrix cannot be 2 x 3"),
        (REAL.replace("general", "symmetric") + "2 2 2\n1 2 1\n2 1 1\n", 2, "there are entries in both"),
        (
            REAL.replace("real", "complex").replace("general", "hermitian") + "2 2 1\n1 1 1.5 1\n",
            3,
            "diagonal of a hermitian",
        ),
        (TENSOR, 1, "the file ends before the line of sizes"),
        (TENSOR + "4\n", 2, "expected 2 sizes, found '4'"),
        (TENSOR + "4 5 x 1\n", 2, "expected 4 sizes"),
        (TENSOR + "2 2 2 1\n1 1 3 1\n", 3, "coordinate 3 of dimension 2 is outside 1..2"),
        (TENSOR + "2 2 2 1\n1 1 1\n", 3, "this line has 3 numbers, expected 4: 3 coordinates and real value"),
        (TENSOR + "2 2 2 2\n1 1 1 1\n", 3, "ends after 1 entries, line 2 announces 2"),
        (TENSOR.replace("general", "symmetric") + "2 2 2 1\n1 1 1 1\n", 2, "a symmetric tensor cannot be 2 x 2 x 2"),
        (TENSOR.replace("coordinate", "array") + "1 2 2\n1\n2\n3\n", 5, "ends after 3 entries, line 2 announces 4"),
        ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", 5, "ends after 3 entries, line 2 announces 4"),
        (
            "%%MatrixMarket matrix array real general\n2 2\n1 2\n3 4\n",
            3,
            "this line has 2 numbers, expected 1: real value",
        ),
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
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=150)
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
    for arguments in ({"shape": (1, 2)}, {"shape": (2,)}, {"format": "dense"}, {"dtype": "m8[s]"}, {"shape": "ab"}):
        with pytest.raises(UserError):
            read(file, **arguments)  # pyrefly: ignore[bad-argument-type]
    with pytest.raises(UserError, match=r"known are .mtx"):
        read(tmp_path / "matrix.txt")
    with pytest.raises(UserError, match="rank 0"):
        write(file, np.float64(3))
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


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        # A percent sign inside of a number starts no comment.
        (REAL + "1 1 1\n1 1 -2%-1\n", 3, 5, "'-2%-1' is not a number"),
        # The word as it stands in the file, not in lower case.
        (REAL.replace("real", "Float") + "1 1 0\n", 1, 34, "'Float' is none of real, double"),
        (REAL + "1 1 1\n1 1\r 1\n", 3, 4, "a carriage return stands inside this line"),
        (REAL + "1 1 1\n1 1 \x1b[31m\n", 3, 5, "'\ufffd[31m' is not a number"),
        (REAL + f"1 {2**63} 0\n", 2, 1, f"expected 3 sizes, found '1 {2**63} 0'"),
        (REAL + f"1 1 1\n1 1 {'1' * 5000}x\n", 3, 5, f"'{'1' * 40}' is not a number"),
    ],
)
def test_bad_files_are_refused_at_their_column(tmp_path: Path, text: str, line: int, column: int, message: str):
    file = put(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read(file)
    assert message in caught.value.message
    assert str(caught.value).startswith(f"{file}:{line}:{column}:")
    assert caught.value.help


def test_files_of_other_systems(tmp_path: Path):
    body = "2 2 2\n1 1 1.5\n2 2 3\n"
    for text in (
        "\ufeff" + REAL + body,
        (REAL + body).replace("\n", "\r\r\n"),
        REAL.replace("general", "hermitian") + body,
    ):
        np.testing.assert_array_equal(read(put(tmp_path, text)).to_numpy(), [[1.5, 0], [0, 3]])


@pytest.mark.parametrize(
    ("field", "value", "dtype", "message"),
    [
        ("integer", "300", "int8", "300 is not a value of dtype int8"),
        ("real", "1.5", "int64", "1.5 is not a value of dtype int64"),
        ("real", "nan", "int32", "nan is not a value of dtype int32"),
        ("real", "1e300", "float32", "1e+300 is not a value of dtype float32"),
        ("complex", "1 1e300", "complex64", "(1+1e+300j) is not a value of dtype complex64"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_dtype_must_hold_every_value(tmp_path: Path, field: str, value: str, dtype: str, message: str):
    file = put(tmp_path, REAL.replace("real", field) + f"2 2 2\n1 1 1{' 0' * (field == 'complex')}\n2 1 {value}\n")
    with pytest.raises(UserError) as caught:
        read(file, dtype=dtype)
    assert caught.value.message == message
    assert str(caught.value).startswith(f"{file}:4:5:")
    assert read(file, dtype="bool").to_numpy().tolist() == [[True, False], [True, False]]


def test_a_dtype_must_hold_the_mirrored_values(tmp_path: Path):
    text = REAL.replace("real general", "integer skew-symmetric") + "2 2 1\n2 1 -128\n"
    file = put(tmp_path, text)
    with pytest.raises(UserError, match=r"mtx:3:5: .*-128 has no negative of dtype int8"):
        read(file, dtype="int8")
    assert read(file, dtype="int16").to_numpy().tolist() == [[0, 128], [-128, 0]]
    assert read(file, dtype="bool").to_numpy().tolist() == [[False, True], [True, False]]
    with pytest.raises(UserError, match="has no negative of dtype int64"):
        read(put(tmp_path, text.replace("-128", str(-(2**63)))))


def test_complex_values_are_not_cut(tmp_path: Path):
    file = put(tmp_path, REAL.replace("real", "complex") + "1 1 1\n1 1 1 0\n")
    with pytest.raises(UserError, match=r"mtx:1:1: .*unsupported-dtype.* dtype float64 would lose the imaginary part"):
        read(file, dtype="float64")


def test_long_lines_are_neither_cut_in_two_nor_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for limit in ("_BLOCK_BYTES", "_LONGEST_LINE"):
        monkeypatch.setattr(f"irtensor.io.number_lines.{limit}", 64)
    for start, line in ((REAL + "1 1 1\n1 1 1\n", 4), (REAL, 2)):
        with pytest.raises(UserError, match=f"mtx:{line}:1: .*this line is longer than 64 bytes"):
            read(put(tmp_path, start + "%" + 200 * " " + "1 1 1\n1 1 1\n"))


def test_an_array_that_memory_cannot_hold(tmp_path: Path):
    file = put(tmp_path, "%%MatrixMarket matrix array real general\n1 1\n5\n")
    with pytest.raises(UserError, match=r"mtx:2:1: .*storage-too-large.*\(4611686018427387904, 4\)"):
        read(file, shape=(2**62, 4))
    wide = put(tmp_path, f"%%MatrixMarket matrix array complex general\n0 {10**18}\n")
    with pytest.raises(UserError, match=r"mtx:2:1: .*storage-too-large"):
        read(wide)


def test_files_that_the_system_refuses(tmp_path: Path):
    folder = tmp_path / "folder.mtx"
    folder.mkdir()
    missing = tmp_path / "none.mtx"
    beyond = tmp_path / "none" / "a.mtx.gz"
    for path, action, reason in (
        (folder, "read", "Is a directory"),
        (missing, "read", "No such file or directory"),
        ("a\0.mtx", "read", "embedded null"),
        (folder, "write", "Is a directory"),
        (beyond, "write", "No such file or directory"),
        ("a\0.mtx", "write", "embedded null"),
    ):
        with pytest.raises(UserError) as caught:
            read(path) if action == "read" else write(path, np.eye(2))
        assert caught.value.slug == f"cannot-{action}"
        assert str(path) in caught.value.message
        assert reason in caught.value.message
    closed = put(tmp_path, REAL + "1 1 0\n")
    closed.chmod(0)
    if not os.access(closed, os.R_OK):
        with pytest.raises(UserError, match=r"cannot-read.*Permission denied"):
            read(closed)


def test_tensors_of_any_rank(tmp_path: Path):
    text = TENSOR + "% as TACO writes it\n5 6 7 3 \n1 1 1 1\n5 1 7 3\n5 1 7 0.5\n"
    expected = np.zeros((5, 6, 7))
    expected[0, 0, 0], expected[4, 0, 6] = 1, 3.5
    for format in (None, CSF(3, [2, 0, 1]), Dense(3)):
        tensor = read(put(tmp_path, text), format=format)
        tensor.check()
        np.testing.assert_array_equal(tensor.to_numpy(), expected)
    assert read(tmp_path / "matrix.mtx", shape=(5, 8, 7)).shape == (5, 8, 7)
    for arguments in ({"shape": (5, 6)}, {"shape": (5, 6, 6)}, {"format": CSR}):
        with pytest.raises(UserError):
            read(tmp_path / "matrix.mtx", **arguments)  # pyrefly: ignore[bad-argument-type]
    array = read(put(tmp_path, TENSOR.replace("coordinate", "array") + "2 3 2\n" + "\n".join(map(str, range(12)))))
    np.testing.assert_array_equal(array.to_numpy(), np.arange(12).reshape((2, 3, 2), order="F"))
    vector = read(put(tmp_path, TENSOR + "4 1\n3 2\n"))
    np.testing.assert_array_equal(vector.to_numpy(), [0, 0, 2, 0])
    mirrored = read(put(tmp_path, TENSOR.replace("general", "symmetric") + "2 2 1\n2 1 2\n"))
    np.testing.assert_array_equal(mirrored.to_numpy(), [[0, 2], [2, 0]])


@pytest.mark.parametrize("dtype", ["int64", "float32", "complex128", "bool"])
@pytest.mark.parametrize("name", ["t.ttx", "t.mtx.gz"])
def test_written_tensors_read_back(tmp_path: Path, dtype: str, name: str):
    rng = np.random.default_rng(4)
    for shape in ((5,), (3, 4, 2), (2, 3, 1, 4), (3, 0, 2)):
        dense = ((rng.random(shape) < 0.4) * rng.normal(size=shape) * 30).astype(dtype)
        for format in (COO(len(shape)), CSF(len(shape)), None):
            write(tmp_path / name, Tensor.from_numpy(dense, format))
            np.testing.assert_array_equal(read(tmp_path / name).to_numpy(), dense)
