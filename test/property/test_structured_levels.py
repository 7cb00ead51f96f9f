"""Structured levels: products with other levels and themselves in any place, against dense NumPy."""

from itertools import product

import numpy as np
import pytest
from sampling import few_or_many
from structured_operands import structured_operand

import irtensor as it

LEVELS = ("point",)
# The level is the outermost, the innermost, or between others.
PLACES = (
    "{}",
    "dense, {}",
    "compressed, {}",
    "{}, dense",
    "{}, compressed",
    "{}, {}",
    "(i, j) -> (j : dense, i : {})",
    "dense, {}, dense",
    "compressed, {}, compressed",
    "{}, dense, {}",
)
OTHERS = ("dense", "compressed", "{}")
STATEMENTS = {
    "A[_] * B[_]": lambda A, B, C: A * B,
    "A[_] + B[_]": lambda A, B, C: A + B,
    "max(A[_], B[_])": lambda A, B, C: np.maximum(A, B),
    "A[_] * B[_] + C[_]": lambda A, B, C: A * B + C,
}
SIZES = tuple(range(13))


def computed(text, result=None, **operands):
    got = it.compile(text, {text[0]: result} if result else {})(**operands)
    return got.to_numpy() if isinstance(got, it.Tensor) else np.asarray(got)


@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.one_in(6)
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("level", LEVELS)
def test_products(level, place, statement):
    own, evaluate = place.format(level, level), STATEMENTS[statement]
    rank = it.Format(own).rank
    index = "ijk"[:rank]
    text = statement.replace("_", ",".join(index))
    random = np.random.default_rng(rank)
    for size, other in product(SIZES, OTHERS):
        shape = (size, 5, 4)[:rank] if size % 2 else (5, size, 3)[:rank] if rank > 1 else (size,)
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
