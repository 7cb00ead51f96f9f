"""`compile_module`: what its texts and its operands may be."""

import numpy as np
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


SPMV = """#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @spmv(%A: tensor<SHAPExf64, #csr>, %x: tensor<XxSCALAR>) -> tensor<YxSCALAR> {
  %y = index_notation.assign (%i) : tensor<YxSCALAR> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<SHAPExf64, #csr>
      %b = index_notation.access %x[%j] : tensor<XxSCALAR>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<YxSCALAR>
}
""".replace("SCALAR", "f64")
OTHER_LEVELS = [
    "i : dense, j : compressed",
    "j : compressed, i : compressed",
    "i : dense, j : dense",
    "i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense",
]


def spmv(shape, x, y):
    return SPMV.replace("SHAPE", shape).replace("X", x).replace("Y", y)


@pytest.mark.parametrize(
    ("shape", "x", "y", "line", "message"),
    [
        ("4x5", "4", "4", 6, "dimension 0 of %x has extent 4, but dimension 1 of %A, over which %j ranges as well, 5"),
        ("4x5", "5", "3", 5, "dimension 0 of %A has extent 4, but dimension 0 of the result, over which %i ranges"),
        ("?x5", "0", "?", 6, "dimension 0 of %x has extent 0, but dimension 1 of %A, over which %j ranges as well, 5"),
    ],
)
def test_stated_extents_that_contradict(shape, x, y, line, message):
    with pytest.raises(it.UserError, match="extent-mismatch") as caught:
        it.compile_module(spmv(shape, x, y), "k.mlir")
    assert str(caught.value).startswith(f"k.mlir:{line}:")
    assert message in str(caught.value)


@pytest.mark.parametrize("levels", OTHER_LEVELS)
@pytest.mark.parametrize(
    ("shape", "x", "y", "message"),
    [
        ("4x5", "5", "4", "dimension 0 of A has extent 7, but the module states extent 4 for dimension 0 of A"),
        ("?x5", "?", "?", "dimension 1 of A has extent 9, but the module states extent 5 for dimension 1 of A"),
        ("?x?", "5", "?", "dimension 0 of x has extent 9, but the module states extent 5 for dimension 0 of x"),
        ("?x?", "?", "4", "dimension 0 of A has extent 7, but the module states extent 4 for dimension 0 of y"),
    ],
)
def test_operands_of_other_extents_than_stated(shape, x, y, message, levels):
    kernel = it.compile_module(spmv(shape, x, y).replace(OTHER_LEVELS[0], levels))
    with pytest.raises(it.UserError, match="extent-mismatch") as caught:
        kernel(np.ones((7, 9)), np.ones(9))
    assert message in str(caught.value)
    np.testing.assert_array_equal(kernel(np.ones((4, 5)), np.arange(5.0)), np.full(4, 10.0))
