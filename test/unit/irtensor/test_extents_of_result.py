"""Statements in which only the result has an index variable: it says how far that runs."""

import numpy as np
import pytest

import irtensor as it

B = np.array([1.0, -np.inf, np.nan, 0.0])
ROWS = np.broadcast_to(B, (3, 4))


def test_a_compound_assignment_starts_from_the_result():
    given = np.arange(12.0).reshape(3, 4)
    kernel = it.compile("A[i,j] += b[j]")
    assert kernel.operand_names == ("b",)
    for call in (lambda: kernel(A=given, b=B), lambda: kernel(B, A=given)):
        np.testing.assert_array_equal(call(), given + B)
    sparse = it.Tensor.from_numpy(np.eye(3, 4), it.CSR)
    np.testing.assert_array_equal(kernel(A=sparse, b=B), np.eye(3, 4) + B)
    np.testing.assert_array_equal(it.compile("A[i,j] max= b[j]")(A=given, b=B), np.maximum(given, B))
    np.testing.assert_array_equal(it.compile("A[i,j] += 2")(A=given), given + 2)
    with pytest.raises(it.UserError, match="index j has extent 4"):
        kernel(A=np.ones((3, 5)), b=B)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex128"])
@pytest.mark.parametrize("threads", [1, 3])
def test_out_says_the_extents(dtype: str, threads: int):
    values = B.astype(dtype) if dtype[0] in "fc" else np.array([1, 0, 5, 7], dtype)
    kernel = it.compile("A[i,j,k] = b[j]", num_threads=threads)
    for shape in ((3, 4, 2), (0, 4, 1), (5, 4, 3)):
        out = np.empty(shape, dtype)
        assert kernel(values, out=out) is out
        np.testing.assert_array_equal(out, np.broadcast_to(values[:, None], shape))
    stored = it.Tensor.from_numpy(values, "compressed")
    np.testing.assert_array_equal(it.compile("A[i,j] = b[j]")(stored, out=np.empty((3, 4), dtype)), [values] * 3)


def test_reductions_and_numbers_with_out():
    c = np.array([1.0, 2.0])
    out = it.compile("A[i,j] = b[j] * sum(k, c[k] * c[k])")(b=c, c=c, out=np.empty((3, 2)))
    np.testing.assert_array_equal(out, [5 * c] * 3)
    np.testing.assert_array_equal(it.compile("A[i,j] = 1.5")(out=np.empty((2, 3))), np.full((2, 3), 1.5))
    named = it.compile("A[i] = extent_of_i")(extent_of_i=2.5, out=np.empty(3))
    np.testing.assert_array_equal(named, [2.5] * 3)
    for wrong in (np.empty((3, 3)), np.empty(3), np.empty((3, 2), "i4"), [[1.0]]):
        with pytest.raises(it.UserError):
            it.compile("A[i,j] = b[j]")(c, out=wrong)
    with pytest.raises(it.UserError, match="reads no operand"):
        it.compile("A[i,j] = b[j]")(b=c, extent_of_i=c, out=np.empty((3, 2)))


@pytest.mark.parametrize("format", [None, it.CSR, it.CSC, it.COO(2), it.BCSR(2, 2), "bitmap, dense", "dense, padded"])
def test_a_tensor_that_is_assigned_to_says_the_extents(format):
    i, j = it.indices("i j")
    target = it.Tensor.from_numpy(np.zeros((3, 4)), format)
    b = it.Tensor.from_numpy(np.array([0.0, 2, 0, 3]), "compressed")
    target[i, j] = b[j]
    target.check()
    np.testing.assert_array_equal(target.to_numpy(), [[0, 2, 0, 3]] * 3)
    target[i, j] = 2 * it.as_tensor(np.array([0.0, 1, 0]))[i]
    np.testing.assert_array_equal(target.to_numpy(), [[0] * 4, [2] * 4, [0] * 4])
    target[i, j] = target[i, j] + b[j]
    np.testing.assert_array_equal(target.to_numpy(), [[0, 2, 0, 3], [2, 4, 2, 5], [0, 2, 0, 3]])


def test_a_sparse_operand_leaves_out_what_it_has_not():
    i, j = it.indices("i j")
    target = it.Tensor.from_numpy(np.zeros((3, 4)), it.CSR)
    target[i, j] = it.Tensor.from_numpy(np.array([0.0, 2, 0, 3]), "compressed")[j]
    assert target.nnz == 6


def test_the_index_says_the_extents():
    kernel = it.compile("A[i,j] = b[j]", {"A": it.CSR})
    index = it.Tensor.from_numpy(np.array([[0.0, 2, 0, 3]] * 3), it.CSR)
    b = it.Tensor.from_numpy(np.array([0.0, 5, 0, 7]), "compressed")
    np.testing.assert_array_equal(kernel.compute(index, b).to_numpy(), [[0, 5, 0, 7]] * 3)
