"""`argmin`, `argmax`, `minby`, `maxby`, `choose`, `any` and `all`, against NumPy on dense copies."""

import numpy as np
import pytest

import irtensor as it
from irtensor import UserError

NUMBERS = np.random.default_rng(0)
A = NUMBERS.integers(-3, 4, (5, 6)) * (NUMBERS.random((5, 6)) < 0.6) * 1.0
V = NUMBERS.random(6)
EXPECTED = {
    "y[i] = argmax(j, A[i,j])": A.argmax(1),
    "y[i] = argmin(j, A[i,j])": A.argmin(1),
    "y[j] = argmax(i, A[i,j])": A.argmax(0),
    "y[i] = argmax(j, A[i,j] if j > 1)": A[:, 2:].argmax(1) + 2,
    "y[i] = argmin(j, A[i,j] * v[j] + j)": (A * V + np.arange(6)).argmin(1),
    "y[i] = maxby(j, A[i,j], v[j])": V[A.argmax(1)],
    "y[i] = minby(j, A[i,j], v[j] * A[i,j])": (V * A)[np.arange(5), A.argmin(1)],
    "y[i] = any(j, A[i,j] > 2)": (A > 2).any(1),
    "y[i] = all(j, A[i,j] if j < 2)": A[:, :2].all(1),
    "y = any(i, j, A[i,j])": A.any(),
    "y[i] = choose(j, A[i,j])": [next((value for value in row if value), 0) for row in A],
    "y[i] = first(j, A[i,j])": A[:, 0],
    "y[i] = last(j, A[i,j])": A[:, -1],
    "y[i] = first(j, A[i,j] if A[i,j] < 0)": [next((value for value in row if value < 0), 0) for row in A],
    "y[j] = last(i, A[i,j] if A[i,j] != 0)": [next((value for value in row[::-1] if value), 0) for row in A.T],
    "y[j] choose= A[i,j]": [next((value for value in row if value), 0) for row in A.T],
    "y[i] = choose(j, A[i,j] if A[i,j] > 1)": [next((value for value in row if value > 1), 0) for row in A],
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", [None, "csr", "csc", "dense, bitmap"])
@pytest.mark.parametrize("text", EXPECTED)
def test_values(text, format):
    given = {"A": A if format is None else it.Tensor.from_numpy(A, format), "v": V}
    found = it.compile(text)(**{name: one for name, one in given.items() if f"{name}[" in text})
    np.testing.assert_array_equal(found, EXPECTED[text])


def test_numbers_that_have_no_order():
    """The first NaN is the place of both extremes, as for NumPy; of integers, the least coordinate of equal ones."""
    B = A.copy()
    B[1, 3] = B[1, 5] = np.nan
    np.testing.assert_array_equal(it.compile("y[i] = argmax(j, B[i,j])")(B=B), B.argmax(1))
    np.testing.assert_array_equal(it.compile("y[i] = argmin(j, B[i,j])")(B=B), B.argmin(1))
    equal = np.array([[2, 1, 2], [-1, -1, -1]], np.int8)
    np.testing.assert_array_equal(it.compile("y[i] = argmax(j, B[i,j])")(B=equal), [0, 0])


def test_values_keep_their_type():
    B, chosen = np.array([[1, 5], [7, 2]]), np.array([True, False])
    for value in (chosen, np.array([1.5, -0.0], np.float32), np.array([1j, 2]), np.array([3, 200], np.uint8)):
        found = it.compile("y[i] = maxby(j, B[i,j], v[j])")(B=B, v=value)
        assert found.dtype == value.dtype
        np.testing.assert_array_equal(found, value[[1, 0]])
        np.testing.assert_array_equal(np.signbit(found.real), np.signbit(value[[1, 0]].real))


def test_parents_of_a_search():
    adjacent = NUMBERS.random((30, 30)) < 0.1
    front, seen = NUMBERS.random(30) < 0.3, NUMBERS.random(30) < 0.3
    text = "new[k] |= F[j] & A[j,k] & ~V[k];  parent[k] choose= j + 1 if F[j] & A[j,k] & ~V[k]"
    for format in ("csr", "csc", "dense, dense"):
        new, parent = it.compile(text)(F=front, A=it.Tensor.from_numpy(adjacent, format), V=seen)
        reached = adjacent[front].any(0) & ~seen
        np.testing.assert_array_equal(new, reached)
        np.testing.assert_array_equal(parent != 0, reached)
        assert all(front[parent[k] - 1] and adjacent[parent[k] - 1, k] for k in np.flatnonzero(reached))


def test_two_values():
    x, z = np.array([0.0, 2.0]), np.array([3.0, 4.0])
    np.testing.assert_array_equal(it.compile("y[i] = choose(x[i], z[i])")(x, z), [3, 2])
    np.testing.assert_array_equal(it.compile("y[i] = first(x[i], z[i])")(x, z), x)


def test_lazy_functions():
    i, j = it.indices("i j")
    T, y = it.Tensor.from_numpy(A, "csr"), it.tensor_variable("y", 1)
    y[i] = it.functions.argmax(j, T[i, j])
    np.testing.assert_array_equal(y.evaluate(), A.argmax(1))
    y[i] = it.functions.minby(j, T[i, j], it.Tensor.from_numpy(V, "dense")[j] + i)
    np.testing.assert_array_equal(y.evaluate(), V[A.argmin(1)] + np.arange(5))
    for name, expected in (
        ("first", A[:, 0]),
        ("last", A[:, -1]),
        ("choose", [next(filter(None, row), 0) for row in A]),
    ):
        y[i] = getattr(it.functions, name)(j, T[i, j])
        np.testing.assert_array_equal(y.evaluate(), expected)
    y[i] = it.functions.any(j, T[i, j] > 2)
    np.testing.assert_array_equal(y.evaluate(), (A > 2).any(1))


REFUSED = {
    "y[i] = argmax(A[i,j])": "[wrong-arity] argmax takes one index variable, then an expression",
    "y[i] = argmax(j, k, A[i,j] * v[k])": "[wrong-arity] argmax takes one index variable, then an expression",
    "y[i] = maxby(j, A[i,j])": "[wrong-arity] maxby takes one index variable, then two expressions",
    "y[i] = any(A[i,j])": "[wrong-arity] any takes different index variables, then an expression",
    "y[i] = minby(j, A[i,j], v[j] if j > 2)": "[syntax-error] the last argument of minby has a condition",
    "y[k] = argmin(j, E[k,j])": "[empty-reduction] index j has no coordinates, and so none with a least or greatest",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(text):
    operands = {"A": A, "v": V, "E": np.ones((3, 0))}
    with pytest.raises(UserError) as caught:
        it.compile(text)(**{name: one for name, one in operands.items() if f"{name}[" in text})
    assert REFUSED[text] in str(caught.value)
