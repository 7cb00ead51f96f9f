"""Results in blocks hold the fill value behind the extents, whatever reductions begin with."""

import numpy as np
import pytest

import irtensor as it

pytestmark = pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")

ROWS, COLUMNS, OTHERS = 5, 7, 5
REDUCTIONS = {"max": np.max, "min": np.min, "prod": np.prod, "sum": np.sum}
OPERANDS = {
    "dense": "(i, j) -> (i : dense, j : dense)",
    "csr": "csr",
    "csc": "csc",
    "coo": "(i, j) -> (i : compressed(nonunique), j : singleton)",
    "bcsr": "bcsr(2,2)",
    "bcsc": "bcsc(2,3)",
    "hashed": "(i, j) -> (i : dense, j : hashed)",
}
VECTORS = [
    f"(i) -> (i floordiv {size} : {level}, i mod {size} : dense)"
    for size, level in ((2, "compressed"), (2, "hashed"), (3, "bitmap"), (2, "padded"), (3, "dense"))
]
MATRICES = [
    "bcsr(2,2)",
    "bcsc(2,3)",
    "(i, j) -> (i floordiv 2 : dense, j floordiv 2 : hashed, i mod 2 : dense, j mod 2 : dense)",
    "(i, j) -> (i floordiv 2 : compressed, i mod 2 : dense, j : dense)",
    "(i, j) -> (i : dense, j floordiv 2 : compressed, j mod 2 : dense)",
]


def _operand(name, shape, seed):
    draw = np.random.default_rng(seed)
    values = np.where(draw.random(shape) < 0.4, draw.integers(1, 9, shape), 0).astype(float)
    return it.Tensor.from_numpy(values, OPERANDS[name]), values


def _check(statement, operands, format, expected):
    formats = {name: operand.format for name, operand in operands.items()}
    result = it.compile(statement, formats={"R": format, **formats}, disk_cache=False)(**operands)
    np.testing.assert_allclose(result.to_numpy() if isinstance(result, it.Tensor) else result, expected)
    if isinstance(result, it.Tensor):
        result.check("R")


@pytest.mark.one_in(12)
@pytest.mark.parametrize("format", VECTORS)
@pytest.mark.parametrize("right", OPERANDS)
@pytest.mark.parametrize("left", OPERANDS)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_vectors(reduction, left, right, format):
    (A, a), (B, b) = _operand(left, (ROWS, COLUMNS), 1), _operand(right, (ROWS, COLUMNS), 2)
    combine = REDUCTIONS[reduction]
    _check(f"R[i] = {reduction}(j, A[i,j] * B[i,j])", {"A": A, "B": B}, format, combine(a * b, axis=1))
    _check(f"R[j] = {reduction}(i, A[i,j])", {"A": A}, format, combine(a, axis=0))


@pytest.mark.one_in(12)
@pytest.mark.parametrize("format", MATRICES)
@pytest.mark.parametrize("right", OPERANDS)
@pytest.mark.parametrize("left", OPERANDS)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_matrices(reduction, left, right, format):
    (A, a), (B, b) = _operand(left, (ROWS, COLUMNS), 1), _operand(right, (COLUMNS, OTHERS), 2)
    expected = REDUCTIONS[reduction](a[:, :, None] * b[None], axis=1)
    _check(f"R[i,j] = {reduction}(k, A[i,k] * B[k,j])", {"A": A, "B": B}, format, expected)
