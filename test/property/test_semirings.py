"""Semirings over formats: a missing entry is the zero of the addition, and takes part in no multiplication."""

from itertools import product

import numpy as np
import pytest

import irtensor as it

SEMIRINGS = {
    "min_plus": (it.MIN_PLUS, np.add, np.minimum, np.inf),
    "max_plus": (it.MAX_PLUS, np.add, np.maximum, -np.inf),
    "min_times": (it.MIN_TIMES, np.multiply, np.minimum, np.inf),
    "max_times": (it.MAX_TIMES, np.multiply, np.maximum, -np.inf),
    "min_max": (it.MIN_MAX, np.maximum, np.minimum, np.inf),
    "max_min": (it.MAX_MIN, np.minimum, np.maximum, -np.inf),
    "plus_times": (it.PLUS_TIMES, np.multiply, np.add, 0.0),
}
FORMATS = {"array": None, "csr": it.CSR, "csc": it.CSC, "dcsr": it.DCSR, "coo": it.COO(2)}


def matrix(random, shape, format):
    """An operand, its values, and where it has entries; an array has them everywhere."""
    stored = random.random(shape) < (0.3 if format is not None else 2)
    values = random.choice([-2.0, -1.0, 1.0, 3.0], shape)
    if format is None:
        return values, values, stored
    coordinates = np.argwhere(stored).T
    return it.Tensor.from_coo(coordinates, values[stored], shape=shape, format=format), values, stored


@pytest.mark.one_in(48)
@pytest.mark.parametrize("shape", [(5, 4, 6), (3, 1, 2), (0, 2, 3), (2, 0, 3)], ids=str)
@pytest.mark.parametrize("name", SEMIRINGS)
def test_products_of_all_formats(name, shape):
    semiring, multiply, add, zero = SEMIRINGS[name]
    random = np.random.default_rng(len(name))
    rows, inner, columns = shape
    for left, right in product(FORMATS, repeat=2):
        A, a, a_stored = matrix(random, (rows, inner), FORMATS[left])
        B, b, b_stored = matrix(random, (inner, columns), FORMATS[right])
        both = a_stored[:, :, None] & b_stored[None]
        terms = np.where(both, multiply(a[:, :, None], b[None]), zero)
        expected = add.reduce(terms, axis=1, initial=zero)
        np.testing.assert_allclose(it.einsum("ij,jk->ik", A, B, semiring=semiring), expected, err_msg=f"{left} {right}")


@pytest.mark.one_in(24)
@pytest.mark.parametrize("name", SEMIRINGS)
@pytest.mark.parametrize("result", [None, it.CSR, it.DCSR])
def test_sparse_results_have_the_zero_as_fill(name, result):
    semiring, multiply, _, zero = SEMIRINGS[name]
    random = np.random.default_rng(len(name))
    for left, right in product([it.CSR, it.DCSR, it.COO(2)], [None, it.CSR, it.DCSR, it.COO(2)]):
        A, a, a_stored = matrix(random, (5, 4), left)
        B, b, b_stored = matrix(random, (5, 4), right)
        computed = it.einsum("ij,ij->ij", A, B, semiring=semiring, format=result)
        if result is not None:
            computed.check()
            assert computed.nnz == (a_stored & b_stored).sum() and (computed.fill_value or 0.0) == zero
            computed = computed.to_numpy()
        np.testing.assert_allclose(computed, np.where(a_stored & b_stored, multiply(a, b), zero))


def test_blocks_of_different_sizes_keep_the_zeros_that_they_store():
    """A conversion does not take what a block stores for what is missing: it is not the semiring's zero."""
    values = np.diag([1.0, 2.0, 3.0, 4.0])
    small, large = (it.Tensor.from_numpy(values, it.BCSR(size, size)) for size in (2, 4))
    stored = np.kron(np.eye(2), np.ones((2, 2))) != 0
    expected = np.where(stored, 2 * values, np.inf)
    np.testing.assert_array_equal(it.einsum("ij,ij->ij", small, large, semiring=it.MIN_PLUS), expected)
