"""Tables of numbers, damaged in any way, are to compiled code what they are to NumPy's parser.

Regular expressions for the words of each line are the second opinion on what it takes. Python's float is that on bits.
"""

import ctypes
import mmap
import random
import re
import struct
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sampling import few_or_many

from irtensor.core.diagnostics import UserError
from irtensor.io import plain_numbers
from irtensor.io.number_lines import Block, LineLayout, NumberFile
from irtensor.io.plain_numbers import read_plain
from irtensor.runtime import number_table
from irtensor.runtime.number_table import read_number_table
from irtensor.runtime.powers_of_five import powers_of_five

_LAYOUTS = [
    (2, np.float64),
    (2, np.int64),
    (2, np.complex128),
    (2, None),
    (0, np.float64),
    (0, np.complex128),
    (0, np.int64),
    (1, np.float64),
    (3, np.float64),
    (4, np.int64),
]
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eEdD][+-]?[0-9]+)?")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_COMMENT = re.compile(r"(^|[ \t])#.*")
_PIECES = [
    *"0123456789+-.eEdD \n\t",
    "\r\n",
    "  ",
    "\n\n",
    "1.5.5",
    "e5",
    "-",
    "--1",
    "1e",
    "e+",
    " \n",
    "nan",
    "# c",
    " # c\n",
    "\t# 1 2\r\n",
    "\t",
    "\r",
    "\x0b",
    "\xa0",
    "+5",
    "x",
    *("9007199254740993", "9223372036854775807", "9223372036854775808", "1e999", "-.5", "5.", "00", "-0", "1_0"),
]


def layout_of(integers: int, value: type | None) -> LineLayout:
    return LineLayout(integers, None if value is None else np.dtype(value), "numbers")


def random_number(rng: random.Random) -> str:
    value = rng.choice((rng.random(), rng.gauss(0, 1e5), rng.gauss(0, 1e-300), rng.randrange(-99, 99)))
    return rng.choice(("{!r}", "{:.3e}", "{:.16E}", "{:g}", "{:.2f}")).format(value)


def random_table(rng: random.Random, layout: LineLayout, lines: int) -> str:
    whole = layout.part.kind == "i"
    rows = [
        [str(rng.choice((1, 9, rng.randrange(10**6)))) for _ in range(layout.integers)]
        + [str(rng.randrange(-(10**6), 10**18)) if whole else random_number(rng) for _ in range(layout.parts)]
        for _ in range(lines)
    ]
    return "".join(" ".join(row) + "\n" for row in rows)


def damaged(text: str, rng: random.Random) -> str:
    for _ in range(rng.choice((0, 1, 1, 2))):
        at = rng.randrange(len(text))
        end = at + rng.choice((0, 0, 1, 2))
        text = text[:at] + rng.choice(("", *_PIECES)) + text[end:]
    return text


def outcome(path: Path, layout: LineLayout, text: str) -> str | list[bytes]:
    with NumberFile(str(path), "#") as file:
        try:
            rows, values = Block(file, layout, 1, text.encode("latin-1"), text.count("\n") + 1).columns()
        except UserError as error:
            return str(error)
        return [array.tobytes() for array in (*rows, values) if array is not None]


def read_by_code(text: str, layout: LineLayout) -> list[np.ndarray] | None:
    """The columns, where compiled code takes the text."""
    lines = text.count("\n") + 1
    plain = read_plain(text.encode("latin-1"), lines, layout.integers, layout.part, layout.parts, "#")
    return None if plain is None else [*plain[0], *plain[1]]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("integers, value", _LAYOUTS)
@pytest.mark.filterwarnings("error")
def test_damaged_tables_are_the_same_to_both_parsers(tmp_path: Path, monkeypatch, integers: int, value: type | None):
    rng = random.Random(integers)
    layout = layout_of(integers, value)
    path = tmp_path / "file"
    path.touch()
    seen = Counter()
    for _ in range(200):
        text = damaged(random_table(rng, layout, rng.randrange(1, 6)), rng)
        monkeypatch.setattr(plain_numbers, "_read_by_numpy", -(1 << 62))
        expected = outcome(path, layout, text)
        monkeypatch.setattr(plain_numbers, "_read_by_numpy", 1 << 62)
        assert outcome(path, layout, text) == expected, text
        fast = read_by_code(text, layout) is not None
        seen["fast" if fast else "error" if isinstance(expected, str) else "slow"] += 1
    assert seen["fast"] > 50 and seen["error"] > 20, seen


@pytest.mark.parametrize("integers, value", _LAYOUTS)
def test_plain_lines_are_those_of_whole_numbers(monkeypatch, integers: int, value: type | None):
    monkeypatch.setattr(plain_numbers, "_read_by_numpy", 1 << 62)
    rng = random.Random(integers)
    layout = layout_of(integers, value)
    whole = layout.integers + layout.parts * (layout.part.kind == "i")
    seen = Counter()
    for _ in range(600):
        text = damaged(random_table(rng, layout, rng.randrange(1, 6)), rng)
        contents = [_COMMENT.sub("", line).strip(" \t") for line in text.replace("\r\n", "\n").split("\n")]
        lines = [re.split(r"[ \t]+", content) for content in contents if content]
        plain = all(
            len(words) == layout.width
            and all((_INTEGER if at < whole else _NUMBER).fullmatch(word) for at, word in enumerate(words))
            and all(-(2**63) <= int(word) < 2**63 for word in words[:whole])
            for words in lines
        )
        found = read_by_code(text, layout)
        assert (found is not None) == plain, text
        if found is not None:
            for number, column in enumerate(found):
                words = [line[number] for line in lines]
                read = [int(word) if number < whole else float(re.sub("[dD]", "e", word)) for word in words]
                assert column.tobytes() == np.array(read, column.dtype).tobytes(), text
        seen[plain] += 1
    assert min(seen.values()) > 100, seen


def awkward_number(rng: random.Random) -> str:
    """A number of many digits, near the ends of the range, halfway between two, or spelled with zeros."""
    way = rng.randrange(7)
    if way == 0:
        bits = rng.getrandbits(64) & ~(1 << 62)
        return repr(struct.unpack("d", struct.pack("Q", bits))[0])
    if way == 1:
        return f"{rng.random() * 10.0 ** rng.randrange(-310, 308):.{rng.randrange(20)}e}"
    if way == 2:
        return f"{rng.getrandbits(rng.randrange(1, 70))}e{rng.randrange(-345, 310)}"
    if way == 3:
        return f"{rng.gauss(0, 10.0 ** rng.randrange(15)):.{rng.randrange(24)}f}"
    if way == 4:
        odd = 2 * (rng.getrandbits(53) | 1 << 52) + 1
        return f"{odd << rng.randrange(10)}." if rng.random() < 0.5 else f"{odd / 2**55:.60f}".rstrip("0")
    if way == 5:
        return f"{'0' * rng.randrange(30)}.{'0' * rng.randrange(30)}{rng.getrandbits(60)}"
    edges = "0 -0 -0.0 1E999999 1e-999999 0e99999999 4.9e-324 2.4e-324 2.2250738585072014e-308 2.2250738585072011e-308"
    return rng.choice([*edges.split(), "1.7976931348623157e308", "1.7976931348623159e308", "9007199254740993"])


def test_floats_are_those_of_python_to_the_bit():
    rng = random.Random(5)
    for _ in range(few_or_many(20, 1000)):
        words = [awkward_number(rng) for _ in range(500)]
        columns = read_number_table("\n".join(words).encode(), len(words), [np.dtype(np.float64)], "#")
        assert columns is not None
        expected = np.array([float(word) for word in words])
        differs = np.flatnonzero(columns[0].view(np.int64) != expected.view(np.int64))
        assert not differs.size, [words[at] for at in differs[:5]]


@pytest.mark.parametrize("most", [1, 2, 7])
def test_numbers_left_to_python_are_read_piece_by_piece(monkeypatch, most: int):
    monkeypatch.setattr(number_table, "_MOST_HARD", most)
    words = ["1.5", "1." + "0" * 20, "-" + "3" * 22, "2"]
    rows = [(at + 1, at % 3 * 10**18 + 10**17, words[at % 4], words[at % 3]) for at in range(50)]
    text = "".join(f"{a} {b} {c} {d}\n" for a, b, c, d in rows)
    whole, real = np.dtype(np.int64), np.dtype(np.float64)
    columns = read_number_table(text.encode(), len(rows), [whole, whole, real, real], "#")
    assert columns is not None
    assert list(zip(*map(np.ndarray.tolist, columns), strict=True)) == [
        (a, b, float(c), float(d)) for a, b, c, d in rows
    ]


def test_no_byte_behind_the_text_is_read():
    page = mmap.PAGESIZE
    pages = mmap.mmap(-1, 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + page), ctypes.c_size_t(page), 0) == 0
    column, hard, state = np.zeros(4, np.int64), np.zeros(64, np.int64), np.zeros(2, np.int64)
    columns, powers = np.array([column.ctypes.data] * 2, np.uint64), powers_of_five()
    addresses = [array.ctypes.data for array in (columns, powers, hard)]
    text = b"12 -12345678901234567.25e-17\n# c\n3\t.00012E5 \r\n"
    for whole in (0, 1):
        for size in range(len(text) + 1):
            state[:] = 0
            pages[page - size : page] = text[:size]
            arguments = (start + page - size, size, 4, whole, 2, ord("#"), *addresses, 8, state.ctypes.data)
            lines = number_table._parse()(*arguments)
            assert lines == read_lines(text[:size], whole)


def read_lines(text: bytes, whole: int) -> int:
    """How many lines compiled code finds in a text that other memory follows; -1 where it refuses it."""
    dtypes = [np.dtype(np.int64)] * whole + [np.dtype(np.float64)] * (2 - whole)
    columns = read_number_table(text, 4, dtypes, "#")
    return -1 if columns is None else columns[0].size


def test_usual_spellings_are_plain(monkeypatch):
    monkeypatch.setattr(plain_numbers, "_read_by_numpy", 1 << 62)
    for text in (
        "1 2 1.5\n3 4 -2e-1\n",
        "  1\t2   1.5D0 \r\n\r\n 3 4  -2d-01",
        "\n\n1 2 1.5\n3 4 -.2\n",
        "# first\n1 2 1.5 # half\n  # more\n3 4 -.2\n",
    ):
        plain = read_by_code(text, layout_of(2, np.float64))
        assert plain is not None
        rows, columns, values = plain
        assert [*rows, *columns, *values] == [1, 3, 2, 4, 1.5, -0.2]


@pytest.mark.parametrize(("llvm", "most"), [(True, 40), (False, 200)])
def test_code_is_loaded_when_numpy_has_read_enough(monkeypatch, llvm, most):
    """Later where LLVM would have to be loaded for it."""
    monkeypatch.setattr(plain_numbers, "_read_by_numpy", 0)
    monkeypatch.setattr(plain_numbers, "_has_llvm", lambda: llvm)
    layout, text = layout_of(2, np.float64), "1 2 1.5\n" * 1000
    tries = [read_by_code(text, layout) is not None for _ in range(most)]
    assert not tries[0] and tries[-1] and sorted(tries) == tries
    assert llvm or not any(tries[:40])
