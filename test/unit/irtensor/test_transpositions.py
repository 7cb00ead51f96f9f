"""Transpositions of stored matrices against SciPy and against the way of all other conversions."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.named_formats import CSC
from irtensor.storage import convert_segments, sort_coordinates
from irtensor.tensors.tensor import Tensor


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize(("rows", "columns"), [(300, 2000), (70_000, 40), (40, 300_000)])
def test_many_entries_are_transposed_in_one_pass(
    rows: int, columns: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As SciPy transposes them; nothing is packed into words, also where integers get wider."""
    packed: list[int] = []
    pack = sort_coordinates._Packing.pack
    monkeypatch.setattr(sort_coordinates._Packing, "pack", lambda self, keys: packed.append(1) or pack(self, keys))
    rng = np.random.default_rng(3)
    places = np.unique(rng.integers(0, rows * columns, 80_000))
    matrix = sp.csr_array((rng.random(places.size), np.divmod(places, columns)), shape=(rows, columns))
    tensor = Tensor.from_scipy(matrix)
    tensor = tensor.to_format(f"dense, compressed, pos = i{width}, crd = i{width}")
    result, expected = tensor.to_format(CSC), matrix.tocsc()
    result.check()
    np.testing.assert_array_equal(result.levels[1].positions, expected.indptr)
    np.testing.assert_array_equal(result.levels[1].coordinates, expected.indices)
    np.testing.assert_array_equal(result.values, expected.data)
    assert not packed


def test_compiled_code_transposes_once_it_is_worth_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also few entries, if there were many conversions."""
    monkeypatch.setattr(sort_coordinates, "_sorted_by_numpy", 0)
    calls: list[int] = []
    transpose = convert_segments.transpose_segments

    def counted(*arguments: Any) -> Any:
        calls.append(number)
        return transpose(*arguments)

    monkeypatch.setattr(convert_segments, "transpose_segments", counted)
    tensor = Tensor.from_coo([[0, 0, 2], [1, 2, 0]], [1.0, 2.0, 3.0], shape=(3, 4), format="dense, compressed")
    for number in range(100):
        result = tensor.to_format(CSC)
        np.testing.assert_array_equal(result.to_numpy(), tensor.to_numpy())
    assert calls == list(range(calls[0], 100)) and 50 < calls[0] < 80


def test_compiled_transposition_stores_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """As NumPy's way does, for all pairs of formats with one dense and one listed dimension, and of some others."""
    lists = ["compressed", "compressed(nonordered)", "compressed(nonunique)", "compressed(nonordered, nonunique)"]
    kinds = [("dense", one) for one in lists] + [("compressed", "compressed"), ("dense", "padded"), ("dense", "hashed")]
    formats = [
        TensorFormat.parse(f"(i, j) -> ({first} : {outer}, {second} : {inner}){rest}")
        for outer, inner in kinds
        for first, second in ("ij", "ji")
        for rest in ("", ", pos = i32, crd = i32", ", pos = i8, crd = i16", ", fill = 2.0")
    ]
    rng = np.random.default_rng(5)
    array = np.where(rng.random((9, 13)) < 0.3, rng.integers(1, 3, (9, 13)), 0.0)
    places = rng.permutation(np.argwhere(array))
    for source in formats:
        twice = np.concatenate((places, places[::3])) if source.allows_duplicates else places
        duplicates = "keep" if source.allows_duplicates else "error"
        tensor = Tensor.from_coo(twice.T, array[*twice.T], shape=array.shape, format=source, duplicates=duplicates)
        for target in formats:
            if source.fill == target.fill:
                by_numpy, compiled = (_converted(tensor, target, worth, monkeypatch) for worth in (1 << 62, 0))
                for one, other in zip(by_numpy, compiled, strict=True):
                    np.testing.assert_array_equal(one, other)
                    assert one.dtype == other.dtype


def test_columns_that_do_not_fit_into_memory_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: Any) -> Any:
        raise MemoryError("no 64 TiB")

    monkeypatch.setattr(convert_segments, "transpose_segments", refused)
    monkeypatch.setattr(sort_coordinates, "_WORTH_LOADING", 0)
    tensor = Tensor.from_coo([[0, 1], [5, 3]], [1.0, 2.0], shape=(3, 6), format="dense, compressed")
    with pytest.raises(UserError, match=r"storage-too-large.*for this shape: no 64 TiB"):
        tensor.to_format(CSC)


def _converted(
    tensor: Tensor, target: TensorFormat, worth: int, monkeypatch: pytest.MonkeyPatch
) -> list[np.ndarray[Any, Any]]:
    """The arrays of a tensor in another format, where compiled code is loaded after so many entries."""
    monkeypatch.setattr(sort_coordinates, "_WORTH_LOADING", worth)
    result = tensor.to_format(target)
    result.check()
    return [*(array for level in result.levels for array in level.arrays()), result.values]
