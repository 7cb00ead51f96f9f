"""Structured levels as tensors: what they store, what does not fit, conversions, and arrays that are refused."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import irtensor as it

# Each level in a format of matrices, below rows.
LEVELS = ("dense", "compressed", "bitmap", "hashed", "padded", "point", "band", "ragged", "interval")
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


@pytest.mark.one_in(6)
@pytest.mark.parametrize("outer", ["dense", "compressed", "bitmap"])
@pytest.mark.parametrize("levels", list(product(LEVELS, LEVELS)), ids=str)
def test_round_trips(levels, outer):
    level, other = levels
    for shape in ((3, 4), (1, 1), (0, 3), (3, 0), (4, 1)):
        for array in cases(shape):
            coordinates = np.nonzero((array != 0) | np.signbit(array))
            made = it.Tensor.from_coo(coordinates, array[coordinates], shape=shape, format=f"{outer}, {level}")
            made.check()
            if outer == "dense":
                assert made.to_numpy().tobytes() == array.tobytes()
            array = made.to_numpy()
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
            np.testing.assert_array_equal(np.array(found)[:, stored], np.array(entries))
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


def test_bands_of_one_row():
    """A name is that of a format where it is written in capitals, and of a level otherwise."""
    assert it.Format("band").rank == 1
    made = it.Tensor.from_numpy(np.eye(2), "BAND")
    assert made.format == it.BAND == it.Format("dense, band")


@pytest.mark.parametrize("level", ["triangle", "strict_triangle"])
@pytest.mark.parametrize("rank", [2, 3, 4])
@pytest.mark.parametrize("outer", ["", "dense, ", "compressed, "])
def test_triangles(level, rank, outer):
    """The positions are those of the tuples of coordinates that do not grow, in their order."""
    format = f"{outer}dense{', '.join(['', *[level] * (rank - 1)])}"
    for extent, filled in product(range(6), (True, False)):
        shape = (2,) * bool(outer) + (extent,) * rank
        indices = np.indices(shape)[bool(outer) :]
        pairs = pairwise(indices)
        inside = np.logical_and.reduce([a > b if level == "strict_triangle" else a >= b for a, b in pairs])
        array = np.where(inside, np.arange(1.0, inside.size + 1).reshape(shape) % (7 if filled else 2), 0)
        made = it.Tensor.from_numpy(array, format)
        made.check()
        np.testing.assert_array_equal(made.to_numpy(), array)
        if not outer.startswith("c") or not extent:
            np.testing.assert_array_equal(made.values, array[inside])
        plain = ", ".join(["compressed"] * len(shape))
        np.testing.assert_array_equal(made.to_format(plain).to_numpy(), array)
        np.testing.assert_array_equal(made.to_format(plain).to_format(format).to_numpy(), array)
        if outer[:1] != "c":
            shared = it.Tensor.from_buffers(shape, format, [None] * len(shape), made.values)
            np.testing.assert_array_equal(shared.to_numpy(), array)
    assert it.PACKED(3) == it.Format("dense, triangle, triangle")


def test_triangles_that_cannot_be():
    found = message(lambda: it.Tensor.from_buffers((3, 4), "dense, triangle", [None, None], np.zeros(6)))
    assert found == (
        "error: [bad-storage] 'tensor' level 1 (j : triangle): has extent 4, and the level above has 3\n"
        "help: a triangle is over dimensions of the same extent"
    )
    found = message(lambda: it.Tensor.from_numpy(np.eye(2, 3), it.PACKED(2)))
    assert found == (
        "error: [format-mismatch] level 1 (j : triangle) has extent 3, and the level above has 2\n"
        "help: a triangle is over dimensions of the same extent"
    )
    found = message(lambda: it.Tensor.from_buffers((3, 3), it.PACKED(2), [None, None], np.zeros(5)))
    assert found == "error: [bad-storage] 'tensor' 5 values for 6 positions\nhelp: values has one entry each"
    help = "help: store this dimension in a compressed level, or in a dense one"
    found = message(lambda: it.Tensor.from_numpy(np.ones((3, 3)), it.PACKED(2)))
    assert found == (
        "error: [format-mismatch] level 1 (j : triangle) holds coordinates up to that of the level above, but the "
        f"fiber at i = 0 has coordinate 1\n{help}"
    )
    found = message(lambda: it.Tensor.from_numpy(np.eye(3), "dense, strict_triangle"))
    assert found == (
        "error: [format-mismatch] level 1 (j : strict_triangle) holds coordinates before that of the level above, but "
        f"the fiber at i = 0 has coordinate 0\n{help}"
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


def matrix(level, arrays, values=2, shape=(2, 3)):
    return f"dense, {level}", shape, arrays, values


_SORTS = "help: build the tensor with Tensor.from_coo, which sorts and checks"
# Arrays of the last level, and the error about them.
BAD: dict[str, tuple[tuple[str, tuple[int, ...], Any, int], str]] = {
    "point: a coordinate too many": (
        matrix("point", {"coordinates": [0, 1, 2]}, 3),
        "3 coordinates for 2 parent positions\nhelp: a point level has one each, -1 for none",
    ),
    "point: no coordinates": (matrix("point", {}), f"coordinates are missing\n{_SORTS}"),
    "point: a coordinate below -1": (
        matrix("point", [0, -2]),
        "coordinates[1] is -2, outside -1..2\nhelp: a coordinate counts from 0, and -1 stands for no entry",
    ),
    "point: a coordinate behind the last": (
        matrix("point", [3, 0]),
        "coordinates[0] is 3, outside -1..2\nhelp: a coordinate counts from 0, and -1 stands for no entry",
    ),
    "point: positions besides": (
        matrix("point", {"coordinates": [0, 1], "positions": [0, 1]}),
        f"has positions, which this level does not store\n{_SORTS}",
    ),
    "point: another dtype": (
        matrix("point", np.array([0, 1], np.int32)),
        "coordinates has dtype int32, expected int64\nhelp: convert the array with .astype, or give the format other "
        "widths with format.with_widths(pos, crd)",
    ),
    "band: an end too few": (
        matrix("band", {"ends": [1], "offsets": [0, 1, 2]}),
        "1 ends for 2 parent positions\nhelp: a band has one each",
    ),
    "band: an offset too few": (
        matrix("band", {"ends": [1, 1], "offsets": [0, 2]}),
        "offsets has 2 entries, expected 3\nhelp: one more than the 2 parent positions",
    ),
    "band: offsets from 1": (
        matrix("band", {"ends": [1, 1], "offsets": [1, 1, 2]}),
        f"offsets[0] is 1, expected 0\n{_SORTS}",
    ),
    "band: falling offsets": (
        matrix("band", {"ends": [3, 1], "offsets": [0, 3, 2]}),
        "offsets decrease from 3 to 2 at entries 1, 2\nhelp: the block of each parent begins where the one before ends",
    ),
    "band: an end behind the extent": (
        matrix("band", {"ends": [1, 4], "offsets": [0, 1, 2]}),
        "ends[1] is 4, outside 0..3\nhelp: the end of a band is behind its last coordinate",
    ),
    "band: an end below 0": (
        matrix("band", {"ends": [-1, 1], "offsets": [0, 1, 2]}),
        "ends[0] is -1, outside 0..3\nhelp: the end of a band is behind its last coordinate",
    ),
    "band: longer than its end": (
        matrix("band", {"ends": [1, 1], "offsets": [0, 0, 2]}),
        "ends[1] is 1, but the band has 2 elements, and would begin at -1\n"
        "help: offsets say how many elements each band has",
    ),
    "ragged: too long": (
        matrix("ragged", [0, 1, 5], 5),
        "offsets[1] and [2] are 1 and 5: 4 coordinates, but the level has 3\n"
        "help: a parent has no more of them than the extent",
    ),
    "ragged: falling offsets": (
        matrix("ragged", [0, 2, 1], 1),
        "offsets decrease from 2 to 1 at entries 1, 2\nhelp: the block of each parent begins where the one before ends",
    ),
    "interval: a beginning too few": (
        matrix("interval", {"begins": [0], "ends": [1, 2]}),
        "1 begins for 2 parent positions\nhelp: an interval level has one each",
    ),
    "interval: behind its end": (
        matrix("interval", {"begins": [0, 2], "ends": [1, 1]}),
        "begins[1] is 2, behind ends[1], which is 1\nhelp: an interval without coordinates begins where it ends",
    ),
    "interval: an end behind the extent": (
        matrix("interval", {"begins": [0, 2], "ends": [1, 4]}),
        "ends[1] is 4, outside 0..3\nhelp: an interval ends behind its last coordinate",
    ),
    "interval: a beginning below 0": (
        matrix("interval", {"begins": [-1, 2], "ends": [1, 3]}),
        "begins[0] is -1, outside 0..3\nhelp: an interval ends behind its last coordinate",
    ),
}
VALUES = {
    "point": matrix("point", [0, 1], 3),
    "band": matrix("band", {"ends": [1, 1], "offsets": [0, 1, 2]}, 3),
    "ragged": matrix("ragged", [0, 1, 2], 3),
    "interval": matrix("interval", {"begins": [0, 2], "ends": [1, 3]}, 3),
}


def given(format, shape, level, values):
    levels = [None] * (it.Format(format).rank - 1) + [level]
    return it.Tensor.from_buffers(shape, format, levels, np.zeros(values))


@pytest.mark.parametrize("case", BAD)
def test_bad_arrays_are_refused(case):
    arguments, text = BAD[case]
    found = message(lambda: given(*arguments))
    assert found == f"error: [bad-storage] 'tensor' level 1 (j : {case.partition(':')[0]}): {text}"


@pytest.mark.parametrize("level", VALUES)
def test_values_of_another_length_are_refused(level):
    found = message(lambda: given(*VALUES[level]))
    assert found == "error: [bad-storage] 'tensor' 3 values for 2 positions\nhelp: values has one entry each"


@pytest.mark.parametrize(("level", "most"), [("point", 128), ("band", 127), ("interval", 127)])
def test_coordinates_have_to_fit_into_their_width(level, most):
    """An end may be the extent."""
    array = np.zeros((1, most))
    array[0, -1] = 1
    narrow = it.Tensor.from_numpy(array, f"dense, {level}, crd = i8")
    np.testing.assert_array_equal(narrow.to_numpy(), array)
    found = message(lambda: it.Tensor.from_numpy(np.zeros((1, most + 1)), f"dense, {level}, crd = i8"))
    assert found == (
        f"error: [index-overflow] level 1 (j : {level}) has extent {most + 1}, beyond 8-bit coordinates\n"
        "help: use crd = i16"
    )


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
    help = "\nhelp: store this dimension in a compressed level"
    found = message(lambda: it.Tensor.from_numpy([[0, 0, 0], [2, 0, 2]], "dense, interval"))
    assert found == (
        "error: [format-mismatch] level 1 (j : interval) holds one run for each parent, but the fiber at i = 1 has "
        f"coordinates 0 and 2, and none between{help}"
    )
    found = message(lambda: it.Tensor.from_numpy([[0, 2, 2], [2, 2, 3]], "dense, interval"))
    assert found == (
        "error: [format-mismatch] level 1 (j : interval) holds the same at all coordinates of a parent, but the fiber "
        f"at i = 1 differs at 0 and 2{help}"
    )
    found = message(lambda: it.Tensor.from_numpy([[0, 2, 2], [0, 2, 3]], "interval, dense"))
    assert "but its only fiber differs at 0 and 1" in found
    found = message(lambda: it.Tensor.from_numpy([[0, 2, 2], [0, 2, 0]], "interval, compressed"))
    assert "but its only fiber differs at 0 and 1" in found


def test_an_interval_compares_bits():
    array = np.array([[0, np.nan, np.nan], [-0.0, -0.0, -0.0]])
    coordinates = [[0, 0, 1, 1, 1], [1, 2, 0, 1, 2]]
    made = it.Tensor.from_coo(coordinates, array[tuple(coordinates)], shape=(2, 3), format="dense, interval")
    assert made.to_numpy().tobytes() == array.tobytes()
    np.testing.assert_array_equal([made.levels[1].array("begins"), made.levels[1].array("ends")], [[1, 0], [3, 3]])
    mixed = np.array([0.0, -0.0])
    found = message(lambda: it.Tensor.from_coo([[0, 1]], mixed, shape=2, format="interval"))
    assert "differs at 0 and 1" in found


def test_bands_store_what_lies_between():
    array = np.array([[0.0, 2, 0, 3], [0, 0, 0, 0], [4, 0, 0, 0]])
    band, ragged = (it.Tensor.from_numpy(array, f"dense, {level}") for level in ("band", "ragged"))
    np.testing.assert_array_equal(band.levels[1].array("ends"), [4, 0, 1])
    np.testing.assert_array_equal(band.levels[1].array("offsets"), [0, 3, 3, 4])
    np.testing.assert_array_equal(band.values, [2, 0, 3, 4])
    np.testing.assert_array_equal(ragged.levels[1].array("offsets"), [0, 4, 4, 5])
    np.testing.assert_array_equal(ragged.values, [0, 2, 0, 3, 4])
    # They are no entries of other formats.
    assert (band.nnz, ragged.nnz, band.to_format("csr").nnz, ragged.to_format(band.format).nnz) == (4, 5, 3, 4)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "compressed(nonunique), point",
            "level 1 (j : point) is below level 0 (i : compressed(nonunique))\n"
            "help: point levels are below levels that are unique",
        ),
        (
            "(i) -> (i floordiv 2 : dense, i mod 2 : point)",
            "level 1 (i mod 2 : point) is over 'i mod 2'\nhelp: point levels are over a dimension, or over its blocks",
        ),
        (
            "(i, j) -> (j - i : point, i : range, j : offset)",
            "level 0 (j - i : point) is over 'j - i'\nhelp: point levels are over a dimension, or over its blocks",
        ),
        (
            "triangle, dense",
            "level 0 (i : triangle) is outermost\nhelp: triangle levels are below a dense level, or another triangle",
        ),
        (
            "compressed, triangle",
            "level 1 (j : triangle) is below 'compressed'\n"
            "help: triangle levels are below a dense level, or another triangle",
        ),
        (
            "dense, triangle, strict_triangle",
            "level 2 (k : strict_triangle) is below 'triangle'\n"
            "help: strict_triangle levels are below a dense level, or another strict_triangle",
        ),
        (
            "(i, j) -> (i floordiv 2 : dense, i mod 2 : dense, j : triangle)",
            "level 1 (i mod 2 : dense) is over blocks\n"
            "help: triangle levels, and those above them, are over whole dimensions",
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
    assert (
        "level 1 (j : point) holds one entry for each parent, but the fiber at i = 0 has coordinates 0 and 2" in found
    )
