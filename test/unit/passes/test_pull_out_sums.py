"""Sums that are parts of values are searched for as if they were around all of it, where that is the same."""

import numpy as np
import pytest
from schedule_kernels import INDICES

import irtensor as it
from irtensor.core.operators import OPERATORS, Operator
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.pull_out_sums import pull_out_sums
from irtensor.passes.autoschedule.statements import flattened, map_expressions

DECLARED = [
    Operator(
        "@over",
        2,
        lambda a, b: a * b,
        left_annihilator=lambda _: (0,),
        distributes_over=("add",),
        elements=("f64",) * 2,
    ),
    Operator("@unknown", 2, lambda a, b: a * b, distributes_over=("add",), elements=("f64",) * 2),
    Operator("@half", 1, lambda a: a / 2, distributes_over=("add",), elements=("f64",)),
]
KNOWN = {**OPERATORS, **{one.name: one for one in DECLARED}}
SUM = "(forall k: w += B[i,k] * C[k,j])"
PULLED = [
    (f"(A[i,j] = D[i,j] * w) where {SUM}", "A[i,j] += D[i,j] * (B[i,k] * C[k,j])"),
    (f"(A[i,j] = -(w)) where {SUM}", "A[i,j] += -(B[i,k] * C[k,j])"),
    (f"(A[i,j] = 2 * (w * D[i,j])) where {SUM}", "A[i,j] += 2 * ((B[i,k] * C[k,j]) * D[i,j])"),
    (f"(y[i] += D[i,j] * w) where {SUM}", "y[i] += D[i,j] * (B[i,k] * C[k,j])"),
    (f"(A[i,j] = @over(w, D[i,j])) where {SUM}", "A[i,j] += @over(B[i,k] * C[k,j], D[i,j])"),
    # What is declared to distribute gives the identity for no values.
    (f"(A[i,j] = @over(D[i,j], w)) where {SUM}", "A[i,j] += @over(D[i,j], B[i,k] * C[k,j])"),
    (f"(A[i,j] = @unknown(D[i,j], w)) where {SUM}", "A[i,j] += @unknown(D[i,j], B[i,k] * C[k,j])"),
    (f"(A[i,j] = @half(w)) where {SUM}", "A[i,j] += @half(B[i,k] * C[k,j])"),
    ("(y[i] min= d[j] + w) where (forall k: w min= B[j,k])", "y[i] min= d[j] + B[j,k]"),
    # Of two, each of which is used once, and of one that is part of another one.
    (
        "((a[i] = w * v) where (forall k: v += B[i,k])) where (forall j: w += D[i,j])",
        "a[i] += D[i,j] * B[i,k]",
    ),
    (
        "(A[i,j] = D[i,j] * w) where (forall k: ((w += B[i,k] * v) where (forall l: v += C[k,l])))",
        "A[i,j] += D[i,j] * (B[i,k] * C[k,l])",
    ),
    # Out of a sum that stays, whose loop it is then.
    (
        "(A[i,j] = D[i,j] + w) where (forall k: ((w += B[i,k] * v) where (forall l: v += C[k,l])))",
        "(A[i,j] = D[i,j] + w) where (forall k: (forall l: w += B[i,k] * C[k,l]))",
    ),
    (
        "(s = exp(w)) where (forall k: (((w += u * v) where (forall l: v += C[k,l])) where (forall i: u += B[i,k])))",
        "(s = exp(w)) where (forall k: (forall l: (forall i: w += B[i,k] * C[k,l])))",
    ),
]
KEPT = [
    # The sum is not what is around it, is used twice, or is of another kind than what it is used in.
    f"(A[i,j] = D[i,j] + w) where {SUM}",
    f"(A[i,j] = exp(w)) where {SUM}",
    f"(A[i,j] = D[i,j] * sqrt(w)) where {SUM}",
    f"(A[i,j] = w * w) where {SUM}",
    f"(y[i] max= D[i,j] * w) where {SUM}",
    f"(A[i,j] = D[i,j] * (E[i,j] + w)) where {SUM}",
    # The least of two distributes over the least of many, but not of none.
    "(y[i] min= min(d[j], w)) where (forall k: w min= B[j,k])",
    # The result begins as 0.
    "(A[i,j] = D[i,j] + w) where (forall k: w min= B[i,k])",
]


def pulled(text, element="f64", **fills):
    return pull_out_sums(parse_program(text, INDICES, KNOWN), {"A": 0, "a": 0, "y": 0, **fills}, element)


def same(statement, text):
    expected = parse_program(text, INDICES, KNOWN)
    return map_expressions(statement, flattened) == map_expressions(expected, flattened)


@pytest.mark.parametrize(("text", "expected"), PULLED, ids=[text for text, _ in PULLED])
def test_sums_that_are_pulled_out(text, expected):
    assert same(pulled(text), expected)


@pytest.mark.parametrize("text", KEPT)
def test_sums_that_are_kept(text):
    assert same(pulled(text), text)


def test_what_the_result_begins_as():
    least = "(A[i,j] = D[i,j] + w) where (forall k: w min= B[i,k])"
    assert same(pulled(least, A=float("inf")), "A[i,j] min= D[i,j] + B[i,k]")
    # The greatest whole number and another one is something else.
    assert same(pulled(least, "i64", A=2**63 - 1), least)
    assert same(pulled(PULLED[0][0], A=1), PULLED[0][0])


TEXT = "A[i,j] = D[i,j] * sum(k, B[i,k] * C[k,j])"
PROGRAMS = [
    "forall ij: ((A[i,j] = D[s(i),s(j)] * w) where (forall k: w += B[l(i),s(k)] * C[s(k),l(j)]))",
    "forall ij: ((A[i,j] += D[s(i),s(j)] * w) where (forall k: w += B[l(i),s(k)] * C[s(k),l(j)]))",
    "forall ikj: A[i,j] += B[l(i),s(k)] * C[l(k),s(j)] * D[l(i),l(j)]",
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("result", [None, it.CSR])
@pytest.mark.parametrize("program", [None, "auto", *PROGRAMS])
def test_both_are_programs_for_the_statement(program, result):
    rng = np.random.default_rng(8)
    B, C, D = (rng.integers(1, 4, (6, 6)) * (rng.random((6, 6)) < 0.4) * 1.0 for _ in "BCD")
    formats = {**dict.fromkeys("BCD", it.CSR), **({} if result is None else {"A": result})}
    schedule = it.schedule().autoschedule(program=program) if program in PROGRAMS else program
    kernel = it.compile(TEXT, formats=formats, schedule=schedule)
    found = kernel(**{name: it.Tensor.from_numpy(one, it.CSR) for name, one in zip("BCD", (B, C, D), strict=True)})
    np.testing.assert_array_equal(found if result is None else found.to_numpy(), D * (B @ C))


def test_explained_programs_are_those_of_the_definition():
    kernel = it.compile(TEXT, formats=dict.fromkeys("BCD", it.CSR))
    for program in PROGRAMS:
        assert program.split(": ", 1)[1][:12] in kernel.explain(program)
    with pytest.raises(it.UserError, match="does not compute this definition"):
        kernel.explain("forall ijk: A[i,j] += B[i,k] * C[k,j]")


def test_the_order_of_products_is_free():
    """The sum that was written first is not the one to compute first."""
    kernel = it.compile(
        "y[i] = sum(k, sum(j, B[i,j] * C[j,k]) * x[k])", formats={"B": it.CSR, "C": it.CSR}, schedule="auto"
    )
    B, C, x = np.eye(4)[::-1], np.arange(16.0).reshape(4, 4), np.arange(4.0)
    given = {name: it.Tensor.from_numpy(one, it.CSR) for name, one in (("B", B), ("C", C))}
    np.testing.assert_array_equal(kernel(**given, x=x), B @ (C @ x))
    assert "w[j] += C[l(j),s(k)] * x[k]" in kernel.explain()


@pytest.mark.parametrize("text", ["y[i] = min(d[i], min(k, B[i,k]))", "y[i] = d[i] * sum(k, B[i,k])"])
def test_no_values(text):
    for schedule in (None, "auto"):
        found = it.compile(text, schedule=schedule)(d=np.arange(3.0), B=np.ones((3, 0)))
        np.testing.assert_array_equal(found, [0, 1, 2] if "min" in text else [0, 0, 0])
