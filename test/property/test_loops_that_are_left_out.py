"""Gaps of rows that are combined after the row, and loops that a factor or a condition leaves out: values beside NumPy,
and the steps that are left."""

from typing import Any

import numpy as np
import pytest
from whole_statements import steps_of

import irtensor as it
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions

ROWS, COLUMNS = 12, 40
FORMATS = {"csr": it.CSR, "dcsr": it.DCSR, "coo": it.COO(2), "csc": it.CSC}
REDUCE = {"min": np.min, "max": np.max, "sum": np.sum}


def matrix(dtype, seed, columns=COLUMNS):
    """Rows without entries, with some, and with all, of which some are 0; floats with a NaN and an infinity."""
    rng = np.random.default_rng(seed)
    stored = rng.random((ROWS, columns)) < np.linspace(0, 1, ROWS)[:, None]
    array = np.where(stored, rng.integers(-3, 4, stored.shape), 0).astype(dtype)
    if array.dtype.kind == "f" and columns > 1:
        array[-1, 0], array[-2, 1] = np.nan, -np.inf
    return array


@pytest.mark.one_in(4)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", ["f8", "i4"])
@pytest.mark.usefixtures("small_parts")
def test_values_at_gaps(dtype, format, strict, threads):
    options: dict[str, Any] = {"num_threads": threads, "strict_fp": strict}
    for columns in (COLUMNS, 1, 0):
        a, v = matrix(dtype, columns, columns), np.arange(ROWS).astype(dtype) - 4
        given = {"A": it.Tensor.from_numpy(a, FORMATS[format])}
        x = np.arange(columns).astype(dtype)
        for name, reduce in REDUCE.items():
            if columns == 0 and name != "sum":
                continue
            run = it.compile(f"m[i] = {name}(j, A[i,j] + v[i])", {"A": FORMATS[format]}, **options)
            np.testing.assert_allclose(run(**given, v=v), reduce(a + v[:, None], axis=1))
            text = f"m[i] = {name}(j, where(A[i,j] != 0, x[j], v[i]))"
            run = it.compile(text, {"A": FORMATS[format]}, **options)
            np.testing.assert_array_equal(run(**given, v=v, x=x), reduce(np.where(a != 0, x, v[:, None]), axis=1))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.usefixtures("small_parts")
def test_values_beside_what_is_left_out(format, threads):
    options: dict[str, Any] = {"formats": {"A": FORMATS[format]}, "num_threads": threads}
    rng = np.random.default_rng(3)
    c, d = rng.random(ROWS) < 0.5, rng.random(COLUMNS) < 0.5
    k, numbers = rng.integers(-1, 2, ROWS), matrix("i8", 5)
    a, f = matrix("f8", 4), numbers != 0
    floats, whole, truths = (it.Tensor.from_numpy(array, FORMATS[format]) for array in (a, numbers, f))
    run = it.compile("m[i] = c[i] & or(j, A[i,j] & d[j])", **options)
    np.testing.assert_array_equal(run(c=c, A=truths, d=d), c & (f & d).any(axis=1))
    run = it.compile("m[i] = c[i] | or(j, A[i,j] & d[j])", **options)
    np.testing.assert_array_equal(run(c=c, A=truths, d=d), c | (f & d).any(axis=1))
    run = it.compile("m[j] = or(i, c[i] & A[i,j])", **options)
    np.testing.assert_array_equal(run(c=c, A=truths), (c[:, None] & f).any(axis=0))
    run = it.compile("m[i] = k[i] * sum(j, A[i,j])", **options)
    np.testing.assert_array_equal(run(k=k, A=whole), k * numbers.sum(axis=1))
    run = it.compile("m[j] = k[i] * A[i,j]", **options)
    np.testing.assert_array_equal(run(k=k, A=whole), k @ numbers)
    run = it.compile("m[i] = where(c[i], sum(j, A[i,j]) + 1, 7)", **options)
    np.testing.assert_array_equal(run(c=c, A=floats), np.where(c, a.sum(axis=1) + 1, 7))
    run = it.compile("m[i] = k[i] * sum(j, A[i,j])", **options)
    with np.errstate(invalid="ignore"):
        expected = k * np.where(np.isnan(a), -np.inf, a).sum(axis=1)
    given = it.Tensor.from_numpy(np.where(np.isnan(a), -np.inf, a), FORMATS[format])
    np.testing.assert_array_equal(run(k=k.astype(float), A=given), expected)


def steps(text, formats, arrays):
    return steps_of(insert_reductions(parse_statement(text)), formats, arrays, {"i": ROWS, "j": COLUMNS})


@pytest.mark.parametrize("name", ["min", "max"])
def test_gaps_take_steps_by_rows(name):
    """Beside a fill value that changes nothing, 0 takes some steps for each row, however many entries it has."""
    fill = np.inf if name == "min" else -np.inf
    for density in (0.1, 0.5, 0.9):
        a = np.where(np.random.default_rng(1).random((ROWS, COLUMNS)) < density, 2.0, 0.0)
        result, taken = steps(f"m[i] = {name}(j, A[i,j])", {"A": it.CSR}, {"A": a})
        np.testing.assert_array_equal(result, REDUCE[name](a, axis=1))
        _, least = steps(f"m[i] = {name}(j, A[i,j])", {"A": it.CSR.with_fill(fill)}, {"A": np.where(a != 0, a, fill)})
        assert taken - least <= 45 * ROWS


def test_what_is_not_selected_takes_steps_by_rows():
    a, c = np.ones((ROWS, COLUMNS)), np.zeros(ROWS)
    counts = []
    for condition in (c, c + 1):
        result, taken = steps("m[i] = where(c[i] > 0, sum(j, A[i,j]), 7)", {"A": it.CSR}, {"A": a, "c": condition})
        np.testing.assert_array_equal(result, np.where(condition > 0, COLUMNS, 7))
        counts.append(taken)
    assert counts[0] <= 30 * ROWS < ROWS * COLUMNS < counts[1]
