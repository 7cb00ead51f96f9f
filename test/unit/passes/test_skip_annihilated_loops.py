"""Rows of entries that a condition leaves out: the values are NumPy's, and the rows are not walked."""

from __future__ import annotations

import numpy as np
import pytest

import irtensor as it

SIZE = 9
# What follows `A[i,j] + s[i]` and its condition: the reduction, what else is selected, and whether rows are skipped.
REDUCTIONS = [
    ("min", np.inf, True),
    ("max", -np.inf, True),
    ("sum", 0.0, True),
    ("min", 0.0, False),
    ("max", 0.0, False),
    ("sum", 1.0, False),
]
# "not" stands for the branches of a selection the other way round.
CONDITIONS = ("c[i]", "not c[i]", "s[i] < b[i]", "A[i,j] > 1")


def text_of(reduction: str, condition: str, other: float, swapped: bool, target: str) -> str:
    branches = ["A[i,j] + s[i]" if reduction != "sum" else "A[i,j] * s[i]", str(other)]
    term = f"where({condition}, {', '.join(branches[::-1] if swapped else branches)})"
    if target == "i":
        return f"y[i] = {reduction}(j, {term})"
    return f"y[j] {'+' if reduction == 'sum' else reduction}= {term}"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("target", ["i", "j"])
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(("reduction", "other", "skips"), REDUCTIONS)
def test_terms_of_a_condition(reduction: str, other: float, skips: bool, condition: str, target: str) -> None:
    generator = np.random.default_rng(3)
    swapped = condition == "not c[i]"
    if swapped:
        condition = "c[i]"
    # Every element is stored, so that the oracle needs no rule for what is absent.
    a = generator.integers(-3, 4, (SIZE, SIZE)).astype(float)
    c, b = generator.random(SIZE) < 0.5, generator.integers(-3, 4, SIZE).astype(float)
    s = generator.integers(-3, 4, SIZE).astype(float)
    chosen = {"c[i]": c[:, None], "s[i] < b[i]": (s < b)[:, None], "A[i,j] > 1": a > 1}[condition]
    chosen = np.broadcast_to(chosen, a.shape) ^ swapped
    left_out = ~chosen.any(axis=1)
    # What is not selected does not matter.
    s[left_out & (condition == "c[i]")] = np.nan
    product = a * s[:, None] if reduction == "sum" else a + s[:, None]
    given = generator.integers(-3, 4, SIZE).astype(float)
    terms = np.where(chosen, product, other)
    combine = {"min": np.minimum, "max": np.maximum, "sum": np.add}[reduction]
    expected = combine.reduce(terms, axis=1) if target == "i" else combine(given, combine.reduce(terms, axis=0))
    text = text_of(reduction, condition, other, swapped, target)
    kernel = it.compile(text, formats={"A": it.CSR}, dtypes={"c": "bool"} if "c[" in text else {})
    everything = {"A": full(a), "c": c, "b": b, "s": s}
    operands = {name: everything[name] for name in kernel.operand_names}
    result = kernel(**operands, **({"y": given} if target == "j" else {}))
    assert np.array_equal(result, expected, equal_nan=True)
    if skips:
        before = kernel.ir("optimized").split("loop.for %p")[0]
        assert ("loop.if" in before) == ("A" not in condition)


def full(matrix: np.ndarray) -> it.Tensor:
    """A CSR tensor that stores all elements."""
    rows, columns = np.indices(matrix.shape).reshape(2, -1)
    return it.Tensor.from_coo([rows, columns], matrix.ravel(), shape=matrix.shape, format="csr")
