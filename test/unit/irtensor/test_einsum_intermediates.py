"""Products of sparse operands that einsum contracts in pairs: what one product gives to another is sparse."""

import numpy as np
import pytest

import irtensor as it
from irtensor import einsum

CHAIN_FORMATS = [(it.CSR,) * 3, (it.CSC,) * 3, (it.COO(2), it.CSR, it.CSC), (it.DCSR, it.BCSR(2, 3), it.CSR)]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("formats", CHAIN_FORMATS)
@pytest.mark.parametrize("subscripts", ["ij,jk,kl->il", "ij,jk,kl->li", "ij,jk,ki->", "ij,kj,lj->ikl", "ij,ij,jk->i"])
def test_products_of_sparse_operands_are_sparse_operands_of_others(subscripts, formats):
    rng = np.random.default_rng(0)
    arrays = [rng.integers(1, 9, (6, 6)) * (rng.random((6, 6)) < 0.3) * 1.0 for _ in formats]
    tensors = [it.Tensor.from_numpy(array, format) for array, format in zip(arrays, formats, strict=True)]
    for optimize in (True, [(0, 1), (0, 1)], [(1, 2), (0, 1)]):
        np.testing.assert_array_equal(
            einsum(subscripts, *tensors, optimize=optimize), np.einsum(subscripts, *arrays), strict=True
        )


def test_intermediates_of_sparse_operands_take_what_is_stored():
    """Dense ones would have 10^10 elements; what is absent stays absent beside an infinity."""
    entries = np.array([[0, 5, 99_999], [5, 99_999, 0]])
    shift = it.Tensor.from_coo(entries, [2.0, 3.0, np.inf], shape=(100_000, 100_000), format=it.CSR)
    result = einsum("ij,jk,kl->il", shift, shift, shift, optimize=True, format=it.DCSR)
    np.testing.assert_array_equal(result.to_coo()[0], [[0, 5, 99_999], [0, 5, 99_999]])
    np.testing.assert_array_equal(result.values, [np.inf] * 3)
    vector = np.full(100_000, np.inf)
    vector[[0, 5, 99_999]] = 1.0
    fused, paired = (einsum("ij,jk,k->i", shift, shift, vector, optimize=path) for path in (False, [(0, 1), (0, 1)]))
    np.testing.assert_array_equal(paired, fused)
    assert np.count_nonzero(fused) == 3


def test_intermediates_of_a_semiring_are_sparse():
    """Shortest paths of three steps: no entry is infinitely far."""
    dense = np.full((6, 6), np.inf)
    dense[[0, 1, 2, 3], [1, 2, 3, 0]] = [1.0, 2.0, 4.0, 8.0]
    steps = it.Tensor.from_numpy(np.where(np.isinf(dense), 0, dense), it.CSR)
    paths = (dense[:, :, None, None] + dense[None, :, :, None] + dense[None, None]).min(axis=(1, 2))
    for optimize in (False, [(0, 1), (0, 1)]):
        found = einsum("ij,jk,kl->il", steps, steps, steps, semiring=it.MIN_PLUS, optimize=optimize)
        np.testing.assert_array_equal(found, paths)


def test_exactly_all_is_multiplied():
    """An absent 0 times infinity is NaN, also in what two products are made of."""
    left = it.Tensor.from_numpy(np.array([[0.0, 2.0], [0.0, 0.0]]), it.CSR)
    right = it.Tensor.from_numpy(np.array([[np.inf, 0.0], [0.0, 3.0]]), it.CSR)
    dense = [left.to_numpy(), right.to_numpy(), np.eye(2)]
    with np.errstate(invalid="ignore"):
        expected = np.einsum("ij,jk,kl->il", *dense)
    for optimize in (False, [(0, 1), (0, 1)]):
        found = einsum("ij,jk,kl->il", left, right, dense[2], optimize=optimize, exact=True)
        np.testing.assert_array_equal(found, expected)
        found = einsum("ij,jk,kl->il", left, right, dense[2], optimize=optimize)
        np.testing.assert_array_equal(found, [[0.0, 6.0], [0.0, 0.0]])
