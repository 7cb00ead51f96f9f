"""Structured levels as tensors: what they store, what does not fit, conversions, and arrays that are refused."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import irtensor as it

# Each level in a format of matrices, below rows.
LEVELS = ("dense", "compressed", "bitmap", "hashed", "padded", "point", "band")
SPECIAL = (1.5, np.nan, -0.0, np.inf)


def message(call) -> str:
    with pytest.raises(it.UserError) as caught:
        call()
    return str(caught.value)


def cases(shape):
    """Matrices that every level can hold: at most one entry in a row, in each place."""
    rows, columns = shape
    yield np.zeros(shape)
    for value, place in product(SPECIAL, ("one", "first", "last", "full")):
        if rows and columns:
            array = np.zeros(shape)
            if place == "full":
                array[np.arange(rows), np.arange(rows) % columns] = value
            else:
                array[{"one": rows // 2, "first": 0, "last": -1}[place], {"one": columns // 2}.get(place, -1)] = value
            yield array


@pytest.mark.parametrize("outer", ["dense", "compressed", "bitmap"])
@pytest.mark.parametrize("level", LEVELS)
def test_round_trips(level, outer):
    for shape in ((3, 4), (1, 1), (0, 3), (3, 0), (4, 1)):
        for array in cases(shape):
            coordinates = np.nonzero((array != 0) | np.signbit(array))
            made = it.Tensor.from_coo(coordinates, array[coordinates], shape=shape, format=f"{outer}, {level}")
            made.check()
            if outer == "dense":
                assert made.to_numpy().tobytes() == array.tobytes()
            array = made.to_numpy()
            for other in LEVELS:
                moved = made.to_format(f"dense, {other}")
                moved.check()
                back = moved.to_format(made.format)
                for one in (moved, back):
                    # Elements of dense tensors that equal the fill value are no entries of others.
                    kept, wanted = one.to_numpy(), array
                    if "dense" in (level, other):
                        kept, wanted = kept + 0.0, wanted + 0.0
                    assert kept.tobytes() == wanted.tobytes(), (level, other, array)
                found, values = moved.to_coo()
                entries, stored = np.nonzero(array), values != 0
                np.testing.assert_array_equal(np.stack(found)[:, stored], np.stack(entries))
                np.testing.assert_array_equal(values[stored], array[entries])


def test_a_point_stores_one_coordinate_for_each_parent():
    array = np.array([[0.0, 0, 3], [0, 0, 0], [5, 0, 0]])
    made = it.Tensor.from_numpy(array, it.PERMUTATION)
    np.testing.assert_array_equal(made.levels[1].coordinates, [2, -1, 0])
    np.testing.assert_array_equal(made.values, [3, 0, 5])
    assert made.nnz == 2 and str(made.format) == "(i, j) -> (i : dense, j : point)"
    labels = np.array([2, -1, 0])
    given = it.Tensor.from_buffers((3, 3), "PERMUTATION", [None, labels], np.array([3.0, 7.0, 5.0]))
    assert given.levels[1].coordinates is labels
    np.testing.assert_array_equal(given.to_numpy(), array)
    np.testing.assert_array_equal(
        it.Tensor.from_buffers((2, 3), "dense, point", [None, [2, 0]], [1.0, 2.0]).to_numpy(), [[0, 0, 1], [2, 0, 0]]
    )


@pytest.mark.parametrize("text", ["dense, singleton", "dense, dense, singleton"])
def test_a_singleton_below_dense_levels_is_a_point(text):
    format = it.Format(text)
    assert format == it.Format(text.replace("singleton", "point"))
    shape = (2, 3, 4)[-format.rank :]
    array = np.zeros(shape)
    array[..., 1] = 2
    made = it.Tensor.from_numpy(array, format)
    np.testing.assert_array_equal(made.levels[-1].coordinates, np.ones(array.size // 4))
    np.testing.assert_array_equal(it.einsum("...j->...", made), array.sum(-1))


P = "dense, point"
BAD: dict[str, tuple[Any, ...]] = {
    "a coordinate too many": (P, (2, 3), {"coordinates": [0, 1, 2]}, 3),
    "no coordinates": (P, (2, 3), {}, 2),
    "a coordinate below -1": (P, (2, 3), [0, -2], 2),
    "a coordinate behind the last": (P, (2, 3), [3, 0], 2),
    "positions besides": (P, (2, 3), {"coordinates": [0, 1], "positions": [0, 1]}, 2),
    "values of another length": (P, (2, 3), [0, 1], 3),
    "another dtype": (P, (2, 3), np.array([0, 1], np.int32), 2),
    "more coordinates than bits": ("dense, point, crd = i8", (2, 300), [0, 1], 2),
}
REFUSED = {
    "a coordinate too many": "'tensor' level 1 (j : point): 3 coordinates for 2 parent positions\n"
    "help: a point level has one each, -1 for none",
    "no coordinates": "'tensor' level 1 (j : point): coordinates are missing\n"
    "help: build the tensor with Tensor.from_coo, which sorts and checks",
    "a coordinate below -1": "'tensor' level 1 (j : point): coordinates[1] is -2, outside -1..2\n"
    "help: a coordinate counts from 0, and -1 stands for no entry",
    "a coordinate behind the last": "'tensor' level 1 (j : point): coordinates[0] is 3, outside -1..2\n"
    "help: a coordinate counts from 0, and -1 stands for no entry",
    "positions besides": "'tensor' level 1 (j : point): has positions, which this level does not store\n"
    "help: build the tensor with Tensor.from_coo, which sorts and checks",
    "values of another length": "'tensor' 3 values for 2 positions\nhelp: values has one entry each",
    "another dtype": "'tensor' level 1 (j : point): coordinates has dtype int32, expected int64\n"
    "help: convert the array with .astype, or give the format other widths with format.with_widths(pos, crd)",
    "more coordinates than bits": "level 1 (j : point) has extent 300, beyond 8-bit coordinates\nhelp: use crd = i16",
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arrays_are_refused(case):
    format, shape, level, values = BAD[case]
    levels = [None] * (it.Format(format).rank - 1) + [level]
    found = message(lambda: it.Tensor.from_buffers(shape, format, levels, np.zeros(values)))
    slug = "index-overflow" if "bits" in case else "bad-storage"
    assert found == f"error: [{slug}] {REFUSED[case]}"


def test_what_does_not_fit_is_refused():
    array = np.zeros((2, 3, 4))
    array[1, 2, [0, 3]] = 1
    found = message(lambda: it.Tensor.from_numpy(array, "dense, dense, point"))
    assert found == (
        "error: [format-mismatch] level 2 (k : point) holds one entry for each parent, but the fiber at i = 1, j = 2 "
        "has coordinates 0 and 3\nhelp: store this dimension in a compressed level"
    )
    found = message(lambda: it.Tensor.from_numpy(np.ones(3), "point"))
    assert "level 0 (i : point) holds one entry for each parent, but its only fiber has coordinates 0 and 1" in found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "compressed(nonunique), point",
            "level 1 (j : point) is below level 0 (i : compressed(nonunique))\n"
            "help: a point level is below levels that are unique",
        ),
        (
            "(i) -> (i floordiv 2 : dense, i mod 2 : point)",
            "level 1 (i mod 2 : point) is over 'i mod 2'\nhelp: a point level is over a dimension, or over its blocks",
        ),
        (
            "(i, j) -> (j - i : point, i : range, j : offset)",
            "level 0 (j - i : point) is over 'j - i'\nhelp: a point level is over a dimension, or over its blocks",
        ),
        (
            "point(nonunique)",
            "level format 'point(nonunique)' is impossible: a point level holds each coordinate once and in order\n"
            "help: nonunique and nonordered go on compressed or singleton",
        ),
    ],
)
def test_formats_that_cannot_be(text, found):
    lines = message(lambda: it.Format(text)).splitlines()
    assert lines[0].endswith(found.splitlines()[0]) and lines[-1] == found.splitlines()[-1]


def test_an_operand_that_is_read_across_is_listed():
    array = np.diag([1.0, 2, 3])
    made = it.Tensor.from_numpy(array, "dense, point")
    other = it.Tensor.from_numpy(np.eye(3), "dense, compressed")
    kernel = it.compile("C[j,i] = A[i,j] + B[j,i]", {"C": "csr"})
    np.testing.assert_array_equal(kernel(A=made, B=other).to_numpy(), array.T + np.eye(3))
    assert "'A', stored (i, j) -> (i : dense, j : point), is converted to (i, j) -> (j : dense, i : compressed)" in (
        kernel.explain()
    )


def test_results_are_made_from_lists():
    array = np.array([[0.0, 0, 3], [0, 0, 0], [5, 0, 0]])
    kernel = it.compile("C[i,j] = 2 * A[i,j]", {"C": "dense, point"})
    made = kernel(A=it.Tensor.from_numpy(array, "dense, point"))
    assert str(made.format) == "(i, j) -> (i : dense, j : point)"
    np.testing.assert_array_equal(made.to_numpy(), 2 * array)
    full = it.Tensor.from_numpy(array + np.eye(3), "csr")
    found = message(lambda: kernel(A=full))
    assert "level 1 (j : point) holds one entry for each parent, but the fiber at i = 0 has coordinates 0 and 2" in found
