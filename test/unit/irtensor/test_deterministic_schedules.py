"""Schedules in which iterations meet, with deterministic=True, and how iterations are shared out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.core.schedule_words import NOT_SHARED_BY


def test_what_threads_change_as_they_come_is_not_deterministic():
    kernel = it.compile(
        "y[i] = A[i,j] * x[j]",
        formats={"A": it.CSC},
        schedule=it.schedule().parallelize("j", "atomics"),
        deterministic=True,
    )
    with pytest.raises(it.UserError, match=r"\[parallel-race\] .* cannot be parallel") as caught:
        kernel(A=np.ones((2, 3)), x=np.ones(3))
    because = "threads combine floating-point numbers as they come, with other bits each time (deterministic)"
    assert because in caught.value.message
    assert "this is step 1: parallelize(j, atomics)" in str(caught.value)
    assert caught.value.help == "parallelize i, or say races=temporary, or omit deterministic"


@pytest.mark.parametrize("target", ["cpu", "cuda-emulated"])
@pytest.mark.parametrize(
    "operator, dtype",
    [("+", "int64"), ("*", "int32"), ("min", "int8"), ("max", "int64"), ("+", "bool"), ("min", "float32")],
)
def test_what_is_exact_in_any_order_is_deterministic(operator: str, dtype: str, target: str):
    rows = (5 * np.random.default_rng(0).standard_normal((3, 40))).astype(dtype)
    expected = {"+": np.add, "*": np.multiply, "min": np.minimum, "max": np.maximum}[operator].reduce(rows, 1)
    found = _atomic(f"y[i] {operator}= A[i,j]", target)(A=rows)
    np.testing.assert_array_equal(found.astype(dtype), expected.astype(dtype))


@pytest.mark.parametrize("target", ["cpu", "cuda-emulated"])
def test_extremes_of_floats_do_not_depend_on_the_order(target: str):
    """A zero with a sign is less than one without, and what is no number is the extreme of all."""
    rows = np.array([[0.0, -0.0, 0.0, -0.0, 1.0], [np.nan, 1.0, np.inf, -np.inf, 2.0], [5e-324, 0.0, 1.0, -0.0, 3.0]])
    for operator, expected in (("min", [-0.0, np.nan, -0.0]), ("max", [1.0, np.nan, 3.0])):
        kernel = _atomic(f"y[i] {operator}= A[i,j]", target)
        for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 0, 4, 2, 3]):
            found = kernel(A=np.ascontiguousarray(rows[:, order]))
            np.testing.assert_array_equal(found, expected)
            assert np.signbit(found[[0, 2]]).tolist() == np.signbit(np.array(expected)[[0, 2]]).tolist()


def _atomic(statement: str, target: str) -> Any:
    steps = it.schedule("reorder(j, i); parallelize(j, atomics)")
    return it.compile(statement, schedule=steps, deterministic=True, target=target)


def test_iterations_are_shared_out_by_rows():
    assert it.schedule("parallelize(i, by=rows)") == it.schedule().parallelize("i", by="rows")
    kernel = it.compile("y[i] = A[i,j] * x[j]", {"A": "csr"}, schedule=it.schedule("parallelize(i, team=8, by=rows)"))
    assert "1. parallelize(i, none, team=8)\n" in kernel.explain()
    for wrong in (
        lambda: it.schedule("parallelize(i, by=entries)"),
        lambda: it.schedule().parallelize("i", by="columns"),
    ):
        with pytest.raises(it.UserError, match=r"step 1, parallelize: by= is rows, not ") as caught:
            wrong()
        assert caught.value.help == NOT_SHARED_BY
    # The way out that is named.
    steps = "fuse(i, j, f); split(f, block, entry, 1000, tensor=A); parallelize(block, temporary)"
    assert steps in NOT_SHARED_BY
    matrix = np.triu(np.ones((60, 60)))
    kernel = it.compile("y[i] = A[i,j] * x[j]", {"A": "csr"}, schedule=it.schedule(steps))
    np.testing.assert_array_equal(kernel(A=matrix, x=np.ones(60)), matrix.sum(1))
