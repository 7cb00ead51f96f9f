"""Which coordinates of a result are entries does not depend on how operands are stored."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import irtensor as it

FORMATS = ["csr", "csc", "coo", "compressed, dense", "bcsr(2, 2)", "bcsr(3, 1)", "dense, bitmap"]
RESULTS = ["csr", "coo", "bitmap, bitmap", "dense, hashed", "dense, bitmap"]
# What NumPy makes of a statement: its values, and its entries by those of the operands.
STATEMENTS = {
    "y[i,j] = where(~stored(C[i,j]), A[i,j], 0)": (
        lambda a, b, c: np.where(c == 0, a, 0),
        lambda a, b, c: a & ~c,
    ),
    "y[i,j] = where(~stored(C[i,j]), A[i,j] + B[i,j], 0)": (
        lambda a, b, c: np.where(c == 0, a + b, 0),
        lambda a, b, c: (a | b) & ~c,
    ),
    "y[i,j] = where(stored(B[i,j]) | ~stored(C[i,j]), C[i,j], A[i,j])": (
        lambda a, b, c: np.where((b != 0) | (c == 0), c, a),
        lambda a, b, c: np.where(b | ~c, c, a),
    ),
    "y[i,j] = where(~stored(A[i,j]), C[i,j], B[i,j])": (
        lambda a, b, c: np.where(a == 0, c, b),
        lambda a, b, c: np.where(~a, c, b),
    ),
    "y[i,j] = C[i,j] * where(~stored(A[i,j]), C[i,j], B[i,j])": (
        lambda a, b, c: c * np.where(a == 0, c, b),
        lambda a, b, c: c & np.where(~a, c, b),
    ),
    "y[i,j] = 2 * where(stored(A[i,j]) ^ stored(B[i,j]), 7, C[i,j])": (
        lambda a, b, c: 2 * np.where((a != 0) ^ (b != 0), 7, c),
        lambda a, b, c: (a ^ b) | c,
    ),
    "y[i,j] = A[i,k] * B[k,j] + C[i,j]": (lambda a, b, c: a @ b + c, lambda a, b, c: (a @ b) | c),
    "y[i,j] = A[i,k] * B[k,j] - C[j,i]": (lambda a, b, c: a @ b - c.T, lambda a, b, c: (a @ b) | c.T),
    "y[i,j] = A[i,k] * B[k,j]": (lambda a, b, c: a @ b, lambda a, b, c: a @ b),
}
COMBINATIONS = list(product(FORMATS, repeat=3))


def operands(statement, seed):
    random = np.random.default_rng(seed)
    made = [random.integers(1, 9, (6, 6)) * (random.random((6, 6)) < density) * 1.0 for density in (0.3, 0.2, 0.4)]
    return {name: array for name, array in zip("ABC", made, strict=True) if f"{name}[" in statement}


@pytest.mark.one_in(2400)
@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("formats", COMBINATIONS, ids=" / ".join)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_entries(statement, formats, result):
    check_entries(statement, formats, result)


@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("result", [one for one in RESULTS if "bitmap" in one])
@pytest.mark.parametrize("factor", ["csc", "dense, bitmap"])
@pytest.mark.parametrize("added", ["bcsr(2, 2)", "bcsr(3, 1)"])
@pytest.mark.parametrize("statement", [one for one in STATEMENTS if " * B[k,j] " in one])
def test_entries_beside_blocks(statement, added, factor, result):
    """Nothing asks for a row of the product at a time but the result, whose places are not those of blocks."""
    check_entries(statement, ("csr", factor, added), result)


def check_entries(statement, formats, result):
    value, entries = STATEMENTS[statement]
    given = operands(statement, 3)
    stored: dict[str, Any] = dict(zip("ABC", formats, strict=True))
    kernel = it.compile(statement, {name: stored[name] for name in given} | {"y": result}, disk_cache=False)
    found = kernel(**{name: it.Tensor.from_numpy(array, stored[name]) for name, array in given.items()})
    every = [given.get(name, np.zeros((6, 6))) for name in "ABC"]
    np.testing.assert_array_equal(found.to_numpy(), value(*every))
    assert found.nnz == np.count_nonzero(entries(*(array != 0 for array in every)))
