"""Native code of vectors of the loop dialect: what is made of their lanes, in plain Python beside it."""

import math
from functools import reduce

import numpy as np
import pytest

TYPES = {"i32": np.int32, "f32": np.float32, "f64": np.float64}
LANES = {"i32": [7, -2, 12, 5], "f32": [0.5, -2.0, 4.0, 8.0], "f64": [0.5, -2.0, 4.0, 8.0]}


def call(machine, body, element, *others):
    """The first four elements of the result of a body that is given four lanes %v, and what else there is."""
    parameters = "".join(f", %x{n}: {type}" for n, (type, _) in enumerate(others))
    text = f"""
func.func @kernel(%in: !loop.buffer<{element}>, %out: !loop.buffer<{element}>{parameters}) {{
  %c0 = arith.constant 0 : index
  %v = loop.load %in[%c0] : vector<4x{element}>
{body}
  func.return
}}
"""
    lanes, out = np.array(LANES[element], TYPES[element]), np.zeros(4, TYPES[element])
    native = machine.compile_module(machine.parse(text), "kernel")
    assert machine.call_native(native, [lanes, out, *(value for _, value in others)]) == 0
    return out.tolist()


REDUCTIONS = {
    **{(kind, "i32"): function for kind, function in (("minsi", min), ("maxsi", max))},
    **{("add", element): lambda a, b: a + b for element in TYPES},
    **{("mul", element): lambda a, b: a * b for element in TYPES},
    **{(kind, "f64"): min for kind in ("minimumf", "minnumf")},
    **{(kind, "f64"): max for kind in ("maximumf", "maxnumf")},
    **{("and", "i32"): lambda a, b: a & b, ("or", "i32"): lambda a, b: a | b, ("xor", "i32"): lambda a, b: a ^ b},
}


@pytest.mark.parametrize("with_another", [False, True])
@pytest.mark.parametrize(("kind", "element"), REDUCTIONS)
def test_lanes_are_combined(machine, kind, element, with_another):
    """Numbers here are such that the order makes no difference."""
    first = [(element, TYPES[element](-3))] if with_another else []
    body = f"""  %r = vector.reduction <{kind}>, %v{", %x0" if first else ""} : vector<4x{element}> into {element}
  loop.store %r, %out[%c0] : {element}"""
    wanted = reduce(REDUCTIONS[kind, element], [*(value.item() for _, value in first), *LANES[element]])
    assert call(machine, body, element, *first)[0] == wanted


def test_a_lane_is_replaced(machine):
    body = """  %s = vector.insert %x0, %v[2] : f64 into vector<4xf64>
  %t = vector.insert %x0, %s[%x1] : f64 into vector<4xf64>
  loop.store %t, %out[%c0] : vector<4xf64>"""
    assert call(machine, body, "f64", ("f64", np.float64(9)), ("index", np.int64(0))) == [9, -2, 9, 8]


def test_a_vector_is_broadcast_to_itself(machine):
    body = """  %s = vector.broadcast %v : vector<4xf64> to vector<4xf64>
  loop.store %s, %out[%c0] : vector<4xf64>"""
    assert call(machine, body, "f64") == LANES["f64"]


def test_lanes_that_are_indices(machine):
    body = """  %c = arith.constant dense<[1, -2, 3, 4]> : vector<4xindex>
  %d = arith.addi %c, %c : vector<4xindex>
  %e = vector.extract %d[%x0] : index from vector<4xindex>
  %f = arith.index_cast %e : index to i32
  loop.store %f, %out[%c0] : i32"""
    assert [call(machine, body, "i32", ("index", np.int64(lane)))[0] for lane in range(4)] == [2, -4, 6, 8]


@pytest.mark.parametrize("element", ["f32", "f64"])
def test_reciprocals_of_square_roots(machine, element):
    body = f"""  %r = math.rsqrt %x0 : {element}
  loop.store %r, %out[%c0] : {element}"""
    for number, wanted in ((0.25, 2.0), (16.0, 0.25), (0.0, math.inf), (math.inf, 0.0)):
        assert call(machine, body, element, (element, TYPES[element](number)))[0] == wanted
