"""FROSTT .tns files: both dialects, bad lines, round trips."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from irtensor.dialects.diagnostics import UserError
from irtensor.io import read, write
from irtensor.named_formats import COO, CSF
from irtensor.tensor import Tensor


def put(path: Path, text: str) -> Path:
    file = path / "tensor.tns"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("1 2 1 1.5\n2 1 3 -2\n", (2, 2, 3)),
        ("# comment\n\n1 2 1 1.5 # note\n2 1 3 -2", (2, 2, 3)),
        ("# extended FROSTT format\n3 2\n4 5 6\n1 2 1 1.5\n2 1 3 -2\n", (4, 5, 6)),
        ("3 2\n4 5 6\n1 2 1 1.5\n2 1 3 -2\n", (4, 5, 6)),
        ("\t2 1 3 -2e0\r\n1   2 1 1.5\r\n", (2, 2, 3)),
    ],
)
def test_spellings_of_one_tensor(tmp_path: Path, text: str, shape: tuple[int, ...]):
    tensor = read(put(tmp_path, text))
    tensor.check()
    expected = np.zeros(shape)
    expected[0, 1, 0], expected[1, 0, 2] = 1.5, -2
    assert tensor.format == COO(3)
    np.testing.assert_array_equal(tensor.to_numpy(), expected)
    wide = read(put(tmp_path, text), shape=(9, 9, 9), format=CSF(3, [2, 0, 1]), dtype="float32")
    assert wide.shape == (9, 9, 9)
    assert wide.dtype == np.float32
    np.testing.assert_array_equal(wide.to_numpy()[: shape[0], : shape[1], : shape[2]], expected)


def test_headers_are_told_from_entries(tmp_path: Path):
    vector = read(put(tmp_path, "2 9\n3 5\n"))
    np.testing.assert_array_equal(vector.to_numpy(), [0, 9, 5])
    empty = read(put(tmp_path, "# extended FROSTT format\n2 0\n3 5\n"))
    assert empty.shape == (3, 5)
    assert empty.nnz == 0
    matrix = read(put(tmp_path, "2 1\n3 5\n3 5 1\n"))
    assert matrix.shape == (3, 5)
    assert read(put(tmp_path, "# nothing\n"), shape=(2, 3)).nnz == 0
    exact = read(put(tmp_path, f"1 {2**62 + 1}\n"), dtype="int64")
    assert exact.values[0] == 2**62 + 1


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 0, "the file has no entries"),
        ("5\n", 1, "expected coordinates and a value, found 1 numbers"),
        ("1 1 1\n1 1\n", 2, "expected 3 numbers on this line, found 2"),
        ("1 1 1\n1 1 1 1\n", 2, "expected 3 numbers on this line, found 4"),
        ("1 1 1\n# c\n1 x 1\n", 3, "'x' is not a 64-bit integer"),
        ("1 1 1\n1 1.0 1\n", 2, "'1.0' is not a 64-bit integer"),
        ("1 1 1\n1 1 one\n", 2, "'one' is not a number"),
        ("1 1 1\n2 0 1\n", 2, "coordinate 0 of dimension 1 is below 1"),
        ("1 1 1\n99999999999999999999 1 1\n", 2, "is not a 64-bit integer"),
        ("# extended FROSTT format\n2 1\n2 2\n3 1 1\n", 4, "coordinate 3 of dimension 0 is outside 1..2"),
        ("# extended FROSTT format\n2 1\n2 2\n", 3, "ends after 0 entries, its header announces 1"),
        ("# extended FROSTT format\n2 1\n2 2\n1 1 1\n2 2 2\n", 5, "more entries than the 1"),
        ("# extended FROSTT format\n2 1\n2\n1 1 1\n", 2, "expected the extended header"),
    ],
)
def test_bad_files_are_refused_at_their_line(tmp_path: Path, text: str, line: int, message: str):
    file = put(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read(file)
    assert message in caught.value.message
    assert str(caught.value).startswith(f"{file}:{line}:")


def test_shape_must_hold_every_entry(tmp_path: Path):
    file = put(tmp_path, "1 2 1\n3 3 1\n")
    with pytest.raises(UserError, match=r"tns:2:1: .*coordinate 3 of dimension 0 is outside 1..2"):
        read(file, shape=(2, 3))
    with pytest.raises(UserError, match="has rank 2, but shape"):
        read(file, shape=(2, 3, 4))


@given(st.text(alphabet="0123 .-+e#\nnai\t", max_size=60), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
def test_any_text_is_read_or_refused(tmp_path: Path, body: str, extended: bool):
    header = "# extended FROSTT format\n2 2\n3 3\n" if extended else ""
    try:
        read(put(tmp_path, header + body)).check()
    except UserError:
        pass


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
@pytest.mark.parametrize("name", ["t.tns", "t.tns.gz"])
def test_written_files_read_back(tmp_path: Path, name: str, dtype: str, header: bool):
    rng = np.random.default_rng(2)
    for rank in (1, 2, 3, 4):
        dense = ((rng.random((3,) * rank) < 0.4) * rng.normal(size=(3,) * rank) * 30).astype(dtype)
        for format in (COO(rank), CSF(rank), None):
            write(tmp_path / name, Tensor.from_numpy(dense, format), header=header)
            back = read(tmp_path / name, shape=dense.shape, dtype=dtype)
            np.testing.assert_array_equal(back.to_numpy(), dense)


def test_what_cannot_be_written(tmp_path: Path):
    for tensor in (np.float64(1), np.ones(2) * 1j, Tensor.from_numpy(np.ones(2), "compressed, fill = 1")):
        with pytest.raises(UserError):
            write(tmp_path / "t.tns", tensor)
    write(tmp_path / "t.tns", Tensor.from_numpy(np.array([0.0, 1, 2]), "dense, fill = 1"))
    np.testing.assert_array_equal(read(tmp_path / "t.tns").to_numpy(), [0, 1, 2])
