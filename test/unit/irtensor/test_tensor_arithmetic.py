"""Python's operators on Tensors: values as NumPy's, formats as documented."""

import operator

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it

A = sp.random(6, 5, 0.4, format="csr", random_state=1)
B = sp.random(6, 5, 0.4, format="csc", random_state=2)
T, U = it.Tensor.from_scipy(A), it.Tensor.from_scipy(B)
D, E = A.toarray(), B.toarray()


def values(result):
    return result.to_numpy() if isinstance(result, it.Tensor) else result


@pytest.mark.parametrize("apply", [operator.add, operator.sub, operator.mul])
def test_elementwise(apply):
    for left, right, expected in ((T, U, (D, E)), (T, B, (D, E)), (T, 2, (D, 2)), (3, T, (3, D)), (U, E, (E, E))):
        np.testing.assert_allclose(values(apply(left, right)), apply(*expected))
    assert apply(T, U).format == T.format
    assert isinstance(apply(T, 2), it.Tensor)


def test_a_fill_that_changes_stays_sparse():
    result = T + 1
    assert result.nnz == T.nnz and result.fill_value == 1


def test_dense_operands_decide_whether_the_result_is_dense():
    assert isinstance(T * E, it.Tensor)
    assert isinstance(T + E, np.ndarray) and isinstance(E + T, np.ndarray)


def test_products():
    vector = np.arange(5.0)
    np.testing.assert_allclose(T @ vector, D @ vector)
    np.testing.assert_allclose(np.arange(6.0) @ T, np.arange(6.0) @ D)
    np.testing.assert_allclose(T @ E.T, D @ E.T)
    np.testing.assert_allclose(values(-T), -D)
    np.testing.assert_allclose(values(abs(-T)), D)
    np.testing.assert_allclose(values(T / 2), D / 2)


def test_dtypes_promote_as_numpys():
    small = T.astype(np.float32)
    assert (small + 1).dtype == np.float32
    assert (small + U).dtype == np.float64


def test_shapes_that_do_not_fit():
    for use in (lambda: T + T.to_numpy().T, lambda: T @ T, lambda: T * np.ones(5)):
        with pytest.raises(it.UserError, match="extent-mismatch"):
            use()
    with pytest.raises(TypeError):
        T + "a"


def test_assignment_replaces_the_storage():
    i, j = it.indices("i j")
    target = it.Tensor.from_numpy(np.zeros((6, 5)), it.DCSR)
    target[i, j] = T[i, j] + U[i, j]
    assert target.format == it.DCSR
    np.testing.assert_allclose(target.to_numpy(), D + E)
