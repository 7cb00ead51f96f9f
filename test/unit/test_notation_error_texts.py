"""The whole texts of errors of statements whose author meant something that is written in another way."""

# ruff: noqa: E501 (messages are whole lines)

import numpy as np
import pytest
from check_error import check_error

import irtensor as it
from irtensor.tools import irtensor_run

REDUCTIONS = "reductions are add, mul, min, max, choose, and, or, xor"
RESULT_FIRST = "help: a statement names its result first: y[i] = A[i,j] * x[j]"
SEPARATE = "help: separate statements by ';' or a line break"
A, x, y = np.arange(1.0, 7.0).reshape(2, 3), np.array([2.0, 3.0, 5.0]), np.array([60.0, 90.0])

# A compound assignment, the operator's name, the statement that is proposed, and what NumPy computes for it.
COMPOUND = [
    ("y[i] -= A[i,j] * x[j]", "sub", "y[i] = y[i] - sum(j, A[i, j] * x[j])", y - A @ x),
    ("y[i] -= 1 - A[i,j]", "sub", "y[i] = y[i] - (1 - sum(j, A[i, j]))", y - (1 - A.sum(axis=1))),
    ("y[i] sub= A[i,j]", "sub", "y[i] = y[i] - sum(j, A[i, j])", y - A.sum(axis=1)),
    ("y[i] /= A[i,j] * x[j]", "div", "y[i] = y[i] / sum(j, A[i, j] * x[j])", y / (A @ x)),
    ("y[i] //= A[i,j]", "floordiv", "y[i] = y[i] // sum(j, A[i, j])", y // A.sum(axis=1)),
    ("y[i] %= A[i,j]", "mod", "y[i] = y[i] % sum(j, A[i, j])", y % A.sum(axis=1)),
    ("y[i] **= 2", "pow", "y[i] = y[i] ** 2", y**2),
    ("y[i] atan2= A[i,j]", "atan2", "y[i] = atan2(y[i], sum(j, A[i, j]))", np.arctan2(y, A.sum(axis=1))),
    ("y[i] gt= sum(j, A[i,j]) * 5", "gt", "y[i] = y[i] > sum(j, A[i, j]) * 5", y > 5 * A.sum(axis=1)),
]
TEXTS = [
    (
        "y[i] exp= A[i,j]",
        f"""<notation>:1:1: error: [not-a-reduction] 'exp' cannot be used in a compound assignment: it does not combine two values
  y[i] exp= A[i,j]
  ^^^^
help: {REDUCTIONS}""",
    ),
    (
        "t[i] = x[i], y[i] += t[i]",
        f"""<notation>:1:12: error: [syntax-error] expected an operator or the end of the statement, found ','
  t[i] = x[i], y[i] += t[i]
             ^
{SEPARATE}""",
    ),
    (
        "y[i] = x[i] = z[i]",
        """<notation>:1:13: error: [syntax-error] expected an operator or the end of the statement, found '='
  y[i] = x[i] = z[i]
              ^
help: to compare, write ==""",
    ),
    (
        "y[i] = 2 x[i]",
        """<notation>:1:10: error: [syntax-error] expected an operator or the end of the statement, found 'x'
  y[i] = 2 x[i]
           ^""",
    ),
    (
        "# nothing",
        f"""<notation>:1:1: error: [syntax-error] expected a statement, found none
  # nothing
  ^^^^^^^^^
{RESULT_FIRST}""",
    ),
    (
        "A[i,j] * x[j]",
        f"""<notation>:1:8: error: [syntax-error] expected '=' after the result, found '*'
  A[i,j] * x[j]
         ^
{RESULT_FIRST}""",
    ),
    (
        "ij,j->i",
        """<notation>:1:3: error: [syntax-error] expected '=' after the result, found ','
  ij,j->i
    ^
help: subscripts are for einsum: einsum('ij,j->i', A, x)""",
    ),
]
SUBSCRIPTS = [
    (
        "ij,j->i; i,i",
        """<notation>:1:8: error: [bad-subscripts] invalid subscript ';': subscripts are letters
  ij,j->i; i,i
         ^
help: compute each result by itself; what one call computes is an operand of the next""",
    ),
    (
        "ij,j\ni,i",
        """<notation>:1:5: error: [bad-subscripts] invalid subscript '\\n': subscripts are letters
  ij,j
      ^
help: compute each result by itself; what one call computes is an operand of the next""",
    ),
    (
        "y[i] = A[i,j] * x[j]",
        """<notation>:1:2: error: [bad-subscripts] invalid subscript '[': subscripts are letters
  y[i] = A[i,j] * x[j]
   ^
help: a statement with indices in brackets is for irtensor.compile""",
    ),
]


def check_both(notation: str, slug: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The library and irtensor-run say the same."""
    check_error(lambda: it.compile(notation).ir("loop"), slug, text)
    assert irtensor_run.main([notation, "--ir", "loop"]) == 1
    assert capsys.readouterr().err == f"{text}\n"


@pytest.mark.parametrize(("notation", "operator", "proposed", "expected"), COMPOUND, ids=[row[0] for row in COMPOUND])
def test_what_a_compound_assignment_is_written_as(notation, operator, proposed, expected, capsys):
    text = f"""<notation>:1:1: error: [not-a-reduction] '{operator}' cannot be used in a compound assignment: it is not associative
  {notation}
  ^^^^
help: read the old values: {proposed}; {REDUCTIONS}"""
    check_both(notation, "not-a-reduction", text, capsys)
    kernel = it.compile(proposed)
    given = {"A": A, "x": x, "y": y.copy()}
    operands = {name: given[name] for name in kernel.operand_names}
    np.testing.assert_allclose(kernel(**operands), expected)
    if expected.dtype == y.dtype:
        assert kernel(**operands, out=operands["y"]) is operands["y"]
        np.testing.assert_allclose(operands["y"], expected)


@pytest.mark.parametrize(("notation", "text"), TEXTS, ids=[row[0] for row in TEXTS])
def test_statements(notation, text, capsys):
    check_both(notation, "not-a-reduction" if "[not-a-reduction]" in text else "syntax-error", text, capsys)


@pytest.mark.parametrize(("subscripts", "text"), SUBSCRIPTS, ids=[row[0] for row in SUBSCRIPTS])
def test_subscripts(subscripts, text):
    check_error(lambda: it.einsum(subscripts, A, x), "bad-subscripts", text)
    check_error(lambda: it.einsum_path(subscripts, A, x), "bad-subscripts", text)
