"""Conversions between all formats against NumPy: pairs of named formats, and random formats of ranks 0 to 4."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irtensor.core.diagnostics import UserError
from irtensor.core.level_format import LevelFormat
from irtensor.core.storage_levels import Level, LevelExpression
from irtensor.core.tensor_format import TensorFormat
from irtensor.named_formats import BCSC, BCSR, COO, CSB, CSC, CSF, CSR, DCSC, DCSR, DIA, ELL, Dense, ModeGeneric
from irtensor.storage import convert_format, sort_coordinates, unpack_coordinates
from irtensor.storage.sort_coordinates import is_sorted, sorted_order
from irtensor.tensors.tensor import Tensor

MATRIX_FORMATS = [
    CSR,
    CSC,
    DCSR,
    DCSC,
    COO(2),
    BCSR(2, 3),
    BCSC(3, 2),
    BCSR(4, 5),
    BCSR(1, 1),
    Dense(2),
    Dense(2, [1, 0]),
    ModeGeneric(2, 1),
    TensorFormat.parse("compressed(nonunique, nonordered), singleton(nonunique)"),
    TensorFormat.parse("dense, compressed(nonunique)"),
    TensorFormat.parse("compressed(nonunique), compressed"),
    TensorFormat.parse("(i, j) -> (j : compressed(nonunique), i : singleton)"),
    TensorFormat.parse("(i, j) -> (i floordiv 2 : compressed(nonunique), j : singleton, i mod 2 : dense)"),
    TensorFormat.parse(
        "(i, j) -> (i floordiv 2 : dense, j floordiv 2 : dense,"
        " i mod 2 : compressed(nonunique, nonordered), j mod 2 : singleton)"
    ),
    TensorFormat.parse("(i, j) -> (i floordiv 3 : dense, j : dense, i mod 3 : dense), pos = i32"),
    TensorFormat.parse("dense, bitmap"),
    ELL,
    CSB(2),
    TensorFormat.parse("(i, j) -> (j : dense, i : hashed)"),
    TensorFormat.parse("hashed, padded"),
    TensorFormat.parse("padded, dense, crd = i32"),
    TensorFormat.parse("(i, j) -> (i floordiv 2 : hashed, j floordiv 2 : padded, i mod 2 : bitmap, j mod 2 : hashed)"),
    TensorFormat.parse("(i, j) -> (j : bitmap, i : compressed)"),
    TensorFormat.parse("compressed(nonunique), bitmap"),
    TensorFormat.parse("(i, j) -> (i floordiv 2 : dense, j floordiv 2 : bitmap, i mod 2 : dense, j mod 2 : bitmap)"),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("shape", [(4, 6), (5, 7), (1, 1), (0, 3), (3, 0)])
def test_every_pair_of_matrix_formats(shape: tuple[int, int]):
    rng = np.random.default_rng(1)
    dense = (rng.random(shape) < 0.4) * rng.integers(1, 9, shape).astype(float)
    for source, target in itertools.product(MATRIX_FORMATS, repeat=2):
        tensor = Tensor.from_numpy(dense, source)
        tensor.check()
        other = tensor.to_format(target)
        other.check()
        assert other.format == target
        np.testing.assert_array_equal(other.to_numpy(), dense)


@st.composite
def formats(draw: st.DrawFn, rank: int) -> TensorFormat:
    levels = []
    for dimension in range(rank):
        if factor := draw(st.sampled_from([0, 0, 0, 1, 2, 3])):
            levels.append([LevelExpression(dimension, "floordiv", factor), LevelExpression(dimension, "mod", factor)])
        else:
            levels.append([LevelExpression(dimension)])
    expressions = []
    while any(levels):
        chosen = draw(st.sampled_from([group for group in levels if group]))
        expressions.append(chosen.pop(0))
    kinds: list[LevelFormat] = []
    for _ in expressions:
        # A singleton holds whatever comes if all levels above it in its run are nonunique.
        options = ["dense", "compressed", "bitmap", "hashed", "padded"]
        if kinds and kinds[-1].pattern.may_relax and not kinds[-1].unique:
            options.append("singleton")
        name = draw(st.sampled_from(options))
        unique, ordered = (
            (True, True) if name not in ("compressed", "singleton") else (draw(st.booleans()), draw(st.booleans()))
        )
        kinds.append(LevelFormat(name, unique, ordered))
    pairs = zip(expressions, kinds, strict=True)
    widths = draw(st.sampled_from([(32, 32), (32, 64), (64, 32), (64, 64)]))
    fill = draw(st.sampled_from([None, 1.0, float("inf"), float("nan"), -0.0]))
    return TensorFormat(rank, tuple(Level(*pair) for pair in pairs), fill, *widths)


@st.composite
def cases(draw: st.DrawFn) -> tuple[np.ndarray, TensorFormat, TensorFormat]:
    rank = draw(st.integers(0, 4))
    shape = tuple(draw(st.integers(0, 5)) for _ in range(rank))
    source, target = draw(formats(rank)), draw(formats(rank))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    fill = 0.0 if source.fill is None else source.fill
    array = np.where(rng.random(shape) < draw(st.floats(0, 1)), rng.integers(-3, 4, shape), fill)
    return array.astype(draw(st.sampled_from(["float32", "float64", "complex128"]))), source, target


@pytest.mark.parametrize("below", ["compressed", "padded", "hashed", "dense", "bitmap", "hashed, compressed"])
def test_levels_below_a_table_are_in_the_order_of_its_slots(below: str):
    shape = (9, 40, 5)[: 2 + below.count(",")]
    random = np.random.default_rng(3)
    array = (random.random(shape) < 0.3) * random.random(shape)
    for format in (f"hashed, {below}", f"(i, j) -> (j : hashed, i : {below})"):
        if format.startswith("(") and "," in below:
            continue
        tensor = Tensor.from_numpy(array, TensorFormat.parse(format))
        tensor.check()
        np.testing.assert_array_equal(tensor.to_numpy(), array)


@pytest.mark.parametrize("outer", ["padded", "hashed"])
@pytest.mark.parametrize("inner", ["", ", k : dense", ", k : compressed", ", k : singleton"])
def test_a_singleton_below_slots_has_a_coordinate_for_each_of_them(outer: str, inner: str):
    array = np.zeros((6, 5, 4) if inner else (6, 5))
    array[[1, 4, 5], [2, 0, 2]] = np.arange(1, 5) if inner in (", k : dense", ", k : compressed") else 1
    if inner == ", k : singleton":
        array[..., 1:] = 0
    names = "i, j, k" if inner else "i, j"
    tensor = Tensor.from_numpy(array, f"({names}) -> (i : {outer}, j : singleton{inner})")
    tensor.check()
    slots = tensor.levels[0].coordinates
    singles = tensor.levels[1]
    assert slots is not None and singles.coordinates is not None and singles.positions is None
    assert singles.coordinates.size == slots.size
    np.testing.assert_array_equal(tensor.to_numpy(), array)
    np.testing.assert_array_equal(tensor.to_format(COO(array.ndim)).to_numpy(), array)
    empty = Tensor.from_numpy(array[:, :0], tensor.format)
    empty.check()
    assert empty.to_numpy().size == 0


@pytest.mark.parametrize("outer", ["padded", "hashed"])
@pytest.mark.parametrize(
    "inner", ["j : singleton", "j floordiv 3 : singleton(nonunique), j mod 3 : singleton", "j floordiv 1 : singleton"]
)
def test_several_entries_below_a_slot_and_a_singleton(outer: str, inner: str):
    inner += ", j mod 1 : dense" if inner.endswith("1 : singleton") else ""
    with pytest.raises(UserError, match=r"format-mismatch.*coordinate 1 has several children"):
        Tensor.from_numpy(np.array([[0.0, 0.0], [1.0, 1.0]]), f"(i, j) -> (i : {outer}, {inner})")


@given(cases())
@settings(max_examples=300)
def test_random_formats(case: tuple[np.ndarray, TensorFormat, TensorFormat]):
    array, source, target = case
    tensor = Tensor.from_numpy(array, source)
    tensor.check()
    np.testing.assert_array_equal(tensor.to_numpy(), array)
    other = tensor.to_format(target.with_fill(source.fill))
    other.check()
    np.testing.assert_array_equal(other.to_numpy(), array)
    coordinates, values = other.to_coo()
    again = Tensor.from_coo(coordinates, values, shape=array.shape, format=source, duplicates="error")
    again.check()
    np.testing.assert_array_equal(again.to_numpy(), array)
    if source.is_dense or target.is_dense:
        changed = tensor.to_format(target)
        changed.check()
        np.testing.assert_array_equal(changed.to_numpy(), array)


def test_narrow_coordinates_do_not_overflow():
    blocks = TensorFormat.parse("(i) -> (i floordiv 4 : compressed, i mod 4 : dense), pos = i32, crd = i32")
    tensor = Tensor.from_coo([[5, 2**32 - 1]], [1.0, 2.0], shape=2**32, format=blocks)
    tensor.check()
    assert tensor.to_coo()[0].tolist() == [[5, 2**32 - 1]]


def test_equal_index_arrays_are_shared():
    csr = Tensor.from_numpy(np.eye(5), CSR.with_widths(32, 32))
    coo = csr.to_format(COO(2).with_widths(32, 32))
    coo.check()
    assert np.shares_memory(coo.levels[1].coordinates, csr.levels[1].coordinates)
    assert np.shares_memory(coo.values, csr.values)


def test_huge_extents_do_not_matter():
    shape = (2**62, 2**62, 2**62)
    rng = np.random.default_rng(0)
    coordinates = rng.integers(0, 2**62, (3, 1000))
    values = rng.random(1000)
    tensor = Tensor.from_coo(coordinates, values, shape=shape)
    for format in (CSF(3, [2, 0, 1]), COO(3), CSF(3, [1, 2, 0])):
        tensor = tensor.to_format(format)
        tensor.check()
    order = np.lexsort(coordinates[::-1])
    back, ordered = tensor.to_format(COO(3)).to_coo()
    np.testing.assert_array_equal(back, coordinates[:, order])
    np.testing.assert_array_equal(ordered, values[order])


@given(st.lists(st.tuples(*[st.integers(0, 2**62)] * 3), max_size=40), st.integers(0, 61))
def test_sorting_is_lexsort(entries: list[tuple[int, int, int]], shift: int):
    keys = [np.array([entry[k] >> (shift + k * 9) % 62 for entry in entries], dtype=np.int64) for k in range(3)]
    extents = [int(key.max()) + 1 if key.size else 1 for key in keys]
    order = sorted_order(keys, extents)
    expected = np.lexsort(keys[::-1])
    if order is None:
        order = np.arange(len(entries))
    np.testing.assert_array_equal(order, expected)
    assert is_sorted([key[order] for key in keys])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("bits", [(4, 9, 5), (20, 20, 20), (30, 40, 50)])
@pytest.mark.parametrize("dtype", ["bool", "float32", "complex128"])
def test_many_entries_are_sorted_by_compiled_code_as_few_are(bits: tuple[int, int, int], dtype: str):
    rng = np.random.default_rng(0)
    shape = tuple(1 << count for count in bits)
    coordinates = np.array([rng.integers(0, extent, 70_000) for extent in shape])
    values = rng.integers(0, 2, 70_000).astype(dtype)
    before = coordinates.copy(), values.copy()
    order = np.lexsort(coordinates[::-1])
    expected = coordinates[:, order]
    first = np.flatnonzero(np.append(True, (expected[:, 1:] != expected[:, :-1]).any(axis=0)))
    sums = (np.logical_or if dtype == "bool" else np.add).reduceat(values[order], first)
    tensor = Tensor.from_coo(coordinates, values, shape=shape)
    for format in (CSF(3, [2, 0, 1]), CSF(3, [0, 2, 1]), COO(3)):
        found, elements = tensor.to_coo()
        back = np.lexsort(found[::-1])
        np.testing.assert_array_equal(found[:, back], expected[:, first])
        np.testing.assert_array_equal(elements[back], sums)
        tensor = tensor.to_format(format)
        tensor.check()
    for argument, copy in zip((coordinates, values), before, strict=True):
        np.testing.assert_array_equal(argument, copy)


@pytest.mark.parametrize("format", [CSC, DCSC, BCSR(2, 3), BCSC(3, 2), CSB(64), ELL, "dense, bitmap", "dense, hashed"])
def test_large_matrices_keep_their_entries(format: TensorFormat | str):
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((301, 400)) < 0.7, rng.random((301, 400)), 0)
    tensor = Tensor.from_numpy(dense, CSR.with_widths(32, 32)).to_format(format)
    assert np.count_nonzero(dense) > 1 << 16
    tensor.check()
    np.testing.assert_array_equal(tensor.to_numpy(), dense)
    np.testing.assert_array_equal(tensor.to_format(CSR).to_numpy(), dense)


def test_a_repeated_element_is_named_as_it_was_given():
    coordinates = [[4, 1, 0, 1], [0, 3, 2, 3]]
    for format in (COO(2), CSC, BCSR(2, 2)):
        with pytest.raises(UserError, match=r"the element at \(1, 3\) is given more than once"):
            Tensor.from_coo(coordinates, 1.0, shape=(5, 5), format=format, duplicates="error")


def test_widths_change_without_repacking():
    tensor = Tensor.from_numpy(np.eye(3), CSR)
    narrow = tensor.to_format(CSR.with_widths(32, 32))
    narrow.check()
    assert narrow.values is tensor.values
    assert (positions := narrow.levels[1].positions) is not None and positions.dtype == np.int32
    wide = Tensor.from_coo([[2**40]], [1.0], format="compressed")
    with pytest.raises(UserError, match="beyond 32-bit coordinates") as caught:
        wide.to_format("compressed, crd = i32")
    assert caught.value.slug == "index-overflow"
    with pytest.raises(UserError, match="beyond 32-bit coordinates"):
        Tensor.from_coo([[2**40]], [1.0], format="compressed, crd = i32")
    wide.to_format("compressed, pos = i32").check()


def test_fill_value_is_never_changed_silently():
    tensor = Tensor.from_numpy(np.array([np.inf, 1]), "compressed, fill = inf")
    with pytest.raises(UserError, match="fill value is inf") as caught:
        tensor.to_format("compressed(nonunique)")
    assert caught.value.slug == "fill-mismatch"
    dense = tensor.to_format("dense")
    np.testing.assert_array_equal(dense.to_numpy(), [np.inf, 1])
    assert dense.to_format("compressed, fill = 1").nnz == 1


def test_formats_that_cannot_hold_a_tensor_say_so():
    with pytest.raises(UserError, match=r"level 0 .* is unique, but coordinate 0 has several children") as caught:
        Tensor.from_numpy(np.ones((2, 2)), "compressed, singleton")
    assert caught.value.slug == "format-mismatch"
    Tensor.from_numpy(np.eye(3), "compressed, singleton").check()
    with pytest.raises(UserError) as caught:
        Tensor.from_coo([[0], [0]], [1.0], shape=(2**50, 2**50), format="dense, dense")
    assert caught.value.slug == "storage-too-large"
    with pytest.raises(UserError) as caught:
        Tensor.from_numpy(np.eye(3)).to_format("dense")
    assert caught.value.slug == "rank-mismatch"


def test_padding_of_blocks_follows_the_fill():
    blocks = "(i) -> (i floordiv 2 : dense, i mod 2 : dense)"
    converted = Tensor.from_numpy(np.zeros(1), blocks).to_format(f"{blocks}, fill = 1")
    converted.check()
    np.testing.assert_array_equal(converted.to_numpy(), [0])


def test_another_fill_leaves_what_is_stored():
    tensor = Tensor.from_numpy(np.array([[0.0, 2.0], [3.0, 0.0]]), CSR)
    other = tensor.with_fill(np.inf)
    assert other.values is tensor.values and other.levels is tensor.levels
    np.testing.assert_array_equal(other.to_numpy(), [[np.inf, 2.0], [3.0, np.inf]])
    assert other.with_fill(None).format == tensor.format


@pytest.mark.parametrize("format", MATRIX_FORMATS, ids=str)
def test_positions_are_counted_in_pieces(format: TensorFormat, monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(11, 7)) * (rng.random((11, 7)) < 0.4)
    matrix[3:6] = 0
    for size in (1, 2, 5, 1 << 16):
        monkeypatch.setattr("irtensor.storage.packing._PIECE", size)
        tensor = Tensor.from_numpy(matrix, format)
        tensor.check()
        np.testing.assert_array_equal(tensor.to_numpy(), matrix)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.uint64, np.dtype(">i4"), np.float64])
def test_coordinates_of_any_integers(dtype):
    """Narrow ones stay as they are; all others become 64 bits wide."""
    rng = np.random.default_rng(4)
    places = rng.permutation(100)[:40]
    coordinates = np.array([places // 10, places % 10])
    values = rng.normal(size=40)
    if np.dtype(dtype).kind == "f":
        with pytest.raises(UserError, match="expected integers"):
            Tensor.from_coo(coordinates.astype(dtype), values, shape=(10, 10))
        return
    for format in MATRIX_FORMATS:
        tensor = Tensor.from_coo(coordinates.astype(dtype), values, shape=(10, 10), format=format)
        tensor.check()
        found, elements = tensor.to_coo()
        order = np.lexsort(found[::-1])
        expected = np.lexsort(coordinates[::-1])
        np.testing.assert_array_equal(found[:, order], coordinates[:, expected])
        np.testing.assert_array_equal(elements[order], values[expected])


def test_whole_rows_stay_whole():
    """A stored row of nothing but fill values is a row as well, where rows are stored whole in both formats."""
    rows = Tensor.from_numpy(np.eye(3, 4), TensorFormat.parse("compressed, dense"))
    rows.values[:4] = 0
    blocks = "(i, j) -> (i : compressed, j floordiv 2 : dense, j mod 2 : dense)"
    assert rows.to_format(TensorFormat.parse(blocks)).to_format(rows.format).nnz == 12
    for text, entries in (
        ("padded, dense", 12),
        (blocks, 12),
        ("(i, j) -> (i : compressed, j floordiv 2 : compressed, j mod 2 : dense)", 4),
        ("compressed, compressed", 2),
        ("(i, j) -> (j : padded, i : dense)", 6),
    ):
        assert rows.to_format(TensorFormat.parse(text)).nnz == entries


def test_compiled_code_sorts_where_it_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    """From some entries on, once many have been sorted; many are sorted by it at once."""
    monkeypatch.setattr(sort_coordinates, "_sorted_by_numpy", 0)
    calls: list[int] = []
    sort = sort_coordinates.sort_words

    def counted(words: np.ndarray, *arguments: Any) -> Any:
        calls.append(words.size)
        return sort(words, *arguments)

    monkeypatch.setattr(sort_coordinates, "sort_words", counted)
    words = np.random.default_rng(1).integers(0, 1 << 20, 1 << 16)
    for count in (1 << 16, (1 << 16) - 1, 100):
        expected = np.argsort(words[:count], kind="stable")
        for _ in range(7):
            found, order = sort_coordinates._sort_words(words[:count], np.arange(count), 0, 20)
            np.testing.assert_array_equal(order, expected)
            np.testing.assert_array_equal(found, words[expected])
    assert calls == [1 << 16] * 7 + [(1 << 16) - 1] * 3


SYMMETRIC = ("dense, compressed", "compressed, compressed", "dense, block_list", "dense, bitmap", "dense, dense")


@pytest.mark.parametrize("order", ["(i, j) -> (i : {}, j : {})", "(i, j) -> (j : {}, i : {})"])
@pytest.mark.parametrize("leaf", ["", ", leaf = pattern"])
def test_symmetric_formats_convert_what_they_store(order: str, leaf: str, monkeypatch: pytest.MonkeyPatch):
    """Mirrors are not made only to be left out again."""
    rng = np.random.default_rng(3)
    upper = np.triu(rng.integers(1, 4, (6, 6)) * (rng.random((6, 6)) < 0.5)).astype(bool if leaf else float)
    array = upper | upper.T if leaf else upper + np.triu(upper, 1).T
    levels = SYMMETRIC[:-1] if leaf else SYMMETRIC
    formats = [TensorFormat.parse(f"{order.format(*one.split(', '))}, symmetric{leaf}") for one in levels]
    tensors = [Tensor.from_numpy(array, one) for one in formats]
    with monkeypatch.context() as patch:
        patch.setattr(unpack_coordinates, "with_mirrors", None)
        moved = [[tensor.to_format(target) for target in formats] for tensor in tensors]
    for source in moved:
        for one, expected in zip(source, tensors, strict=True):
            one.check()
            for found, wanted in zip(one.buffers(), expected.buffers(), strict=True):
                np.testing.assert_array_equal(found, wanted)


def test_the_cheapest_way_is_asked_first():
    """The last of the ways between two formats takes any tensor."""
    takes = {
        (CSR, "dense, block_list"): ["convert_lists", "convert_format"],
        ("dense, run_list", "dense, interval"): ["convert_runs", "convert_format"],
        (CSR, CSC): ["convert_segments", "convert_format"],
        (CSR, "(i, j) -> (i : dense, j : compressed), symmetric"): ["convert_segments", "convert_format"],
        (DIA, "dense, band"): ["convert_diagonals", "convert_format"],
        (CSR, BCSR(2, 2)): ["convert_blocks", "convert_format"],
        (CSR, COO(2)): ["convert_format"],
        (CSR, "dense, compressed, pos = i32"): ["convert_format", "convert_format"],
    }
    for (source, target), expected in takes.items():
        given, wanted = (TensorFormat.parse(one) if isinstance(one, str) else one for one in (source, target))
        ways = convert_format._ways(given, wanted)
        assert [way.convert.__module__.rpartition(".")[2] for way in ways] == expected, (source, target)
