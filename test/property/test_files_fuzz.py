"""Tensor files with anything wrong in them: read as a plain reader reads them, or refused at a line with a way out.

The plain reader goes line by line and shares no code with irtensor.io; SciPy is the second opinion on whole files.
"""

import gzip
import itertools
import math
import random
import re
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from sampling import few_or_many

import irtensor as it

_BANNER = "%%MatrixMarket matrix "
_FIELDS = {"real": float, "double": float, "integer": int, "unsigned-integer": int, "complex": complex, "pattern": None}
_MTX = [
    _BANNER + "coordinate real general\n% c\n3 4 4\n1 1 1.5\n2 3 -2e-1\n3 4 nan\n3 1 0\n",
    _BANNER + "coordinate integer symmetric\n3 3 3\n1 1 7\n3 1 -2\n3 2 5\n",
    _BANNER + "coordinate complex hermitian\n3 3 3\n1 1 7 0\n3 1 -2 1.5\n3 2 5 inf\n",
    _BANNER + "coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n",
    _BANNER + "coordinate real skew-symmetric\r\n3 3 2\r\n2 1 1\r\n3 2 4\r\n",
    _BANNER + "coordinate pattern general\n3 5 3\n2 1\n3 5\n2 1\n",
    _BANNER.replace("matrix", "tensor") + "coordinate integer general\n2 3 4 2\n1 2 1 5\n2 1 3 -2\n",
    _BANNER.replace("matrix", "tensor") + "array real general\n1 3 2\n1\n2\n3\n4\n5\n6\n",
    _BANNER + "array real general\n2 3\n1\n2\n3\n4\n5\n6.5D0\n",
    _BANNER + "array complex symmetric\n2 2\n1 0\n2 1\n3 3\n",
    _BANNER + "array integer skew-symmetric\n3 3\n1\n2\n3\n",
    _BANNER + "array complex hermitian\n2 2\n1 0\n2 1\n3 0\n",
]
_TNS = [
    "1 2 1 1.5\n2 1 3 -2\n",
    "# extended FROSTT format\n3 2\n4 5 6\n1 2 1 1.5\n2 1 3 -2\n",
    "3 2\n4 5 6\n1 2 1 1.5\n2 1 3 -2\n",
    "3\n4 5 6\n1 2 1 1.5\n2 1 3 -2\n",
    "# c\n1 1\n3 5\n",
    "4 2 2 2 1\n1 1 1 1 3 # x\n",
]
_PIECES = [
    *("0", "-1", "1", "2", "9", "1.5", "9999999999", "9223372036854775807", "9223372036854775808", "1" + 30 * "0"),
    *("nan", "inf", "-inf", "1e999", "1e-999", "1d2", "0x1", "1_0", "+", "-", ".", "e", "_", ",", "'", '"', "x"),
    *("\n", "\r\n", "\r", "\n\n", " ", "\t", "%", "#", " % c", "\n% c\n", "\n# c\n", "\x00", "\x1b[0m", "\x85", "\xa0"),
    *("\xef\xbb\xbf", "\xff", "\xb2", "symmetric", "coordinate", "array", "complex", "pattern", "integer", "1 1 1 1"),
]
# What may stand in place of a blank and of the end of a line.
_BLANKS = {" ": ["  ", "\t", " \t "], "\n": ["\n\n", "\r\n", " \n", "\n% c\n", "\n  # c\n", " % c\n", "\n \n"]}


def changed(text: str, rng: random.Random) -> str:
    """The text with one to three changes: cut off, bits flipped, words, lines and blanks put in or out."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + 1)
        lines = text.split("\n")
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        words = re.split(r"( |\n)", text)
        word = rng.randrange(len(words))
        change = rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 7, 7))
        if change == 0:
            text = text[:at]
        elif change == 1 and at < end:
            text = text[:at] + chr(ord(text[at]) ^ (1 << rng.randrange(8))) + text[end:]
        elif change == 2:
            text = text[:at] + text[end:]
        elif change == 3:
            text = text[:at] + rng.choice(_PIECES) + text[at:]
        elif change == 4:
            text = "\n".join([*lines[:one], lines[other], *lines[one:]])
        elif change == 5:
            text = "\n".join([*lines[:one], *lines[one + 1 :]])
        elif change == 6:
            text = "".join([*words[:word], rng.choice(_PIECES), *words[word + 1 :]])
        else:
            blanks = [place for place, character in enumerate(text) if character in " \n"] or [0]
            place = rng.choice(blanks)
            harmless = _BLANKS[text[place : place + 1]] if text[place : place + 1] in _BLANKS else [" "]
            text = text[:place] + rng.choice(harmless) + text[place + 1 :]
    return text


def content(line: str, comment: str) -> list[str]:
    """The words of a line before its comment; a carriage return only ends lines."""
    text = re.split(rf"(?:^|\s){comment}", line)[0].strip()
    assert "\r" not in text
    return text.split()


def number(word: str, kind: type) -> int | float:
    assert "_" not in word and word.isascii()
    if kind is not int:
        return float(re.sub("[dD]", "e", word))
    assert -(2**63) <= int(word) < 2**63
    return int(word)


def size(word: str) -> int:
    assert word.isdecimal() and word.isascii() and int(word) < 2**63
    return int(word)


class Elements:
    """What a plain reader knows of a tensor: extents, and the sum of what is given for each coordinate."""

    def __init__(self, shape: tuple[int, ...] | None):
        self.shape = shape
        self.values: dict[tuple[int, ...], complex] = {}

    def add(self, coordinate: tuple[int, ...], value: complex) -> None:
        assert all(1 <= index < 2**63 for index in coordinate)
        assert self.shape is None or all(index <= extent for index, extent in zip(coordinate, self.shape, strict=True))
        self.values[coordinate] = self.values[coordinate] + value if coordinate in self.values else value


def read_mtx_plainly(text: str) -> Elements:
    first, *rest = text.split("\n")
    banner, matrix, layout, field, symmetry = first.removeprefix("\xef\xbb\xbf").rstrip("\r").lower().split()
    assert banner == "%%matrixmarket" and matrix in ("matrix", "tensor")
    assert layout in ("array", "coordinate") and field in _FIELDS
    assert symmetry in ("general", "symmetric", "skew-symmetric", "hermitian")
    assert (layout, field) != ("array", "pattern") and (symmetry, field) != ("skew-symmetric", "pattern")
    sizes, *rows = (words for line in rest if (words := content(line, "%")))
    extents = tuple(size(word) for word in sizes)
    shape = extents if layout == "array" else extents[:-1]
    rank = len(shape)
    assert 1 <= rank and (matrix == "tensor" or rank == 2)
    assert symmetry == "general" or (rank == 2 and shape[0] == shape[1])
    elements = Elements(shape)
    if layout == "array" and symmetry == "general":
        assert math.prod(shape) <= 4 * len(rows) + 4
        places = [place[::-1] for place in itertools.product(*(range(1, extent + 1) for extent in shape[::-1]))]
    elif layout == "array":
        assert shape[0] * shape[1] <= 4 * len(rows) + 4
        skip = 1 if symmetry == "skew-symmetric" else 0
        places = [(i + 1, j + 1) for j in range(shape[1]) for i in range(shape[0]) if i - j >= skip]
    else:
        assert all(len(words) >= rank for words in rows)
        places = [tuple(int(number(word, int)) for word in words[:rank]) for words in rows]
        rows = [words[rank:] for words in rows]
        assert len(places) == extents[-1]
    assert symmetry == "general" or len({i > j for i, j in places if i != j}) < 2
    for place, words in zip(places, rows, strict=True):
        kind = _FIELDS[field]
        parts = [number(word, kind) for word in words] if kind else [1.0]
        assert len(parts) == (2 if kind is complex else 1) and bool(words) == (kind is not None)
        value = complex(*parts) if kind is complex else parts[0]
        elements.add(place, value)
        if symmetry == "general":
            continue
        i, j = place
        if i == j:
            assert symmetry != "skew-symmetric" or value == 0
            assert symmetry != "hermitian" or value.imag == 0
        else:
            elements.add((j, i), {"symmetric": value, "skew-symmetric": -value}.get(symmetry, value.conjugate()))
    return elements


def read_tns_plainly(text: str) -> Elements:
    lines = text.removeprefix("\xef\xbb\xbf").split("\n")
    rows = [words for line in lines if (words := content(line, "#"))]
    before = lines[: next(number for number, line in enumerate(lines) if content(line, "#"))]
    marked = any(line.strip().lower().startswith("# extended frostt format") for line in before)
    try:
        (rank, entries), shape = map(size, rows[0]), tuple(map(size, rows[1]))
        assert rank == len(shape) and (marked or len(rows[2]) == rank + 1)
    except (AssertionError, ValueError, IndexError):
        assert not marked
        rank, entries, shape = len(rows[0]) - 1, len(rows), None
        if len(rows[0]) == 1:
            assert len(rows) > 1
            rank, shape = size(rows[0][0]), tuple(map(size, rows[1]))
            assert rank == len(shape)
            rows, entries = rows[2:], len(rows) - 2
    else:
        rows = rows[2:]
    assert 1 <= rank and entries == len(rows)
    elements = Elements(shape)
    for *coordinate, value in rows:
        assert len(coordinate) == rank
        elements.add(tuple(int(number(word, int)) for word in coordinate), number(value, float))
    if shape is None:
        elements.shape = tuple(max(row) for row in zip(*elements.values, strict=True))
    return elements


def read_plainly(kind: str, text: str) -> Elements | None:
    try:
        return read_mtx_plainly(text) if kind == "mtx" else read_tns_plainly(text)
    except (AssertionError, ValueError, StopIteration):
        return None


def read_or_refuse(path: Path) -> it.Tensor | it.UserError:
    try:
        return it.read(path)
    except it.UserError as error:
        return error


def check_refusal(error: it.UserError, path: Path, text: str) -> None:
    assert error.slug == "bad-file"
    assert error.help
    assert error.location is not None
    assert error.location.file == str(path)
    assert 1 <= error.location.line <= text.count("\n") + 1
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", str(error)), "control characters reach the terminal"


def check_elements(tensor: it.Tensor, expected: Elements) -> None:
    tensor.check()
    assert tensor.shape == expected.shape
    coordinates, values = tensor.to_coo()
    found = dict(zip(map(tuple, (coordinates.T + 1).tolist()), values.tolist(), strict=True))
    for coordinate in {*found, *expected.values}:
        np.testing.assert_array_equal(found.get(coordinate, 0), expected.values.get(coordinate, 0))


@pytest.mark.parametrize(
    "kind, seeds, count", [("mtx", _MTX, few_or_many(700, 1400)), ("tns", _TNS, few_or_many(400, 800))]
)
@pytest.mark.filterwarnings("error")
def test_a_changed_file_is_read_rightly_or_refused_at_its_line(tmp_path: Path, monkeypatch, kind, seeds, count):
    rng = random.Random(0)
    path = tmp_path / f"tensor.{kind}"
    seen = Counter()
    for number in range(count):
        # The first files as short as these are read by NumPy, and every second one by compiled code nonetheless.
        monkeypatch.setattr("irtensor.io.plain_numbers._read_by_numpy", (1 << 62) if number % 2 else -(1 << 62))
        text = changed(rng.choice(seeds), rng)
        path.write_bytes(text.encode("latin-1"))
        expected = read_plainly(kind, text)
        result = read_or_refuse(path)
        assert isinstance(result, it.UserError) == (expected is None), (text, str(result))
        if isinstance(result, it.UserError):
            check_refusal(result, path, text)
        else:
            assert expected is not None
            check_elements(result, expected)
        seen[expected is None] += 1
    # Changes that only ever break a file, or never do, would test little.
    assert min(seen.values()) > count / 10, seen


def random_matrix(rng: np.random.Generator, field: str, symmetry: str) -> np.ndarray:
    # SciPy's reader divides by the number of rows.
    rows, columns = rng.integers(1, 7, 2)
    shape = (rows, columns if symmetry == "general" else rows)
    values = (
        rng.integers(-9, 9, shape) if field == "integer" else rng.normal(size=shape) * 10.0 ** rng.integers(-20, 20)
    )
    matrix = values * (rng.random(shape) < rng.random())
    if field == "complex":
        matrix = matrix + 1j * rng.normal(size=shape)
    other = {"general": 0, "symmetric": matrix.T, "skew-symmetric": -matrix.T, "hermitian": matrix.conj().T}[symmetry]
    return matrix + other


@pytest.mark.one_in(3)
@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric", "hermitian"])
@pytest.mark.parametrize("field", ["real", "integer", "complex", "pattern"])
@pytest.mark.filterwarnings("error")
def test_scipy_and_irtensor_read_each_other(tmp_path: Path, field: Any, symmetry: Any):
    if (symmetry == "hermitian" and field != "complex") or (symmetry == "skew-symmetric" and field == "pattern"):
        pytest.skip("not in the format")
    rng = np.random.default_rng(0)
    theirs, ours = tmp_path / "theirs.mtx", tmp_path / "ours.mtx"
    for trial in range(20):
        matrix = random_matrix(rng, field, symmetry)
        if field == "pattern":
            matrix = (matrix != 0).astype(np.float64)
        dense = field != "pattern" and trial % 4 == 0
        written = matrix if dense else sp.coo_array(matrix)
        scipy.io.mmwrite(theirs, written, "% note\nmore", field=field, symmetry=symmetry, precision=17)
        tensor = it.read(theirs)
        tensor.check()
        assert tensor.format.is_dense == dense
        expected: Any = scipy.io.mmread(theirs)
        np.testing.assert_array_equal(tensor.to_numpy(), expected if dense else expected.toarray())
        np.testing.assert_array_equal(tensor.to_numpy(), matrix)
        it.write(ours, tensor)
        back: Any = scipy.io.mmread(ours)
        np.testing.assert_array_equal(back if dense else back.toarray(), matrix)
        np.testing.assert_array_equal(it.read(ours).to_numpy(), matrix)


@pytest.mark.parametrize("seed", range(5))
def test_tns_files_of_any_rank_read_back(tmp_path: Path, seed: int):
    rng = np.random.default_rng(seed)
    path = tmp_path / "tensor.tns"
    for rank in (1, 2, 3, 5, 64):
        shape = tuple(int(extent) for extent in rng.choice([1, 3, 1000, 2**40, 2**63 - 1], rank))
        coordinates = [rng.integers(0, extent, 6, endpoint=False) for extent in shape]
        tensor = it.Tensor.from_coo(coordinates, rng.normal(size=6), shape=shape)
        it.write(path, tensor)
        check_elements(tensor, read_tns_plainly(path.read_text()))
        check_elements(it.read(path), read_tns_plainly(path.read_text()))


@pytest.mark.parametrize("name, text", [("m.mtx", _MTX[2]), ("t.tns", _TNS[1])])
def test_a_compressed_file_is_damaged_anywhere(tmp_path: Path, name: str, text: str):
    path = tmp_path / f"{name}.gz"
    whole = gzip.compress(text.encode(), mtime=0)
    path.write_bytes(whole)
    expected = it.read(path).to_numpy()
    rng = random.Random(0)
    for at in range(1, len(whole)):
        flipped = whole[:at] + bytes([whole[at] ^ (1 << rng.randrange(8))]) + whole[at + 1 :]
        for damaged in (whole[:at], flipped):
            path.write_bytes(damaged)
            result = read_or_refuse(path)
            if isinstance(result, it.UserError):
                check_refusal(result, path, text + "\n")
            else:
                # Some bits of the header hold the time and the name of the file.
                np.testing.assert_array_equal(result.to_numpy(), expected)


@pytest.mark.parametrize("size", ["999999999", "999999999999999999", "9223372036854775807", "9" * 5000])
def test_huge_sizes_take_no_memory(tmp_path: Path, size: str):
    banner = _BANNER + "coordinate real general\n"
    headers = [banner + f"{size} 3 1\n", banner + f"3 {size} 1\n", banner + f"3 3 {size}\n", banner + 3 * f"{size} "]
    for layout in ("real general", "complex symmetric", "integer skew-symmetric"):
        headers += [f"{_BANNER}array {layout}\n{sizes}\n" for sizes in (f"{size} {size}", f"{size} 0", f"0 {size}")]
    extended = "# extended FROSTT format\n"
    headers += [f"{extended}2 {size}\n3 3\n", f"{extended}2 1\n{size} {size}\n", f"{extended}{size} 1\n3 3\n"]
    for header in headers:
        path = tmp_path / ("m.mtx" if header.startswith(_BANNER) else "t.tns")
        for text in (header, f"{header}1 1 1\n"):
            path.write_text(text)
            tracemalloc.start()
            result = read_or_refuse(path)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 2**26, (text[:100], str(result)[:200])
            if not isinstance(result, it.UserError):
                result.check()
                assert result.nnz <= 1
            else:
                assert result.location is not None
