"""No step of a schedule changes which coordinates of a sparse result are entries, however operands are stored."""

import numpy as np
import pytest

import irtensor as it

SHAPE = (6, 7)
BLOCKS = "(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)"
PIECES = "(i, j) -> (i : dense, j floordiv 3 : compressed, j mod 3 : dense)"
FIRST = ("dense, compressed", "(i, j) -> (j : dense, i : compressed)", "dense, bitmap", "dense, dense", BLOCKS, PIECES)
SECOND = ("dense, compressed", "dense, hashed", "dense, dense", BLOCKS, PIECES)
RESULTS = ("dense, compressed", "compressed, compressed", "dense, hashed", "dense, bitmap")
# Where a statement has entries, by where its operands have some.
STATEMENTS = {
    "S[i,j] = A[i,j] * B[i,j]": np.logical_and,
    "S[i,j] = A[i,j] + B[i,j]": np.logical_or,
    "S[i,j] = where(stored(A[i,j]), B[i,j], 0)": np.logical_and,
    "S[i,j] = A[i,j] - 2 * B[i,j]": np.logical_or,
}
SCHEDULES = (
    "",
    "precompute(A[i,j], over=j)",
    "precompute(A[i,j], over=j, format='hashed')",
    "precompute(A[i,j], over=(i,j), format='hashed, bitmap')",
    "precompute(B[i,j], over=j, format='bitmap')",
    "precompute(B[i,j], over=(i,j))",
    "precompute(A[i,j] * B[i,j], over=j)",
    "precompute(A[i,j] * B[i,j])",
    "precompute(A[i,j] + B[i,j], workspace=w)",
    "precompute(2 * B[i,j])",
    "precompute(A[i,j] + B[i,j], over=j, format='hashed')",
    "split(j, a, b, 4)",
    "split(j, a, b, 4, tensor=A)",
    "split(i, a, b, 4, tensor=B)",
    "reorder(j, i)",
)


def stored(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Where there are entries, and what they are, of which every third is 0."""
    random = np.random.default_rng(seed)
    there = random.random(SHAPE) < 0.3
    return there, np.where(there & (random.random(SHAPE) < 0.7), random.integers(1, 9, SHAPE), 0).astype(float)


def operand(seed: int, format: str) -> tuple[it.Tensor, np.ndarray]:
    """An operand, and where it has entries: in blocks, where it is not 0."""
    there, values = stored(seed)
    tensor = it.Tensor.from_coo(np.nonzero(there), values[there], shape=SHAPE, format=format)
    if format == "dense, dense":
        return tensor, np.ones(SHAPE, bool)
    return tensor, values != 0 if format in (BLOCKS, PIECES) else there


@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.one_in(120)
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_entries_are_those_of_the_statement(statement: str, first: str, second: str, result: str, schedule: str):
    (A, in_a), (B, in_b) = operand(1, first), operand(2, second)
    formats = {"A": it.Format(first), "B": it.Format(second), "S": it.Format(result)}
    try:
        found = it.compile(statement, formats, schedule=it.schedule(schedule) if schedule else None)(A=A, B=B)
    except it.UserError:
        # Not each step suits each statement.
        assert schedule
        return
    entries = np.zeros(SHAPE, bool)
    entries[tuple(found.to_coo()[0])] = True
    np.testing.assert_array_equal(entries, STATEMENTS[statement](in_a, in_b))
    plain = it.compile(statement, {name: formats[name] for name in "AB"})(A=A, B=B)
    np.testing.assert_array_equal(found.to_numpy(), it.as_tensor(plain).to_numpy())


@pytest.mark.parametrize(
    ("format", "result", "schedule"),
    [
        (BLOCKS, "dense, compressed", "precompute(A[i,j], over=(i,j), format='hashed, bitmap')"),
        (BLOCKS, "dense, bitmap", ""),
        (PIECES, "dense, compressed", "precompute(A[i,j], over=j, format='bitmap')"),
        (PIECES, "dense, bitmap", "precompute(A[i,j], over=j)"),
    ],
)
def test_elements_of_blocks_beside_their_entries_are_none(format: str, result: str, schedule: str):
    A, there = operand(1, format)
    formats = {"A": it.Format(format), "S": it.Format(result)}
    kernel = it.compile("S[i,j] = 2 * A[i,j]", formats, schedule=it.schedule(schedule) if schedule else None)
    assert kernel(A).nnz == there.sum() < A.nnz
