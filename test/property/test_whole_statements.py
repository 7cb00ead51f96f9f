"""A statement takes no more steps than the same statement in parts, of which one is computed before by itself.

Steps are those of the interpreter. One that touches another cache line than the same operation did before counts as
more, so that loops down the columns of a matrix count as what they are (`counted_steps`). Statements and formats are
those of test/support/whole_statements.txt, and random ones. Those that take more steps today have a mark that says why.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import whole_statements
from count_operations import Counter, executed
from counted_steps import LINE, MISS, count_steps
from random_whole_statements import random_case
from reference import interpret_loop
from whole_statements import PASSES, Case, cuts, excess, prepared, read_corpus, steps_of
from xdsl.ir import Operation

LIMIT = 1.05
CORPUS = read_corpus(Path(whole_statements.__file__).with_suffix(".txt"))
# Marks of cases that run each time, and of those where a sum over a factor of a product is worth a statement.
SAMPLE, CHAIN = "sample", "chain"
# Random statements, by what draws them. Some take more steps than in parts, for reasons of which most are explained
# beside the corpus. Two are their own: `layout`, a dense matrix that is read down its columns in a loop along all of it
# is not copied; `sampled`, a sparse part says where the rest has to be computed, and the whole does not ask. One is a
# chain beside a sparse vector, of which the estimate expects rows of sums in one kernel that it does not collect.
RANDOM = range(40)
MORE = {
    **dict.fromkeys((3, 5, 14, 21), "loops"),
    **dict.fromkeys((1, 18, 20, 32, 34), "format"),
    **dict.fromkeys((4, 35), "zero"),
    **dict.fromkeys((0, 38), "layout"),
    12: "sampled",
    8: "registers",
    2: "chain",
}


def marked(cases: list[Case]) -> list[object]:
    """Parameters: some of the cases run each time, all with --thorough."""
    return [
        pytest.param(case, id=case.name, marks=() if SAMPLE in case.marks else pytest.mark.thorough) for case in cases
    ]


def check(case: Case, why: frozenset[str], *, summed: bool = False) -> None:
    """No cut takes fewer steps, unless there is a reason for that; then some cut does."""
    found = excess(case, summed)
    more = [f"{times:.3f} times the steps of: {cut} [{format}]" for times, cut, format in found if times > LIMIT]
    if why:
        assert more, f"{case.name} takes no more steps than its parts: the mark {', '.join(why)} can go"
    else:
        assert not more, "\n".join([case.name, *more])


@pytest.mark.one_in(8)
@pytest.mark.parametrize("case", marked(CORPUS))
def test_no_part_is_worth_a_statement(case: Case):
    check(case, case.marks - {SAMPLE, CHAIN})


@pytest.mark.parametrize("case", marked([case for case in CORPUS if any(cuts(case.statement, summed=True))]))
def test_no_sum_of_a_factor_is_worth_a_statement(case: Case):
    check(case, case.marks & {CHAIN}, summed=True)


@pytest.mark.parametrize("number", [pytest.param(n, marks=() if n in (7, 9) else pytest.mark.thorough) for n in RANDOM])
def test_no_part_of_a_random_statement_is_worth_a_statement(number: int):
    check(random_case(number), frozenset({MORE[number]} if number in MORE else ()))


# The whole, and then its parts in order, each of which defines the tensor on its left for those behind it.
PARTS = [
    # Two parts at once.
    (
        "R[i,f] = A[i,j] * B[j,f] + X[i,k] * E[k,f]",
        ["P[i,f] = A[i,j] * B[j,f]", "Q[i,f] = X[i,k] * E[k,f]", "R[i,f] = P[i,f] + Q[i,f]"],
    ),
    # A sum that is computed at the entries of another tensor only.
    (
        "R[i,d] = sum(j, A[i,j] * exp(sum(k, X[i,k] * Y[j,k])) * B[j,d])",
        ["S[i,j] = where(A[i,j] != 0, A[i,j] * exp(sum(k, X[i,k] * Y[j,k])), 0)", "R[i,d] = S[i,j] * B[j,d]"],
    ),
    (
        "R[i,j] = A[i,j] * sum(k, X[i,k] * Y[j,k]) / (c[i] + sum(k, X[i,k] * Y[j,k]))",
        ["P[i,j] = where(A[i,j] != 0, sum(k, X[i,k] * Y[j,k]), 0)", "R[i,j] = A[i,j] * P[i,j] / (c[i] + P[i,j])"],
    ),
    # Of rows that have entries, which are few.
    (
        "R[i,j] = F[i,j] / (1 + sum(k, D[i,k]))",
        ["p[i] = where(m[i] != 0, sum(k, D[i,k]), 0)", "R[i,j] = F[i,j] / (1 + p[i])"],
    ),
    # A sum beside one that stays inside of the loop.
    (
        "R[i,j] = A[i,j] * (sum(k, X[i,k] * Y[j,k]) - sum(l, D[i,l] * x[l]))",
        ["p[i] = D[i,l] * x[l]", "R[i,j] = A[i,j] * (sum(k, X[i,k] * Y[j,k]) - p[i])"],
    ),
    # Under loops in another order.
    (
        "o[j] = sum(i, G[i,j] * c[i] / (2 + c[i] * sum(k, D[i,k] * x[k])))",
        ["p[i] = 2 + c[i] * sum(k, D[i,k] * x[k])", "o[j] = sum(i, G[i,j] * c[i] / p[i])"],
    ),
    ("o[j] = sum(i, Y[j,i] / (1 + sum(k, D[i,k])))", ["p[i] = 1 + sum(k, D[i,k])", "o[j] = sum(i, Y[j,i] / p[i])"]),
    # The same sum inside of different sums: weighted means, and attention.
    (
        "y[i] = sum(j, exp(0.01 * sum(k, X[i,k] * Y[j,k])) * c[j]) / sum(j, exp(0.01 * sum(k, X[i,k] * Y[j,k])))",
        ["P[i,j] = exp(0.01 * sum(k, X[i,k] * Y[j,k]))", "y[i] = sum(j, P[i,j] * c[j]) / sum(j, P[i,j])"],
    ),
    # The same with factors in another order, and another operand that says how far a sum goes.
    (
        "y[i] = sum(j, c[j] * exp(0.01 * sum(k, X[i,k] * Y[j,k]))) / sum(j, exp(0.01 * sum(k, Y[j,k] * X[i,k])))",
        ["P[i,j] = exp(0.01 * sum(k, X[i,k] * Y[j,k]))", "y[i] = sum(j, P[i,j] * c[j]) / sum(j, P[i,j])"],
    ),
    (
        "R[i,d] = sum(j, A[i,j] * exp(0.01 * sum(k, X[i,k] * Y[j,k])) * B[j,d])"
        " / sum(j, A[i,j] * exp(0.01 * sum(k, X[i,k] * Y[j,k])))",
        [
            "P[i,j] = where(A[i,j] != 0, A[i,j] * exp(0.01 * sum(k, X[i,k] * Y[j,k])), 0)",
            "R[i,d] = sum(j, P[i,j] * B[j,d]) / sum(j, P[i,j])",
        ],
    ),
    (
        "y[i] = sum(j, sum(f, (1 + sum(k, X[i,k] * Y[j,k])) * B[j,f]))"
        " / sum(j, sum(f, (1 + sum(k, X[i,k] * Y[j,k])) * E[j,f]))",
        [
            "P[i,j] = 1 + sum(k, X[i,k] * Y[j,k])",
            "y[i] = sum(j, sum(f, P[i,j] * B[j,f])) / sum(j, sum(f, P[i,j] * E[j,f]))",
        ],
    ),
]
FORMATS = "A csr, D csr, F csr, G csc, m list"


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("whole", "parts"), PARTS)
def test_a_whole_is_no_more_than_its_parts(whole: str, parts: list[str]):
    case = Case.of(whole, FORMATS)
    arrays = {**case.arrays(), "m": np.arange(case.extents()["i"]) % 16 == 0}
    if "F" in arrays:
        arrays["F"] *= arrays["m"][:, np.newaxis]
    found, steps = steps_of(case.statement, case.formats, arrays, case.extents())
    in_parts = 0
    expected = np.zeros(())
    for part in parts:
        sparse = ", S csr, P csr" if any("where" in one for one in parts) else ""
        one = Case.of(part, FORMATS + sparse)
        expected, its = steps_of(one.statement, one.formats, arrays, case.extents())
        in_parts += its
        arrays[part[0]] = expected
    np.testing.assert_allclose(found, expected)
    assert steps <= LIMIT * in_parts


def test_cuts():
    """Each part once, those that are equal together; tensors in another order; no numbers."""
    found = [str(cut) for cut in cuts(Case.of("y[i] = 2 * exp(sum(j, A[i,j])) / sum(k, A[i,k])", "A csr").statement)]
    assert found == [
        "T[i] = 2 * exp(sum(j, A[i, j])); y[i] = T[i] / sum(k, A[i, k])",
        "T[i] = exp(sum(j, A[i, j])); y[i] = 2 * T[i] / sum(k, A[i, k])",
        "T[i] = sum(j, A[i, j]); y[i] = 2 * exp(T[i]) / T[i]",
        "T[i, j] = A[i, j]; y[i] = 2 * exp(sum(j, T[i, j])) / sum(k, A[i, k])",
        "T[i, k] = A[i, k]; y[i] = 2 * exp(sum(j, A[i, j])) / sum(k, T[i, k])",
    ]


def test_cuts_of_sums():
    """The sum over what only one factor has goes with it."""
    found = [str(cut) for cut in cuts(Case.of("y[i] = A[i,j] * B[j,k] * x[k]", "dense").statement, summed=True)]
    assert found == [
        "T[i, k] = sum(j, A[i, j] * B[j, k]); y[i] = sum(k, T[i, k] * x[k])",
    ]


class Lines(Counter):
    """Counts operations in the interpreter, and a load or a store in another cache line as several."""

    last: dict[int, int] = {}

    def run(self, op: Operation) -> None:
        if op.name in ("loop.load", "loop.store"):
            number = 1 if op.name == "loop.load" else 2
            line = int(self.get(op, number)) // LINE
            if self.last.get(id(op)) != line:
                Counter.executed += MISS
            self.last[id(op)] = line
        elif op.name == "loop.get":
            Counter.executed -= 1
        super().run(op)


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("R[i,j] = max(sum(k, A[i,k] * B[k,j]), 0)", "A csr, B csr"),
        ("C[i,j] = A[i,j] + B[i,j]", "A csr, B csr, C csr"),
        ("R[i,f] = A[i,j] * H[f,j] / sum(k, x[k])", "A csc"),
    ],
)
def test_steps_are_those_of_the_interpreter(text: str, formats: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(interpret_loop, "Interpreter", Lines)
    Lines.last.clear()
    case = Case.of(text, formats)
    arrays = case.arrays(most=24)
    shape = tuple(min(24, case.extents()[index]) for index in case.statement.target.plain_indices)
    results, steps = [], []
    for run in ("interpreted", "counted"):
        request = prepared(case.statement, case.formats, arrays)
        if run == "interpreted":
            result, number = executed(request.module, request.argument_names, arrays, shape, passes=PASSES)
        else:
            result, number = whole_statements.run_kernel(
                request.module,
                request.argument_names,
                arrays,
                shape,
                lambda arguments, request=request: count_steps(request.module, arguments).weighted,
                passes=PASSES,
            )
        results.append(result)
        steps.append(number)
    np.testing.assert_allclose(*results)
    assert steps[0] == steps[1]
