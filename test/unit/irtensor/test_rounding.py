"""What the oracle leaves open because values on the way are rounded: nothing of integers, all of a cancelled sum."""

from functools import partial

import numpy as np
import pytest
from reference.evaluate_dense import evaluate_dense
from reference.rounding import distance, is_wrong, tolerance

from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions


def open_of(text, **operands):
    evaluate = partial(evaluate_dense, insert_reductions(parse_statement(text)), operands, None, ())
    return tolerance(evaluate, evaluate())


def test_nothing_is_open_where_nothing_is_rounded():
    a = np.array([1, -2, 2**40])
    assert not open_of("y[i] = a[i] * a[i] - 3", a=a).any()
    assert not open_of("y[i] = a[i] * 0.1 > 2", a=a).any()
    x = np.array([0.5, -3.0, 0.25])
    assert open_of("y[i] = x[i] * x[i] + 7 - sum(j, x[j] * 3)", x=x).max() < 1e-300
    assert not open_of("y[i] = x[i] * x[i] >= 9", x=x).any()


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_a_rounding_is_relative_to_what_is_rounded(dtype):
    a = np.array([0.1, -1000.1], dtype)
    for text, values in (("y[i] = a[i] * 3", a * 3), ("y[i] = a[i] * 3 / a[i] * a[i]", a * 3)):
        units = open_of(text, a=a) / np.abs(values) / np.finfo(dtype).eps
        assert (16 < units).all() and (units < 1000).all()


def test_a_product_of_short_numbers_is_rounded_on_the_way():
    a = np.full((3, 40), 3.0)
    opened = open_of("y[i] = prod(j, a[i,j])", a=a) / 3.0**40 / np.finfo("f8").eps
    assert (16 < opened).all() and (opened < 1000).all()
    assert open_of("y[i] = prod(j, a[i,j])", a=a[:, :7]).max() < 1e-300
    assert open_of("y[i] = max(j, a[i,j] * 0.1)", a=a).max() < 1e-12


def test_cancellation_leaves_open_what_its_terms_do():
    single, double = np.finfo("f4").eps, np.finfo("f8").eps
    assert open_of("y[i] = tanh(a[i]) - cos(1)", a=np.array([True]))[0] > 4 * np.tanh(1) * single
    opened = open_of("y[i] = a[i] * 1.1 - a[i] * 1.1", a=np.array([1e20, 1.5]))
    assert 1e20 * double < opened[0] < 1e24 * double and opened[1] < 1e-12


def test_functions_hand_on_what_their_arguments_are_off_by():
    a = np.array([300.1, 1.1])
    opened = open_of("y[i] = exp(a[i] * 1.1)", a=a) / np.exp(a * 1.1) / np.finfo("f8").eps
    assert 300 * 16 < opened[0] < 1e5 and opened[1] < 1e3


def test_a_function_may_miss_its_limit_by_a_unit():
    a = np.array([20.0, 0.0])
    opened = open_of("y[i] = tanh(a[i])", a=a)
    assert opened[0] > 4 * np.finfo("f8").eps and opened[1] < 1e-300
    assert open_of("y[i] = sqrt(a[i])", a=np.array([4.0, 9.0])).max() < 1e-300


def test_a_comparison_that_rounding_decides_is_open():
    a = np.array([0.1, 0.3])
    assert list(open_of("y[i] = a[i] * 3 > 0.3", a=a) > 0) == [True, False]


def test_a_comparison_may_fall_either_way():
    """Four evaluations fall the same way for one of eight numbers."""
    a = np.full(200, 1.1)
    evaluate = partial(evaluate_dense, insert_reductions(parse_statement("y[i] = a[i] * 3 > 3.3")), {"a": a}, None, ())
    expected = evaluate()
    assert not is_wrong(distance(~expected, expected), evaluate, expected)
    other = partial(evaluate_dense, insert_reductions(parse_statement("y[i] = a[i] * 3 > 3.4")), {"a": a}, None, ())
    assert is_wrong(distance(~other(), other()), other, other())


def test_sums_in_another_order_are_as_expected_and_others_are_not():
    a = np.random.default_rng(0).normal(size=(50, 100))
    for dtype, wrong in (("f4", 1e-4), ("f8", 1e-12)):
        b = a.astype(dtype)
        expected, opened = (
            evaluate_dense(insert_reductions(parse_statement("y[i] = b[i,j]")), {"b": b}),
            open_of("y[i] = b[i,j]", b=b),
        )
        in_order = np.add.accumulate(b[:, ::-1], axis=1)[:, -1]
        assert (distance(in_order, expected) <= opened).all()
        assert (np.abs(b).sum(axis=1) * wrong > opened).all()


def test_distance():
    x = np.array([1.0, np.nan, np.inf, -np.inf, 2.0, np.inf])
    y = np.array([1.5, np.nan, np.inf, np.inf, np.nan, 3.0])
    np.testing.assert_array_equal(distance(x, y), [0.5, 0, 0, np.inf, np.inf, np.inf])
    np.testing.assert_array_equal(distance(np.array([2**62 + 1, 5]), np.array([2**62 + 1, 6])), [0, 1])
    np.testing.assert_array_equal(distance(np.array([True, False]), np.array([True, True])), [0, 1])
