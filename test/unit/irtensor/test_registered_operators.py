"""Operators from a package outside of irtensor: all that statements, expressions and tools do, by one registration."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forget_registered import forget_registered
from loop_machine import call_native, compile_module, parse
from reference.evaluate_dense import evaluate_dense
from reference.interpret_loop import interpret_loop

import irtensor as it
from irtensor.core.arithmetic import FLOAT, INTEGER, Upstream
from irtensor.core.operators import OPERATORS
from irtensor.core.scalar_operator import Operator
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions

OUTSIDE = Path(__file__).parents[2] / "outside"
SHAPE = (5, 6)
MEANING = {
    "exp2(A[i,j])": lambda A, B: np.exp2(A),
    "absdiff(A[i,j], B[i,j])": lambda A, B: np.abs(A - B),
    "absdiff(A[i,j], 2)": lambda A, B: np.abs(A - 2),
    "rootsum(abs(A[i,j]), abs(B[i,j]))": lambda A, B: np.sqrt(np.abs(A)) + np.sqrt(np.abs(B)),
    "sum_of_roots(abs(A[i,j]))": lambda A, B: np.sqrt(np.abs(A)),
    "A[i,j] * absdiff(B[i,j], 1)": lambda A, B: A * np.abs(B - 1),
    "logaddexp(A[i,j], B[i,j])": lambda A, B: np.logaddexp(A, B),
}


@pytest.fixture(autouse=True)
def further(monkeypatch):
    """The package registers its operators when it is imported."""
    forget_registered()
    for name in [name for name in sys.modules if name.partition(".")[0] == "further"]:
        del sys.modules[name]
    monkeypatch.syspath_prepend(str(OUTSIDE))
    yield import_module("further.operators")
    forget_registered()


def matrix(seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(SHAPE) < 0.4, rng.integers(-3, 4, SHAPE), 0).astype(float)


def as_array(result):
    return result.to_numpy() if isinstance(result, it.Tensor) else np.asarray(result)


def wrong(*parts: Any, **named: Any) -> Operator:
    """An operator with parts of any type."""
    return Operator(*parts, **named)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("formats", [("csr", "csr"), ("dense, dense", "csc"), ("coo", "dense, dense")])
@pytest.mark.usefixtures("small_parts")
def test_statements_and_the_oracle(formats, threads):
    """Sparse and dense, merged and alone, into sparse and dense results."""
    A, B = matrix(1), matrix(2)
    for number, (text, expected) in enumerate(MEANING.items()):
        result = ("dense, dense", "csr")[number % 2]
        kernel = it.compile(f"C[i,j] = {text}", {"C": result}, convert=True, num_threads=threads)
        given = {"A": it.Tensor.from_numpy(A, formats[0]), "B": it.Tensor.from_numpy(B, formats[1])}
        given = {name: value for name, value in given.items() if f"{name}[" in text}
        np.testing.assert_allclose(as_array(kernel(**given)), expected(A, B), rtol=1e-14, err_msg=text)
        statement = insert_reductions(parse_statement(f"C[i,j] = {text}"))
        np.testing.assert_allclose(evaluate_dense(statement, {"A": A, "B": B}), expected(A, B), rtol=1e-14)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.usefixtures("small_parts")
def test_one_reduces(threads):
    A = matrix(3)
    kernel = it.compile("y[i] = logaddexp(j, A[i,j])", num_threads=threads)
    np.testing.assert_allclose(kernel(A=A), np.logaddexp.reduce(A, axis=1), rtol=1e-14)
    sparse = it.compile("y[i] = logaddexp(j, A[i,j] - 1)", num_threads=threads)(A=it.Tensor.from_numpy(A, "csr"))
    np.testing.assert_allclose(sparse, np.logaddexp.reduce(A - 1, axis=1), rtol=1e-14)
    ring = it.Semiring("logaddexp", "add")
    np.testing.assert_allclose(
        it.einsum("ij,j->i", A, np.arange(6.0), semiring=ring), np.logaddexp.reduce(A + np.arange(6.0), axis=1)
    )


def test_expressions_and_functions_of_numpy():
    A, B = matrix(1), matrix(2)
    T = it.Tensor.from_numpy(A, "csr")
    i, j = it.indices("i j")
    C = it.tensor_variable("C", 2)
    C[i, j] = it.functions.absdiff(T[i, j], it.as_tensor(B)[i, j]) + it.functions.exp2(T[i, j])
    np.testing.assert_allclose(as_array(C.evaluate()), np.abs(A - B) + np.exp2(A))
    np.testing.assert_allclose(as_array(np.exp2(T)), np.exp2(A))
    np.testing.assert_allclose(as_array(np.logaddexp(T, B)), np.logaddexp(A, B))
    assert "absdiff" in dir(it.functions) and it.functions.rootsum(T[i, j]) is not None


@pytest.mark.parametrize(
    "text, operand, expected",
    [
        ("exp2(x[i])", np.arange(4, dtype="i4"), np.exp2(np.arange(4, dtype="i4"))),
        ("exp2(x[i])", np.arange(4, dtype="f4"), np.exp2(np.arange(4, dtype="f4"))),
        ("absdiff(x[i], 3)", np.arange(4, dtype="i2"), np.array([3, 2, 1, 0], "i2")),
        ("absdiff(x[i], 2.5)", np.arange(4, dtype="i4"), np.array([2.5, 1.5, 0.5, 0.5])),
        ("absdiff(x[i], x[i])", np.array([True, False]), np.array([False, False])),
        ("absdiff(x[i], 250)", np.arange(2, dtype="i1"), None),
        ("rootsum(x[i], x[i])", np.array([2j, -1]), 2 * np.sqrt(np.array([-2j, np.conj(-1 + 0j)]))),
        ("x[i] + absdiff(2, 5)", np.arange(4, dtype="i4"), np.arange(4, dtype="i4") + 3),
    ],
)
def test_types_are_those_of_the_function(text, operand, expected):
    if expected is None:
        with pytest.raises((it.UserError, OverflowError)):
            it.compile(f"y[i] = {text}")(x=operand)
        return
    result = it.compile(f"y[i] = {text}")(x=operand)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_other_numbers_are_refused_where_they_stand():
    with pytest.raises(it.UserError) as caught:
        it.compile("y[i] = x[i] + exp2(x[i])")(x=np.array([1j]))
    assert caught.value.slug == "unsupported-operator" and caught.value.location is not None
    assert caught.value.message == "operator 'exp2' is not defined for complex128"
    assert caught.value.help == "take real(...), imag(...) or abs(...) of complex numbers first"


def test_the_ir_names_them():
    text = """
func.func @kernel(%n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n {
    %a = loop.load %x[%i] : f64
    %b = algebra.apply exp2(%a) : (f64) -> f64
    %c = algebra.apply absdiff(%a, %b) : (f64, f64) -> f64
    loop.store %c, %y[%i] : f64
  }
  func.return
}
"""
    x = np.array([0.5, -3.0, 9.0])
    native, interpreted = np.zeros(3), np.zeros(3)
    module = parse(text)
    assert call_native(compile_module(module, "kernel"), [np.int64(3), x, native]) == 0
    assert interpret_loop(module, "kernel", [np.int64(3), x, interpreted]) == 0
    for found in (native, interpreted):
        np.testing.assert_allclose(found, np.abs(x - np.exp2(x)), rtol=1e-14)
    assert OPERATORS["absdiff"].value_of((1.0, 3.5), ("f64", "f64")) == 2.5


def test_kernels_are_not_kept_on_the_disk(tmp_path):
    """The code of an operator from outside may be another one in the next process."""
    x = np.arange(3.0)
    for name, text in (("ours", "exp2(x[i])"), ("known", "exp(x[i])")):
        it.compile(f"y[i] = {text}", cache_dir=tmp_path / name)(x=x)
    count = [len({*(tmp_path / name).rglob("*.object")}) for name in ("ours", "known")]
    assert count[0] < count[1]


@pytest.mark.parametrize(
    "operator, message",
    [
        ("sinh", "an operator is an irtensor.core.scalar_operator.Operator, not str"),
        (Operator("sinh", 1, numpy="sinh"), "there is a function 'sinh' already"),
        (Operator("minimum", 2, numpy="minimum"), "there is a function 'minimum' already"),
        (Operator("exp2", 1, numpy="exp2"), "there is a function 'exp2' already"),
        (Operator("a b", 1, numpy="exp2"), "'a b' is not a name for an operator"),
        (Operator("other", 1, also=("sum",), numpy="exp2"), "there is a function 'sum' already"),
        (Operator("other", 1, numpy="exp2"), "operator 'other' has no definitions"),
        (Operator("other", 1, definitions={FLOAT: lambda by, a: a}), "operator 'other' has no meaning in NumPy"),
        (
            Operator("other", 1, definitions={FLOAT: lambda by, a: a}, numpy="no_such"),
            "operator 'other' has no meaning: NumPy has no function no_such",
        ),
        (
            Operator("other", 1, definitions={FLOAT: lambda by, a: by.arc(a)}, numpy="exp2"),
            "operator 'other' for float numbers uses 'arc', which is not an operator",
        ),
        (
            Operator("other", 1, definitions={INTEGER: lambda by, a: by.sqrt(a)}, numpy="exp2"),
            "operator 'other' for integer numbers uses an operator that has no definition for integer ones",
        ),
        (
            Operator("other", 2, definitions={FLOAT: lambda by, a: a}, numpy="hypot"),
            "operator 'other' for float numbers cannot be called: ",
        ),
        (
            Operator("other", 1, definitions={FLOAT: lambda by, a: by.isnan(a)}, numpy="exp2"),
            "operator 'other' for float numbers gives a bool, and result='same' is a float",
        ),
        (
            Operator("other", 1, definitions={FLOAT: Upstream("math.none", lambda e, a: a)}, numpy="exp2"),
            "operator 'other' is defined by 'math.none', which is not an operation of upstream dialects",
        ),
        (
            Operator("other", 1, definitions={"quaternion": lambda by, a: a}, numpy="exp2"),
            "operator 'other' has a definition for 'quaternion', which is not a kind of number",
        ),
        (
            Operator("other", 1, result="f64", definitions={FLOAT: lambda by, a: a}, numpy="exp2"),
            "operator 'other' has result='f64'",
        ),
        (
            wrong("other", 1, definitions={FLOAT: lambda by, a: 1 / by.truth(False)}, numpy="exp2"),
            "operator 'other' for float numbers raises ZeroDivisionError",
        ),
        (
            wrong("other", 1, definitions={FLOAT: lambda by, a: 2.0}, numpy="exp2"),
            "operator 'other' for float numbers makes a float, which is not a value in code",
        ),
        (
            wrong("other", 2, definitions={FLOAT: lambda by, a, b: a + b * 2}, numpy="hypot"),
            "operator 'other' for float numbers makes no code: ",
        ),
        (
            wrong("other", 1, definitions={FLOAT: lambda by, a: a if a > 0 else by.neg(a)}, numpy="exp2"),
            "operator 'other' for float numbers makes no code: ",
        ),
        (wrong("other", 1, definitions=abs, numpy="exp2"), "operator 'other' has definitions of type builtin_"),
        (wrong("other", 1, definitions={FLOAT: lambda by, a: a}, also="dbl"), "operator 'other' has also='dbl'"),
        (
            wrong("other", 2, left_identity=0.0, definitions={FLOAT: lambda by, a, b: a}, numpy="hypot"),
            "operator 'other' has left_identity=0.0",
        ),
        (
            wrong("other", 1, undoes="zzz", definitions={FLOAT: lambda by, a: a}, numpy="exp2"),
            "operator 'other' names 'zzz', which is not an operator",
        ),
        (
            wrong("other", 1, default="a", definitions={FLOAT: lambda by, a: a}, numpy="exp2"),
            "operator 'other' has default='a', which is not a number",
        ),
    ],
)
def test_what_is_no_operator_is_refused(operator, message):
    with pytest.raises(it.UserError) as caught:
        it.register_operator(operator)
    assert caught.value.slug == "bad-operator" and caught.value.message.startswith(message) and caught.value.help
    assert "other" not in OPERATORS
