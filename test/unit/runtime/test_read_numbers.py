"""Numbers in plain text, read by compiled code, against Python's own reading."""

import random
import struct

import numpy as np
import pytest

from irtensor.runtime.read_numbers import read_table


def reals(text: str) -> list[float] | None:
    table = read_table(text.encode(), 0, 1)
    return None if table is None else table.view(np.float64)[0].tolist()


def random_reals(rng: random.Random) -> str:
    digits = rng.randrange(10 ** rng.randrange(1, 19))
    bits = struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0]
    # Between two doubles, which are even and odd.
    half = 2 * rng.randrange(1 << 52, 1 << 53) + 1
    power = rng.randrange(0, 4)
    choices = (
        repr(bits),
        repr(rng.random()),
        f"{rng.gauss(0, 1):.{rng.randrange(18)}e}",
        f"{digits}e{rng.randrange(-320, 300)}",
        f"{half * 5**power}e-{power}",
        f"{half << rng.randrange(4)}",
        f"{half}e{rng.randrange(1, 5)}",
        f"{rng.randrange(10**6)}.{rng.randrange(10**6):0{rng.randrange(1, 9)}}",
    )
    return rng.choice(choices)


def test_reals_are_rounded_as_python_rounds_them():
    rng = random.Random(0)
    texts = [random_reals(rng) for _ in range(20_000)]
    found = [(text, value) for text in texts if (value := reals(text)) is not None]
    assert len(found) > 0.95 * len(texts)
    for text, value in found:
        assert struct.pack("d", value[0]) == struct.pack("d", float(text)), text


PLAIN = {
    **{"0": 0.0, "-0": -0.0, "-0.0e99999": -0.0, "+1.": 1.0, ".5": 0.5, "-.5E+1": -5.0, "007": 7.0, "1\r": 1.0},
    **{"9007199254740993": 2.0**53, "9007199254740995": 2.0**53 + 4, "1e22": 1e22, "1e23": 1e23},
    **{"0.00000000000000000000001234567890123456789": 1.234567890123456789e-23, "2.2250738585072014e-308": 2.0**-1022},
}
NOT_PLAIN = [
    *("1.7976931348623157e308", "1e309", "5e-324", "12345678901234567890", "1e100000", "nan", "inf", "1d5", "0x1"),
    *("1e", "1e+", ".", "-", "e5", "--1", "1_0", "1.5.5", "1,5", "1-2", "1e5e5", "1 2", "1x", "1\0", "1\r2", "% c"),
]


@pytest.mark.parametrize("text, value", [*PLAIN.items(), *((text, None) for text in NOT_PLAIN)])
def test_what_is_plain(text: str, value: float | None):
    found = reals(text)
    assert found == (None if value is None else [value])
    if value is not None:
        assert np.signbit(found[0]) == np.signbit(value)


def test_lines_of_integers_and_reals():
    text = b"  1 -2\t3.5\r\n\n \t\n\r\n4  5 6 \n999999999999999999 0 -1e3"
    table = read_table(text, 2, 3)
    assert table is not None
    assert table[:2].tolist() == [[1, 4, 999999999999999999], [-2, 5, 0]]
    assert table[2].view(np.float64).tolist() == [3.5, 6.0, -1000.0]
    for damage in (
        b"1 2\n",
        b"1 2 3 4\n",
        b"1.0 2 3\n",
        b"1 2e1 3\n",
        b"1000000000000000000 2 3\n",
        b"1 2 3 # c\n",
        b"1 -3\n",
    ):
        assert read_table(text + b"\n" + damage, 2, 3) is None
    empty = read_table(b"", 2, 3)
    assert empty is not None and empty.shape == (3, 0)


def test_nothing_behind_a_text_is_read():
    rng = random.Random(0)
    line = b"12 7 -1.5e-7\r\n"
    for _ in range(3000):
        damaged = bytearray(3 * line)
        for _ in range(rng.randrange(3)):
            damaged[rng.randrange(len(damaged))] = rng.choice(b"0123456789.eE+- \t\r\n\0\xff")
        text = bytes(damaged[: rng.randrange(len(damaged) + 1)])
        table = read_table(text, 2, 3)
        lines = [line.split() for line in text.split(b"\n") if line.strip()]
        if table is not None:
            assert [[int(one), int(two), float(three)] for one, two, three in lines] == [
                [*row[:2].tolist(), row[2:].view(np.float64)[0]] for row in np.ascontiguousarray(table.T)
            ]
