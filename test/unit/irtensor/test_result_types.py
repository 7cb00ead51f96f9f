"""The element type of a result: as NumPy's, where numbers are weak, or the one that is asked for."""

import numpy as np
import pytest
from reference.evaluate_dense import evaluate_dense

import irtensor as it
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions

SMALL = np.array([[100, 100, 100], [1, 0, 0], [0, 2, 3]], np.int8)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", [None, it.CSR, it.CSC, it.COO(2)])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64"])
def test_dtypes_of_the_result(dtype, format):
    formats = {} if format is None else {"A": format, "R": format}
    plain = it.compile("R[i,j] = 2 * A[i,j]", formats, {"R": dtype})(A=SMALL // 2)
    assert plain.dtype == dtype
    np.testing.assert_array_equal(plain if format is None else plain.to_numpy(), SMALL // 2 * 2)
    # Sums are combined in the wider type.
    wide = SMALL.astype(dtype)
    product = it.compile("R[i,j] = A[i,k] * A[k,j] - A[i,j]", formats, {"R": dtype, "A": dtype})(A=SMALL)
    np.testing.assert_array_equal(product if format is None else product.to_numpy(), wide @ wide - wide)


def test_results_in_wider_types_are_combined_in_these():
    for text, start in (("y[i] = A[i,j]", 0), ("y[i] = b[i] - A[i,j]", 1), ("y[i] += A[i,j]", 1)):
        operands = {"A": SMALL} | ({"b": np.ones(3, np.int8)} if "b" in text else {})
        operands |= {"y": np.ones(3, np.int8)} if "+=" in text else {}
        got = it.compile(text, dtypes={"y": "int64"})(**operands)
        assert got.dtype == np.int64
        np.testing.assert_array_equal(got, start + SMALL.sum(axis=1, dtype=np.int64) * (-1 if "b" in text else 1))


def test_results_in_narrower_types():
    got = it.compile("y[i] = b[i] + c[i]", dtypes={"y": "float32"})(b=np.arange(3), c=np.ones(3, np.float32))
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, [1, 2, 3])
    with pytest.raises(it.UserError, match="bad-cast"):
        it.compile("y[i] = b[i]", dtypes={"y": "int32"})(b=np.ones(3))
    with pytest.raises(it.UserError, match="unsupported-dtype"):
        it.compile("y[i] = b[i]", dtypes={"y": "timedelta64[s]"})


@pytest.mark.one_in(4)
@pytest.mark.parametrize("format", [None, it.CSR, it.COO(2)])
@pytest.mark.parametrize("dtype", ["float32", "complex64", "int8"])
@pytest.mark.parametrize(
    "text",
    [
        "A[i,j] * where(c[i] > 0, 2, 3)",
        "where(c[i] > 0, 2, -1) * A[i,j]",
        "A[i,j] * (1 + where(c[i] > 0, 2, 3))",
        "A[i,j] * max(where(c[i] > 0, 2, 3), 1)",
        "A[i,j] * where(c[i] > 0, where(c[i] > 1, 2, 3), max(1, 0))",
        "A[i,j] * sum(k, where(c[k] > 1, 2, 3))",
        "A[i,j] * min(k, where(c[k] > 1, 2, 3))",
        "where(c[i] > 0, A[i,j], 0)",
    ],
)
def test_choices_of_numbers_have_the_type_of_what_they_meet(text, dtype, format):
    matrix, c = np.eye(3).astype(dtype), np.array([0.0, 1.0, 2.0])
    formats = {} if format is None else {"A": format, "R": format}
    got = it.compile(f"R[i,j] = {text}", formats)(A=matrix, c=c)
    assert got.dtype == dtype
    where, x = np.where, c[:, None]
    expected = {
        "A[i,j] * where(c[i] > 0, 2, 3)": matrix * where(x > 0, 2, 3),
        "where(c[i] > 0, 2, -1) * A[i,j]": matrix * where(x > 0, 2, -1),
        "A[i,j] * (1 + where(c[i] > 0, 2, 3))": matrix * where(x > 0, 3, 4),
        "A[i,j] * max(where(c[i] > 0, 2, 3), 1)": matrix * where(x > 0, 2, 3),
        "A[i,j] * where(c[i] > 0, where(c[i] > 1, 2, 3), max(1, 0))": matrix * where(x > 0, where(x > 1, 2, 3), 1),
        "A[i,j] * sum(k, where(c[k] > 1, 2, 3))": matrix * 8,
        "A[i,j] * min(k, where(c[k] > 1, 2, 3))": matrix * 2,
        "where(c[i] > 0, A[i,j], 0)": where(x > 0, matrix, 0),
    }[text]
    np.testing.assert_array_equal(got if format is None else got.to_numpy(), expected)


def test_choices_of_numbers_alone_have_the_types_of_numbers():
    c = np.array([0.0, 1.0])
    for text, dtype in (
        ("2, 3", np.int64),
        ("2, 0.5", np.float64),
        ("True, False", np.bool_),
        ("2, 1j", np.complex128),
    ):
        assert it.compile(f"y[i] = where(c[i] > 0, {text})")(c=c).dtype == dtype
    # A float among integers widens them, as 0.5 alone does.
    assert it.compile("y[i] = n[i] * where(c[i] > 0, 2, 0.5)")(c=c, n=np.arange(2, dtype=np.int8)).dtype == np.float64
    with pytest.raises(it.UserError, match="number-too-large"):
        it.compile("y[i] = n[i] * where(c[i] > 0, 2, 1000)")(c=c, n=np.arange(2, dtype=np.int8))


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int8", "int32", "float64"])
@pytest.mark.parametrize(
    "text",
    [
        "where(c[i] > 0, 2, -1.5) * A[i,j]",
        "where(c[i] > 0, A[i,j], where(c[j] > 0, 1, 0.5))",
        "abs(where(c[i] > 0, 1.0, 2.0)) * A[i,j]",
        "(where(c[i] > 0, 1, 2) == A[i,j]) + where(c[i] > 0, True, False)",
        "where(c[i] > 0, 1, 2) / where(c[j] > 0, 3, 2) * A[i,j]",
        "min(k, where(c[k] > 0, 1, 2)) + A[i,j]",
    ],
)
def test_the_oracle_has_the_same_types(text, dtype):
    statement = insert_reductions(parse_statement(f"R[i,j] = {text}"))
    operands = {"A": 2 * np.eye(3).astype(dtype), "c": np.array([0.0, 1.0, 2.0])}
    expected = evaluate_dense(statement, operands)
    got = it.compile(f"R[i,j] = {text}")(**operands)
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        "True & {w}",
        "{w} & 1",
        "{w} | False",
        "{w} ^ True",
        "{w} + 2",
        "{w} * 2 - 4",
        "max({w}, 0)",
        "({w} & 1) + {w} - 2",
        "{w} % 2",
        "{w} // 3",
        "({w} - 2) / 2",
    ],
)
@pytest.mark.parametrize("numbers", [(2, 3), (2, -2), (0, 1), (True, 2)])
def test_what_is_computed_of_numbers_keeps_its_value_as_a_condition(text, numbers):
    A = np.array([True, False, True])
    text = text.format(w=f"where(A[i], {numbers[0]}, {numbers[1]})")
    one, other = (eval(text, {"A": {0: there}, "i": 0, "where": np.where}) for there in (True, False))
    got = it.compile(f"y[i] = where({text}, 5, 7)")(A=A)
    np.testing.assert_array_equal(got, np.where(A, 5 if one else 7, 5 if other else 7))
    assert it.compile(f"s = sum(i, where({text}, 5, 7))")(A=A) == got.sum()


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "float64", "complex64"])
@pytest.mark.parametrize(
    "text", ["({w} & 1)", "({w} ^ 1)", "({w} | 1) / 2", "{w} * 100 // 10", "max({w} * 100 - 190, 1)", "({w} * 90) % 7"]
)
def test_what_is_computed_of_numbers_keeps_its_value_beside_an_array(text, dtype):
    A, x = np.array([True, False, True]), np.array([1, 2, 3]).astype(dtype)
    text = text.format(w="where(A[i], 2, 3)")
    expected = eval(text, {"A": A, "i": slice(None), "where": np.where, "max": np.maximum})
    got = it.compile(f"y[i] = {text} * x[i]")(A=A, x=x)
    assert got.dtype == np.result_type(x, 0.5 if "/ 2" in text else 1)
    np.testing.assert_array_equal(got, (expected * x).astype(got.dtype))
