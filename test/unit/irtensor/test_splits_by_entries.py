"""Loops in parts of so many entries of one operand: other reads of it are converted where their order needs that."""

import numpy as np
import pytest

import irtensor as it

VALUES = np.array([[0, 2, 0, 4], [1, 0, 3, 0], [0, 0, 0, 5], [7, 0, 6, 0]], float)


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
