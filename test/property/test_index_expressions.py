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

MATRICES = ["csr", "csc", "coo", "dense, dense", "compressed, compressed", "dense, bitmap", "BCSR"]
VECTORS = ["dense", "compressed", "bitmap"]


def stored(array: np.ndarray, format: str) -> it.Tensor:
    return it.Tensor.from_numpy(array, it.BCSR(2, 2) if format == "BCSR" else format)


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
    assert sparse.nnz == (28 if format == "dense, dense" else np.count_nonzero(A[rows])) or format == "BCSR"


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
        ("y[i + 1] = x[i]", {}, "[unknown-extent] nothing says how many elements dimension 0 of y[i + 1] has"),
        ("y[i] = x[pad(i - 1)] + e[pad(i)]", {"e": np.ones(3)}, "[unknown-extent] dimension 0 of x has 10 elements"),
        (
            "y[i] = z[i] * e[wrap(i)]",
            {"z": np.ones(2), "e": np.ones(0)},
            "[index-out-of-range] wrap(i) has nothing to read",
        ),
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


COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
CONDITIONS = [
    *[f"{{a}} {comparison} {{b}}" for comparison in COMPARISONS],
    "i % 2 == {n}",
    "(i <= j) & (j <= i + {n})",
    "m[i] > {n}",
    "~(m[j] >= i)",
    "A[i, j] > {n}",
    "m[j] * m[i] != j",
]


@pytest.mark.parametrize("seed", range(few_or_many(16, 400)))
def test_random_conditions(seed: int) -> None:
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    rows, columns = draw.randint(1, 7), draw.randint(1, 7)
    A = numbers.integers(-3, 4, (rows, columns)) * (numbers.random((rows, columns)) < 0.6) * 1.0
    x, m = numbers.integers(1, 4, columns) * 1.0, numbers.integers(0, 3, max(rows, columns))
    a, b = draw.sample(["i", "j", "i + 1", "2 * j", "j - 2", "3"], 2)
    condition = draw.choice(CONDITIONS).format(a=a, b=b, n=draw.randint(0, 2))
    i, j = np.indices(A.shape)
    at = {"i": i, "j": j, "A": A}
    holds = eval(
        condition.replace("A[i, j]", "A").replace("m[i]", "mi").replace("m[j]", "mj"), {}, at | {"mi": m[i], "mj": m[j]}
    )
    holds = np.broadcast_to(holds, A.shape)
    # The rows and columns of A give the variables their extents: m has as many elements as these.
    condition = condition.replace("m[i]", "m[pad(i)]").replace("m[j]", "m[pad(j)]")
    format, threads = draw.choice(MATRICES), draw.choice([1, 2])
    given = dict(A=stored(A, format), m=m) if "m[" in condition else dict(A=stored(A, format))
    sums = it.compile(f"y[i] = A[i,j] * x[j] if {condition}", num_threads=threads)(x=x, **given)
    np.testing.assert_array_equal(sums, (A * x * holds).sum(1), err_msg=f"{condition} {format}")
    least = it.compile(f"y[j] min= A[i,j] + x[j] if {condition}", num_threads=threads)(x=x, **given)
    expected = np.where(holds, A + x, np.inf).min(0, initial=np.inf)
    np.testing.assert_array_equal(least, expected, err_msg=f"{condition} {format}")
    result = draw.choice(["csr", "csc", "dense, dense"])
    kept = it.compile(f"C[i,j] = A[i,j] if {condition}", formats={"C": result}, num_threads=threads)(**given)
    dense = kept.to_numpy() if isinstance(kept, it.Tensor) else kept
    np.testing.assert_array_equal(dense, A * holds, err_msg=f"{condition} {format} {result}")
    if result != "dense, dense" and format not in ("dense, dense", "BCSR"):
        assert kept.nnz == np.count_nonzero(A * holds)


def test_a_search_of_a_graph_ends() -> None:
    edges = np.random.default_rng(0).random((20, 20)) < 0.15
    step = it.compile("g[j] |= f[i] & A[i,j] if ~seen[j]", formats={"g": "compressed"})
    A, seen = stored(edges, "csr"), np.arange(20) == 0
    frontier = stored(seen.copy(), "compressed")
    while frontier.nnz:
        frontier = step(f=frontier, A=A, seen=seen)
        assert frontier.nnz == np.count_nonzero(frontier.to_numpy() & ~seen)
        seen = seen | frontier.to_numpy()
    reached = np.arange(20) == 0
    for _ in range(20):
        reached |= reached @ edges
    np.testing.assert_array_equal(seen, reached)


def test_values_where_a_condition_is_false() -> None:
    A, b = np.arange(12.0).reshape(3, 4), np.array([1.0, 5, 2])
    T = stored(A, "csr")
    np.testing.assert_array_equal(it.compile("y[i] = b[i] + A[i,j] if b[i] > 1")(A=T, b=b), (b + A.sum(1)) * (b > 1))
    np.testing.assert_array_equal(it.compile("y[i] += A[i,j] if i != j")(y=b, A=T), b + A.sum(1) - np.diag(A))
    old = it.compile("y[i] += b[i] + A[i,j] if b[i] > 1")(y=b, b=b, A=T)
    np.testing.assert_array_equal(old, np.where(b > 1, 2 * b + A.sum(1), b))
    upper = it.compile("C[i,j] = A[i,j] + 1 if i <= j", formats={"C": "csr"})(A=T)
    np.testing.assert_array_equal(upper.to_numpy(), np.triu(A + 1))
    np.testing.assert_array_equal(
        it.compile("y[i] = sum(j, A[i,j] if j > i) * b[i]")(A=T, b=b), np.triu(A, 1).sum(1) * b
    )
    np.testing.assert_array_equal(it.compile("C[i,j] = A[i,j] * i - j")(A=T), A * np.arange(3)[:, None] - np.arange(4))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y[i] = A[i,j] + b[i] if j > 2", "[ambiguous-sum] is b[i] summed over j, which the condition j > 2 needs?"),
        ("y[i] = b[i] if b[i] > 3 else 2", "[syntax-error] a condition has no other choice, found 'else'"),
        ("y[i] = b[i] if", "[syntax-error]"),
        ("y[i] = b[i] if i < j < 3", "[syntax-error] comparisons cannot be chained"),
        ("y[i] = i", "[unknown-extent] index i of the result y[i] is in no operand"),
    ],
)
def test_conditions_that_are_refused(text: str, message: str) -> None:
    operands = {"A": np.ones((3, 4)), "b": np.ones(3)}
    with pytest.raises(UserError) as caught:
        it.compile(text)(**{name: array for name, array in operands.items() if f"{name}[" in text})
    assert message in str(caught.value)


@pytest.mark.parametrize("seed", range(few_or_many(10, 300)))
def test_random_distances(seed: int) -> None:
    """Lists at distances from a variable, one or several, in sums and products, with conditions, on threads."""
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    rows, length, first, second = (draw.randint(1, 5) for _ in range(4))
    A = numbers.integers(-3, 4, (rows, length + first)) * (numbers.random((rows, length + first)) < 0.6) * 1.0
    B = numbers.integers(-3, 4, (rows, length + second)) * (numbers.random((rows, length + second)) < 0.6) * 1.0
    z = numbers.integers(1, 4, length) * 1.0
    a, b = A[:, first:], B[:, second:]
    formats, threads = draw.choices(MATRICES, k=2), draw.choice([1, 2])
    given = dict(A=stored(A, formats[0]), B=stored(B, formats[1]), z=z)
    combined = draw.choice(
        ["A[i, j + {m}] * z[j] + B[i, j + {n}]", "A[i, j + {m}] * B[i, {n} + j] * z[j]", "A[i, j + {m}] * z[j]"]
    )
    value = a * z + b if "] + B" in combined else a * b * z if "B" in combined else a * z
    given = {name: array for name, array in given.items() if f"{name}[" in combined}
    text = f"y[i] = sum(j, {combined})".format(m=first, n=second)
    sums = it.compile(text, num_threads=threads)(**given)
    np.testing.assert_array_equal(sums, value.sum(1), err_msg=f"{text} {formats}")
    # The list is a triangle, at a distance.
    i, j = np.indices(value.shape)
    sieved = text[:-1] + " if j >= i)"
    sums = it.compile(sieved, num_threads=threads)(**given)
    np.testing.assert_array_equal(sums, (value * (j >= i)).sum(1), err_msg=f"{sieved} {formats}")
    result = it.compile(f"C[i,j] = {combined}".format(m=first, n=second), formats={"C": draw.choice(["csr", "csc"])})
    np.testing.assert_array_equal(result(**given).to_numpy(), value, err_msg=f"{combined} {formats}")
    # A convolution with another filter in each row.
    filters = numbers.integers(-2, 3, (rows, first + 1)) * 1.0
    rolled = it.compile("D[i,j] = F[i,k] * A[i, j + k]", num_threads=threads)(F=filters, A=stored(A, formats[0]))
    np.testing.assert_array_equal(
        rolled, [np.convolve(row, f[::-1], "valid") for row, f in zip(A, filters, strict=True)]
    )


def test_lazy_expressions() -> None:
    i, j = it.indices("i j")
    dense, vector = np.arange(12.0).reshape(3, 4), np.arange(1.0, 5)
    T, v, y = it.Tensor.from_numpy(dense, "csr"), it.Tensor.from_numpy(vector, "dense"), it.tensor_variable("y", 1)
    C, rows = it.tensor_variable("C", 2), it.Tensor.from_numpy(np.array([2, 0]), "dense")
    y[i] = it.functions.sum(j, T[i, j] * j)
    np.testing.assert_array_equal(y.evaluate(), dense @ np.arange(4))
    y[i] = v[i + 1] - v[it.padded(i)]
    np.testing.assert_array_equal(y.evaluate(), np.diff(vector))
    y[i] = v[it.wrapped(2 * i - 1)] + v[3 - i] + v[it.clamped(i + 2)] + v[it.padded(i - 2, 7)]
    np.testing.assert_array_equal(y.evaluate(), [4 + 4 + 3 + 7, 2 + 3 + 4 + 7, 4 + 2 + 4 + 1, 2 + 1 + 4 + 2])
    y[i] = it.functions.sum(j, T[i, j].where(i < j))
    np.testing.assert_array_equal(y.evaluate(), np.triu(dense, 1).sum(1))
    C[i, j] = T[i, j].where((T[i, j] > 3) & (i != j))
    found = C.evaluate(format="csr")
    np.testing.assert_array_equal(found.to_numpy(), dense * (dense > 3) * (1 - np.eye(3, 4)))
    assert found.nnz == 6
    C[i, j] = T[rows[i], j]
    np.testing.assert_array_equal(C.evaluate(), dense[[2, 0]])
    y[j] = T[1, j]
    np.testing.assert_array_equal(y.evaluate(), dense[1])
    y[i] = v[i] * v[i + 1]
    with pytest.raises(UserError, match="index-out-of-range"):
        y.evaluate()
