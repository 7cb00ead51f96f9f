"""The statement form: what it means, where sums go, and that every error points at its place."""

import contextlib
import random

import pytest

from irtensor.core.diagnostics import UserError
from irtensor.frontend.expression_tree import Access, Apply, Literal, accesses, format_expression
from irtensor.frontend.notation.check_notation import check_size
from irtensor.frontend.notation.function_calls import function_names
from irtensor.frontend.notation.notation_parser import parse_notation, parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.operators.known_operators import ALIASES, REDUCTIONS


def explicit(text: str) -> str:
    return str(insert_reductions(parse_statement(text)))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("y[i] = A[i,j] * x[j] + b[i]", "y[i] = sum(j, A[i, j] * x[j]) + b[i]"),
        ("y(i) = A(i,j)*x(j)", "y[i] = sum(j, A[i, j] * x[j])"),
        ("y[i] += A[i,j]*x[j]", "y[i] = sum(j, A[i, j] * x[j])"),
        ("y[i] = b[i] - (A[i,j]*x[j] - c[i])", "y[i] = b[i] - (sum(j, A[i, j] * x[j]) - c[i])"),
        ("y[i] = -A[i,j]", "y[i] = -sum(j, A[i, j])"),
        ("s = x[i]*y[i]", "s = sum(i, x[i] * y[i])"),
        ("C[i,j] min= A[i,k] + B[k,j]", "C[i, j] = min(k, A[i, k] + B[k, j])"),
        ("y[i] max= A[i,j]", "y[i] = max(j, A[i, j])"),
        ("y[i] |= A[i,j] & x[j]", "y[i] = or(j, A[i, j] & x[j])"),
        ("p *= x[i]", "p = prod(i, x[i])"),
        ("y[i] min= A[i]", "y[i] = A[i]"),
        ("y[i] = (A[i,k] + B[i,k]) * x[k]", "y[i] = sum(k, (A[i, k] + B[i, k]) * x[k])"),
        ("y[i] = (b[i] + c[i]) * A[i,k]", "y[i] = sum(k, (b[i] + c[i]) * A[i, k])"),
        ("y[i] = sum(k, (A[i,k] + b[i]) * x[k])", "y[i] = sum(k, (A[i, k] + b[i]) * x[k])"),
        ("A[i,j] = B[i,j] * sum(k, C[i,k]*D[k,j])", "A[i, j] = B[i, j] * sum(k, C[i, k] * D[k, j])"),
        ("s = sum((i, j), A[i,j])", "s = sum(i, j, A[i, j])"),
        ("y[i] = min(k, A[i,k])", "y[i] = min(k, A[i, k])"),
        ("y[i] = min(k, A[i])", "y[i] = min(k, A[i])"),
        ("y[i] = max(A[i], 0, 1)", "y[i] = max(max(A[i], 0), 1)"),
        ("y[i] = +A[i] # a comment", "y[i] = A[i]"),
        ("y[i] = 2", "y[i] = 2"),
        ("A[i,j] = B[i] + c[j]", "A[i, j] = B[i] + c[j]"),
        ("y[é] = A[é]", "y[é] = A[é]"),
    ],
)
def test_meaning(text: str, meaning: str):
    assert explicit(text) == meaning


def test_reductions_are_inserted_once():
    once = insert_reductions(parse_statement("y[i] = A[i,j]*x[j] + b[i]"))
    assert insert_reductions(once) == once


def test_accumulate_reads_the_old_value():
    statement = insert_reductions(parse_statement("y[i] += A[i,j]*x[j]"), accumulate=True)
    assert str(statement) == "y[i] = y[i] + sum(j, A[i, j] * x[j])"


def test_several_statements():
    statements = parse_notation("T[i] = A[i,j]*x[j]; y[i] = T[i]\n\nz = (y[i]\n * y[i])\n")
    assert [statement.target.tensor for statement in statements] == ["T", "y", "z"]


def test_user_operators():
    statement = parse_statement("y[i] f= f(A[i,j], x[j])", operators=("f",))
    assert statement.operator == "@f"
    assert str(insert_reductions(statement)) == "y[i] = f(j, f(A[i, j], x[j]))"


@pytest.mark.parametrize(
    ("called", "near"), [("tanhh", "tanh"), ("minimun", "minimum"), ("blendd", "blend"), ("qqq", "")]
)
def test_an_unknown_function_has_a_near_name(called: str, near: str):
    with pytest.raises(UserError, match="unknown-function") as caught:
        parse_statement(f"y[i] = {called}(A[i])", operators=("blend",))
    help = str(caught.value.help)
    assert help.startswith(f"did you mean {near}? " if near else "functions are abs, absolute, ")
    assert ", minimum, " in help and ", prod, " in help and "blend; declare others" in help


@pytest.mark.parametrize(
    ("text", "slug", "marked"),
    [
        ("y[i] = (A[i,k]+b[i])*c[i]", "ambiguous-sum", "(A[i,k]+b[i])"),
        ("y[i] = sqrt(A[i,k] - b[i])", "ambiguous-sum", "A[i,k] - b[i]"),
        ("y[i] = b[i] / (c[i] + A[i,k])", "ambiguous-sum", "(c[i] + A[i,k])"),
        ("y = x[i] @ z[i]", "unexpected-character", "@"),
        ("y[i,i] = A[i]", "repeated-result-index", "y[i,i]"),
        ("y[i] = sum(i, A[i])", "shadowed-index", "sum(i, A[i])"),
        ("y[i] = sum(k, A[i,k] * sum(k, B[k]))", "shadowed-index", "sum(k, B[k])"),
        ("y[i] = A[i,j*k]", "unsupported-index", "j*k"),
        ("y[i] = A[i,0.5]", "unsupported-index", "0.5"),
        ("y[i] = A[i,i//(1-1)]", "unsupported-index", "i//(1-1)"),
        ("y[i] = sin[A[i]]", "unsupported-index", "["),
        ("y[i] = A(i + 1)", "unsupported-index", "+"),
        ("y[i] = tanhh(A[i])", "unknown-function", "tanhh"),
        ("y[i] = x[i] + tanhh(2 * (A[i] - 1), x[i])", "unknown-function", "tanhh"),
        ("y(i) = A(i,j) * tanhh(x(j))", "unknown-function", "tanhh"),
        ("y[i] = i[j] * A[i]", "index-as-value", "i[j]"),
        ("y[i] = A[i] + A[i,j]", "rank-mismatch", "A[i,j]"),
        ("y[i] = sum(A[i,k])", "wrong-arity", "sum(A[i,k])"),
        ("y[i] = sqrt(A[i], 2)", "wrong-arity", "sqrt(A[i], 2)"),
        ("R[i] = sqrt((i, j), A[i,j])", "syntax-error", "sqrt((i, j), A[i,j])"),
        ("R = sum(A[i], B[i])", "syntax-error", "A[i]"),
        ("R = sum(i, i, A[i])", "syntax-error", "i"),
        ("y[i] = a[i] < b[i] < c[i]", "syntax-error", "<"),
        ("y[i] = 2 a[i]", "syntax-error", "a"),
        ("y[i] foo= A[i]", "syntax-error", "foo"),
        ("y[i] -= A[i]", "not-a-reduction", "y[i]"),
        ("y[i] = 99999999999999999999 * A[i]", "number-too-large", "99999999999999999999"),
        ("y[i] = (A[i]", "syntax-error", ""),
        ("C[i,j = A[i,j]", "syntax-error", "C"),
        ("C[i,j += A[i,j]", "syntax-error", "C"),
        ("y[i] = A[i,j; z[i] = y[i]", "syntax-error", "A"),
        ("y[i] = ", "syntax-error", ""),
        ("", "syntax-error", ""),
    ],
)
def test_errors_point_at_their_place(text: str, slug: str, marked: str):
    with pytest.raises(UserError) as caught:
        insert_reductions(parse_statement(text))
    error = caught.value
    assert error.slug == slug
    assert error.location is not None and error.location.file == "<notation>"
    if marked:
        assert error.location.end_column is not None
        assert text[error.location.column - 1 : error.location.end_column - 1] == marked


def test_ambiguity_error_text():
    with pytest.raises(UserError) as caught:
        insert_reductions(parse_statement("y[i] = (A[i,k]+b[i])*c[i]"))
    text = str(caught.value)
    assert text.startswith("<notation>:1:8: error: [ambiguous-sum]")
    both = "sum(k, (A[i, k] + b[i]) * c[i]) sums all of it, (sum(k, A[i, k]) + b[i]) * c[i] only what has k"
    assert f"help: write the sum out: {both}" in text
    assert "note: b[i] does not have k" in text


def test_errors_of_later_lines_have_their_line():
    with pytest.raises(UserError) as caught:
        parse_notation("y[i] = A[i]\nz[i] = A[i,")
    assert (place := caught.value.location) is not None
    assert place.line == 2 and place.text_line == "z[i] = A[i,"


def test_deep_nesting_is_refused():
    parentheses, signs = "(" * 5000 + "a" + ")" * 5000, "-" * 5000 + "a"
    product, long_sum = "*".join(["a"] * 5000), "+".join(["a"] * 50_000)
    for text in (f"y = {parentheses}", f"y = {signs}", f"y = {product}", f"y = {long_sum}"):
        with pytest.raises(UserError) as caught:
            parse_statement(text)
        assert caught.value.slug == "notation-too-deep"
        assert caught.value.location is not None and caught.value.help


def test_nesting_that_a_program_writes_is_read():
    plain = parse_statement("y[i] = a[i]").expression
    assert parse_statement("y[i] = " + "(" * 99 + "a[i]" + ")" * 99).expression == plain
    assert parse_statement("y[i] = " + "abs(" * 99 + "a[i]" + ")" * 99)
    assert parse_statement("y[i] = " + " + ".join(["a[i]"] * 200))


def test_any_text_parses_or_is_refused():
    generator = random.Random(7)
    pieces = ["y", "[", "]", "(", ")", "i", "j", ",", "=", "+", "-", "*", "**", "min", "sum", "2", "1.5e", "."]
    pieces += [" ", "\n"]
    pieces += ["<", "==", "é", "&", ";", "A[i,j]", "x[j]", "y[i] = ", "where", "#", "1j", "//", "%", "~"]
    for _ in range(3000):
        text = "".join(generator.choices(pieces, k=generator.randint(0, 14)))
        with contextlib.suppress(UserError):
            for statement in parse_notation(text):
                assert parse_statement(str(statement)) == statement
                insert_reductions(statement)


@pytest.mark.parametrize("text", ["-9223372036854775808", "- 9_223_372_036_854_775_808"])
def test_the_least_integer_is_a_literal(text):
    expression = parse_statement(f"y[i] = max(x[i], {text})").expression
    assert isinstance(expression, Apply) and expression.arguments[1] == Literal(-(1 << 63))
    assert parse_statement(f"y[i] = {format_expression(expression)}").expression == expression


@pytest.mark.parametrize("text", ["9223372036854775808", "-9223372036854775809", "-9223372036854775808 ** 2"])
def test_other_integers_of_more_bits_are_refused(text):
    with pytest.raises(UserError, match="number-too-large"):
        parse_statement(f"y[i] = max(x[i], {text})")


def test_readings_of_an_ambiguous_sum_are_statements():
    with pytest.raises(UserError) as caught:
        insert_reductions(parse_statement("y[i] = (a[i,l,k] + d[i]) * (b[i,l] + c[i])"))
    whole = "sum(k, l, (a[i, l, k] + d[i]) * (b[i, l] + c[i]))"
    parts = "(sum(k, l, a[i, l, k]) + d[i]) * (sum(l, b[i, l]) + c[i])"
    assert caught.value.help == f"write the sum out: {whole} sums all of it, {parts} only what has k, l"
    for text in (whole, parts):
        parse_statement(f"y[i] = {text}")


def test_long_sums_are_sums_of_shorter_ones():
    signs = "".join("+-"[k % 3 == 1] for k in range(300))
    statement = parse_statement("y = a0 " + " ".join(f"{sign} a{k}" for k, sign in enumerate(signs, 1)))
    values = {f"a{k}": 7**k % 1000 for k in range(301)}

    def value(expression):
        if isinstance(expression, Access):
            return values[expression.tensor]
        left, right = map(value, expression.arguments)
        return left + right if expression.operator == "add" else left - right

    expected = values["a0"] + sum(values[f"a{k}"] * (1 if sign == "+" else -1) for k, sign in enumerate(signs, 1))
    assert value(statement.expression) == expected
    assert [access.tensor for access in accesses(statement.expression)] == list(values)
    check_size(statement.expression, None, None)


@pytest.mark.parametrize("name", ["sum", "prod", *function_names()])
def test_compound_assignment_of_every_function(name):
    """`m[j] NAME= ...` reduces by an operator with this name, or is refused with something else to write."""
    operator = {"add": "sum", "mul": "prod"}.get(name, ALIASES.get(name, name))
    reduces = operator in (*REDUCTIONS, "sum", "prod") and name not in ("sum", "prod")
    with contextlib.nullcontext() if reduces else pytest.raises(UserError, match=r"syntax-error|not-a-reduction"):
        assert explicit(f"m[j] {name}= A[i,j]") == f"m[j] = {operator}(i, A[i, j])"


def test_names_of_sums_have_symbols():
    with pytest.raises(UserError, match=r"'sum' is not an operator(.|\n)*write \+="):
        parse_statement("m[j] sum= A[i,j]")
