"""Formats in which a coordinate has one child: results that they do not hold are refused, others are stored rightly."""

import numpy as np
import pytest

import irtensor as it

VECTOR = np.array([1.0, 2, 0, 4, 5, 0, 0, 0, 0, 7, 0])
SPREAD = np.array([0.0, 2, 0, 0, 0, 0, 3, 0, 4, 0, 0])
MATRIX = np.arange(1.0, 31).reshape(5, 6)
PLACED = np.zeros((5, 6))
PLACED[[0, 1, 3], [2, 5, 0]] = [1, 2, 3]
# Formats, an array that each of them holds, and one that it does not.
FORMATS = [
    ("(i) -> (i floordiv 4 : compressed, i mod 4 : singleton)", SPREAD, VECTOR),
    ("(i, j) -> (i : compressed, j : singleton)", PLACED, MATRIX),
    ("(i, j) -> (i : compressed(crd = i8), j : singleton), pos = i16", PLACED, MATRIX),
    ("(i, j) -> (j : compressed(nonordered), i : singleton)", PLACED, MATRIX),
    ("(i, j) -> (i floordiv 2 : dense, i mod 2 : compressed, j : singleton)", PLACED, MATRIX),
    ("(i, j) -> (i : compressed, j floordiv 4 : singleton, j mod 4 : dense)", PLACED, MATRIX),
    ("(i, j) -> (i : dense, j floordiv 4 : compressed, j mod 4 : singleton)", PLACED, MATRIX),
    ("(i, j) -> (i : hashed, j : singleton)", PLACED, MATRIX),
    ("(i, j) -> (i : padded, j : singleton)", PLACED, MATRIX),
]


def copied(array: np.ndarray) -> str:
    indices = "ij"[: array.ndim]
    return f"C[{','.join(indices)}] = A[{','.join(indices)}]"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("format, held, refused", FORMATS)
def test_results_are_right_or_refused(format: str, held: np.ndarray, refused: np.ndarray, threads: int):
    kernel = it.compile(copied(held), {"C": format}, num_threads=threads)
    sparse = it.COO(held.ndim)
    calls = [
        kernel,
        lambda A: it.einsum(f"{'ij'[: held.ndim]}->{'ij'[: held.ndim]}", A, format=format),
        lambda A: it.Tensor.from_numpy(A, format) if isinstance(A, np.ndarray) else A.to_format(format),
    ]
    for call in calls:
        stored = call(A=it.Tensor.from_numpy(held, sparse))
        stored.check()
        assert str(stored.format) == str(it.Format(format))
        np.testing.assert_array_equal(stored.to_numpy(), held)
        np.testing.assert_array_equal(stored.to_format(sparse).to_numpy(), held)
        for operand in (refused, it.Tensor.from_numpy(refused, sparse)):
            with pytest.raises(it.UserError, match="is unique, but coordinate 0 has several children") as caught:
                call(A=operand)
            assert caught.value.slug == "format-mismatch"
    with pytest.raises(it.UserError, match="has several children"):
        kernel.assemble(A=it.Tensor.from_numpy(refused, sparse))


@pytest.mark.parametrize("format", ["hashed, singleton", "padded, singleton", "(i, j) -> (j : hashed, i : singleton)"])
def test_singletons_below_slots_are_operands(format: str):
    stored = it.Tensor.from_numpy(PLACED, format)
    stored.check()
    assert stored.nnz == 3
    np.testing.assert_array_equal(it.compile("y[i] = A[i,j]")(A=stored), PLACED.sum(1))
    np.testing.assert_array_equal(it.compile("C[i,j] = A[i,j] + B[i,j]")(A=stored, B=MATRIX), PLACED + MATRIX)
    deep = np.stack([PLACED, 2 * PLACED])
    below = it.Tensor.from_numpy(deep, "dense, padded, singleton")
    below.check()
    np.testing.assert_array_equal(it.compile("y[i,k] = A[i,j,k]")(A=below), deep.sum(1))
