"""Text that is not IR: a located error, in finite time."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func

from irtensor.core.diagnostics import UserError
from irtensor.dialects.algebra.algebra import find_operator
from irtensor.dialects.support.located_parser import parse_module


def _context() -> Context:
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(Func)
    return context


@pytest.mark.parametrize("text", ['func.func @f() {\n  "a.b() : () -> ()\n}\n', '"', '// a "\n"open'])
def test_a_string_that_is_not_closed(text: str) -> None:
    with pytest.raises(UserError, match="string is not closed") as caught:
        parse_module(_context(), text, "a.mlir")
    assert caught.value.location is not None
    assert caught.value.location.line == text.count("\n", 0, text.rfind('"')) + 1


def test_quotation_marks_in_comments_and_strings_are_fine() -> None:
    parse_module(_context(), '// one " mark\nmodule attributes {a = "x // \\" y"} {}\n', "a.mlir")


@pytest.mark.parametrize("text", ["@@@", "%", "`", "^", "#", "!", "\x00", "\ud800", "'", "\ufeff@", "  \n @"])
def test_a_first_token_that_is_none(text: str) -> None:
    with pytest.raises(UserError, match="syntax-error") as caught:
        parse_module(_context(), text, "a.mlir", first_line=3)
    assert caught.value.location is not None
    assert caught.value.location.line == 3 + text.count("\n")


def test_a_byte_order_mark_is_skipped() -> None:
    parse_module(_context(), "\ufefffunc.func @f() {\n  func.return\n}\n", "a.mlir")
    with pytest.raises(UserError, match="unknown-operation") as caught:
        parse_module(_context(), "\ufefffunc.funk @f()", "a.mlir")
    assert caught.value.location is not None
    assert (caught.value.location.column, caught.value.location.text_line) == (1, "func.funk @f()")


def test_an_operator_that_does_not_exist() -> None:
    from xdsl.dialects.builtin import ModuleOp, StringAttr

    with pytest.raises(UserError, match="unknown-operator"):
        find_operator(StringAttr("plus"), ModuleOp([]))


@pytest.mark.parametrize("text", ["func.func @f() {\n", "func.func @f() {\n  func.return\n", "module {\n\n"])
def test_text_that_ends_too_early(text: str) -> None:
    """Nothing is undefined there: what is said is what xDSL found, at the end."""
    with pytest.raises(UserError, match="syntax-error") as caught:
        parse_module(_context(), text, "a.mlir", first_line=3)
    assert "in block definition" in caught.value.message
    assert caught.value.location is not None
    assert (caught.value.location.line, caught.value.location.column) == (3 + text.count("\n"), 1)
