"""Python's operators on Tensors: values as NumPy's, formats as documented."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sparse

import irtensor as it

A = sp.random(6, 5, 0.4, random_state=1).tocsr()
B = sp.random(6, 5, 0.4, random_state=2).tocsc()
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
    for use in (lambda: T + T.to_numpy().T, lambda: T @ T, lambda: T * np.ones(6)):
        with pytest.raises(it.UserError, match="extent-mismatch"):
            use()
    with pytest.raises(TypeError):
        _ = T + "a"


def test_assignment_replaces_the_storage():
    i, j = it.indices("i j")
    target = it.Tensor.from_numpy(np.zeros((6, 5)), it.DCSR)
    target[i, j] = T[i, j] + U[i, j]
    assert target.format == it.DCSR
    np.testing.assert_allclose(target.to_numpy(), D + E)


COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("compare", COMPARISONS)
def test_comparisons_are_by_element(compare):
    for left, right, expected in (
        (T, U, (D, E)),
        (T, 0, (D, 0)),
        (T, 0.5, (D, 0.5)),
        (E, T, (E, D)),
        (0.5, T, (0.5, D)),
    ):
        result = compare(left, right)
        assert result.dtype == bool
        np.testing.assert_array_equal(values(result), compare(*expected))
    assert compare(T, U).format.with_fill(None) == T.format


def test_what_is_no_array_is_not_equal():
    assert (T == None) is False and (T != "a") is True  # noqa: E711
    with pytest.raises(TypeError, match="unhashable"):
        hash(T)


def test_only_one_element_has_a_truth_value():
    for tensor in (T, T == T, it.Tensor.from_numpy(np.zeros(0))):
        with pytest.raises(ValueError, match="tensor-as-condition"):
            bool(tensor)
    assert bool(it.Tensor.from_numpy(np.array([[2.0]]), "csr")) is True
    assert not it.Tensor.from_numpy(np.array(0.0))


@pytest.mark.parametrize("apply", [operator.floordiv, operator.mod, operator.pow])
def test_operators_of_integers(apply):
    numbers = T.astype(np.int64)
    base = D.astype(np.int64)
    np.testing.assert_array_equal(values(apply(numbers + 1, 2)), apply(base + 1, 2))
    np.testing.assert_array_equal(values(apply(2, numbers + 1)), apply(2, base + 1))


def test_operators_of_conditions():
    left, right = T > 0.5, U != 0
    for apply in (operator.and_, operator.or_, operator.xor):
        np.testing.assert_array_equal(values(apply(left, right)), apply(D > 0.5, E != 0))
    np.testing.assert_array_equal(values(~left), ~(D > 0.5))
    assert (left & right).fill_value == False  # noqa: E712


@pytest.mark.one_in(8)
@pytest.mark.parametrize("apply", [operator.add, operator.mul, operator.sub, operator.gt, np.maximum])
@pytest.mark.parametrize("shape", [(5,), (6, 1), (1, 5), (1, 1), (2, 6, 5)])
def test_broadcasting(apply, shape):
    dense = (np.arange(np.prod(shape)) % 3).reshape(shape).astype(float)
    for other in (dense, it.Tensor.from_numpy(dense, it.CSF(len(shape)))):
        np.testing.assert_allclose(values(apply(T, other)), apply(D, dense))
        np.testing.assert_allclose(values(apply(other, T)), apply(dense, D))
    # An array of one element is a number.
    assert isinstance(T * dense, it.Tensor) and isinstance(T + dense, np.ndarray) == (dense.size > 1)


def test_numbers_are_operands():
    from irtensor.compiler.compilation.compile_kernel import _kernels

    small = T.astype(np.float32)

    def divided(number):
        return T / number

    for use in (lambda number: number * T, divided, lambda number: np.multiply(small, number)):
        use(1.25)
        known = len(_kernels)
        for number in (2.5, -0.75, 1e3):
            expected = D / number if use is divided else D * number
            np.testing.assert_allclose(values(use(number)), expected, rtol=1e-6)
        assert len(_kernels) == known
    assert (2.5 * small).dtype == np.float32 and (np.float64(2.5) * small).dtype == np.float64


# What makes A each of them; sparse compiles its own where it is first used, not while tests are collected.
LEFT = {
    **{name: operator.methodcaller("asformat", name) for name in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")},
    "csr array": sp.csr_array,
    "coo array": sp.coo_array,
    "dok array": sp.dok_array,
    "COO": sparse.COO.from_scipy_sparse,
    "GCXS": sparse.GCXS.from_scipy_sparse,
    "numpy": operator.methodcaller("toarray"),
}


@pytest.mark.one_in(12)
@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("apply", [operator.add, operator.sub, operator.mul, operator.truediv, *COMPARISONS])
def test_arrays_on_the_left(left, apply):
    with np.errstate(all="ignore"):
        expected = apply(D, E + 1)
    np.testing.assert_allclose(values(apply(LEFT[left](A), U + 1)), expected)


@pytest.mark.parametrize("left", LEFT)
def test_products_of_arrays_on_the_left(left):
    np.testing.assert_allclose(values(LEFT[left](A) @ U.T), D @ E.T)
    np.testing.assert_allclose(values(LEFT[left](A) @ it.as_tensor(np.arange(5.0))), D @ np.arange(5.0))


def test_other_looks_of_libraries_at_a_tensor_stay_errors():
    for look in (sp.csr_array, sp.coo_array, np.asarray):
        with pytest.raises(ValueError, match=r"silent-densification|unrecognized"):
            look(T)


UNARY = [np.absolute, np.negative, np.sqrt, np.exp, np.sin, np.sign, np.square, np.floor, np.isnan, np.logical_not]


@pytest.mark.parametrize("function", UNARY)
def test_functions_of_one_array(function):
    result = function(T)
    assert isinstance(result, it.Tensor)
    np.testing.assert_allclose(result.to_numpy(), function(D))
    assert result.dtype == function(D).dtype


@pytest.mark.parametrize("function", [np.add, np.minimum, np.power, np.not_equal, np.logical_and, np.logical_xor])
def test_functions_of_two_arrays(function):
    for left, right, expected in ((T, U, (D, E)), (E, T, (E, D)), (T, 2.0, (D, 2.0))):
        np.testing.assert_allclose(values(function(left, right)), function(*expected))


def test_functions_write_to_what_they_are_given():
    total = E.copy()
    total += T
    np.testing.assert_allclose(total, D + E)
    target = it.Tensor.from_numpy(np.zeros((6, 5)), "csc")
    multiply: Any = np.multiply
    assert multiply(T, 2, out=target) is target
    np.testing.assert_allclose(target.to_numpy(), 2 * D)
    for use in (lambda: np.spacing(T), lambda: np.add.accumulate(T), lambda: np.add(T, 1, where=D > 0)):
        with pytest.raises(TypeError):
            use()


def test_numbers_that_decide_the_fill_are_operands():
    from irtensor.compiler.compilation.compile_kernel import _kernels

    functions: list[Callable[..., Any]] = [operator.add, operator.gt, operator.pow, np.maximum]
    for apply in functions:
        apply(T, 1.25)
        known = len(_kernels)
        for number in (2.5, 0.75, 1e3):
            result: Any = apply(T, number)
            np.testing.assert_allclose(result.to_numpy(), apply(D, number))
            assert result.fill_value == apply(0.0, number) and result.nnz == T.nnz
        assert len(_kernels) == known


@pytest.mark.one_in(3)
@pytest.mark.parametrize("format", ["csc", "coo", "bcsr(2,2)", "ell", "dia", "csb(2)", "dense, bitmap"])
@pytest.mark.parametrize("dtype", ["float32", "int32", "bool"])
def test_numbers_in_every_format(format, dtype):
    dense = D.round().astype(dtype)
    tensor = it.Tensor.from_numpy(dense, format)
    functions: list[Callable[..., Any]] = [operator.add, operator.mul, operator.ge, np.minimum]
    for apply in functions:
        for left, right, expected in ((tensor, 2, (dense, 2)), (-1.5, tensor, (-1.5, dense))):
            result, dense_result = apply(left, right), apply(*expected)
            result.check()
            assert result.dtype == dense_result.dtype
            np.testing.assert_array_equal(result.to_numpy(), dense_result)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("others", ["bool", "int8", "float32"])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bcsr(2,2)", "dense, dense"])
def test_products_of_matrices_have_the_type_of_numpys(format, others):
    one, other = np.eye(3, dtype=bool)[[0, 2, 2]], (np.arange(9).reshape(3, 3) % 3).astype(others)
    tensor, matrix = it.Tensor.from_numpy(one, format), it.Tensor.from_numpy(other, format)
    for found, expected in (
        (tensor @ matrix, one @ other),
        (tensor @ other, one @ other),
        (other @ tensor, other @ one),
        (tensor @ other[1], one @ other[1]),
    ):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.to_numpy() if isinstance(found, it.Tensor) else found, expected)


def test_entries_that_add_up_are_added_before_a_number_meets_them():
    tensor = it.Tensor.from_coo([[1, 1], [2, 2]], [1.0, 2.0], shape=(3, 3), format="coo", duplicates="sum")
    twice = it.Tensor.from_coo([[1, 1]], [1.0, 2.0], shape=(3,), format="compressed(nonunique)", duplicates="keep")
    assert (tensor + 1).to_numpy()[1, 2] == 4
    assert (twice + 1).to_numpy()[1] == 4 and (twice > 2.5).to_numpy()[1]


def test_expressions_on_the_right_build_expressions():
    i, j = it.indices("i j")
    scale, target = it.Tensor.from_numpy(np.array(2.0)), it.tensor_variable("R", 2)
    target[i, j] = scale * T[i, j]
    np.testing.assert_allclose(target.evaluate(), 2 * D)
    with pytest.raises(it.UserError, match="expression-as-value"):
        _ = T * T[i, j]


def test_numbers_that_do_not_fit_are_refused():
    T = it.Tensor.from_numpy(np.array([0, 3], np.int8), "compressed")
    for number in (300, 10**30):
        with pytest.raises(it.UserError, match=f"{number} does not fit in int8"):
            _ = T + number


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "(i, j) -> (i : compressed, j : dense)"])
def test_a_column_is_spread_over_the_columns(format):
    """A dense dimension of extent one says nothing about what is stored, and shares its arrays."""
    column, matrix = np.array([[1.0], [0.0], [2.0]]), np.arange(12.0).reshape(3, 4)
    T, M = it.Tensor.from_numpy(column, format), it.Tensor.from_numpy(matrix, "csr")
    np.testing.assert_array_equal((T * M).to_numpy(), column * matrix)
    np.testing.assert_array_equal((T + M).to_numpy(), column + matrix)


def test_quotients_with_remainders_and_rounding():
    two: Any = 2.0
    for given, expected in ((divmod(T, 0.3), np.divmod(D, 0.3)), (divmod(two, T + 1), divmod(two, D + 1))):
        for one, other in zip(given, expected, strict=True):
            np.testing.assert_allclose(values(one), other)
    np.testing.assert_array_equal(values(round(T, 1)), np.round(D, 1))
    np.testing.assert_array_equal(values(round(T)), np.round(D))


def test_whether_an_element_has_a_value():
    for element in (D[D != 0][0], 0, 17.0):
        assert (element in T) == (element in D)
    assert 0 not in it.Tensor.from_numpy(np.ones((2, 2)), "csr")


@pytest.mark.parametrize("dtype", [int, float, complex])
def test_parts_of_complex_numbers(dtype: type):
    dense: Any = (D * 9).astype(dtype) * (1 - 2j if dtype is complex else 1)
    tensor = it.Tensor.from_numpy(dense, "csr")
    for given, expected in ((tensor.real, dense.real), (tensor.imag, dense.imag)):
        np.testing.assert_array_equal(values(given), expected)
        assert given.format == tensor.format and given.dtype == expected.dtype
