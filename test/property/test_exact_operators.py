"""Operators of one's own compute as their bodies written out do, with `exact` and without, beside special values."""

import operator
import warnings
from functools import reduce
from itertools import product

import numpy as np
import pytest
from reference.absent_arithmetic import BINARY, LAZY, Traced, functions

import irtensor as it

PAIRS = list(product((None, 0.0, 2.0, -3.0, np.inf, -np.inf, np.nan), repeat=2))  # None: no entry
BODIES = {
    **{name: lambda f, a, b, name=name: f[name](a, b) for name in BINARY},
    "a": lambda f, a, b: a,
    "b": lambda f, a, b: b,
    "a * b + a": lambda f, a, b: f["add"](f["mul"](a, b), a),
    "a * (b + 1)": lambda f, a, b: f["mul"](a, f["add"](b, 1)),
    "a * 2 * b": lambda f, a, b: f["mul"](f["mul"](a, 2), b),
    "a * 0 + b": lambda f, a, b: f["add"](f["mul"](a, 0), b),
    "b / (a - b)": lambda f, a, b: f["div"](b, f["sub"](a, b)),
    "where(a > b, a, b * a)": lambda f, a, b: f["where"](f["gt"](a, b), a, f["mul"](b, a)),
    "exp(a) * b": lambda f, a, b: f["mul"](f["exp"](a), b),
}


def region(mask):
    """The region of two operands with the sets that are bits of a mask; None where the body says it."""

    def found(*operands):
        sets = [stored for stored in range(4) if mask >> stored & 1]
        parts = [[one if stored >> n & 1 else ~one for n, one in enumerate(operands)] for stored in sets]
        return reduce(operator.or_, [reduce(operator.and_, part) for part in parts], False)

    return None if mask is None else found


def operand(number, dense, fill):
    """An operand, its values and where it has entries."""
    values = np.array([fill if pair[number] is None else pair[number] for pair in PAIRS])
    there = np.array([pair[number] is not None for pair in PAIRS])
    if dense:
        return values, values, np.ones(len(PAIRS), bool)
    format = it.Format(f"compressed, fill = {fill}" if fill else "compressed")
    return it.Tensor.from_coo(np.nonzero(there), values[there], shape=there.shape, format=format), values, there


def expected(body, mask, exact, operands, outside):
    found = []
    for (one, is_one), (other, is_other) in zip(*(zip(a, at, strict=True) for _, a, at in operands), strict=True):
        value = body(functions(exact), Traced(one, not is_one), Traced(other, not is_other)).value
        inside = mask is None or mask >> (int(is_one) + 2 * int(is_other)) & 1
        found.append(value if inside else outside)
    return np.array(found, float)


@pytest.mark.one_in(192)
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("mask", [None, *range(16)])
@pytest.mark.parametrize("exact", [False, True])
def test_special_values(name, mask, exact):
    body = BODIES[name]
    declared = it.operator("f", lambda a, b: body(LAZY, a, b), region=region(mask))
    for fill, *dense in product((0.0, np.inf), (False, True), (False, True)):
        operands = [operand(number, is_dense, fill) for number, is_dense in enumerate(dense)]
        tensors = {name: one for name, (one, _, _) in zip("AB", operands, strict=True)}
        formats = {name: one.format for name, one in tensors.items() if isinstance(one, it.Tensor)}
        kernel = it.compile("y[i] = @f(A[i], B[i])", formats=formats, operators=[declared], exact=exact)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = kernel(**tensors)
        wanted = expected(body, mask, exact, operands, 0.0 if all(dense) else fill)
        np.testing.assert_allclose(result, wanted, rtol=1e-14, err_msg=f"fill {fill}, dense {dense}")


def test_a_product_inside_of_a_body_annihilates_nothing_where_it_is_exact():
    scaled = it.operator("scaled", lambda a, b, c: a * b * c)
    keep = it.operator("keep", lambda a, b, c: a * b * c, region="c")
    a = it.Tensor.from_coo([[1]], [2.0], shape=(3,), format="compressed")
    c = np.array([np.inf, 1.0, 3.0])
    for declared in (scaled, keep):
        statement = f"y[i] = @{declared.name}(A[i], B[i], c[i])"
        for exact, first in ((False, 0.0), (True, np.nan)):
            kernel = it.compile(statement, operators=[declared], exact=exact)
            np.testing.assert_array_equal(kernel(A=a, B=a, c=c), [first, 4, 0])


def test_what_is_stored_does_not_depend_on_exact():
    asks = it.operator("asks", lambda a, b: it.functions.where(it.functions.stored(a), a, b))
    a = it.Tensor.from_coo([[1]], [2.0], shape=(3,), format="compressed")
    for exact in (False, True):
        kernel = it.compile("C[i] = @asks(A[i], A[i])", {"C": "compressed"}, operators=[asks], exact=exact)
        result = kernel(A=a)
        assert result.nnz == 1 and result.format.fill is None
