"""A choice by what is stored, assigned to a sparse tensor: entries where `stored` of the same expression says so."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import irtensor as it

LEVELS = ("compressed", "bitmap", "hashed")
# Where a condition holds, for each set of stored operands: neither, A alone, B alone, both.
CONDITIONS = {
    "stored(A[i])": [0, 1, 0, 1],
    "~stored(A[i])": [1, 0, 1, 0],
    "stored(A[i]) & stored(B[i])": [0, 0, 0, 1],
    "~(stored(A[i]) & stored(B[i]))": [1, 1, 1, 0],
    "stored(A[i]) | stored(B[i])": [0, 1, 1, 1],
    "~(stored(A[i]) | stored(B[i]))": [1, 0, 0, 0],
    "stored(A[i]) ^ stored(B[i])": [0, 1, 1, 0],
    "~(stored(A[i]) ^ stored(B[i]))": [1, 0, 0, 1],
    "stored(A[i]) & ~stored(B[i])": [0, 1, 0, 0],
    "~stored(A[i]) | stored(B[i])": [1, 0, 1, 1],
}


@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.one_in(12)
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("choice", ["where({}, 0, {})", "where({}, {}, 0)"])
@pytest.mark.parametrize("other", ["x[i]", "A[i] + B[i]", "A[i]"])
@pytest.mark.parametrize("levels", list(product(LEVELS, repeat=2)), ids=str)
@pytest.mark.parametrize("result", ["compressed", "hashed", "bitmap"])
def test_choices_between_a_number_and_what_is_stored(condition, choice, other, levels, result):
    in_a, in_b = np.array([0, 1, 0, 1], bool), np.array([0, 0, 1, 1], bool)
    A, B = it.Tensor.from_numpy(in_a * 2.0, levels[0]), it.Tensor.from_numpy(in_b * 3.0, levels[1])
    operands: dict[str, Any] = {"A": A, "B": B, "x": np.full(4, 5.0)}
    is_first = choice.startswith("where({}, {}")
    text = choice.format(condition, other)
    chosen = np.array(CONDITIONS[condition], bool) == is_first
    values, there = {
        "x[i]": (operands["x"], np.ones(4, bool)),
        "A[i] + B[i]": (in_a * 2.0 + in_b * 3.0, in_a | in_b),
        "A[i]": (in_a * 2.0, in_a),
    }[other]
    given = {name: operand for name, operand in operands.items() if f"{name}[" in text}
    found = it.compile(f"C[i] = {text}", {"C": result})(**given)
    np.testing.assert_array_equal(found.to_numpy(), np.where(chosen, values, 0))
    np.testing.assert_array_equal(np.sort(found.to_coo()[0][0]), np.nonzero(chosen & there)[0])
    np.testing.assert_array_equal(it.compile(f"c[i] = stored({text})")(**given), chosen & there)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("first", list(product(["compressed", "bitmap"], repeat=3)), ids=str)
@pytest.mark.parametrize("second", list(product(["compressed", "bitmap"], repeat=3)), ids=str)
@pytest.mark.parametrize("result", ["compressed, compressed, compressed", "dense, compressed, bitmap"])
def test_choices_below_levels_that_are_looked_up(first, second, result):
    """Of three dimensions: one operand takes its entries away from the other's."""
    places = np.random.default_rng(0).random((2, 3, 4, 5)) < 0.3
    formats = {"Q": it.Format(", ".join(first)), "M": it.Format(", ".join(second)), "A": it.Format(result)}
    Q, M = (
        it.Tensor.from_numpy(own.astype(float), formats[name]) for own, name in zip(places, ("Q", "M"), strict=True)
    )
    kernel = it.compile("A[i,j,k] = where(stored(Q[i,j,k]), 0, Q[i,j,k] + M[i,j,k])", formats)
    found = np.zeros(places[0].shape, bool)
    found[tuple(kernel(Q=Q, M=M).to_coo()[0])] = True
    np.testing.assert_array_equal(found, places[1] & ~places[0])
