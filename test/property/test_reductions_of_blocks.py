"""Reductions over blocks: what lies between blocks counts once, and a block is computed by rows of results."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.named_formats import BCSR

SHAPES = [(8, 8), (7, 9), (13, 5), (1, 2), (5, 1), (0, 3)]
BLOCKS = [(2, 3), (4, 4), (1, 1)]
EXTREMES = {"max": np.max, "min": np.min}


def _blocks(shape: tuple[int, int], block: tuple[int, int], share: float, seed: int) -> np.ndarray:
    """Which coordinates lie in blocks that are stored."""
    stored = np.random.default_rng(seed).random((14, 14)) < share
    return np.kron(stored, np.ones(block, bool))[: shape[0], : shape[1]]


@pytest.mark.one_in(24)
@pytest.mark.parametrize(("shape", "block"), list(product(SHAPES, BLOCKS)))
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_extremes_count_what_is_between_blocks(shape: Any, block: Any, dtype: type, share: float) -> None:
    a = np.random.default_rng(5).integers(-3, 4, shape) * _blocks(shape, block, share, 6)
    A = it.Tensor.from_numpy(a.astype(dtype), BCSR(*block))
    for (name, extreme), threads in product(EXTREMES.items(), (1, 3)):
        for axis, notation in ((1, f"y[i] = {name}(j, A[i,j])"), (0, f"y[j] = {name}(i, A[i,j])")):
            if a.shape[axis]:
                found = it.compile(notation, formats={"A": A.format}, num_threads=threads)(A=A)
                np.testing.assert_array_equal(found, extreme(a, axis=axis))


def test_extremes_of_rows_take_blocks_as_they_are() -> None:
    """Neither a copy without blocks, nor a loop over the blocks or places between those that are stored."""
    kernel = it.compile("y[i] = max(j, A[i,j])", formats={"A": BCSR(4, 4)}, num_threads=1)
    assert "is converted" not in kernel.explain()
    # Rows of blocks, blocks, rows before, rows and places, rows behind.
    assert kernel.ir("optimized").count("loop.for") == 6


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("shape", "block"), list(product(SHAPES, BLOCKS)))
def test_attention_in_one_statement(shape: tuple[int, int], block: tuple[int, int]) -> None:
    """Numerator and denominator of weights in blocks: ragged blocks, rows without any."""
    rng = np.random.default_rng(6)
    rows, columns = shape
    m = rng.random(shape) * _blocks(shape, block, 0.5, 7)
    q, k, v = rng.random((rows, 3)), rng.random((columns, 3)), rng.random((columns, 5))
    weights = "sum(j, M[i,j] * exp(sum(e, Q[i,e] * K[j,e])){})"
    notation = f"O[i,d] = {weights.format(' * V[j,d]')} / (1 + {weights.format('')})"
    p = m * np.exp(q @ k.T)
    for threads in (1, 3):
        attend = it.compile(notation, formats={"M": BCSR(*block)}, num_threads=threads)
        found = attend(M=it.Tensor.from_numpy(m, BCSR(*block)), Q=q, K=k, V=v)
        np.testing.assert_allclose(found, p @ v / (1 + p.sum(axis=1, keepdims=True)), atol=1e-12)


def test_attention_in_one_statement_computes_each_weight_once() -> None:
    weights = "sum(j, M[i,j] * exp(sum(e, Q[i,e] * K[j,e])){})"
    notation = f"O[i,d] = {weights.format(' * V[j,d]')} / {weights.format('')}"
    text = it.compile(notation, formats={"M": BCSR(4, 4)}, num_threads=1).ir("optimized")
    # Rows of blocks, blocks, rows, places, and inside of these one sum and one row of results; then the quotients.
    assert text.count("loop.for") == 8
    assert text.count("loop.for %e") == 1
