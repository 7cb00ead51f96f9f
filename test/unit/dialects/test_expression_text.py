"""Expressions as texts, of schedules and programs."""

import pytest

from irtensor.core.diagnostics import UserError
from irtensor.core.expression_text import parse_expression


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A[i]<B[i]", "A[i] < B[i]"),
        ("A[i] + 1 >= 2 * B[i]", "(A[i] + 1) >= (2 * B[i])"),
        ("+A[i]", "A[i]"),
        ("-3", "-3"),
        ("- 3 * A[i]", "-3 * A[i]"),
        ("1_000 + 2j", "1000 + 2j"),
        ("exp(sum(k, Y[i,k]*v[k]))", "exp(sum(k, Y[i, k] * v[k]))"),
        ("sum((i, j), A[i,j])", "sum(i, j, A[i, j])"),
        ("prod(i, 2 * max(j, A[i,j]))", "prod(i, 2 * max(j, A[i, j]))"),
        ("max(a, A[i])", "max(a, A[i])"),
        ("min(a, b, A[i])", "min(min(a, b), A[i])"),
        ("max((a + b), A[i])", "max(a + b, A[i])"),
        ("@f(i, @g(A[i], s))", "@f(i, @g(A[i], s))"),
        ("sum(k, 1) * x[i]", "sum(k, 1) * x[i]"),
        # As a statement names an operator of the user's; parentheses with names alone hold indices.
        ("f(A[i], g(B(i,j), s)) * A(i)", "@f(A[i], @g(B[i, j], s)) * A[i]"),
        ("clip(A[i], 0, s)", "min(max(A[i], 0), s)"),
        ("heaviside(A[i])", "heaviside(A[i], 0)"),
        ("(" * 60 + "A[i]" + ")" * 60, "A[i]"),
    ],
)
def test_what_a_text_means(text, shown):
    term = parse_expression(text)
    assert str(term) == shown
    assert parse_expression(shown) == term


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("(" * 200 + "A[i]" + ")" * 200, 101, "parentheses and signs nested no deeper than 100, found '('"),
        ("9" * 5000, 1, "a number, found"),
        ("sum(A[i,j])", 5, "the index variables of sum, and then an expression, found 'A'"),
        ("1 + prod(A[i], B[i])", 10, "the index variables of prod, and then an expression, found 'A'"),
        ("sum(i, (j, k))", 5, "the index variables of sum, and then an expression, found 'i'"),
        ("sum()", 5, "the index variables of sum, and then an expression, found ')'"),
        ("A[i] + B[i] C[i]", 13, "an operator or the end of the expression, found 'C'"),
    ],
)
def test_what_means_nothing(text, column, expected):
    with pytest.raises(UserError, match="bad-expression") as caught:
        parse_expression(text)
    assert f":1:{column}: error: [bad-expression] expected {expected}" in str(caught.value)


def test_comparisons_are_not_chained():
    with pytest.raises(UserError, match="1:13: error: \\[bad-expression\\] comparisons cannot be chained"):
        parse_expression("A[i] < B[i] < C[i]")
