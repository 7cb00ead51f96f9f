"""Sums of tensors whose lists have lists below: what only one operand has, before and behind the other's entries."""

import numpy as np
import pytest

import irtensor as it

_CSF = "compressed, compressed, compressed"
_ROWS = "dense, compressed, compressed, pos = i32, crd = i32"
_STATEMENTS = {
    "A[i,j,k] + B[i,j,k]": lambda a, b: a + b,
    "A[i,j,k] - 2 * B[i,j,k]": lambda a, b: a - 2 * b,
    "max(A[i,j,k], B[i,j,k])": np.maximum,
}


def _random(seed, rows, columns):
    """Few entries in some of the rows and columns, which are given, of a tensor of 6 x 5 x 4."""
    generator = np.random.default_rng(seed)
    array = np.zeros((6, 5, 4))
    for row in rows:
        for column in columns:
            array[row, column, generator.integers(0, 4, generator.integers(0, 4))] = generator.integers(1, 9)
    return array


_PATTERNS = {
    "same": (range(6), range(5), range(6), range(5)),
    "first before": (range(3), range(2), range(3, 6), range(2, 5)),
    "second before": (range(3, 6), range(2, 5), range(3), range(2)),
    "columns in turn": (range(6), (0, 2, 4), range(6), (1, 3)),
    "first longer": (range(6), range(5), range(2), range(2)),
    "second longer": (range(2), range(2), range(6), range(5)),
    "first alone": (range(6), range(5), (), ()),
    "second alone": ((), (), range(6), range(5)),
}


@pytest.mark.parametrize("expression", _STATEMENTS)
@pytest.mark.parametrize("pattern", _PATTERNS)
def test_tensors(expression, pattern):
    rows, columns, other_rows, other_columns = _PATTERNS[pattern]
    a, b = _random(1, rows, columns), _random(2, other_rows, other_columns)
    for first, second, result, threads in ((_CSF, _CSF, _CSF, 1), (_ROWS, _ROWS, _ROWS, 1), (_CSF, _ROWS, _CSF, 3)):
        kernel = it.compile(f"C[i,j,k] = {expression}", formats={"C": result}, num_threads=threads)
        total = kernel(A=it.Tensor.from_numpy(a, first), B=it.Tensor.from_numpy(b, second))
        np.testing.assert_array_equal(total.to_numpy(), _STATEMENTS[expression](a, b))


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_matrices(pattern):
    rows, columns, other_rows, other_columns = _PATTERNS[pattern]
    a, b = _random(1, rows, columns)[:, :, 0], _random(2, other_rows, other_columns)[:, :, 0]
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats={"C": "compressed, compressed"})
    total = kernel(*[it.Tensor.from_numpy(one, "compressed, compressed") for one in (a, b)])
    np.testing.assert_array_equal(total.to_numpy(), a + b)
    assert total.nnz == np.count_nonzero(a + b)


def test_many_fibers_in_one_row():
    """Room for all fibers of a row, which are far more than those of the row before."""
    generator = np.random.default_rng(3)
    a, b = (np.where(generator.random((3, 400, 60)) < 0.05, generator.random((3, 400, 60)), 0.0) for _ in range(2))
    a[0], b[0, 1:] = 0.0, 0.0
    kernel = it.compile("C[i,j,k] = A[i,j,k] + B[i,j,k]", formats={"C": _CSF}, num_threads=1)
    total = kernel(*[it.Tensor.from_numpy(one, _CSF) for one in (a, b)])
    np.testing.assert_array_equal(total.to_numpy(), a + b)


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_that_are_looked_up(threads):
    """Rows of `C` are put into a workspace for one fiber each: the next one finds nothing of them."""
    t = _random(1, range(6), range(5))
    c, d = _random(2, range(5), range(3))[:5, :, 0], _random(3, range(4), range(5))[:4, :, 0]
    kernel = it.compile("M[i,j] = T[i,k,l] * C[k,j] * D[l,j]", formats={"M": it.CSR}, num_threads=threads)
    result = kernel(T=it.Tensor.from_numpy(t, _CSF), C=it.Tensor.from_numpy(c, "csr"), D=it.Tensor.from_numpy(d, "csr"))
    expected = np.einsum("ikl,kj,lj->ij", t, c, d)
    np.testing.assert_array_equal(result.to_numpy(), expected)
    assert result.nnz == np.count_nonzero(expected)
