"""Slices of tensors in statements, `a[2:10:3][i]`, against NumPy: formats, schedules, results, bounds, errors."""

import random

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it
from irtensor import UserError

NUMBERS = np.random.default_rng(0)
A = NUMBERS.integers(-3, 4, (6, 7)) * (NUMBERS.random((6, 7)) < 0.6) * 1.0
a, b = NUMBERS.random(12), NUMBERS.random(3)

VALUES = {
    "y[i] = a[2:10:3][i] + b[i]": a[2:10:3] + b,
    "y[i] = a[2:5][i] * b[i]": a[2:5] * b,
    "y[i] = a[3:][i]": a[3:],
    "y[i] = a[::5][i]": a[::5],
    "y[i] = a[8:2:-3][i]": a[8:2:-3],
    "y[i] = a[4::-1][i]": a[4::-1],
    "y = a[1:4][i] * b[i]": a[1:4] @ b,
    "Y[i,j] = A[:, 2:5][i + 1,j]": A[1:, 2:5],
    "Y[i,j] = A[1:5:2, 2:6][i,j]": A[1:5:2, 2:6],
    "Y[i,j] = A[:, ::3][i,j]": A[:, ::3],
    "y[j] = A[3, 1:4][j] + b[j]": A[3, 1:4] + b,
    "Y[i,j] = A[0:3, 0:3][i,j] * A[3:6, 4:7][j,i]": A[0:3, 0:3] * A[3:6, 4:7].T,
    "y[i] = A[2:5, :][i,j]": A[2:5].sum(1),
    "y[i] = sum(j, A[2:5, 1:7:2][i,j] * a[9:12][j])": A[2:5, 1:7:2] @ a[9:12],
}


@pytest.mark.parametrize("format", [None, "csr", "csc", "dense, bitmap"])
@pytest.mark.parametrize("text", VALUES)
def test_values(text, format):
    is_sparse = format is not None
    known = {"A": it.Tensor.from_numpy(A, format) if is_sparse else A, "b": b}
    known["a"] = it.Tensor.from_numpy(a, "compressed") if is_sparse else a
    kernel = it.compile(text)
    np.testing.assert_allclose(kernel(*[known[name] for name in kernel.operand_names]), VALUES[text])


@pytest.mark.parametrize("format", [None, "compressed", "bitmap", "sparse_run_list"])
def test_nothing_beside_a_result_is_written(format):
    """A coordinate that is a variable and nothing else need not go through the whole dimension."""
    x = a if format is None else it.Tensor.from_numpy(a, format)
    for text in ("y[i] = a[0:3][i]", "y[i] = a[i + 0] * b[i]", "y[i] = a[1 * i] + 0 * b[i]"):
        memory = np.full(100, 7.5)
        kernel = it.compile(text)
        kernel(*[{"a": x, "b": b}[name] for name in kernel.operand_names], out=memory[50:53])
        expected = a[:3] * b if "* b" in text and "0 *" not in text else a[:3]
        np.testing.assert_allclose(memory[50:53], expected)
        assert (memory[:50] == 7.5).all() and (memory[53:] == 7.5).all()


def test_results():
    found = it.compile("c[2:4][i] += b[i]", extents={"c": (6,)})(b=b[:2])
    np.testing.assert_array_equal(found, [0, 0, *b[:2], 0, 0])
    start = np.ones((6, 7))
    found = it.compile("C[0:6:2, 1:4][i,j] += A[1:4, 4:7][i,j]")(A=A, C=start)
    start[0:6:2, 1:4] += A[1:4, 4:7]
    np.testing.assert_array_equal(found, start)


def test_schedules():
    schedule = it.schedule().reorder("j", "i")
    kernel = it.compile("y[i] = sum(j, A[1:5, 2:6][i,j])", {"A": "dense, dense"}, schedule=schedule)
    np.testing.assert_allclose(kernel(A), A[1:5, 2:6].sum(1))


@pytest.mark.parametrize("seed", range(few_or_many(10, 500)))
def test_windows(seed):
    draw = random.Random(seed)
    n = draw.randint(1, 12)
    texts, parts = [], []
    x, count = NUMBERS.random(n), None
    for _ in range(2):
        step, start = draw.choice([1, 2, 3, -1, -2]), draw.randint(0, n - 1)
        most = (n - 1 - start) // step + 1 if step > 0 else start // -step + 1
        count = min(most, draw.randint(1, 4)) if count is None else count
        if count > most:
            return
        stop = start + step * count - draw.randint(0, abs(step) - 1) * (1 if step > 0 else -1)
        texts.append(f"x[{start}:{stop if stop >= 0 else ''}:{step}][i]")
        parts.append(x[start : stop if stop >= 0 else None : step])
    if len(parts[0]) == len(parts[1]):
        np.testing.assert_allclose(it.compile(f"y[i] = {texts[0]} - {texts[1]}")(x), parts[0] - parts[1])


REFUSED = {
    "y[i] = a[0:5:0][i]": """<notation>:1:10: error: [unsupported-index] the step of a slice is 0
  y[i] = a[0:5:0][i]
           ^^^^^
help: omit it, or write 1""",
    "y[i] = a[-3:][i]": "<notation>:1:10: error: [unsupported-index] -3 in a slice counts from the end of a dimension, "
    """and a text knows no extents
  y[i] = a[-3:][i]
           ^^^
help: count from its beginning, or slice the operand: a=a[-3:]""",
    "y[i] = a[::-1][i]": "<notation>:1:10: error: [unsupported-index] a slice with a negative step "
    "begins at the end of "
    """a dimension, and a text knows no extents
  y[i] = a[::-1][i]
           ^^^^
help: say where it begins, as in a[9::-1], or slice the operand: a=a[::-1]""",
    "y[i] = a[0:n][i]": """<notation>:1:12: error: [unsupported-index] the numbers of a slice are integers
  y[i] = a[0:n][i]
             ^
help: write them out, or compute the index: a[n + i]""",
    "y[i] = A[0:2, :][i]": """<notation>:1:8: error: [unsupported-index] the slice has 2 dimensions, 1 indices are given
  y[i] = A[0:2, :][i]
         ^^^^^^^^^^^^
help: give an index for each slice, as in A[2:5, ::2][i, j]""",
    "y[i] = a[0:2]": "<notation>:1:14: error: [syntax-error] expected '[' with the indices of the slice: a[...][i], "
    """found the end of the notation
  y[i] = a[0:2]
               ^""",
    "y[i] = a[0:2][i] + a[0:3][i]": "<notation>:1:20: error: [extent-mismatch] index i has 3 values "
    """in a[0:3][i], but 2 in a[0:2][i]
  y[i] = a[0:2][i] + a[0:3][i]
                     ^^^^^^^^^""",
    "y[i] = a[1:3][2 * i]": """<notation>:1:8: error: [unsupported-index] 2 * i is an index of a slice, which is """
    """indexed by variables
  y[i] = a[1:3][2 * i]
         ^^^^^^^^^^^^^
help: write one index for both: a[2:8][2 * i] is a[2 * i + 2]""",
    "y[i] = a[2:][i - 1]": """<notation>:1:8: error: [unsupported-index] i - 1 is an index of a slice, which is """
    """indexed by variables
  y[i] = a[2:][i - 1]
         ^^^^^^^^^^^^
help: write one index for both: a[2:8][2 * i] is a[2 * i + 2]""",
    "y[i] = a[2:][I[i]]": """<notation>:1:8: error: [unsupported-index] I[i] is an index of a slice, which is """
    """indexed by variables
  y[i] = a[2:][I[i]]
         ^^^^^^^^^^^
help: write one index for both: a[2:8][2 * i] is a[2 * i + 2]""",
    "y[i] = a[8:14][i]": "<notation>:1:8: error: [index-out-of-range] i + 8 reaches 13 in a[i + 8], "
    "where dimension 0 of a "
    """has 12 elements
  y[i] = a[8:14][i]
         ^^^^^^^^^^
help: """,
    "y[i] = a[1:3][i] * b[i]": "<notation>:1:1: error: [extent-mismatch] index i has extent 3, but 2 "
    """values by extents= or a slice
  y[i] = a[1:3][i] * b[i]
  ^^^^""",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(text):
    with pytest.raises(UserError) as error:
        it.compile(text)(**{name: one for name, one in {"A": A, "a": a, "b": b}.items() if f"{name}[" in text})
    assert (
        str(error.value).startswith(REFUSED[text]) if text == "y[i] = a[8:14][i]" else str(error.value) == REFUSED[text]
    )
