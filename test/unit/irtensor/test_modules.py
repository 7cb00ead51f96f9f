"""`compile_module`: what its texts and its operands may be."""

import pytest

import irtensor as it


@pytest.mark.parametrize("text", [None, 3, b"func.func @f()", ["func.func @f()"]])
def test_a_module_that_is_no_text(text):
    with pytest.raises(it.UserError, match=r"\[bad-argument\] the module is a text, not"):
        it.compile_module(text)


@pytest.mark.parametrize("text", ["@@@", "%", "`", "^", "\ufeff#"])
def test_a_first_token_that_is_none(text):
    with pytest.raises(it.UserError, match="syntax-error") as caught:
        it.compile_module(text, "k.mlir")
    assert str(caught.value).startswith("k.mlir:1:1: error: ")
