"""The oracle against NumPy written by hand, and against np.einsum."""

import numpy as np
import pytest
from reference.evaluate_dense import evaluate_dense

from irtensor.api.expression import functions
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.frontend.user_operator import operator


def run(text: str, declared=(), extents=None, **operands) -> np.ndarray:
    statement = insert_reductions(parse_statement(text, [operator.name for operator in declared]))
    return evaluate_dense(statement, operands, extents, declared)


def check(result: np.ndarray, expected) -> None:
    expected = np.asarray(expected)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


A = np.arange(6.0).reshape(2, 3) - 2
B = np.arange(12.0).reshape(3, 4)
x = np.array([1.0, -1.0, 2.0])
b = np.array([10.0, 20.0])
n = np.array([3, -5, 7], np.int8)
t = np.array([True, False, True])


def test_products_and_sums():
    check(run("y[i] = A[i,j]*x[j] + b[i]", A=A, x=x, b=b), A @ x + b)
    check(run("C[i,j] = A[i,k]*B[k,j]", A=A, B=B), A @ B)
    check(run("C[j,i] = A[i,j]", A=A), A.T)
    check(run("s = A[i,j]", A=A), A.sum())
    check(run("s = M[i,i]", M=np.eye(3)), 3.0)
    T = np.arange(12.0).reshape(2, 3, 2)
    check(run("d[i] = T[i,j,i]", T=T), np.einsum("iji->i", T))


def test_a_variable_ranges_over_its_whole_extent():
    # b is added once per j, although only A has j.
    check(run("y[i] = sum(j, A[i,j] + b[i])", A=A, b=b), A.sum(1) + 3 * b)
    check(run("C[i,j] = b[i] + x[j]", b=b, x=x), b[:, None] + x)
    check(run("y[i] = 1.5", extents={"i": 3}), np.full(3, 1.5))
    check(run("s = sum(j, b[i] * 0 + 1) * x[j]", b=b[:1], x=x), x.sum() * 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C[i] min= A[i,j] + x[j]", (A + x).min(1)),
        ("C[i] max= A[i,j] * x[j]", (A * x).max(1)),
        ("C[i] *= A[i,j]", A.prod(1)),
        ("C[i] |= A[i,j] > x[j]", (A > x).any(1)),
        ("C[i] &= A[i,j] > x[j]", (A > x).all(1)),
        ("C[i] ^= A[i,j] > x[j]", np.logical_xor.reduce(A > x, axis=1)),
        ("C[i] = sum(j, A[i,j] > x[j])", (A > x).sum(1)),
    ],
)
def test_reductions(text: str, expected: np.ndarray):
    check(run(text, A=A, x=x), expected)


def test_empty_reductions_give_the_identity():
    empty = np.zeros((2, 0))
    check(run("y[i] = A[i,j]", A=empty), np.zeros(2))
    check(run("y[i] min= A[i,j]", A=empty), np.full(2, np.inf))
    check(run("y[i] max= A[i,j]", A=empty.astype(np.int8)), np.full(2, -128, np.int8))
    check(run("y[i] *= A[i,j]", A=empty), np.ones(2))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y[i] = n[i] + 1", n + 1),
        ("y[i] = n[i] * 1.5", n * 1.5),
        ("y[i] = n[i] / 2", n / 2),
        ("y[i] = n[i] // 2", n // 2),
        ("y[i] = n[i] % 4", n % 4),
        ("y[i] = n[i] + n[i]*n[i]", n + n * n),
        ("y[i] = 1/2 * n[i]", 0.5 * n),
        ("y[i] = n[i] + 1j", n + 1j),
        ("y[i] = n[i] ** 2", n**2),
        ("y[i] = n[i] & 6 | 1", n & 6 | 1),
        ("y[i] = ~n[i]", ~n),
        ("y[i] = t[i] + t[i]", t + t),
        ("y[i] = t[i] * 3", t * 3),
        ("y[i] = ~t[i]", ~t),
        ("y[i] = abs(x[i] + 1j)", abs(x + 1j)),
        ("y[i] = where(t[i], x[i], n[i])", np.where(t, x, n)),
        ("y[i] = where(n[i], 1, 2.5)", np.where(n, 1, 2.5)),
        ("y[i] = max(n[i], 0)", np.maximum(n, 0)),
        ("y[i] = floor(n[i])", n),
        ("y[i] = first(n[i], x[i])", n.astype(float)),
        ("y[i] = real(x[i] * 1j) + imag(x[i])", 0 * x),
        ("y[i] = sqrt(n[i] * n[i])", np.sqrt((n * n).astype(np.float32))),
    ],
)
def test_promotion_is_numpys(text: str, expected: np.ndarray):
    with np.errstate(all="ignore"):
        check(run(text, n=n, t=t, x=x), expected)


def test_single_precision_stays_single():
    f = x.astype(np.float32)
    check(run("y[i] = 2 * f[i] + 0.5", f=f), 2 * f + 0.5)
    check(run("y[i] = f[i] * 1j", f=f), f * 1j)


def test_declared_operators():
    join = operator("join", lambda a, b: a + b + a * b, identity=0, associative=True)
    near = operator("near", lambda a, b: abs(a - b) < 2)
    mix = operator("mix", lambda a, b, c: functions.where(a < b, c, b / 2))
    declared = (join, near, mix)
    check(run("C[i,j] = @join(A[i,j], 1)", declared, A=A), 2 * A + 1)
    check(run("y[i] = @join(j, A[i,j])", declared, A=A), (1 + A).prod(1) - 1)
    check(run("y[i] = @near(x[i], n[i])", declared, x=x, n=n), abs(x - n) < 2)
    check(run("y[i] = @mix(n[i], 1, 5)", declared, n=n), np.where(n < 1, 5, 0.5))
    check(run("s = @join(1, 2) + x[i]", declared, x=x), 5.0 + x.sum())


def test_bad_operands():
    with pytest.raises(ValueError, match="index j ranges over 3 and over 4"):
        run("y[i] = A[i,j]*x[j]", A=A, x=np.ones(4))
    with pytest.raises(ValueError, match="A has 2 dimensions"):
        run("y[i] = A[i]", A=A)
    with pytest.raises(KeyError):
        run("y[i] = A[i]")
