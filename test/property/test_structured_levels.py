"""Structured levels: products with other levels and themselves in any place, against dense NumPy."""

from itertools import product

import numpy as np
import pytest
from sampling import few_or_many
from structured_operands import PLACES, TRIANGULAR, structured_operand

import irtensor as it

# The first lists its pieces: operands that only contribute are merged, and not looked up at each coordinate.
LEVELS = ("block_list", "point", "band", "ragged", "interval")
OTHERS = ("dense", "compressed", "{}")
STATEMENTS = {
    "A[_] * B[_]": lambda A, B, C: A * B,
    "A[_] + B[_]": lambda A, B, C: A + B,
    "max(A[_], B[_])": lambda A, B, C: np.maximum(A, B),
    "A[_] * B[_] + C[_]": lambda A, B, C: A * B + C,
}
# Those that are bounded by the coordinate above.
TRIANGLES = ("triangle", "strict_triangle")
PLACED = [*product(LEVELS, PLACES), *product(TRIANGLES, TRIANGULAR)]
SIZES = tuple(range(13))


def computed(text, result=None, **operands):
    got = it.compile(text, {text[0]: result} if result else {})(**operands)
    return got.to_numpy() if isinstance(got, it.Tensor) else np.asarray(got)


@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.one_in(12)
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize(("level", "place"), PLACED)
def test_products(level, place, statement, other):
    own, evaluate = place.format(level, level), STATEMENTS[statement]
    rank = it.Format(own).rank
    index = "ijk"[:rank]
    text = statement.replace("_", ",".join(index))
    random = np.random.default_rng(rank)
    for size in SIZES:
        shape = (size, 5, 4)[:rank] if size % 2 else (5, size, 3)[:rank] if rank > 1 else (size,)
        shape = (size,) * rank if level in TRIANGLES else shape
        A, a = structured_operand(own, shape, random)
        B, b = structured_operand(own if other == "{}" else ", ".join([other] * rank), shape, random)
        C, c = structured_operand(own, shape, random)
        operands = {"A": A, "B": B, "C": C} if "C" in text else {"A": A, "B": B}
        np.testing.assert_array_equal(A.to_numpy(), a)
        expected = evaluate(a, b, c)
        for result in few_or_many((None,), (None, ", ".join(["compressed"] * rank))):
            found = computed(f"R[{','.join(index)}] = {text}", result, **operands)
            np.testing.assert_array_equal(found, expected, err_msg=f"{size} {other} {result}")
        np.testing.assert_array_equal(computed(f"s = sum({', '.join(index)}, {text})", **operands), expected.sum())


STEPS = (
    it.schedule().split("i", "i0", "i1", 2),
    it.schedule().split("j", "j0", "j1", 2),
    it.schedule().split("j", "j0", "j1", 4).parallelize("i"),
    it.schedule().reorder("j", "i"),
    it.schedule().precompute("A[i,j] * x[j]", "j"),
)


MATRICES = [
    *product(LEVELS, ("dense, {}", "compressed, {}", "{}, {}", "{}, dense")),
    *product(TRIANGLES, ("dense, {}",)),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("steps", STEPS, ids=str)
@pytest.mark.parametrize(("level", "place"), MATRICES)
def test_schedules(level, place, steps):
    shape = (7, 7) if level in TRIANGLES else (6, 7)
    random, x = np.random.default_rng(5), np.arange(1.0, 8)
    for _ in range(3):
        A, a = structured_operand(place.format(level, level), shape, random)
        B, b = structured_operand("dense, compressed", shape, random)
        kernel = it.compile("y[i] = A[i,j] * x[j]", schedule=steps, num_threads=2)
        np.testing.assert_array_equal(kernel(A=A, x=x), a @ x)
        if "precompute" not in str(steps):
            kernel = it.compile("y[i] = A[i,j] * x[j] + B[i,j]", schedule=steps, num_threads=2)
            np.testing.assert_array_equal(kernel(A=A, B=B, x=x), a @ x + b.sum(1))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("fill", ["1", "inf", "-2"])
@pytest.mark.parametrize("place", ["dense, {}", "compressed, {}", "{}, dense", "{}, {}"])
@pytest.mark.parametrize("level", LEVELS)
def test_fills(level, place, fill):
    random, x = np.random.default_rng(6), np.arange(24.0).reshape(4, 6)
    A, a = structured_operand(f"{place.format(level, level)}, fill = {fill}", (4, 6), random)
    np.testing.assert_array_equal(A.to_numpy(), a)
    for operator, function in (("min", np.minimum), ("max", np.maximum), ("add", np.add)):
        found = computed(f"C[i,j] = {operator}(A[i,j], x[i,j])", A=A, x=x)
        np.testing.assert_array_equal(found, function(a, x))
    np.testing.assert_array_equal(computed("y[i] = A[i,j]", A=A), a.sum(1))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "f4", "c16"])
@pytest.mark.parametrize("level", LEVELS)
def test_dtypes(level, dtype):
    random, x = np.random.default_rng(7), np.arange(6).astype(dtype)
    for place in ("dense, {}", "{}, {}", "{}, dense, pos = i32, crd = i8"):
        A, a = structured_operand(place.format(level, level), (4, 6), random)
        B, b = A.astype(dtype), a.astype(dtype)
        np.testing.assert_array_equal(it.einsum("ij,j->i", B, x), np.einsum("ij,j->i", b, x))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("level", "place"), MATRICES)
def test_emulated_gpu(level, place):
    shape = (6, 6) if level in TRIANGLES else (5, 6)
    random, x = np.random.default_rng(8), np.arange(6.0)
    A, a = structured_operand(place.format(level, level), shape, random)
    B, b = structured_operand("dense, compressed", shape, random)
    found = it.compile("y[i] = A[i,j] * x[j]", target="cuda-emulated")(A=A, x=x)
    np.testing.assert_array_equal(found, a @ x)
    found = it.compile("C[i,j] = A[i,j] * B[i,j]", {"C": "csr"}, target="cuda-emulated")(A=A, B=B)
    np.testing.assert_array_equal(found.to_numpy(), a * b)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("place", ["{}", "dense, {}", "{}, {}", "compressed, {}, dense", "{}, compressed"])
@pytest.mark.parametrize("level", LEVELS)
def test_unions_of_several_levels(level, place):
    """Where more than two levels only contribute to a loop, structures are looked up at each coordinate."""
    own = place.format(level, level)
    rank = it.Format(own).rank
    index, random = ",".join("ijk"[:rank]), np.random.default_rng(9)
    shape = (5, 6, 3)[:rank]
    for others in ([own] * 4, ["compressed"], [own, "compressed"], [own, "dense"]):
        formats = [own, *(one if one == own else ", ".join([one] * rank) for one in others)]
        pairs = [structured_operand(one, shape, random) for one in formats]
        names = "ABDEF"[: len(pairs)]
        operands = {name: tensor for name, (tensor, _) in zip(names, pairs, strict=True)}
        arrays = [dense for _, dense in pairs]
        terms = [f"{name}[{index}]" for name in names]
        for result in (None, ", ".join(["compressed"] * rank)):
            found = computed(f"R[{index}] = {' + '.join(terms)}", result, **operands)
            np.testing.assert_array_equal(found, sum(arrays), err_msg=f"{formats} {result}")
        found = computed(f"R[{index}] = {terms[0]} * ({' + '.join(terms[1:])})", **operands)
        np.testing.assert_array_equal(found, arrays[0] * sum(arrays[1:]), err_msg=str(formats))
