"""Conversions between levels of runs, in any place: equal bits, and time of the runs."""

from itertools import product

import numpy as np
import pytest
from check_error import check_error

import irtensor as it
from irtensor.storage import sort_coordinates

RUNS = ("run_list", "sparse_run_list", "interval")
PLACES = ("{}", "dense, {}", "compressed, {}", "{}, dense", "{}, compressed", "{}, {}", "dense, {}, compressed")
FILLS = (0.0, 1.5)


def arrays(shape, fill):
    """Tensors that every level holds: one range of coordinates, which have the same below them."""
    for begin, end in ((0, 0), (0, 1), (1, 3), (0, shape[0]), (shape[0] - 1, shape[0])):
        for value in (2.0, np.nan, -0.0):
            array = np.full(shape, fill)
            array[(slice(max(begin, 0), end), *(slice(1, 3) for _ in shape[1:]))] = value
            yield array


@pytest.mark.one_in(4)
@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("stored", list(product(RUNS, RUNS, PLACES)), ids=str)
def test_all_pairs(stored, fill, monkeypatch):
    """By compiled code as well, which joins runs of two levels."""
    source, target, place = stored
    rank = it.Format(place.format(source, source)).rank
    formats = [it.Format(place.format(level, level)).with_fill(fill or None) for level in (source, target)]
    for size in (0, 1, 4):
        for array in arrays((size, 4, 3)[:rank], fill):
            given = it.Tensor.from_numpy(array, formats[0])
            moved = given.to_format(formats[1])
            moved.check()
            with monkeypatch.context() as patch:
                patch.setattr(sort_coordinates, "_WORTH_LOADING", 0)
                for one, other in zip(moved.buffers(), given.to_format(formats[1]).buffers(), strict=True):
                    assert one.tobytes() == other.tobytes() and one.dtype == other.dtype
            for one in (given, moved, moved.to_format(formats[0])):
                one.check()
                assert one.to_numpy().tobytes() == array.tobytes(), (size, array, one)


@pytest.mark.parametrize("place", ["{}", "dense, {}", "{}, dense", "{}, compressed", "compressed, {}"])
def test_time_is_that_of_the_runs(place):
    """Elements that are covered would not fit into any memory."""
    extent = 1 << 50
    wide, outer = place.startswith("{}"), place.split(", ")[0]
    shape = (extent,) if place == "{}" else (extent, 2) if wide else (2, extent)
    run = {"begins": [5], "ends": [extent - 5]} if wide else {"begins": [5, 5], "ends": [extent - 5] * 2}
    above = {"dense": None, "compressed": {"positions": [0, 2], "coordinates": [0, 1]}}
    below = {"positions": [0, 1], "coordinates": [1]} if place.endswith("compressed") else None
    levels = [run, below][: len(shape)] if wide else [above[outer], run]
    values = {"{}": [2.0], "{}, dense": [0.0, 2.0], "{}, compressed": [2.0]}.get(place, [2.0, 3.0])
    given = it.Tensor.from_buffers(shape, place.format("interval"), levels, values)
    there = given.to_format(place.format("run_list"))
    there.check()
    assert there.pieces >= given.pieces
    between = there.to_format(place.format("sparse_run_list"))
    between.check()
    back = between.to_format(given.format)
    for one, two in zip(back.buffers(), given.buffers(), strict=True):
        np.testing.assert_array_equal(one, two)


REFUSED = (
    (
        [[0.0, 2, 2, 2], [2, 2, 0, 2]],
        "holds one run for each parent, but the fiber at i = 1 has coordinates 1 and 3, and none between",
    ),
    (
        [[0.0, 2, 2, 2], [0, 2, 2, 3]],
        "holds the same at all coordinates of a parent, but the fiber at i = 1 differs at 1 and 3",
    ),
)


@pytest.mark.parametrize("outer", ["dense", "compressed", "run_list"])
@pytest.mark.parametrize(("rows", "problem"), REFUSED)
def test_a_second_run_is_refused(rows, problem, outer):
    """The text is that of elements that are packed."""
    text = f"level 1 (j : interval) {problem}\nhelp: store this dimension in a compressed level"
    for level in ("run_list", "sparse_run_list", "compressed"):
        given = it.Tensor.from_numpy(np.array(rows), f"{outer}, {level}")
        check_error(
            lambda t=given: t.to_format(f"{outer}, interval"), "format-mismatch", f"error: [format-mismatch] {text}"
        )
