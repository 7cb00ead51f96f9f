"""The expression tree: structural equality, traversal, text."""

import pytest

from irtensor.frontend.expression_tree import Access, Apply, Literal, Reduce, format_expression, free_indices
from irtensor.frontend.notation.notation_parser import parse_statement


def test_literals_of_different_types_are_different():
    values = [1, 1.0, True, 1 + 0j, 0.0, -0.0, 0]
    literals = [Literal(value) for value in values]
    assert len(set(literals)) == len(values)
    assert Literal(float("nan")) == Literal(float("nan"))


def test_equality_ignores_places():
    assert parse_statement("y[i] = A[i,j]*x[j]") == parse_statement("y[i]  =  A(i, j) * x[ j ]")


def test_free_indices_stop_at_reductions():
    inner = Reduce("add", ("k",), Apply("mul", (Access("A", ("i", "k")), Access("B", ("k", "j")))))
    assert free_indices(inner) == ("i", "j")
    assert free_indices(Apply("add", (inner, Access("c", ("k",))))) == ("i", "j", "k")


@pytest.mark.parametrize(
    "text",
    [
        "a - (b - c)",
        "a - b - c",
        "a / (b * c)",
        "(a + b) * c",
        "-a ** 2",
        "(-a) ** 2",
        "2 ** -a",
        "a ** b ** c",
        "(a ** b) ** c",
        "~(a & b) | c ^ d",
        "(a < b) == c",
        "a < (b == c)",
        "min(a, b) - 3",
        "where(a > 0, 1.5, inf)",
        "(-3) ** a",
        "a - -3",
        "sum(k, A[k] - b) * c",
        "xor(k, l, M[k, l])",
        "1e-07 * a + 2j",
    ],
)
def test_text_round_trips(text: str):
    statement = parse_statement(f"y = {text}")
    printed = format_expression(statement.expression)
    assert printed == text
    assert parse_statement(f"y = {printed}") == statement
