"""FROSTT .tns files: both dialects, bad lines, round trips."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from irtensor.core.diagnostics import UserError
from irtensor.io import read, write
from irtensor.named_formats import COO, CSF
from irtensor.tensors.tensor import Tensor


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
        ("3\n4 5 6\n1 2 1 1.5\n2 1 3 -2\n", (4, 5, 6)),
        ("# ParTI\n3 # rank\n\n 4\t5 6\r\n1 2 1 1.5\n2 1 3 -2\n", (4, 5, 6)),
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
    vector = read(put(tmp_path, "1\n4\n3 5\n"))
    np.testing.assert_array_equal(vector.to_numpy(), [0, 0, 5, 0])
    assert read(put(tmp_path, "3\n4 5 6\n")).to_numpy().shape == (4, 5, 6)
    assert read(put(tmp_path, "2\n4 5\n1 1 2\n"), shape=(7, 8)).shape == (7, 8)
    assert read(put(tmp_path, "# nothing\n"), shape=(2, 3)).nnz == 0
    exact = read(put(tmp_path, f"1 {2**62 + 1}\n"), dtype="int64")
    assert exact.values[0] == 2**62 + 1


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file has no entries"),
        ("5\n", 1, "expected coordinates and a value, found 1 number"),
        ("3\n4 5\n1 1 1\n", 1, "expected coordinates and a value, found 1 number"),
        ("2\n4 5\n1 6 1\n", 3, "coordinate 6 of dimension 1 is outside 1..5"),
        ("2\n4 5\n1 1\n", 3, "this line has 2 numbers, expected 3"),
        ("1 1 1\n1 1\n", 2, "this line has 2 numbers, expected 3: 2 coordinates and a value, as line 1 says"),
        ("1 1 1\n1 1 1 1\n", 2, "this line has 4 numbers, expected 3"),
        ("1 1 1\n# c\n1 x 1\n", 3, "'x' is not a 64-bit integer"),
        ("1 1 1\n1 1.0 1\n", 2, "'1.0' is not a 64-bit integer"),
        ("1 1 1\n1 1 one\n", 2, "'one' is not a number"),
        ("1 1 1\n2 0 1\n", 2, "coordinate 0 of dimension 1 is below 1"),
        ("1 1 1\n99999999999999999999 1 1\n", 2, "is not a 64-bit integer"),
        ("# extended FROSTT format\n2 1\n2 2\n3 1 1\n", 4, "coordinate 3 of dimension 0 is outside 1..2"),
        ("# extended FROSTT format\n2 1\n2 2\n", 3, "ends after 0 entries, line 2 announces 1"),
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
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=150)
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


def test_extents_of_64_bits_read_back(tmp_path: Path):
    for shape in ((2**63 - 1, 3), (10**18, 1, 2**62)):
        tensor = Tensor.from_coo([[0, extent - 1] for extent in shape], [1.0, 2.0], shape=shape)
        for name in ("t.tns", "m.mtx") if len(shape) == 2 else ("t.tns",):
            write(tmp_path / name, tensor)
            back = read(tmp_path / name)
            assert back.shape == shape
            np.testing.assert_array_equal(back.to_coo()[0], tensor.to_coo()[0])


def test_the_mark_of_the_header_stands_before_it(tmp_path: Path):
    tensor = read(put(tmp_path, "1 2 1.5\n# extended FROSTT format would say the shape\n3 1 2\n"))
    assert tensor.shape == (3, 2)


@pytest.mark.parametrize(
    ("text", "place", "message", "help"),
    [
        (
            "1 1 1 2\n# c\n1 1 2\n",
            "3:5",
            "this line has 3 numbers, expected 4: 3 coordinates and a value, as line 1 says",
            "each line holds 3 coordinates and a value, as line 1 says, separated by blanks",
        ),
        (
            f"# extended FROSTT format\n65 0\n{'1 ' * 65}\n",
            "2:1",
            "expected the extended header: rank and number of entries, and the extents on the next line",
            "write the rank (1 to 64) and as many extents, or remove the line '# extended FROSTT format'",
        ),
        ("1 0 1\n", "1:3", "coordinate 0 of dimension 1 is below 1", ".tns files count from 1"),
        (
            "1 1 1#\n",
            "1:5",
            "'1#' is not a number",
            "each line holds 2 coordinates and a value, as line 1 says, separated by blanks",
        ),
    ],
)
def test_a_refusal_says_where_and_what_to_do(tmp_path: Path, text: str, place: str, message: str, help: str):
    file = put(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read(file)
    assert str(caught.value).startswith(f"{file}:{place}: error: [bad-file] {message}\n")
    assert caught.value.help == help


def test_a_dtype_must_hold_every_value(tmp_path: Path):
    file = put(tmp_path, "1 100\n2 300\n")
    with pytest.raises(UserError, match=r"tns:2:3: .*300 is not a value of dtype int8"):
        read(file, dtype="int8")
    assert read(file, dtype="int16").values.tolist() == [100, 300]
    assert read(file, dtype="complex64").values.tolist() == [100, 300]
