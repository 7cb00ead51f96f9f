"""Conversions into blocks and out of them against SciPy and against the way of all other conversions."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.named_formats import BCSR
from irtensor.runtime import regroup_segments
from irtensor.runtime.regroup_segments import Blocks, blocks_to_segments, segments_to_blocks
from irtensor.storage import convert_blocks, sort_coordinates
from irtensor.tensors.tensor import Tensor

_LISTS = ("dense, compressed", "compressed, compressed", "compressed(nonunique), singleton", "dense, padded")


def blocked(rows: int, columns: int, outer: str, inner: str, inside: str, rest: str = "") -> TensorFormat:
    factors = {"i": rows, "j": columns}
    first, second = (f"{name} floordiv {factors[name]}" for name in (outer, inner))
    third, fourth = (f"{name} mod {factors[name]}" for name in inside)
    levels = f"{first} : dense, {second} : compressed, {third} : dense, {fourth} : dense"
    return TensorFormat.parse(f"(i, j) -> ({levels}){rest}")


def converted(tensor: Tensor, target: TensorFormat, worth: int, monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """The arrays of a tensor in another format, where compiled code is loaded after so many entries."""
    monkeypatch.setattr(sort_coordinates, "_WORTH_LOADING", worth)
    result = tensor.to_format(target)
    result.check()
    return [*(array for level in result.levels for array in level.arrays()), result.values]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "outer, inner, inside", [("i", "j", "ij"), ("i", "j", "ji"), ("j", "i", "ij"), ("j", "i", "ji")]
)
@pytest.mark.parametrize("rest", ["", ", pos = i32, crd = i32", ", pos = i32, crd = i64", ", fill = 2.0"])
def test_compiled_code_stores_the_same_as_numpy(
    outer: str, inner: str, inside: str, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For blocks that fit and that do not, from lists of all kinds and to them; 2 and 0 are stored as well."""
    used: list[str] = []
    for name in ("segments_to_blocks", "blocks_to_segments"):
        function = getattr(regroup_segments, name)
        monkeypatch.setattr(
            convert_blocks, name, lambda *given, name=name, function=function: used.append(name) or function(*given)
        )
    rng = np.random.default_rng(5)
    for rows, columns, shape in ((2, 3, (9, 13)), (1, 4, (8, 12)), (5, 1, (10, 7)), (7, 20, (6, 50)), (2, 2, (1, 1))):
        array = np.where(rng.random(shape) < 0.4, rng.integers(0, 3, shape), 0.0)
        places = np.argwhere(rng.random(shape) < 0.5)
        target = blocked(rows, columns, outer, inner, inside, rest)
        for first, second in ("ij", "ji"):
            for levels in _LISTS:
                above, below = levels.split(", ")
                source = TensorFormat.parse(f"(i, j) -> ({first} : {above}, {second} : {below}){rest}")
                tensor = Tensor.from_coo(places.T, array[*places.T], shape=shape, format=source)
                by_numpy, compiled = (converted(tensor, target, worth, monkeypatch) for worth in (1 << 62, 0))
                for one, other in zip(by_numpy, compiled, strict=True):
                    np.testing.assert_array_equal(one, other)
                    assert one.dtype == other.dtype
                into = tensor.to_format(target)
                np.testing.assert_array_equal(into.to_numpy(), tensor.to_numpy())
                # What is behind the edges of the matrix is not part of it, whatever is stored there.
                into.values[rng.random(into.values.size) < 0.8] = 5.0
                for back in (source, blocked(3, 2, inner, outer, inside, rest)):
                    by_numpy, compiled = (converted(into, back, worth, monkeypatch) for worth in (1 << 62, 0))
                    for one, other in zip(by_numpy, compiled, strict=True):
                        np.testing.assert_array_equal(one, other)
                        assert one.dtype == other.dtype
    assert {*used} == {"segments_to_blocks", "blocks_to_segments"}


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "int64", "float32", "float64", "c8", "c16"])
@pytest.mark.parametrize("fill", [0, 1, np.nan, -0.0])
def test_elements_of_all_types_are_moved(dtype: str, fill: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sort_coordinates, "_WORTH_LOADING", 0)
    if np.dtype(dtype).kind in "bi" and fill != int(bool(fill)):
        fill = 0
    rng = np.random.default_rng(7)
    array = rng.integers(0, 4, (11, 9)).astype(dtype)
    if array.dtype.kind in "fc":
        array.flat[::7] = -0.0
        array.flat[::11] = np.nan
    if array.dtype.kind == "c":
        array.imag[::2] = rng.integers(0, 2, array.imag[::2].shape)
    csr = TensorFormat.parse(f"(i, j) -> (i : dense, j : compressed), fill = {fill}")
    blocks = TensorFormat.parse(f"{BCSR(2, 4)}, fill = {fill}")
    tensor = Tensor.from_numpy(array, csr)
    there = tensor.to_format(blocks)
    there.check()
    back = there.to_format(csr)
    back.check()
    for one, other in zip(
        [*tensor.levels[1].arrays(), tensor.values], [*back.levels[1].arrays(), back.values], strict=True
    ):
        assert one.tobytes() == other.tobytes()
    np.testing.assert_array_equal(there.to_numpy(), array)


def test_many_entries_are_those_of_scipy() -> None:
    """In several strips, some of which end inside of one row of blocks."""
    rng = np.random.default_rng(3)
    places = np.unique(np.concatenate([rng.integers(0, 3000 * 4000, 90_000), 4000 * 17 + np.arange(4000)]))
    matrix = sp.csr_array((rng.random(places.size), np.divmod(places, 4000)), shape=(3000, 4000))
    expected = matrix.tobsr((4, 8))
    expected.sort_indices()
    tensor = Tensor.from_scipy(matrix).to_format(BCSR(4, 8))
    for strip in (1000, 1 << 21):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(regroup_segments, "_STRIP", strip)
            result = Tensor.from_scipy(matrix).to_format(BCSR(4, 8))
            np.testing.assert_array_equal(result.levels[1].positions, expected.indptr)
            np.testing.assert_array_equal(result.levels[1].coordinates, expected.indices)
            np.testing.assert_array_equal(result.values, expected.data.reshape(-1))
            back = tensor.to_format("csr")
            np.testing.assert_array_equal(back.levels[1].positions, matrix.indptr)
            np.testing.assert_array_equal(back.levels[1].coordinates, matrix.indices)
            np.testing.assert_array_equal(back.values, matrix.data)


def test_rows_without_number_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where few of many rows have entries, rows of blocks are counted, and not rows."""
    monkeypatch.setattr(sort_coordinates, "_WORTH_LOADING", 0)
    size = 1 << 34
    tensor = Tensor.from_coo([[0, size - 1], [1, 2]], [1.0, 2.0], shape=(size, 4), format="coo")
    result = tensor.to_format(BCSR(1 << 16, 2))
    np.testing.assert_array_equal(result.to_format("coo").to_coo()[0], tensor.to_coo()[0])


@pytest.mark.parametrize("coordinate", [-1, -5, 7, 1000, 2**31 - 1, -(2**31)])
def test_coordinates_out_of_order_or_outside_write_nowhere_else(coordinate: int) -> None:
    """Arrays that somebody has changed give None, or blocks within their bounds: no memory around them is touched."""
    positions = np.array([0, 3, 3, 6], np.int32)
    for place in range(6):
        coordinates = np.array([1, 3, 6, 0, 2, 5], np.int32)
        coordinates[place] = coordinate
        moved = segments_to_blocks(positions, coordinates, np.arange(6.0), 7, Blocks(2, 3, 3, 1), 0.0)
        if moved is not None:
            ends, numbers, elements = moved
            assert ends[-1] == numbers.size and elements.size == 6 * numbers.size
            assert {*elements.tolist()} <= {*range(6)}
    moved = segments_to_blocks(positions, np.array([6, 3, 1, 5, 5, 0], np.int32), np.ones(6), 7, Blocks(2, 3, 3, 1), 0)
    assert moved is None or moved[2].size == 6 * moved[1].size


def test_arrays_that_do_not_fit_each_other_are_left_alone() -> None:
    blocks, crd, values = Blocks(2, 2, 2, 1), np.array([0, 1], np.int32), np.ones(8)
    for positions in ([0, 1, 1, 3], [1, 1, 1, 2], [0, 2, 1, 2]):
        given = np.array(positions, np.int32)
        assert segments_to_blocks(given, crd, np.ones(2), 4, blocks, 0.0) is None
        assert blocks_to_segments(given, crd, values, 6, 4, blocks, 0.0) is None
    good = np.array([0, 1, 2], np.int32)
    assert segments_to_blocks(good, crd, np.ones(3), 4, blocks, 0.0) is None
    assert blocks_to_segments(good, crd, np.ones(7), 4, 4, blocks, 0.0) is None
    assert blocks_to_segments(good, crd, values, 5, 4, blocks, 0.0) is None
    assert blocks_to_segments(good, np.array([-7, 1 << 30], np.int32), values, 4, 4, blocks, 0.0) is not None


def test_blocks_that_do_not_fit_into_memory_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sort_coordinates, "_sorted_by_numpy", 0)

    def refused(*arguments: Any) -> Any:
        raise MemoryError("no 64 TiB")

    monkeypatch.setattr(convert_blocks, "segments_to_blocks", refused)
    monkeypatch.setattr(convert_blocks, "blocks_to_segments", refused)
    tensor = Tensor.from_coo([[0, 1], [5, 3]], [1.0, 2.0], shape=(3, 6), format="dense, compressed")
    blocks = tensor.to_format(BCSR(2, 2))
    monkeypatch.setattr(sort_coordinates, "_WORTH_LOADING", 0)
    for one, target in ((tensor, BCSR(2, 2)), (blocks, "csr")):
        with pytest.raises(UserError, match=r"storage-too-large.*for this shape: no 64 TiB"):
            one.to_format(target)
