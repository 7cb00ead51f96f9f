"""Folding of declared operators: constants are computed in the types that the body names."""

import numpy as np
import pytest

import irtensor
from irtensor.dialects.tensor_format import fill_text
from irtensor.expression import functions
from irtensor.tensor import Tensor

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
    assert times.evaluate(-infinity, -infinity) == -infinity
    format = irtensor.Format("(i) -> (i : compressed), fill = -inf")
    operands = {n: Tensor.from_coo([[p]], np.ones(1), shape=(3,), format=format) for n, p in (("A", 0), ("B", 1))}
    kernel = irtensor.compile("y[i] = @times(A[i], B[i])", operators=[times])
    np.testing.assert_array_equal(kernel(**operands), np.full(3, -infinity))
