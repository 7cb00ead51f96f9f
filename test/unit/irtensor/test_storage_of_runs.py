"""Levels of runs as arrays: what is refused, with the whole text, and what comes back from every other level."""

# ruff: noqa: E501 (messages are whole lines)

from functools import partial
from itertools import product

import numpy as np
import pytest
from check_error import check_error
from round_trip_arrays import arrays

import irtensor as it


def runs(positions, coordinates, values=(1.0, 2.0, 3.0), shape=(2, 4), **given):
    arrays = {"positions": positions, "coordinates": coordinates}
    return it.Tensor.from_buffers(shape, given.get("format", "dense, run_list"), [None, arrays], list(values))


def sparse(positions, begins, coordinates, values=(1.0, 2.0, 3.0), shape=(2, 4)):
    arrays = {"positions": positions, "begins": begins, "coordinates": coordinates}
    return it.Tensor.from_buffers(shape, "dense, sparse_run_list", [None, arrays], list(values))


RUN = "error: [bad-storage] 'tensor' level 1 (j : run_list): "
SPARSE = "error: [bad-storage] 'tensor' level 1 (j : sparse_run_list): "
COVER = "help: runs cover all 4 coordinates of each parent"
END = "help: an end is one more than the last coordinate"
IS_RUN = "help: a run goes from begins up to coordinates, and is not empty"
CALLS = [
    (
        "ends that do not increase",
        lambda: runs([0, 2, 3], [4, 4, 4]),
        f"{RUN}coordinates[0] and [1] are not increasing: 4, 4\nhelp: coordinates are where runs end, and no run is empty",
    ),
    (
        "a last end before the extent",
        lambda: runs([0, 2, 3], [1, 4, 3]),
        f"{RUN}coordinates[2] is 3, but the last run of a parent ends with the extent 4\n{COVER}",
    ),
    ("an end behind the extent", lambda: runs([0, 2, 3], [1, 5, 4]), f"{RUN}coordinates[1] is 5, outside 1..4\n{END}"),
    ("an end at 0", lambda: runs([0, 2, 3], [0, 4, 4]), f"{RUN}coordinates[0] is 0, outside 1..4\n{END}"),
    (
        "a parent without a run",
        lambda: runs([0, 3, 3], [1, 2, 4]),
        f"{RUN}parent 1 has no run: positions[1] and [2] are 3\n{COVER}",
    ),
    (
        "runs of an empty dimension",
        lambda: runs([0, 2, 3], [1, 2, 4], shape=(2, 0)),
        f"{RUN}coordinates[0] is 1, but the level has extent 0\n{END}",
    ),
    (
        "positions",
        lambda: runs([0, 3, 2], [1, 2, 4]),
        f"{RUN}positions decrease from 3 to 2 at entries 1, 2\nhelp: build the tensor with Tensor.from_coo, which sorts and checks",
    ),
    (
        "values",
        lambda: runs([0, 2, 3], [1, 4, 4], [1.0, 2.0]),
        "error: [bad-storage] 'tensor' 2 values for 3 positions\nhelp: values has one entry each",
    ),
    (
        "overlapping runs",
        lambda: sparse([0, 2, 3], [0, 1, 0], [2, 4, 4]),
        f"{SPARSE}begins[1] is 1, before the run at 0 ends: 2\nhelp: runs of one parent are in order and do not overlap",
    ),
    (
        "a run that ends before it begins",
        lambda: sparse([0, 2, 3], [0, 3, 2], [2, 4, 1]),
        f"{SPARSE}begins[2] is 2, and coordinates[2] is 1\n{IS_RUN}",
    ),
    (
        "an empty run",
        lambda: sparse([0, 2, 3], [0, 2, 1], [2, 2, 4]),
        f"{SPARSE}begins[1] is 2, and coordinates[1] is 2\n{IS_RUN}",
    ),
    (
        "a run before 0",
        lambda: sparse([0, 2, 3], [-1, 2, 1], [2, 3, 4]),
        f"{SPARSE}begins[0] is -1, and coordinates[0] is 2\n{IS_RUN}",
    ),
    (
        "a run behind the extent",
        lambda: sparse([0, 2, 3], [0, 2, 1], [2, 3, 5]),
        f"{SPARSE}coordinates[2] is 5, outside 1..4\n{END}",
    ),
    (
        "fewer begins than ends",
        lambda: sparse([0, 2, 3], [0, 2], [2, 3, 4]),
        f"{SPARSE}2 begins for 3 coordinates\nhelp: each run has one of both: it goes from begins up to coordinates",
    ),
    (
        "no begins",
        lambda: runs([0, 2, 3], [1, 4, 4], format="dense, sparse_run_list"),
        f"{SPARSE}begins are missing\nhelp: build the tensor with Tensor.from_coo, which sorts and checks",
    ),
]


@pytest.mark.parametrize(
    ("slug", "call", "text"), [("bad-storage", *call[1:]) for call in CALLS], ids=[c[0] for c in CALLS]
)
def test_bad_arrays(slug, call, text):
    check_error(call, slug, text)


def test_ends_need_room_for_the_extent():
    np.testing.assert_array_equal(it.Tensor.from_numpy(np.ones(127), "run_list, crd = i8").to_numpy(), np.ones(127))
    for level in ("run_list", "sparse_run_list"):
        text = f"error: [index-overflow] level 0 (i : {level}) has extent 128, beyond 8-bit coordinates\nhelp: use crd = i16"
        format = it.Format(f"{level}, crd = i8")
        check_error(partial(it.Tensor.from_numpy, np.ones(128), format), "index-overflow", text)


@pytest.mark.parametrize("word", ["nonunique", "nonordered"])
def test_runs_are_in_order_and_once(word):
    with pytest.raises(it.UserError, match=rf"'run_list\({word}\)' is impossible"):
        it.Format(f"dense, run_list({word})")


@pytest.mark.parametrize(
    ("text", "problem", "help"),
    [
        (
            "(i, j) -> (j - i : sparse_run_list, i : range, j : offset)",
            "level 0 (j - i : sparse_run_list) would join diagonals to runs",
            "store diagonals in a compressed, dense or bitmap level",
        ),
        (
            "(i, j) -> (j - i : compressed, i : run_list, j : offset)",
            "below 'j - i' one of its dimensions is stored by a range or a list, and the other is its offset",
            "DIA is (i, j) -> (j - i : compressed, i : range, j : offset)",
        ),
        (
            "sparse_run_list, singleton",
            "level 1 (j : singleton) is below 'sparse_run_list', but a singleton level needs a level with coordinates directly above it",
            "COO is (i : compressed(nonunique), j : singleton)",
        ),
    ],
)
def test_where_runs_cannot_be(text, problem, help):
    with pytest.raises(it.UserError) as caught:
        it.Format(text)
    assert (caught.value.slug, caught.value.help) == ("bad-format", help)
    assert caught.value.message == problem


LEVELS = ("dense", "compressed", "bitmap", "padded", "hashed", "run_list", "sparse_run_list")


@pytest.mark.parametrize("shape", [(4, 6), (0, 3), (3, 0), (1, 1)], ids=str)
@pytest.mark.parametrize("level", ["run_list", "sparse_run_list"])
def test_round_trips(level, shape):
    for array, outer, other, fill in product(arrays(*shape), ("dense", "compressed", level), LEVELS, ("0", "2", "nan")):
        stored = it.Tensor.from_numpy(array, f"{outer}, {level}, fill = {fill}")
        between = stored.to_format(f"dense, {other}, fill = {fill}")
        for one in (stored, between, between.to_format(stored.format)):
            one.check()
            np.testing.assert_array_equal(one.to_numpy(), array)
    vector = np.array([0.0, -0.0, np.nan, np.nan, -0.0, 0.0])
    for other in ("run_list", "sparse_run_list"):
        back = it.Tensor.from_numpy(vector, level).to_format(other)
        assert np.signbit(back.to_numpy()).tolist() == np.signbit(vector).tolist()
        assert back.pieces == (5 if other == "run_list" else 3)


def test_runs_are_converted_without_their_coordinates():
    long = it.Tensor.from_buffers((10**15,), "run_list", [([0, 3], [10, 10**14, 10**15])], [1.0, 0.0, 2.0])
    short = long.to_format("sparse_run_list")
    assert (short.nnz, short.pieces) == (10**15 - 10**14 + 10, 2)
    back = short.to_format("run_list, fill = 0")
    assert back.levels[0].array("coordinates").tolist() == [10, 10**14, 10**15]
    assert back.values.tolist() == [1.0, 0.0, 2.0]


def test_equal_neighbours_become_one_run():
    array = np.array([[1, 1, 2, 2, 0, 0], [2, 2, 2, 0, 0, 1]])
    stored = it.Tensor.from_numpy(array, "dense, run_list")
    assert stored.levels[1].array("positions").tolist() == [0, 3, 6]
    assert stored.levels[1].array("coordinates").tolist() == [2, 4, 6, 3, 5, 6]
    assert repr(stored) == (
        "Tensor(shape=(2, 6), dtype=int64, nnz=12, pieces=6, format='(i, j) -> (i : dense, j : run_list)')"
    )
    assert it.Tensor.from_numpy(array, it.RLE).format == stored.format
    with_gaps = it.Tensor.from_numpy(array, "dense, sparse_run_list")
    assert with_gaps.levels[1].array("begins").tolist() == [0, 2, 0, 5]
    assert with_gaps.levels[1].array("coordinates").tolist() == [2, 4, 3, 6]
