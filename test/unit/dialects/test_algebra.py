"""Folding of declared operators: constants are computed in the types that the body names."""

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.parser import Parser

import irtensor
from irtensor.api.expression import functions
from irtensor.core.fill_values import fill_text
from irtensor.core.operators import Constant, fold
from irtensor.dialects.algebra.algebra import Algebra, OperatorOp
from irtensor.frontend.declared_operator import declared_operator
from irtensor.tensors.tensor import Tensor

larger = irtensor.operator("larger", lambda a, b: functions.max(abs(a), abs(b)))
mean = irtensor.operator("mean", lambda a, b: (a + b) // 2)


@pytest.mark.parametrize(
    "operator, dtype, fill, constant, expected",
    [(larger, np.complex64, 3j, 2, 3), (larger, np.float32, -1.0, -4.0, 4.0), (mean, np.int8, 100, 100, -28)],
)
def test_fill_values_fold_as_stored_values_compute(operator, dtype, fill, constant, expected):
    format = irtensor.Format(f"(i) -> (i : compressed), fill = {fill_text(fill)}")
    A = Tensor.from_coo([[1]], np.array([fill], dtype), shape=(3,), format=format)
    kernel = irtensor.compile(f"y[i] = @{operator.name}(A[i], {constant})", operators=[operator])
    np.testing.assert_array_equal(kernel(A=A), np.full(3, expected, dtype))


def test_a_declared_annihilator_is_believed():
    """A missing entry is skipped beside another one as well, where the body would give inf."""
    infinity = float("inf")
    times = irtensor.operator("times", lambda a, b: a * b, annihilator=-infinity)
    declared = declared_operator(times, np.dtype(np.float64))
    assert declared.value_of((-infinity, -infinity), ("f64", "f64")) == -infinity
    format = irtensor.Format("(i) -> (i : compressed), fill = -inf")
    operands = {n: Tensor.from_coo([[p]], np.ones(1), shape=(3,), format=format) for n, p in (("A", 0), ("B", 1))}
    kernel = irtensor.compile("y[i] = @times(A[i], B[i])", operators=[times])
    np.testing.assert_array_equal(kernel(**operands), np.full(3, -infinity))


MIXED = """
algebra.operator @scaled(%a: f64, %n: i32) -> f32 attributes {annihilator = 0 : i32} {
  %b = algebra.cast %n : i32 to f64
  %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
  %q = algebra.cast %p : f64 to f32
  algebra.yield %q : f32
}
algebra.operator @below(%a: f64, %b: f64) -> i1 attributes {annihilator = 1.0 : f64} {
  %p = algebra.apply lt(%a, %b) : (f64, f64) -> i1
  algebra.yield %p : i1
}
"""


def test_an_annihilator_is_an_argument_of_its_type_and_a_result_of_another():
    context = Context()
    for dialect in (Builtin, Algebra):
        context.load_dialect(dialect)
    module = Parser(context, MIXED).parse_module()
    module.verify()
    scaled, below = (op.value for op in module.ops if isinstance(op, OperatorOp))
    elements = ("f64", "i32")
    assert fold(scaled, (None, 0), elements) == Constant(0.0)
    assert fold(scaled, (0.0, None), elements, literals=[0]) is None
    # Where an entry of the first argument is absent, the product in the body is.
    assert fold(scaled, (0.0, None), elements) == Constant(0.0)
    assert scaled.value_of((0.0, 2), elements) == 0.0 and scaled.value_of((float("inf"), 0), elements) == 0.0
    for outcome in (fold(below, (None, 1.0), ("f64",) * 2), fold(below, (1.0, None), ("f64",) * 2)):
        assert isinstance(outcome, Constant) and outcome.value is True
    floats = ("f64", "f64")
    assert below.value_of((2.0, 1.0), floats) is True and below.value_of((2.0, 0.5), floats) is False
