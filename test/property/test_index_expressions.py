"""Statements that compute coordinates, in all formats of their operands, against NumPy on dense arrays."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it
from irtensor.errors import UserError

MATRICES = ["csr", "csc", "coo", "dense, dense", "compressed, compressed", "dense, bitmap"]
VECTORS = ["dense", "compressed", "bitmap"]


def stored(array: np.ndarray, format: str) -> it.Tensor:
    return it.Tensor.from_numpy(array, format)


class Drawn:
    """A random index expression: its text, and its value for coordinates of the variables."""

    def __init__(self, draw: random.Random, variables: list[str]) -> None:
        self.factors = {name: draw.choice([1, 1, 1, 2, -1]) for name in draw.sample(variables, draw.randint(1, 2))}
        self.offset = draw.randint(-3, 3)
        self.divisor = draw.choice([1, 1, 1, 2, 3])
        self.outside = draw.choice(["pad", "pad", "wrap", "clamp"])
        self.padding = draw.choice([None, None, 2.5]) if self.outside == "pad" else None
        sum = " + ".join([f"{factor} * {name}" for name, factor in self.factors.items()] + [str(self.offset)])
        divided = f"({sum}) // {self.divisor}" if self.divisor > 1 else sum
        value = "" if self.padding is None else f", {self.padding}"
        self.text = f"{self.outside}({divided}{value})"

    def coordinate(self, at: dict[str, int]) -> int:
        total = self.offset + sum([factor * at[name] for name, factor in self.factors.items()])
        return total // self.divisor

    def read(self, array: np.ndarray, at: dict[str, int]) -> Any:
        """The part of an array, along its last dimension, that the expression says."""
        where, extent = self.coordinate(at), array.shape[-1]
        if self.outside == "wrap":
            return array[..., where % extent]
        if self.outside == "clamp":
            return array[..., max(0, min(where, extent - 1))]
        return array[..., where] if 0 <= where < extent else (self.padding or 0.0)


def expected(first: Drawn, second: Drawn, A: np.ndarray, B: np.ndarray, z: np.ndarray) -> np.ndarray:
    result = np.zeros(len(A))
    for i, j in itertools.product(range(len(A)), range(len(z))):
        at = {"i": i, "j": j}
        result[i] += first.read(A[i], at) * z[j] + second.read(B, at)
    return result


@pytest.mark.parametrize("seed", range(few_or_many(12, 400)))
def test_random_coordinates(seed: int) -> None:
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    rows, columns, length, extent = (draw.randint(1, 6) for _ in range(4))
    A = numbers.integers(-3, 4, (rows, columns)) * (numbers.random((rows, columns)) < 0.6) * 1.0
    B = numbers.integers(-3, 4, extent) * (numbers.random(extent) < 0.6) * 1.0
    z = numbers.integers(-3, 4, length) * 1.0
    first, second = Drawn(draw, ["i", "j"]), Drawn(draw, ["i", "j"])
    text = f"y[i] = sum(j, A[i, {first.text}] * z[j] + B[{second.text}] + 0 * E[i])"
    kernel = it.compile(text)
    for _ in range(3):
        formats = draw.choice(MATRICES), draw.choice(VECTORS)
        found = kernel(A=stored(A, formats[0]), B=stored(B, formats[1]), z=z, E=np.zeros(rows))
        np.testing.assert_array_equal(found, expected(first, second, A, B, z), err_msg=f"{text} {formats}")


@pytest.mark.parametrize("format", MATRICES)
def test_shifted_matrices(format: str) -> None:
    A = np.where(np.random.default_rng(0).random((6, 7)) < 0.4, np.arange(42.0).reshape(6, 7), 0)
    T, x = stored(A, format), np.arange(1.0, 7)
    np.testing.assert_array_equal(it.compile("y[i] = A[i, j+1] * x[j]")(A=T, x=x), A[:, 1:] @ x)
    np.testing.assert_array_equal(it.compile("C[i,j] = A[i+1, j] - A[pad(i), j]")(A=T), A[1:] - A[:-1])
    rows = np.array([5, 0, 3, 3])
    sparse = it.compile("C[i,j] = A[I[i], j]", formats={"C": "csr"})(A=T, I=rows)
    np.testing.assert_array_equal(sparse.to_numpy(), A[rows])
    assert sparse.nnz == (28 if format == "dense, dense" else np.count_nonzero(A[rows]))


@pytest.mark.parametrize("format", VECTORS)
def test_ranges_without_a_dimension(format: str) -> None:
    x, f = np.array([0.0, 3, 0, 1, 4, 0, 0, 2]), np.array([1.0, 2, 5])
    X = stored(x, format)
    np.testing.assert_array_equal(it.compile("y[i] = f[k] * x[i + k]")(f=f, x=X), np.convolve(x, f[::-1], "valid"))
    np.testing.assert_array_equal(it.compile("y[i] = x[i + 2] - x[i + 1]")(x=X), x[2:] - x[1:-1])
    np.testing.assert_array_equal(it.compile("y[i] = x[2 * i + 1]")(x=X), x[1::2])
    np.testing.assert_array_equal(it.compile("y[i] = x[7 - i]")(x=X), x[::-1])
    np.testing.assert_array_equal(it.compile("y[i] = x[n - 1 - i]")(x=X, n=8), x[::-1])
    np.testing.assert_array_equal(it.compile("y[i] = x[wrap(i + 3)]")(x=X), np.roll(x, -3))
    np.testing.assert_array_equal(it.compile("y[i] = x[i + s]")(x=X, s=np.int32(2)), x[2:])
    assert it.compile("s = x[3]")(x=X) == x[3]
    assert it.compile("s = x[i + 1] * x[pad(i)]")(x=X) == x[1:] @ x[:-1]
    # The filter is longer than the signal, so that it fits nowhere.
    assert it.compile("y[i] = f[k] * x[i + k]")(f=x, x=stored(f, format)).shape == (0,)


def test_a_compound_assignment() -> None:
    x, y = np.arange(6.0), np.ones(4)
    np.testing.assert_array_equal(it.compile("y[i] += x[i + 2] * f[k]")(y=y, x=x, f=np.ones(3)), y + 3 * x[2:])


@pytest.mark.parametrize(
    ("text", "operands", "message"),
    [
        (
            "y[i] = x[i] - x[i+1]",
            {},
            "[index-out-of-range] i + 1 reaches 10 in x[i + 1], where dimension 0 of x has 10 elements",
        ),
        ("y[i] = x[i-1]", {}, "[index-out-of-range] i - 1 is -1 in x[i - 1] where i is 0"),
        ("y[i] = x[3 - i] * z[i]", {"z": np.ones(5)}, "[index-out-of-range] -i + 3 reaches -1 in x[-i + 3]"),
        ("y[i,k] = x[i+k]", {}, "[unknown-extent] nothing says how far i and k run in x[i + k]"),
        ("y[i] = x[I[i]]", {"I": np.array([1, 10])}, "[index-out-of-range] I[i] reaches 10 in x[I[i]]"),
        ("y[i] = x[I[i]]", {"I": np.array([1, -1])}, "[index-out-of-range] I[i] reaches -1 in x[I[i]]"),
        ("y[i] = x[I[i]]", {"I": np.array([1.5])}, "[unsupported-index] I[i] has dtype float64"),
        ("y[i] = x[I[i]]", {"I": np.array([True])}, "[unsupported-index] I[i] has dtype bool"),
        ("y[i] = x[i * k]", {}, "[unsupported-index] i and k are multiplied, and neither is an integer"),
        ("y[i] = x[i // 0]", {}, "[unsupported-index] the divisor of i // 0 is 0"),
        ("y[i] = x[0 * i]", {}, "[unsupported-index] 0 * i is 0 everywhere"),
        ("y[i + 1] = x[i]", {}, "[unsupported-index] an index of the result y[i + 1] is computed"),
        ("y[i] = x[pad(i - 1)] + e[pad(i)]", {"e": np.ones(3)}, "[unknown-extent] dimension 0 of x has 10 elements"),
        ("y[i] = z[i] * e[wrap(i)]", {"z": np.ones(2), "e": np.ones(0)}, "[index-out-of-range] wrap(i) has nothing to read"),
    ],
)
def test_what_is_refused(text: str, operands: dict[str, Any], message: str) -> None:
    given = {"x": np.arange(10.0)} if "x[" in text else {}
    with pytest.raises(UserError) as caught:
        it.compile(text)(**given, **operands)
    assert message in str(caught.value)
    assert caught.value.location is not None


def test_elements_are_checked_at_each_call() -> None:
    kernel, x = it.compile("y[i] = x[I[i]]"), np.arange(4.0)
    np.testing.assert_array_equal(kernel(x=x, I=np.array([3, 0])), [3, 0])
    with pytest.raises(UserError, match="reaches 4"):
        kernel(x=x, I=np.array([4, 0]))


def test_an_empty_dimension_is_padded() -> None:
    np.testing.assert_array_equal(it.compile("y[i] = z[i] + e[pad(i, 7)]")(z=np.ones(2), e=np.ones(0)), [8, 8])
