"""Temporaries along dimensions so large that the product of their extents is no number of 64 bits: no crash."""

import numpy as np
import pytest

import irtensor as it

CSF = it.Format("compressed, compressed, compressed")
FORMATS = ["hashed, dense, dense", "dense, dense, hashed", "hashed, dense, hashed", "dense, bitmap, bitmap"]


def operand(extent):
    return it.Tensor.from_coo(np.array([[1], [2], [3]]), np.array([2.0]), shape=(extent, extent, extent), format=CSF)


def kernel(format):
    schedule = it.schedule().precompute("B[i,j,k] * C[i,j,k]", over=("i", "j", "k"), format=format)
    return it.compile("A[i,j,k] = B[i,j,k] * C[i,j,k] * D[i,j,k]", dict.fromkeys("ABCD", CSF), schedule=schedule)


@pytest.mark.parametrize("power", [33, 45, 62])
@pytest.mark.parametrize("format", FORMATS)
def test_products_of_extents_that_are_no_numbers(format, power):
    given = operand(1 << power)
    # Three of the smallest of these are 2 ** 99, of which the lowest bits are 0.
    with pytest.raises(MemoryError, match="or a temporary, does not fit into memory"):
        kernel(format)(B=given, C=given, D=given)


@pytest.mark.parametrize("format", FORMATS)
def test_small_ones_have_room(format):
    given = operand(5)
    np.testing.assert_array_equal(kernel(format)(B=given, C=given, D=given).values, [8.0])


def test_of_dense_vectors():
    vector = np.ones(1 << 22)
    schedule = it.schedule().precompute("x[i] * y[j] * z[k]", over=("i", "j", "k"))
    kernel = it.compile("A[i,j,k] = x[i] * y[j] * z[k] * B[i,j,k]", {"A": CSF, "B": CSF}, schedule=schedule)
    with pytest.raises(MemoryError):
        kernel(x=vector, y=vector, z=vector, B=operand(1 << 22))
