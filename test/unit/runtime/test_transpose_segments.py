"""Transposition of lists in segments against NumPy's stable sorting."""

import numpy as np
import pytest

from irtensor.runtime import transpose_segments


@pytest.mark.parametrize("position_type", ["int32", "int64"])
@pytest.mark.parametrize("coordinate_type", ["int32", "int64"])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize(
    ("segments", "extent", "entries"),
    [(0, 0, 0), (0, 3, 0), (4, 0, 0), (1, 1, 1), (5, 1, 3), (1, 5, 3), (40, 30, 600), (300, 2000, 50)],
)
def test_entries_are_found_by_their_coordinates(
    position_type: str, coordinate_type: str, dtype: str, segments: int, extent: int, entries: int
) -> None:
    rng = np.random.default_rng(entries)
    # Segments without entries among them, at both ends too; coordinates in no order; nothing is contiguous.
    numbers = np.sort(rng.integers(0, max(segments, 1), entries))
    positions = np.searchsorted(numbers, np.arange(segments + 1)).astype(position_type)
    coordinates = rng.integers(0, max(extent, 1), 2 * entries).astype(coordinate_type)[::2]
    values = rng.integers(0, 1000, 2 * entries).astype(dtype)[1::2]
    before = [array.copy() for array in (positions, coordinates, values)]
    found = transpose_segments.transpose_segments(positions, coordinates, values, extent)
    assert found is not None
    order = np.argsort(coordinates, kind="stable")
    expected = np.searchsorted(coordinates[order], np.arange(extent + 1)), numbers[order], values[order]
    for array, its, given in zip(found, expected, before, strict=True):
        np.testing.assert_array_equal(array, its)
        assert array.dtype == given.dtype
    for array, copy in zip((positions, coordinates, values), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("strip", [1, 2, 7, 64])
@pytest.mark.parametrize(("segments", "extent", "entries"), [(40, 30, 200), (3, 200, 200), (300, 7, 65)])
def test_strips_are_parts_of_the_whole(strip, segments, extent, entries, monkeypatch):
    rng = np.random.default_rng(strip)
    positions = np.searchsorted(np.sort(rng.integers(0, segments, entries)), np.arange(segments + 1)).astype("int32")
    coordinates, values = rng.integers(0, extent, entries).astype("int32"), rng.random(entries)
    whole = transpose_segments.transpose_segments(positions, coordinates, values, extent)
    monkeypatch.setattr(transpose_segments, "_STRIP", strip)
    parts = transpose_segments.transpose_segments(positions, coordinates, values, extent)
    assert whole is not None and parts is not None
    for array, its in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(array, its)
    coordinates[-1] = extent
    assert transpose_segments.transpose_segments(positions, coordinates, values, extent) is None


@pytest.mark.parametrize("kind", ["int32", "int64"])
@pytest.mark.parametrize("wrong", [-1, 7, 1 << 30, -(1 << 31)])
def test_nothing_is_written_outside_of_the_extent(kind: str, wrong: int) -> None:
    coordinates = np.array([0, 6, wrong, 3], kind)
    assert transpose_segments.transpose_segments(np.array([0, 2, 4], kind), coordinates, np.ones(4), 7) is None


@pytest.mark.parametrize("kind", ["int32", "int64"])
@pytest.mark.parametrize("positions", [[1, 4], [0, 3], [0, 5], [0, 3, 2, 4], [0, -1, 4], [0, 1 << 30, 4], [0], [4]])
def test_segments_that_are_none_are_refused(kind: str, positions: list[int]) -> None:
    assert transpose_segments.transpose_segments(np.array(positions, kind), np.zeros(4, kind), np.ones(4), 7) is None
