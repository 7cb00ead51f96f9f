"""Parts of tensors, and tensors put together, in all formats against NumPy on dense arrays."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it
from irtensor.errors import UserError

FORMATS: dict[int, list[Any]] = {
    1: ["compressed", "bitmap", "hashed"],
    2: [
        *("csr", "csc", "coo", "compressed, compressed", "dense, bitmap", "dense, hashed", "dense, dense"),
        *("csr, symmetric", "dense, band", it.BCSR(2, 2), it.ELL, it.RLE, it.DIA),
    ],
    3: [it.CSF(3), it.COO(3), "dense, dense, compressed", "(i, j, k) -> (k : dense, j : compressed, i : dense)"],
}


def drawn_tensor(draw: random.Random, numbers: np.random.Generator) -> tuple[np.ndarray, it.Tensor]:
    rank = draw.choice([1, 2, 2, 2, 3])
    shape, format = [draw.randint(1, 6) for _ in range(rank)], draw.choice(FORMATS[rank])
    if format == "csr, symmetric":
        shape = [5, 5]
    array = numbers.integers(1, 9, shape) * (numbers.random(shape) < 0.5) * 1.0
    array = array + array.T if format == "csr, symmetric" else array
    return array, it.Tensor.from_numpy(array, format)


def drawn_item(draw: random.Random, extent: int, count: int) -> Any:
    """What takes coordinates of a dimension; arrays have `count` of them."""

    def end() -> int | None:
        return draw.choice([None, None, draw.randint(-extent - 1, extent + 1)])

    choice = draw.randrange(7)
    if choice < 3:
        return slice(end(), end(), draw.choice([None, 1, 2, 3, -1, -2, 20]))
    if choice == 3:
        return draw.randrange(-extent, extent)
    if choice == 4:
        places = [draw.randrange(-extent, extent) for _ in range(count)]
        return draw.choice([places, np.array(places), np.array(places[:1]), np.array(places[0])])
    if choice == 5 and extent >= count:
        return draw.sample([True] * count + [False] * (extent - count), extent)
    return slice(None)


def drawn_key(draw: random.Random, shape: tuple[int, ...]) -> tuple[Any, ...]:
    count = draw.randint(1, 3)
    key = [drawn_item(draw, extent, count) for extent in shape[: draw.randint(1, len(shape))]]
    for other in (Ellipsis, None):
        if draw.random() < 0.3:
            key.insert(draw.randint(0, len(key)), other)
    return tuple(key)


def check_same(found: Any, expected: np.ndarray, text: str) -> None:
    if isinstance(found, it.Tensor):
        found.check()
    array = found.to_numpy() if isinstance(found, it.Tensor) else np.asarray(found)
    assert array.dtype == expected.dtype, text
    np.testing.assert_array_equal(array, expected, err_msg=text)


@pytest.mark.parametrize("seed", range(few_or_many(20, 2000)))
@pytest.mark.filterwarnings("error::irtensor.DenseResultWarning")
def test_parts(seed: int) -> None:
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    array, tensor = drawn_tensor(draw, numbers)
    for _ in range(2):
        key = drawn_key(draw, array.shape)
        try:
            expected = array[key]
        except IndexError:
            with pytest.raises(UserError):
                tensor[key]
            continue
        check_same(tensor[key], expected, f"{tensor.format} {array.shape} {key}")


JOINED: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
    (lambda a, k: it.concatenate([a, a[:], a], k), lambda a, k: np.concatenate([a, a, a], k)),
    (lambda a, k: it.stack([a, a], k), lambda a, k: np.stack([a, a], k)),
    (lambda a, k: it.roll(a, 2, k), lambda a, k: np.roll(a, 2, k)),
    (lambda a, k: it.flip(a, k), lambda a, k: np.flip(a, k)),
    (lambda a, k: it.pad(a, (k, 2)), lambda a, k: np.pad(a, (k, 2))),
    (lambda a, k: it.pad(a, (k, 2), "wrap"), lambda a, k: np.pad(a, (k, 2), "wrap")),
    (lambda a, k: it.where(a > 3, a, 0), lambda a, k: np.where(a > 3, a, 0)),
    (lambda a, k: a.prune(3), lambda a, k: np.where(a == 3, 0, a)),
]


@pytest.mark.parametrize("seed", range(few_or_many(20, 1000)))
def test_joined_tensors(seed: int) -> None:
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    array, tensor = drawn_tensor(draw, numbers)
    ours, theirs = draw.choice(JOINED)
    axis = draw.randrange(array.ndim)
    check_same(ours(tensor, axis), theirs(array, axis), f"{tensor.format} {array.shape} {axis}")


def test_ranges_share_values() -> None:
    tensor = it.Tensor.from_numpy(np.arange(12.0).reshape(4, 3), "csr")
    assert np.shares_memory(tensor[1:3].values, tensor.values)
    assert tensor[1:3].nnz == 6


def test_many_columns() -> None:
    """So many elements that columns are taken where they are rows, and none is searched."""
    numbers = np.random.default_rng(0)
    array = numbers.random((50, 30)) * (numbers.random((50, 30)) < 0.05)
    tensor, places = it.Tensor.from_numpy(array, "csr"), numbers.integers(0, 30, 40)
    found = tensor[:, places]
    assert found.format.structure == tensor.format.structure
    check_same(found, array[:, places], "columns")
    check_same(tensor[::2, ::-1], array[::2, ::-1], "backwards")
    check_same(tensor[places, None, places], array[places, None, places], "both")


def test_wrong_rows_beside_an_empty_dimension_are_refused() -> None:
    """No row is located outside of the tensor, also where the loop along it has no iteration."""
    empty = it.Tensor.from_numpy(np.zeros((3, 0)), "csr")
    with pytest.raises(UserError, match="index-out-of-range"):
        it.compile("Y[i, j] = X[I[i], j]", formats={"Y": "csr"})(X=empty, I=np.array([10**9]))


def test_arrays_on_both_sides_of_an_ellipsis_are_apart() -> None:
    array = np.arange(24.0).reshape(4, 3, 2) * (np.arange(24).reshape(4, 3, 2) % 3 == 0)
    key = (slice(None, 2), [True, False, False], ..., -2)
    check_same(it.Tensor.from_numpy(array, it.CSF(3))[key], array[key], "apart")
