"""Declared operators where entries are absent: as the expression that their body is, and as their traits say."""

import warnings

import numpy as np
import pytest

import irtensor as it
from irtensor.api.expression import functions as f

N = 40
FORMATS = ["compressed", "bitmap", "hashed"]
A = it.Tensor.from_coo(np.array([[3, 11, 30]]), np.array([2.0, 5.0, -1.0]), shape=(N,), format="compressed")
HOLES = np.where(np.arange(N) % 7 == 0, np.nan, np.arange(N) + 0.5)
BODIES = {
    "where(a[i] != 0, a[i] * b[i], 0.0)": lambda x, y: f.where(x != 0, x * y, 0.0),
    "a[i] * b[i] + 0": lambda x, y: x * y + 0,
    "min(a[i] * b[i], 3)": lambda x, y: f.min(x * y, 3),
    "a[i] * (b[i] + 1) / 2": lambda x, y: x * (y + 1) / 2,
}


def run(text, operators, format):
    stored = it.Tensor.from_numpy(A.to_numpy(), format)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return it.compile(text, {"r": it.Format("compressed")}, operators=operators)(a=stored, b=HOLES)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("written", BODIES)
def test_a_body_is_what_is_written_out(written, format):
    """The same entries and the same values, NaN in the other operand or not."""
    operator = it.operator("op", BODIES[written])
    expected = run(f"r[i] = {written}", [], format)
    result = run("r[i] = @op(a[i], b[i])", [operator], format)
    assert result.nnz == expected.nnz
    np.testing.assert_array_equal(result.to_numpy(), expected.to_numpy())


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("count", [1, 2, 3])
def test_an_annihilator_of_any_argument(place, count):
    """Where the argument is absent, whatever others hold, in one body for several sets of entries as well."""
    body = {1: lambda x: x * 1, 2: lambda x, y: x * y, 3: lambda x, y, z: x * y * z}[count]
    operator = it.operator("product", body, annihilator=0.0)
    place = min(place, count - 1)
    arguments = ["b[i]"] * count
    arguments[place] = "a[i]"
    text = f"@product({', '.join(arguments)})"
    dense = np.where(A.to_numpy() == 0, 0, A.to_numpy() * (1 if count == 1 else HOLES ** (count - 1)))
    operands = {"b": HOLES} if count > 1 else {}
    np.testing.assert_array_equal(it.compile(f"r[i] = {text}", operators=[operator])(a=A, **operands), dense)
    c = it.Tensor.from_coo(np.array([[0, 3, 8]]), np.array([1.0, 2.0, 4.0]), shape=(N,), format="compressed")
    total = it.compile(f"r[i] = {text} + c[i]", operators=[operator])(a=A, c=c, **operands)
    np.testing.assert_array_equal(total, dense + c.to_numpy())


def test_a_literal_in_a_body_and_as_an_argument_is_a_number():
    scaled = it.operator("scaled", lambda x, y: x * y)
    stored = np.array([1.0, np.inf, np.nan])
    x = it.Tensor.from_numpy(stored, "compressed")
    result = it.compile("r[i] = @scaled(0.0, x[i])", operators=[scaled])(x=x)
    np.testing.assert_array_equal(result, [0, np.nan, np.nan])
    nothing = it.operator("nothing", lambda x: x * 0.0)
    np.testing.assert_array_equal(it.compile("r[i] = @nothing(x[i])", operators=[nothing])(x=x), [0, np.nan, np.nan])
