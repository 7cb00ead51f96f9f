"""Malformed storage never passes, sound storage always does, and nothing crashes."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_arrays import CRD, DIAGONALS, MATRICES, ORDERS, POS, SLOTS, VALUES

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.named_formats import BCSR, COO, CSF, CSR, DIA
from irtensor.storage.level_storage import LevelStorage
from irtensor.tensors.tensor import Tensor


def build(format: str, *levels: Any, values: Any = VALUES, shape: Any = (3, 4)) -> Tensor:
    return Tensor.from_buffers(shape, format, levels, values)


def test_good_buffers_are_shared():
    pos, crd, values = np.array(POS), np.array(CRD), np.array(VALUES)
    tensor = Tensor.from_buffers((3, 4), CSR, [None, (pos, crd)], values)
    assert tensor.levels[1].positions is pos
    assert tensor.levels[1].coordinates is crd
    assert tensor.values is values
    narrow = build("dense, compressed, pos = i32, crd = i32", None, (POS, CRD)).levels[1].positions
    assert narrow is not None and narrow.dtype == np.int32
    np.testing.assert_array_equal(tensor.to_numpy(), [[1, 0, 2, 0], [0, 0, 0, 0], [0, 3, 0, 0]])


@pytest.mark.parametrize(
    ("pos", "crd", "values", "message"),
    [
        *MATRICES,
        (POS, CRD, [[1.0, 2, 3]], "values has 2 dimensions"),
        (POS, [[0, 2, 1]], VALUES, "coordinates has 2 dimensions"),
        (POS, None, VALUES, "coordinates are missing"),
        (None, CRD, VALUES, "positions are missing"),
        ([0, 2.5, 2, 3], CRD, VALUES, "has dtype float64, expected integers"),
        ([0, [1], 2, 3], CRD, VALUES, "is not an array of integers"),
        (["a"], CRD, VALUES, "expected integers"),
        ([0, 2**70, 2, 3], CRD, VALUES, "positions"),
        (np.array([0, np.nan, 2, 3]), CRD, VALUES, "positions has dtype float64, expected int64"),
        (np.array(POS, np.int32), CRD, VALUES, "positions has dtype int32, expected int64"),
        (np.array(POS, np.uint64), CRD, VALUES, "positions has dtype uint64, expected int64"),
        (np.array(POS, ">i8"), CRD, VALUES, "positions has dtype >i8, expected int64"),
        (np.array(POS * 2)[::2], CRD, VALUES, "not contiguous"),
        (np.array(POS, object), CRD, VALUES, "has dtype object"),
    ],
)
def test_malformed_buffers_are_named(pos: Any, crd: Any, values: Any, message: str):
    with pytest.raises(UserError) as caught:
        build("dense, compressed", None, (pos, crd), values=values)
    assert caught.value.slug == "bad-storage"
    assert message in caught.value.message


def test_structure_is_checked_without_content():
    bad = np.array([0, 99, 1])
    tensor = Tensor.from_buffers((3, 4), CSR, [None, (POS, bad)], VALUES, check=False)
    with pytest.raises(UserError, match=r"'A' level 1 \(j : compressed\): coordinates\[1\] is 99"):
        tensor.check("A")
    with pytest.raises(UserError, match="4 values for 3"):
        Tensor.from_buffers((3, 4), CSR, [None, (POS, bad)], [1.0] * 4, check=False)


@pytest.mark.parametrize(
    ("format", "levels", "accepted"),
    ORDERS,
)
def test_order_and_uniqueness_follow_the_format(format: str, levels: list[Any], accepted: bool):
    if accepted:
        tensor = build(format, *levels)
        total = tensor.to_numpy().sum()
        assert total == 6
        assert tensor.to_format(CSF(2)).to_numpy().sum() == 6
    else:
        with pytest.raises(UserError) as caught:
            build(format, *levels)
        assert caught.value.slug == "bad-storage"


def test_duplicates_above_a_dense_level_are_refused():
    format = "compressed(nonunique, nonordered), dense"
    with pytest.raises(UserError, match="positions 0 and 2 above it store the same coordinates"):
        build(format, ([0, 3], [1, 0, 1]), None, values=[1.0, 2, 3, 4, 5, 6], shape=(2, 2))
    tensor = build(format, ([0, 2], [1, 0]), None, values=[1.0, 2, 3, 4], shape=(2, 2))
    np.testing.assert_array_equal(tensor.to_numpy(), [[3, 4], [1, 2]])
    np.testing.assert_array_equal(tensor.to_format(CSR).to_numpy(), [[3, 4], [1, 2]])


def test_padding_of_blocks_holds_the_fill():
    format = BCSR(2, 2)
    good = Tensor.from_numpy(np.ones((3, 3)), format)
    values = good.values.copy()
    values[-1] = 5
    with pytest.raises(UserError, match=r"values\[15\] is 5.0, but it lies beyond extent 3 of dimension 0"):
        Tensor.from_buffers((3, 3), format, good.levels, values)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([True] * 3, "3 flags for 4 positions"),
        ([True] * 5, "5 flags for 4 positions"),
        (None, "flags"),
        ([0, 1, 2, 1], "flags have dtype int64, expected bools"),
        ([0.0, 1, 0, 1], "flags have dtype float64, expected bools"),
        (np.ones(4, np.int8), "flags has dtype int8, expected bool"),
        (np.ones((2, 2), bool), "flags has 2 dimensions"),
        (np.ones(8, bool)[::2], "not contiguous"),
        (np.array([0, 1, 7, 1], np.uint8).view(bool), "flags[2] is 7 in memory, neither 0 nor 1"),
    ],
)
def test_malformed_flags_are_named(flags: Any, message: str):
    with pytest.raises(UserError) as caught:
        build("bitmap", flags, values=np.ones(4), shape=4)
    assert caught.value.slug == "bad-storage"
    assert message in caught.value.message


def test_what_is_not_flagged_is_no_entry():
    tensor = build("bitmap", [True, False, 0, 1], values=[1.0, np.nan, 3, 4], shape=4)
    np.testing.assert_array_equal(tensor.to_numpy(), [1, 0, 0, 4])
    assert tensor.nnz == 2
    below = build("bitmap, compressed", [0, 1, 1], ([0, 1, 1, 3], [3, 0, 1]))
    np.testing.assert_array_equal(below.to_coo()[0], [[2, 2], [0, 1]])
    assert below.nnz == 2
    with pytest.raises(UserError, match="has flags, which this level does not store"):
        build("dense", LevelStorage(flags=np.ones(3, bool)), shape=3)
    with pytest.raises(UserError, match="a bitmap level is unique"):
        build("compressed(nonunique), bitmap", ([0, 2], [1, 1]), [1] * 4, values=np.ones(4), shape=(2, 2))


@pytest.mark.parametrize(
    ("format", "width", "crd", "message"),
    [
        *SLOTS,
        ("hashed", None, [0], "positions are missing"),
    ],
)
def test_slots(format: str, width: Any, crd: Any, message: str | None):
    def make() -> Tensor:
        return build(format, (width, crd), values=np.ones(len(crd)), shape=8)

    if message is None:
        stored = [c for c in crd if 0 <= c < 8]
        assert sorted(make().to_coo()[0][0]) == sorted(stored)
        assert make().nnz == len(stored)
        return
    with pytest.raises(UserError) as caught:
        make()
    assert caught.value.slug == "bad-storage"
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("format", "levels", "size", "message"),
    DIAGONALS,
)
def test_diagonals(format: str, levels: list[Any], size: int, message: str | None):
    """The matrix of Kjolstad 2020, figure 2-25, and what is wrong with others."""
    text = TensorFormat.parse(f"(i, j) -> (j - i : compressed, {format}, j : offset)")
    arrays = [(None, None) if level is None else level for level in levels]
    if message is None:
        tensor = Tensor.from_buffers((4, 6), text, arrays, np.arange(1.0, size + 1))
        coordinates = Tensor.from_numpy(tensor.to_numpy(), text).levels[0].coordinates
        assert coordinates is not None and coordinates.tolist() == levels[0][1]
        return
    with pytest.raises(UserError, match=message):
        Tensor.from_buffers((4, 6), text, arrays, np.ones(size))


def test_diagonals_are_packed_row_by_row():
    matrix = np.zeros((4, 6))
    for row, column, value in ((0, 0, 5), (0, 1, 1), (1, 0, 7), (1, 1, 3), (3, 0, 8), (3, 3, 4), (3, 4, 9)):
        matrix[row, column] = value
    tensor = Tensor.from_numpy(matrix, TensorFormat.parse("(i, j) -> (j - i : compressed, i : range, j : offset)"))
    coordinates = tensor.levels[0].coordinates
    assert coordinates is not None and coordinates.tolist() == [-3, -1, 0, 1]
    assert tensor.values.reshape(4, 4).tolist() == [[0, 0, 0, 8], [0, 7, 0, 0], [5, 3, 0, 4], [1, 0, 0, 9]]


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (0, 3), (3, 0)])
def test_slots_of_diagonals_outside_of_the_shape_are_not_counted(shape: tuple[int, int]):
    dense = np.triu(np.tril(np.ones(shape), 1), -2)
    for format in (DIA, TensorFormat.parse("(i, j) -> (j - i : compressed, j : range, i : offset)")):
        tensor = Tensor.from_numpy(dense, format)
        assert tensor.nnz == np.count_nonzero(dense) == tensor.to_coo()[1].size


def test_empty_extents_and_no_entries():
    for shape in ((0, 0), (0, 3), (3, 0)):
        build("dense, compressed", None, ([0] * (shape[0] + 1), []), values=np.zeros(0), shape=shape)
        build("compressed, compressed", ([0, 0], []), ([0], []), values=np.zeros(0), shape=shape)
    with pytest.raises(UserError, match="the level has extent 0"):
        build("compressed", ([0, 1], [0]), values=[1.0], shape=(0,))
    with pytest.raises(UserError, match="storage for 1 levels"):
        build("dense, dense", None)
    with pytest.raises(UserError, match="expected \\(positions, coordinates\\)"):
        build("dense, compressed", None, 5)
    with pytest.raises(UserError, match="has positions, which this level does not store"):
        build("dense, dense", None, (POS, None))
    with pytest.raises(UserError, match="has rank 1"):
        build("dense, dense", None, None, shape=(3,))


ARRAYS = st.one_of(
    st.none(),
    st.lists(st.integers(-2, 6), max_size=6).map(lambda x: np.array(x, np.int64)),
    st.lists(st.integers(-2, 6), max_size=6).map(lambda x: np.array(x, np.int32)),
    st.lists(st.one_of(st.integers(), st.floats(), st.text(max_size=2)), max_size=4),
    st.just(np.zeros((2, 2), np.int64)),
    st.just(np.int64(3)),
    st.lists(st.floats(), max_size=4).map(np.array),
    st.sampled_from([2**63, -(2**63), "x", 1.5, {}, [[1], [1, 2]]]),
)
VALID = st.lists(st.integers(0, 3), max_size=4).map(lambda x: np.array(x, np.int64))
SORTED = st.lists(st.integers(0, 4), max_size=5).map(lambda x: np.array([0, *sorted(x)], np.int64))
FLAGS = st.lists(st.booleans(), max_size=9).map(lambda x: np.array(x, np.bool_)) | st.integers(0, 5).map(
    lambda n: np.ones(n * n, np.bool_)
)
WIDTH = st.integers(-1, 4).map(lambda width: np.array([width], np.int64))
FORMATS = [
    CSR,
    COO(2),
    CSF(2),
    BCSR(2, 2),
    TensorFormat.parse("compressed(nonunique, nonordered), singleton(nonunique)"),
    TensorFormat.parse("compressed(nonunique), dense"),
    TensorFormat.parse("compressed(nonunique, nonordered), compressed"),
    TensorFormat.parse("dense, compressed(nonordered)"),
    TensorFormat.parse("dense, bitmap"),
    TensorFormat.parse("bitmap, compressed"),
    TensorFormat.parse("compressed, bitmap"),
    TensorFormat.parse("hashed, padded"),
    TensorFormat.parse("dense, hashed"),
    TensorFormat.parse("padded, compressed"),
    TensorFormat.parse("compressed(nonunique), hashed"),
]


@given(
    st.sampled_from(FORMATS),
    st.lists(st.tuples(ARRAYS | SORTED | WIDTH, ARRAYS | VALID) | ARRAYS | FLAGS, min_size=1, max_size=4),
    ARRAYS | st.integers(0, 8).map(np.ones),
    st.tuples(st.integers(0, 5), st.integers(0, 5)),
)
@settings(max_examples=500)
def test_any_buffers_are_accepted_or_refused(
    format: TensorFormat, levels: list[Any], values: Any, shape: tuple[int, int]
):
    try:
        tensor = Tensor.from_buffers(shape, format, levels, values)
    except UserError:
        return
    total = tensor.to_numpy().sum()
    if all(level.format.pieces == "entries" for level in format.levels):
        np.testing.assert_array_equal(total, tensor.values.sum())


@pytest.mark.parametrize("width", [8, 16, 32])
@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_narrow_arrays_are_accepted_or_refused_alike(format: TensorFormat, width: int):
    """Arrays of 64 bits and of fewer with the same numbers, some of which are changed."""
    random = np.random.default_rng(width)
    outcomes: set[bool] = set()
    for _ in range(40):
        drawn = (random.random((4, 5)) < 0.4) * random.integers(1, 5, (4, 5)) * 1.0
        tensor = Tensor.from_numpy(drawn, format).copy()
        arrays = [array for level in tensor.levels for array in level.arrays() if array.size and array.dtype != bool]
        for _ in range(random.integers(3) if arrays else 0):
            array = arrays[random.integers(len(arrays))]
            places = random.integers(array.size, size=2)
            array[places[0]] += random.integers(-2, 3)
            array[places] = array[places[::-1]]
        found = []
        for bits in (64, width):
            levels: list[Any] = [
                None if not level.arrays() else level.flags if level.flags is not None else _pair(level, bits)
                for level in tensor.levels
            ]
            try:
                made = Tensor.from_buffers((4, 5), format.with_widths(bits, bits), levels, tensor.values)
                found.append(made.to_numpy().tolist())
            except UserError as error:
                found.append(error.message)
        assert found[0] == found[1]
        outcomes.add(isinstance(found[0], str))
    # A bitmap in dense levels has no integers.
    assert outcomes == ({True, False} if arrays else {False})


def _pair(level: LevelStorage, width: int) -> tuple[Any, Any]:
    dtype = np.dtype(f"int{width}")
    pair = level.positions, level.coordinates
    return tuple(None if array is None else array.astype(dtype) for array in pair)  # pyrefly: ignore[bad-return]


@st.composite
def relaxed_matrices(draw: st.DrawFn) -> tuple[TensorFormat, list[tuple[int, int]]]:
    words = []
    for _ in range(2):
        relaxed = draw(st.sampled_from(["", "(nonunique)", "(nonordered)", "(nonunique, nonordered)"]))
        words.append(relaxed)
    entries = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=5))
    return TensorFormat.parse(f"compressed{words[0]}, singleton{words[1]}"), entries


@pytest.mark.parametrize("levels", [None, 5, "csr", {"positions": [0]}])
def test_levels_are_a_list(levels):
    with pytest.raises(UserError, match="the levels are of type") as caught:
        Tensor.from_buffers((2, 2), CSR, levels, [1.0])
    assert caught.value.slug == "bad-storage"


@given(relaxed_matrices())
@settings(max_examples=500)
def test_properties_are_what_their_definition_says(case: tuple[TensorFormat, list[tuple[int, int]]]):
    format, entries = case
    outer, inner = (level.format for level in format.levels)
    rows = [row for row, _ in entries]
    neighbours = list(pairwise(entries))
    sound = (
        (not outer.ordered or rows == sorted(rows))
        and (not outer.unique or len(set(rows)) == len(rows))
        and (not inner.ordered or all(a[0] != b[0] or a[1] <= b[1] for a, b in neighbours))
        and (not inner.unique or len(set(entries)) == len(entries))
    )
    arrays = [([0, len(entries)], rows), (None, [column for _, column in entries])]
    try:
        build(str(format), *arrays, values=np.ones(len(entries)), shape=(3, 3))
        accepted = True
    except UserError:
        accepted = False
    assert accepted == sound
