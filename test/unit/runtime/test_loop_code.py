"""Texts of loops in irtensor/runtime/loops and passes/llvm/loops: what they say, interpreted, against NumPy."""

from pathlib import Path

import numpy as np
import pytest
from loop_machine import parse
from reference.interpret_loop import interpret_loop
from reference.loop_memory import Growable

import irtensor
from irtensor.core.text_files import text_of_file
from irtensor.runtime import radix_sort
from irtensor.runtime.loop_code import code_of_loops
from irtensor.runtime.loop_text import text_of_loops

FOLDER = Path(irtensor.__file__).parent / "runtime" / "loops"
REFUSED = 2


def index(number: int) -> np.int64:
    return np.int64(number)


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize(("entries", "extent"), [(0, 0), (0, 3), (1, 1), (60, 7), (60, 200)])
def test_positions_of_keys(size: int, entries: int, extent: int):
    rng = np.random.default_rng(entries + extent)
    keys = rng.integers(0, max(extent, 1), entries).astype(f"i{size}")
    module = parse(text_of_loops("counting_sort", key=size))
    counts, ends, positions = np.zeros(extent, "i8"), np.full(extent + 1, -7, "i8"), np.full(entries, -7, "i4")
    arguments = [keys, counts, ends, positions, index(entries), index(extent)]
    assert interpret_loop(module, "sort", arguments) == 0
    np.testing.assert_array_equal(np.argsort(positions), np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(counts, np.bincount(keys, minlength=extent))
    if entries:
        for wrong in (-1, extent):
            keys[rng.integers(entries)] = wrong
            assert interpret_loop(module, "sort", arguments) == REFUSED


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "c16"])
def test_elements_are_put_in_order(dtype: str):
    rng = np.random.default_rng(0)
    positions, elements = rng.permutation(40).astype("i4"), rng.integers(0, 100, 40).astype(dtype)
    moved = np.zeros_like(elements)
    module = parse(text_of_loops("put_in_order", element=elements.itemsize))
    assert interpret_loop(module, "put", [elements, positions, moved, index(40)]) == 0
    np.testing.assert_array_equal(moved[positions], elements)


@pytest.mark.parametrize("dtype", ["i1", "c16"])
@pytest.mark.parametrize(("first", "last"), [(0, 70), (12, 50), (9, 9)])
@pytest.mark.parametrize(("shift", "bits"), [(0, 1), (0, 4), (3, 5), (58, 5)])
def test_words_are_moved_by_a_digit(dtype: str, first: int, last: int, shift: int, bits: int):
    rng = np.random.default_rng(bits)
    words, moved = rng.integers(0, 2**63, 70), np.arange(70).astype(dtype)
    mask = (1 << bits) - 1
    to, followed, counts = np.full_like(words, -7), np.zeros_like(moved), np.full(mask + 2, -7, "i8")
    module = parse(text_of_loops("radix_sort", element=moved.itemsize))
    numbers = [index(first), index(last), np.int64(shift), np.int64(mask)]
    assert interpret_loop(module, "move", [words, moved, to, followed, *numbers, counts]) == 0
    part, digits = slice(first, last), (words[first:last] >> shift) & mask
    order = first + np.argsort(digits, kind="stable")
    np.testing.assert_array_equal(to[part], words[order])
    np.testing.assert_array_equal(followed[part], moved[order])
    assert (to[:first] == -7).all() and (to[last:] == -7).all()
    np.testing.assert_array_equal(counts[:-1], first + np.cumsum(np.bincount(digits, minlength=mask + 1)))


@pytest.mark.parametrize(("bits", "pairs"), [(3, 1), (2, 2)])
def test_parts_are_sorted_each_by_itself(bits: int, pairs: int):
    rng = np.random.default_rng(bits)
    ends = np.array([0, 1, 30, 30, 70])
    words, moved = rng.integers(0, 2 ** (2 + 2 * bits * pairs), 70), np.arange(70)
    sorted_words, followed = words.copy(), moved.copy()
    module = parse(text_of_loops("radix_sort", element=8))
    scratch = np.zeros_like(words), np.zeros_like(moved), ends.copy()
    numbers = [index(5), np.int64(2), np.int64(bits), index(pairs)]
    arguments = [sorted_words, followed, *scratch, *numbers, np.zeros((1 << bits) + 1, "i8")]
    assert interpret_loop(module, "sort_parts", arguments) == 0
    parts = zip([0, *ends[:-1]], ends, strict=True)
    order = np.concatenate([begin + np.argsort(words[begin:end] >> 2, kind="stable") for begin, end in parts])
    np.testing.assert_array_equal(sorted_words, words[order])
    np.testing.assert_array_equal(followed, moved[order])


def test_many_words_are_sorted_by_parts(monkeypatch: pytest.MonkeyPatch):
    """Those that most parts have few entries of; where one part has most of them, digit by digit."""
    rng = np.random.default_rng(0)
    by_parts = []
    sort = radix_sort._sort_by_parts
    monkeypatch.setattr(radix_sort, "_MANY", 1000)
    monkeypatch.setattr(radix_sort, "_sort_by_parts", lambda *asked: by_parts.append(asked) or sort(*asked))
    for bits, is_even in ((31, True), (45, True), (62, True), (45, False)):
        words, moved = rng.integers(0, 1 << bits, 5000), rng.random(5000)
        words = words if is_even else words & ~(((1 << 10) - 1) << 35)
        for first in (0, 3):
            by_parts.clear()
            found, followed = radix_sort.sort_words(words, moved, first, bits)
            order = np.argsort(words >> first, kind="stable")
            np.testing.assert_array_equal(found, words[order])
            np.testing.assert_array_equal(followed, moved[order])
            assert bool(by_parts) is is_even


@pytest.mark.parametrize("position", [4, 8])
@pytest.mark.parametrize("coordinate", [4, 8])
def test_segments_are_transposed(position: int, coordinate: int):
    rng = np.random.default_rng(position + coordinate)
    dense = rng.integers(1, 100, (6, 9)) * (rng.random((6, 9)) < 0.4)
    rows, columns = np.nonzero(dense)
    positions = np.searchsorted(rows, np.arange(7)).astype(f"i{position}")
    coordinates, values = columns.astype(f"i{coordinate}"), dense[rows, columns].astype("i2")
    count, ends = values.size, np.zeros(11, positions.dtype)
    numbers, moved = np.zeros_like(coordinates), np.zeros_like(values)
    text = text_of_loops("transpose_segments", position=position, coordinate=coordinate, element=2)
    module = parse(text)

    def call(name: str, *arguments: object) -> int:
        return interpret_loop(module, name, [index(one) if isinstance(one, int) else one for one in arguments])

    assert call("check", positions, 6, count) == 0
    assert call("check", positions, 6, count + 1) == call("check", positions[1:], 5, count) == REFUSED
    assert call("check", positions[[0, 3, 2, 6]], 3, count) == REFUSED
    for first, last in ((0, 5), (5, count)):
        assert call("count", coordinates, ends.copy(), int(columns.max()), first, count) == REFUSED
        assert call("count", coordinates, ends, 9, first, last) == 0
    assert call("sum", ends, 9) == 0
    for first, last in ((0, 2), (2, 2), (2, 6)):
        assert call("move", positions, coordinates, values, ends, numbers, moved, first, last) == 0
    to, where = np.nonzero(dense.T)
    np.testing.assert_array_equal(ends[:10], np.searchsorted(to, np.arange(10)))
    np.testing.assert_array_equal(numbers, where)
    np.testing.assert_array_equal(moved, dense.T[to, where])


def table_of(pairs: np.ndarray, table: np.ndarray) -> dict[int, int]:
    """The pairs that cells hold, by their cells."""
    return {int(cell): int(table[cell] & (1 << 48) - 1) - 1 for cell in np.flatnonzero(table)}


def test_cells_of_pairs_are_taken_and_freed():
    rng = np.random.default_rng(0)
    pairs = np.unique(rng.integers(0, 40, (50, 2)), axis=0)
    module = parse(text_of_file("loops/maps.mlir", "irtensor.passes.llvm"))
    table, number = Growable("i8"), np.zeros(1, "i8")
    for cells in (64, 128):
        arguments = [table, number, pairs.ravel(), index(len(pairs))]
        assert interpret_loop(module, "irtensor.map.widen", arguments) == 0
        assert number[0] == cells
        memory = table.storage[:cells]
        assert sorted(table_of(pairs, memory).values()) == [*range(len(pairs))]
        arguments = [memory, index(cells), pairs.ravel(), index(len(pairs)), np.bool_(True)]
        assert interpret_loop(module, "irtensor.map.change", arguments) == 0
        assert not memory.any()
    full = Growable("i8", limit=64)
    assert interpret_loop(module, "irtensor.map.widen", [full, number, pairs.ravel(), index(len(pairs))]) == 1
    assert number[0] == 128


@pytest.mark.one_in(5)
@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("digit_bits", [2, 4])
@pytest.mark.parametrize("extent", [1, 9, 5000, 2**62])
@pytest.mark.parametrize(("parents", "count"), [(0, 0), (1, 0), (4, 0), (1, 30), (5, 30), (1, 60), (5, 60), (5, 90)])
def test_pairs_are_listed(parents: int, count: int, extent: int, digit_bits: int, ordered: bool):
    rng = np.random.default_rng(count)
    # The first parents have none.
    pairs = np.stack([rng.integers(parents // 3, max(parents, 1), count), rng.integers(0, extent, count)], axis=1)
    module = parse(text_of_file("loops/maps.mlir", "irtensor.passes.llvm"))
    by_parent = [pairs[np.lexsort((sign * pairs[:, 1], pairs[:, 0]))] for sign in (1, -1)]
    for inserted in (pairs, *by_parent):
        positions = np.full(parents + 1, -1, "i8")
        lists = [np.full(max(count, 1), -1, "i8") for _ in range(4)]
        counts = np.full(1 << digit_bits, -1, "i8")
        arguments = [inserted.ravel(), index(count), index(parents), positions, *lists, counts, index(digit_bits)]
        assert interpret_loop(module, "irtensor.map.list", [*arguments, np.bool_(ordered)]) == 0
        keys = (inserted[:, 1], inserted[:, 0]) if ordered else (inserted[:, 0],)
        order = np.lexsort(keys)
        np.testing.assert_array_equal(positions, np.searchsorted(inserted[order, 0], np.arange(parents + 1)))
        np.testing.assert_array_equal(lists[0][:count], inserted[order, 1])
        np.testing.assert_array_equal(lists[1][:count], order)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.mlir")), ids=lambda path: path.stem)
def test_texts_are_compiled_as_they_are(path: Path):
    """The types that a text begins with are some that it is compiled for; a lit test shows what it becomes."""
    assert text_of_loops(path.stem) == path.read_text(encoding="utf-8")
    assert code_of_loops(path.stem).address
    assert (Path(__file__).parents[2] / "runtime" / f"{path.stem.replace('_', '-')}.mlir").exists()


def test_types_that_a_text_does_not_have():
    with pytest.raises(AssertionError, match=r"radix_sort\.mlir has no type !key"):
        text_of_loops("radix_sort", key=4)
