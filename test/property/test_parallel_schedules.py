"""A loop that a schedule makes parallel gives the same result or is refused, whatever stores the operands."""

import random
from itertools import product

import numpy as np
import pytest

import irtensor as it

MATRICES = (it.CSR, it.CSC, it.DCSR, it.COO(2))
STATEMENTS = {
    "C[i,j] = A[i,k] * B[k,j]": ({"A": (40, 30), "B": (30, 50)}, lambda a, b: a @ b),
    "C[i,j] = A[i,j] + B[i,j]": ({"A": (40, 30), "B": (40, 30)}, lambda a, b: a + b),
    "C[i,j] = A[i,j] * B[i,j]": ({"A": (40, 30), "B": (40, 30)}, lambda a, b: a * b),
    "C[i,j] = A[j,i]": ({"A": (40, 30)}, lambda a: a.T),
    "C[i,j] = A[i,k] * B[k,j] + D[i,j]": ({"A": (40, 30), "B": (30, 50), "D": (40, 50)}, lambda a, b, d: a @ b + d),
}
CASES = [
    (notation, formats, variable)
    for notation, (shapes, _) in STATEMENTS.items()
    for formats in random.Random(notation).sample(list(product(MATRICES, repeat=len(shapes) + 1)), 8)
    for variable in "ij"
]
# Rows of C are collected for all columns at once, in a workspace around the loop over i.
AROUND = ("C[i,j] = A[i,k] * B[k,j]", (it.CSR, it.DCSR, it.CSC), "i")


def _operands(shapes):
    random = np.random.default_rng(0)
    return {
        name: np.where(random.random(shape) < 0.3, random.integers(1, 9, shape), 0).astype(float)
        for name, shape in shapes.items()
    }


def _run(case):
    notation, formats, variable = case
    shapes, expected = STATEMENTS[notation]
    operands = _operands(shapes)
    chosen = dict(zip((*shapes, "C"), formats, strict=True))
    schedule = it.schedule().parallelize(variable)
    kernel = it.compile(notation, formats=chosen, schedule=schedule, num_threads=3, disk_cache=False)
    np.testing.assert_array_equal(kernel(**operands).to_numpy(), expected(*operands.values()))


@pytest.mark.usefixtures("small_parts")
def test_parallel_loops_keep_the_result():
    compiled = 0
    for case in CASES:
        try:
            _run(case)
            compiled += 1
        except it.UserError as error:
            if error.slug not in ("parallel-race", "parallel-dependence"):
                raise AssertionError(f"{case}") from error
    assert compiled * 4 > len(CASES), f"{compiled} of {len(CASES)} were compiled"


@pytest.mark.usefixtures("small_parts")
def test_a_workspace_around_a_parallel_loop_is_a_race():
    with pytest.raises(it.UserError, match="parallel-race"):
        _run(AROUND)


@pytest.mark.parametrize("rows", ["compressed, dense", "compressed, compressed", "dense, compressed"])
def test_absent_rows_inside_of_a_divided_loop(rows):
    """An inner loop is divided before it is known what operands have no entry around it."""
    generator = np.random.default_rng(0)
    b, c = generator.random((40, 7)) < 0.2, generator.random(90) < 0.3
    b[::3] = False
    formats, schedule = {"B": rows, "C": "compressed"}, it.schedule("parallelize(k, none)")
    kernel = it.compile("T[i,k,j] = B[i,j] | C[k]", formats=formats, schedule=schedule, num_threads=2)
    found = kernel(B=it.Tensor.from_numpy(b, rows), C=it.Tensor.from_numpy(c, "compressed"))
    np.testing.assert_array_equal(found, b[:, None, :] | c[None, :, None])


@pytest.mark.usefixtures("small_parts")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("fill", [-2.0, 0.0])
@pytest.mark.parametrize("races", ["temporary", "atomics"])
@pytest.mark.parametrize("result", [None, "compressed", "hashed"])
def test_a_workspace_that_windows_fill_holds_more_than_its_fill_value(threads, fill, races, result):
    """Gaps of a vector with another fill value are written by a loop over windows, before rows are copied."""
    x, b = np.array([fill, 5.0, fill, 7.0]), np.array([1.0, 0.0, 2.0])
    A = np.array([[0.0, 0.0, 1.0, 2.0], [3.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    steps = f"precompute(x[j], over=j, workspace=w, format=dense); parallelize(j, {races})"
    formats = {"A": it.DCSR, "x": f"(i) -> (i : compressed), fill = {fill}"} | ({} if result is None else {"y": result})
    schedule = it.schedule(steps)
    kernel = it.compile("y[i] = b[i] + sum(j, A[i,j] * x[j])", formats, schedule=schedule, num_threads=threads)
    found = kernel(A=it.Tensor.from_numpy(A, it.DCSR), x=it.Tensor.from_numpy(x, formats["x"]), b=b)
    np.testing.assert_array_equal(found if result is None else found.to_numpy(), b + A @ x)
