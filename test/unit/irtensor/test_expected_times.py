"""The times that `explain()` expects of one kernel and of several, beside the steps that these take."""

import pytest
from whole_statements import Case, split_of, steps_of

# Nanoseconds per weighted step of the interpreter, which counts what a loop does beside its arithmetic.
LEAST, MOST = 0.03, 0.6


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        # What no choice is about takes its time, too.
        ("R[i,j] = X[i,j] * exp(y[j])", ""),
        ("R[i,j] = X[i,j] / sum(k, Y[k,j])", "X csr, R csr"),
        ("D[i,k] = sum(j, C[k,j] * C[k,j]) - 2 * sum(j, X[i,j] * B[k,j])", "X csr"),
        # A sum inside of another one is computed once.
        ("R[i,k] = A[i,j] * H[k,j] / sum(l, H[k,l])", "A csr"),
        # A product of several factors that is computed at the entries of another one.
        ("Q[i,j,k] = X[i,j,k] / sum(r, A[i,r] * B[j,r] * C[k,r])", "X csf, Q csf"),
        ("s = A[i,j] * A[j,k] * A[k,i]", "A csr"),
        ("R[i,f] = A[i,j] * D[j,k] * B[k,f]", "A csr, D csr"),
    ],
)
def test_times_are_those_of_the_steps(text: str, formats: str):
    case = Case.of(text, formats or "dense")
    arrays, extents = case.arrays(), case.extents()
    split = split_of(case.statement, case.formats, arrays, extents)
    assert split is not None and split.at_once > 0
    _, steps = steps_of(case.statement, case.formats, arrays, extents)
    assert LEAST < split.chosen / steps < MOST
    assert split.chosen <= split.at_once


@pytest.mark.parametrize(
    ("text", "formats", "why"),
    [
        ("s = x[i] * A[i,j] * y[j]", "dense", "one factor has all indices"),
        ("S[i,l] = A[i,j] * B[j,k] * C[k,l]", "A csr, S csr", "entries that operands or a sparse result have not"),
    ],
)
def test_why_pairs_are_not_multiplied_first(text: str, formats: str, why: str):
    case = Case.of(text, formats)
    split = split_of(case.statement, case.formats, case.arrays(), case.extents())
    assert split is not None and split.otherwise is None
    (reason,) = split.refused
    assert why in reason
