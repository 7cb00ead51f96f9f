"""Text that is not IR: a located error, in finite time."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func

from irtensor.dialects.algebra import find_operator
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.located_parser import parse_module


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


def test_an_operator_that_does_not_exist() -> None:
    from xdsl.dialects.builtin import ModuleOp, StringAttr

    with pytest.raises(UserError, match="unknown-operator"):
        find_operator(StringAttr("plus"), ModuleOp([]))
