"""Loops in parts of so many entries of one operand: other reads of it are converted where their order needs that."""

import numpy as np
import pytest

import irtensor as it

VALUES = np.array([[0, 2, 0, 4], [1, 0, 3, 0], [0, 0, 0, 5], [7, 0, 6, 0]], float)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("size", [1, 3, 64])
@pytest.mark.parametrize("format", ["dcsr", "coo"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("R[j] = sum(k, A[j,k] * A[k,j])", (VALUES * VALUES.T).sum(1)),
        ("R[j] = sum(k, A[j,k] + A[k,j] * A[k,j])", (VALUES + VALUES.T**2).sum(1)),
    ],
)
def test_the_other_way_to_read_the_operand(text, expected, format, size):
    A = it.Tensor.from_numpy(VALUES, format)
    kernel = it.compile(text, {"A": A.format}, schedule=it.schedule().split("j", "j0", "j1", size, tensor="A"))
    np.testing.assert_array_equal(kernel(A=A), expected)
    assert kernel.explain().count("is converted to") >= 1


def test_what_is_split_by_its_entries_is_not_converted():
    """Its entries are counted in the order in which they are stored."""
    A = it.Tensor.from_numpy(VALUES, "dcsr")
    schedule = it.schedule().split("j", "j0", "j1", 2, tensor="A")
    kernel = it.compile("R[j] = sum(k, A[j,k] * B[k,j])", {"A": A.format, "B": "dcsr"}, schedule=schedule)
    np.testing.assert_array_equal(kernel(A=A, B=A), (VALUES * VALUES.T).sum(1))
    said = kernel.explain()
    assert "'B', stored" in said and "'A', stored" not in said


def test_an_operand_that_contradicts_its_own_parts():
    """It is read converted, and the parts stay those of what is stored: here one loop is over two levels, and there
    the loops around go against its order."""
    values = np.arange(27.0).reshape(3, 3, 3)
    A = it.Tensor.from_numpy(values, it.CSF(3))
    kernel = it.compile("R[j,k] = A[j,k,j]", schedule=it.schedule().divide("j", "j0", "j1", 3, tensor="A"))
    np.testing.assert_array_equal(kernel(A=A), np.einsum("jkj->jk", values))
    B = it.Tensor.from_numpy(VALUES, "coo")
    schedule = it.schedule().fuse("i", "j", "f").split("f", "f0", "f1", 4).split("j", "j0", "j1", 2, tensor="A")
    np.testing.assert_array_equal(it.compile("R[i] = sum(j, A[j,i])", schedule=schedule)(A=B), VALUES.sum(0))
