"""Operations that few kernels have: the interpreter of loops computes them as native code does."""

import math
import operator

import numpy as np
import pytest
from reference.interpret_loop import interpret_loop

ORDERS = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


def value(run, body, element, *given):
    """What a body computes as %r of %a and %b."""
    text = f"""
func.func @kernel(%a: {element}, %b: {element}, %out: !loop.buffer<i64>) {{
  %c0 = arith.constant 0 : index
{body}
  loop.store %r, %out[%c0] : i64
  func.return
}}
"""
    return run(text, *given, np.zeros(1, np.int64))[2][0]


@pytest.mark.parametrize("name", ORDERS)
def test_unsigned_comparisons(run, name):
    body = f"  %c = arith.cmpi u{name}, %a, %b : i64\n  %r = arith.extui %c : i1 to i64"
    for a, b in ((1, 2), (2, 1), (-1, 1), (1, -1), (-2, -1), (3, 3)):
        expected = ORDERS[name](a % 2**64, b % 2**64)
        assert value(run, body, "i64", np.int64(a), np.int64(b)) == expected


@pytest.mark.parametrize("name", ORDERS)
def test_signed_comparisons_of_booleans(run, name):
    """The number that is true is -1."""
    body = f"  %c = arith.cmpi s{name}, %a, %b : i1\n  %r = arith.extui %c : i1 to i64"
    for a in (False, True):
        for b in (False, True):
            assert value(run, body, "i1", np.bool_(a), np.bool_(b)) == ORDERS[name](-int(a), -int(b))


@pytest.mark.parametrize("a", [1.0, 2.0, math.nan])
@pytest.mark.parametrize("b", [2.0, math.nan])
def test_comparisons_that_ask_for_numbers(run, a, b):
    ordered = not (math.isnan(a) or math.isnan(b))
    for name, expected in (("ord", ordered), ("uno", not ordered), ("false", False), ("true", True)):
        body = f"  %c = arith.cmpf {name}, %a, %b : f64\n  %r = arith.extui %c : i1 to i64"
        assert value(run, body, "f64", np.float64(a), np.float64(b)) == expected


@pytest.mark.parametrize(("a", "b"), [(7, 3), (-7, 3), (7, -3), (-7, -3), (6, 3)])
def test_remainders_have_the_sign_of_what_is_divided(run, a, b):
    body = "  %r = arith.remsi %a, %b : i64"
    assert value(run, body, "i64", np.int64(a), np.int64(b)) == int(math.fmod(a, b))


def test_a_lane_is_replaced(run):
    body = """  %v = arith.constant dense<[5, 6, 7, 8]> : vector<4xi64>
  %w = vector.insert %a, %v[2] : i64 into vector<4xi64>
  %r = vector.reduction <add>, %w : vector<4xi64> into i64"""
    assert value(run, body, "i64", np.int64(100), np.int64(0)) == 5 + 6 + 100 + 8


def test_an_element_is_changed_as_a_whole(run):
    text = """
func.func @kernel(%b: !loop.buffer<f64>, %x: f64) {
  %c1 = arith.constant 1 : index
  loop.atomic %b[%c1] (%old: f64) {
    %new = arith.addf %old, %x : f64
    loop.yield %new : f64
  }
  func.return
}
"""
    np.testing.assert_array_equal(run(text, np.array([1.0, 2.0, 3.0]), np.float64(10))[0], [1, 12, 3])


REQUIRES = """
func.func @inner(%a: i64, %b: i64) {
  %c = arith.cmpi eq, %a, %b : i64
  loop.require %c else 7
  func.return
}
func.func @kernel(%a: i64, %b: i64) {
  func.call @inner(%a, %b) : (i64, i64) -> ()
  func.return
}
"""


@pytest.mark.parametrize("entry", ["inner", "kernel"])
@pytest.mark.parametrize(("b", "status"), [(3, 0), (4, 7)])
def test_what_is_required_ends_a_kernel_and_who_called_it(machine, entry, b, status):
    module = machine.parse(REQUIRES)
    given = [np.int64(3), np.int64(b)]
    assert machine.call_native(machine.compile_module(module, entry), given) == status
    assert interpret_loop(module, entry, given) == status


def test_a_function_that_is_not_there(machine):
    with pytest.raises(KeyError, match="missing"):
        interpret_loop(machine.parse(REQUIRES), "missing", [])
