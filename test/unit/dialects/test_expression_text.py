"""Expressions as texts, of schedules and programs."""

import pytest

from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.expression_text import parse_expression


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A[i]<B[i]", "A[i] < B[i]"),
        ("A[i] + 1 >= 2 * B[i]", "(A[i] + 1) >= (2 * B[i])"),
        ("+A[i]", "A[i]"),
        ("-3", "-3"),
        ("- 3 * A[i]", "-3 * A[i]"),
        ("1_000 + 2j", "1000 + 2j"),
        ("(" * 60 + "A[i]" + ")" * 60, "A[i]"),
    ],
)
def test_what_a_text_means(text, shown):
    assert str(parse_expression(text)) == shown


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("(" * 200 + "A[i]" + ")" * 200, 101, "parentheses and signs nested no deeper than 100, found '('"),
        ("9" * 5000, 1, "a number, found"),
        ("A[i] < B[i] < C[i]", 13, "an operator or the end of the expression, found '<'"),
    ],
)
def test_what_means_nothing(text, column, expected):
    with pytest.raises(UserError, match="bad-expression") as caught:
        parse_expression(text)
    assert f":1:{column}: error: [bad-expression] expected {expected}" in str(caught.value)
