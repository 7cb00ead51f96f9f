"""NumPy's and SciPy's functions of Tensors and lazy expressions: sparse in, sparse out, with NumPy's values."""

from typing import Any

import numpy as np
import pytest
import scipy.special

import irtensor as it
from irtensor.core.operators import OPERATORS

D = np.array([[0, 0.5, 0, -0.25], [0.75, 0, 0, 0.125]])
UFUNCS = {getattr(np, str(operator.numpy)): operator for operator in OPERATORS.values() if operator.numpy}
UNARY = [
    *(ufunc for ufunc, operator in UFUNCS.items() if operator.arity == 1 and operator.name != "not"),
    *(np.positive, scipy.special.erf, scipy.special.expit),
]
BINARY = [ufunc for ufunc, operator in UFUNCS.items() if operator.arity == 2 and "bitwise" not in ufunc.__name__]


def check(result, expected):
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result.to_numpy() if isinstance(result, it.Tensor) else result, expected, rtol=1e-14)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("ufunc", UNARY, ids=lambda ufunc: ufunc.__name__)
@pytest.mark.filterwarnings("ignore")
def test_functions_of_one(ufunc):
    T = it.Tensor.from_numpy(D, it.CSR)
    i, j = it.indices("i j")
    expected = ufunc(D)
    result = ufunc(T)
    assert isinstance(result, it.Tensor) and result.nnz <= T.nnz
    check(result, expected)
    y = it.tensor_variable("y", 2)
    y[i, j] = ufunc(T[i, j])
    check(y.evaluate(), expected)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
@pytest.mark.filterwarnings("ignore")
def test_functions_of_two(ufunc):
    T, other = it.Tensor.from_numpy(D, it.CSR), np.float64(2.5)
    check(ufunc(T, other), ufunc(D, other))
    check(ufunc(T, 2), ufunc(D, 2))
    check(ufunc(other, T + 3), ufunc(other, D + 3))
    check(ufunc(T, T + 3), ufunc(D, D + 3))
    i, j = it.indices("i j")
    y = it.tensor_variable("y", 2)
    y[i, j] = ufunc(T[i, j], other)
    check(y.evaluate(), ufunc(D, other))


def test_bits():
    a = np.array([0, 5, 12])
    T = it.Tensor.from_numpy(a, "compressed")
    for ufunc in (np.bitwise_and, np.bitwise_or, np.bitwise_xor):
        check(ufunc(T, 6), ufunc(a, 6))
    check(np.invert(T), np.invert(a))


def test_bounds_and_rounding():
    T = it.Tensor.from_numpy(D, it.CSR)
    check(np.clip(T, -0.1, 0.3), np.clip(D, -0.1, 0.3))
    check(np.clip(T, None, 0.3), np.clip(D, None, 0.3))
    check(T.clip(0.2), D.clip(0.2))
    check(np.clip(it.Tensor.from_numpy(np.arange(5), "compressed"), 1, 3), np.arange(5).clip(1, 3))
    check(np.round(T * 3), np.round(D * 3))
    check(np.round(T, 2), np.round(D, 2))
    check(np.round(T * 1000, -2), np.round(D * 1000, -2))
    check(np.rint(T * 6), np.rint(D * 6))
    i, j = it.indices("i j")
    y = it.tensor_variable("y", 2)
    lazy: Any = T[i, j]
    y[i, j] = np.clip(np.round(lazy, 1), 0.1, 0.5)
    check(y.evaluate(), np.clip(np.round(D, 1), 0.1, 0.5))


def test_arrays_on_the_left_and_in_place():
    T = it.Tensor.from_numpy(D, it.CSR)
    check(D + T, D + D)
    check(D.T @ T, D.T @ D)
    check(np.matmul(T, D.T), D @ D.T)
    check(D == T, np.full(D.shape, True))
    total = D.copy()
    total += T
    total *= T
    check(total, 2 * D * D)
    out = np.zeros_like(D)
    assert np.exp(T, out=out) is out
    check(out, np.exp(D))
    with pytest.raises(TypeError):
        np.add(np.zeros(D.shape, int), T, out=np.zeros(D.shape, int))


@pytest.mark.parametrize("call", [lambda T: np.logaddexp(T, T), np.logaddexp.reduce, lambda T: np.exp(T, where=True)])
def test_other_functions_are_refused_as_numpy_refuses(call):
    with pytest.raises(TypeError, match="__array_ufunc__"):
        call(it.Tensor.from_numpy(D, it.CSR))


def test_the_step_at_0_is_0_unless_it_is_given():
    T = it.Tensor.from_numpy(D, it.CSR)
    i, j = it.indices("i j")
    y = it.tensor_variable("y", 2)
    for value in (it.functions.heaviside(T[i, j]), it.functions.heaviside(T[i, j], 0)):
        y[i, j] = value
        check(y.evaluate(), np.heaviside(D, 0))
    result = it.compile("y[i,j] = heaviside(T[i,j])", {"y": it.CSR})(T=T)
    assert result.nnz == T.nnz
    check(result, np.heaviside(D, 0))
    check(it.compile("y[i,j] = heaviside(T[i,j], 0.5)")(T=T), np.heaviside(D, 0.5))


def test_what_is_no_elementwise_call_is_refused():
    T = it.Tensor.from_numpy(D, it.CSR)
    i, j = it.indices("i j")
    for call in (
        lambda: np.add(T, T, where=True),
        lambda: np.add.accumulate(T),
        lambda: np.exp(T[i, j], out=np.zeros(D.shape)),
    ):
        with pytest.raises(TypeError, match="__array_ufunc__"):
            call()
