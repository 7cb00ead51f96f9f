"""What is computed at compile time, of fill values and literals, is what a kernel computes of stored numbers."""

import warnings

import numpy as np
import pytest

import irtensor as it
from irtensor import UserError
from irtensor.core.fill_values import fill_text
from irtensor.core.operators import OPERATORS, same_value

DTYPES = ("?", "i1", "i2", "i4", "i8", "f4", "f8", "c8", "c16")
# 100 and 1e30 overflow in operations of narrow types.
NUMBERS: dict[str, tuple[complex, ...]] = {
    "b": (False, True),
    "i": (0, 1, -1, 2, 100, -128),
    "f": (0.0, 1.0, -1.5, 1e30, np.inf, np.nan),
}
NUMBERS["c"] = (0j, 1 + 0j, -1.5 + 2j, complex(np.inf, 0))
# What is absent is not stored, whatever it reads as.
UNARY = [name for name, operator in OPERATORS.items() if operator.arity == 1 and name != "stored"]
BINARY = [name for name, operator in OPERATORS.items() if operator.arity == 2]


def absent(number, dtype):
    """A tensor of three numbers, which stores none of them."""
    format = f"compressed, fill = {fill_text(np.dtype(dtype).type(number).item())}"
    return it.Tensor.from_coo(np.zeros((1, 0), int), np.zeros(0, dtype), shape=(3,), format=it.Format(format))


def compute(statement, **operands):
    """The result, or the slug of the refusal."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return it.compile(statement)(**operands)
        except UserError as error:
            return error.slug


def assert_same(sparse, dense):
    if isinstance(dense, str):
        assert sparse == dense
        return
    assert sparse.dtype == dense.dtype
    rtol = {"f": 1e-6, "F": 1e-6}.get(dense.dtype.char, 1e-14) if dense.dtype.kind in "fc" else 0
    np.testing.assert_allclose(sparse, dense, rtol=rtol)


@pytest.mark.one_in(96)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_fills(name, dtype):
    for number in NUMBERS[np.dtype(dtype).kind]:
        dense = compute(f"y[i] = {name}(x[i])", x=np.full(3, number, dtype))
        assert_same(compute(f"y[i] = {name}(x[i])", x=absent(number, dtype)), dense)


@pytest.mark.one_in(40)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_operators_of_fills(name, dtype):
    """Of an absent entry an annihilator decides by itself; other fills are numbers as stored ones are."""
    operator = OPERATORS[name]
    element = np.dtype(dtype).kind + "64"
    zeros = [*operator.left_annihilator(element), *operator.right_annihilator(element)]
    numbers = [n for n in NUMBERS[np.dtype(dtype).kind] if not any(same_value(n, zero) for zero in zeros)]
    text = f"y[i] = {name}(x[i], z[i])"
    for a, b in list(zip(numbers, (*numbers[1:], numbers[0]), strict=True))[:3]:
        dense = compute(text, x=np.full(3, a, dtype), z=np.full(3, b, dtype))
        assert_same(compute(text, x=absent(a, dtype), z=absent(b, dtype)), dense)


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("7 // 2 - 9 % 4", 2),
        ("2 ** 62 + (2 ** 62 - 1)", 2**63 - 1),
        ("1e200 * 1e200", np.inf),
        ("-7 % 0", 0),
        ("-7.0 // 0", -np.inf),
        ("(-8.0) ** 0.5", np.nan),
        ("sqrt(-1.0)", np.nan),
        ("log(0)", -np.inf),
        ("sign(1j * inf)", 1j),
        ("max(nan, 1.0)", np.nan),
        ("floor(-0.5) + 1", 0.0),
        ("1 ** -1", 1),
    ],
)
def test_literals(literal, value):
    np.testing.assert_array_equal(it.compile(f"y[i] = first({literal}, x[i])")(x=np.ones(1)), [value])


@pytest.mark.parametrize("literal", ["2 ** 63", "-2 ** 64", "3 ** 1000", "2 ** 62 * 2", "-(2 ** 62) * 2 - 1"])
def test_literals_that_are_too_large(literal):
    with pytest.raises(UserError, match="number-too-large"):
        it.compile(f"y[i] = first({literal}, x[i])")(x=np.ones(1))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("fill", [3, 0, np.inf])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "c16"])
@pytest.mark.parametrize(
    "text", ["0 / x[i]", "0 // x[i]", "0 % x[i]", "0 * x[i]", "x[i] * 0", "inf + x[i]", "max(inf, x[i])"]
)
def test_a_literal_is_a_number_beside_stored_entries(text, dtype, fill):
    """It is not absent, so it annihilates nothing: what is stored, 0 and infinity and NaN among it, follows IEEE."""
    refused = {"c16": ("//", "%", "max"), "i8": ("inf",)}.get(dtype, ())
    if any(sign in text for sign in refused) or (dtype == "i8" and not np.isfinite(fill)):
        return
    stored = [0, 2, -1] if dtype == "i8" else [0, 2, np.inf, -np.inf, np.nan]
    stored = np.array([number for number in stored if number != fill], dtype)
    format = it.Format(f"compressed, fill = {fill_text(np.dtype(dtype).type(fill).item())}")
    x = it.Tensor.from_coo([np.arange(len(stored))], stored, shape=stored.shape, format=format)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(compute(f"y[i] = {text}", x=x), compute(f"y[i] = {text}", x=stored))
