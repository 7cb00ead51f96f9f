"""Tables of numbers, damaged in any way, are to SciPy's parser behind its check what they are to NumPy's.

Regular expressions for the words of each line are the second opinion on the check.
"""

import random
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from irtensor.dialects.diagnostics import UserError
from irtensor.io import plain_numbers
from irtensor.io.number_lines import Block, LineLayout, NumberFile
from irtensor.io.plain_numbers import count_plain_lines, read_plain

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
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INTEGER = re.compile(r"-?\d+")
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
            rows, values = Block(file, layout, 1, text.encode("latin-1")).columns()
        except UserError as error:
            return str(error)
        return [array.tobytes() for array in (*rows, values) if array is not None]


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
        monkeypatch.setattr(plain_numbers, "_FEW_TO_CALL", 1 << 62)
        expected = outcome(path, layout, text)
        monkeypatch.setattr(plain_numbers, "_FEW_TO_CALL", 0)
        monkeypatch.setattr(plain_numbers, "_FEW_TO_LOAD", 0)
        assert outcome(path, layout, text) == expected, text
        fast = read_plain(text.encode("latin-1"), layout.integers, layout.part, layout.parts) is not None
        seen["fast" if fast else "error" if isinstance(expected, str) else "slow"] += 1
    assert seen["fast"] > 50 and seen["error"] > 20, seen


@pytest.mark.parametrize("integers, value", _LAYOUTS)
def test_plain_lines_are_those_of_whole_numbers(integers: int, value: type | None):
    rng = random.Random(integers)
    layout = layout_of(integers, value)
    whole = layout.integers + layout.parts * (layout.part.kind == "i")
    seen = Counter()
    for _ in range(600):
        text = damaged(random_table(rng, layout, rng.randrange(1, 6)), rng)
        text = text if text.endswith("\n") else text + "\n"
        lines = [line.split(" ") for line in text[:-1].split("\n")]
        plain = all(
            len(words) == layout.width
            and all((_INTEGER if at < whole else _NUMBER).fullmatch(word) for at, word in enumerate(words))
            for words in lines
        )
        found = count_plain_lines(text.encode(), layout.width, whole)
        if plain:
            assert found == len(lines), text
        elif found is not None:
            # What lacks its digits is left to the parser, which refuses it.
            kinds = [(_INTEGER if at < whole else _NUMBER, word) for words in lines for at, word in enumerate(words)]
            assert all(kind.fullmatch(word) or not re.search(r"^-?\.?\d", word) for kind, word in kinds), text
        seen[found is not None] += 1
    assert min(seen.values()) > 100, seen


def test_checks_in_pieces_see_across_their_ends(monkeypatch):
    for text in (
        b"1 2 3e-5\n1 2 -3.5\n",
        b"1 2 3-5\n",
        b"1 2 3e\n",
        b"1 2 3e-\n",
        b"1 2 +3\n",
        b"1 2 e5\n",
        b"1 2 -e5\n",
    ):
        monkeypatch.setattr(plain_numbers, "_PIECE", 1 << 17)
        expected = count_plain_lines(text, 3, 2)
        for size in range(1, len(text) + 1):
            monkeypatch.setattr(plain_numbers, "_PIECE", size)
            assert count_plain_lines(text, 3, 2) == expected
        assert expected == (2 if b"1 2 -3.5" in text else None)


def test_usual_spellings_are_plain(monkeypatch):
    monkeypatch.setattr(plain_numbers, "_FEW_TO_CALL", 0)
    monkeypatch.setattr(plain_numbers, "_FEW_TO_LOAD", 0)
    for text in (
        b"1 2 1.5\n3 4 -2e-1\n",
        b"  1\t2   1.5D0 \r\n\r\n 3 4  -2d-01",
        b"\n\n1 2 1.5\n3 4 -.2\n",
    ):
        plain = read_plain(text, 2, np.dtype(np.float64), 1)
        assert plain is not None
        (rows, columns), (values,) = plain
        assert [*rows, *columns, *values] == [1, 3, 2, 4, 1.5, -0.2]


def test_without_scipy_numpy_reads_all(tmp_path: Path, monkeypatch):
    layout = layout_of(2, np.float64)
    path = tmp_path / "file"
    path.touch()
    monkeypatch.setattr(plain_numbers, "_FEW_TO_CALL", 0)
    text = "1 2 1.5\n3 4 -2e-1\n"
    expected = outcome(path, layout, text)
    monkeypatch.setitem(sys.modules, "scipy.io", None)
    assert read_plain(text.encode(), 2, np.dtype(np.float64), 1) is None
    assert outcome(path, layout, text) == expected
