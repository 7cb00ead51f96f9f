"""`argmin`, `argmax`, `minby`, `maxby`, `choose`, `first`, `last`, `any` and `all`, against NumPy on dense copies."""

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
    "y[i] = choose(j, A[i,j] if A[i,j] > 1)": [next((value for value in row if value > 1), 0) for row in A],
}
EXPECTED |= {
    "y[j] choose= A[i,j] if A[i,j] > 1": [next((value for value in column if value > 1), 0) for column in A.T],
    "y[i] = argmin(j, A[i,j] if A[i,j] > 2)": np.where((A > 2).any(1), (A > 2).argmax(1), -1),
    "y[i] = first(j, A[i,j] * v[j])": A[:, 0] * V[0],
    "y[j] = last(i, A[i,j])": A[-1],
    "y[i] = first(j, A[i,j] if A[i,j] > 2)": [next((value for value in row if value > 2), 0) for row in A],
    "y[i] = last(j, A[i,j] if A[i,j] < v[j])": [([0, *row[row < V]])[-1] for row in A],
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", [None, "csr", "csc", "coo", "dense, bitmap", "dense, hashed"])
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


@pytest.mark.parametrize("fill", [np.inf, np.nan, 7.0])
@pytest.mark.parametrize("format", ["dense, compressed", "compressed, compressed", "dense, bitmap"])
def test_other_fills(fill, format):
    """What is not the fill is chosen, 0 as well; the fill where there is none, or no coordinate."""
    B = np.full((3, 4), fill)
    B[0, 2], B[0, 3], B[2, 1] = 0, 2, 5
    given = it.Tensor.from_numpy(B, f"{format}, fill = {fill}")
    np.testing.assert_array_equal(it.compile("y[i] = choose(j, B[i,j])")(B=given), [0, fill, 5])
    np.testing.assert_array_equal(it.compile("y[j] choose= B[i,j] if i > 0")(B=given), [fill, 5, fill, fill])
    np.testing.assert_array_equal(it.compile("y[i] = last(j, B[i,j] if j < 3)")(B=given), [0, fill, fill])
    np.testing.assert_array_equal(it.compile("y[i] = last(j, B[i,j] if j > 3)")(B=given), [fill] * 3)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.float32, np.complex128])
def test_values_keep_their_types_and_bits(dtype):
    B = np.array([[0, 1, 1], [0, 0, 0], [1, 0, 1]]).astype(dtype)
    for text in ("y[i] = choose(j, B[i,j])", "y[i] = maxby(j, w[i,j], B[i,j])", "y[i] = last(j, B[i,j])"):
        given = {"B": B, "w": np.array([[0, 1, 1], [0, 0, 0], [1, 0, 1]])}
        found = it.compile(text)(**{name: one for name, one in given.items() if f"{name}[" in text})
        expected = B[:, 2] if "last" in text else B.max(1)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected)


def test_zeros_with_a_sign():
    w, v = np.array([[1.0, 3.0, 2.0]]), np.array([0.0, -0.0, 0.0])
    (found,) = it.compile("y[i] = maxby(j, w[i,j], v[j])")(w=w, v=v)
    assert found == 0 and np.signbit(found)
    (found,) = it.compile("y[i] = maxby(j, w[i,j], z[j])")(w=w, z=v * 1j)
    assert np.signbit(found.imag) == np.signbit((v * 1j)[1].imag)
    (found,) = it.compile("y[i] = choose(j, w[i,j] * v[j])")(w=w, v=np.array([-0.0, 5.0, 0.0]))
    assert found == 15


def test_parents_of_a_search():
    """Of a breadth-first search: one in the frontier for each vertex that is seen the first time."""
    G = NUMBERS.random((9, 9)) < 0.3
    F, V = NUMBERS.random(9) < 0.5, NUMBERS.random(9) < 0.3
    expected = np.where(V, 0, [next((j + 1 for j in range(9) if F[j] and G[j, k]), 0) for k in range(9)])
    step = "parent[k] choose= j + 1 if F[j] & G[j,k] & ~V[k]"
    for format in (None, "csr", "csc"):
        given = G if format is None else it.Tensor.from_numpy(G, format)
        np.testing.assert_array_equal(it.compile(step)(F=F, G=given, V=V), expected)


def test_first_is_also_a_function_of_two():
    np.testing.assert_array_equal(it.compile("y[i] = first(a[i], b[i])")(a=A[0], b=A[1]), A[0])


def test_lazy_functions():
    i, j = it.indices("i j")
    T, y = it.Tensor.from_numpy(A, "csr"), it.tensor_variable("y", 1)
    y[i] = it.functions.argmax(j, T[i, j])
    np.testing.assert_array_equal(y.evaluate(), A.argmax(1))
    y[i] = it.functions.minby(j, T[i, j], it.Tensor.from_numpy(V, "dense")[j] + i)
    np.testing.assert_array_equal(y.evaluate(), V[A.argmin(1)] + np.arange(5))
    y[i] = it.functions.any(j, T[i, j] > 2)
    np.testing.assert_array_equal(y.evaluate(), (A > 2).any(1))
    y[i] = it.functions.last(j, T[i, j])
    np.testing.assert_array_equal(y.evaluate(), A[:, -1])
    y[i] = it.functions.first(T[i, 0], T[i, 1]) + it.functions.first(j, T[i, j])
    np.testing.assert_array_equal(y.evaluate(), 2 * A[:, 0])


REFUSED = {
    "y[i] = argmax(A[i,j])": "[wrong-arity] argmax takes one index variable, then an expression",
    "y[i] = argmax(j, k, A[i,j] * v[k])": "[wrong-arity] argmax takes one index variable, then an expression",
    "y[i] = maxby(j, A[i,j])": "[wrong-arity] maxby takes one index variable, then two expressions",
    "y[i] = any(A[i,j])": "[wrong-arity] any takes different index variables, then an expression",
    "y[i] = last(A[i,0], A[i,1])": "[wrong-arity] last takes one index variable, then an expression",
    "y[i] = minby(j, A[i,j], v[j] if j > 2)": "[syntax-error] the last argument of minby has a condition",
    "y[k] = argmin(j, E[k,j])": "[empty-reduction] index j has no coordinates, and so none with a least or greatest",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(text):
    operands = {"A": A, "v": V, "E": np.ones((3, 0))}
    with pytest.raises(UserError) as caught:
        it.compile(text)(**{name: one for name, one in operands.items() if f"{name}[" in text})
    assert REFUSED[text] in str(caught.value)
