"""Declared operators that distribute over a reduction: how that is declared and kept, and what `precompute` does."""

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.api.expression import functions
from irtensor.compiler.compilation.compile_request import CompileRequest
from irtensor.core.operators import OPERATORS
from irtensor.frontend.declared_operator import declared_operator
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.operators.known_operators import REDUCTIONS
from irtensor.options import current_options

least = it.operator("least", lambda a, b: functions.where(a < b, a, b), identity=np.inf, associative=True)
A, B = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]), np.arange(12.0).reshape(3, 4)
x = np.array([1.0, 2.0, 0.0, 1.0])


def times(*over, name="times"):
    return it.operator(name, lambda a, b: a * b, distributes_over=over)


@pytest.mark.parametrize(
    "given, expected",
    [
        ((), ()),
        (("add",), ("add",)),
        (["+", "min", "add"], ("add", "min")),
        ("max", ("max",)),
        (("*", "|", "&", "^", "minimum"), ("mul", "or", "and", "xor", "min")),
        (least, ("@least",)),
        ((least, "@least", "+", "@most"), ("@least", "add", "@most")),
    ],
)
def test_names(given, expected):
    assert it.operator("f", lambda a, b: a, distributes_over=given).distributes_over == expected


def test_every_reduction_of_the_notation_has_a_name():
    assert it.operator("f", lambda a, b: a, distributes_over=REDUCTIONS).distributes_over == tuple(REDUCTIONS)


@pytest.mark.parametrize(
    "wrong",
    ["least", "@", "@a b", "sub", "neg", "", 3, None, (None,), ("add", 3), it.operator("twice", lambda a: a + a)],
    ids=str,
)
def test_what_is_no_reduction_is_refused(wrong):
    with pytest.raises(it.UserError, match=r"\[bad-operator\]"):
        it.operator("f", lambda a, b: a, distributes_over=wrong)


def test_it_is_a_part_of_the_operator():
    """Of its value, of copies, and of what a kernel is known by, in memory and on disk."""
    plain, distributing = times(), times("add", least)
    assert plain != distributing and distributing == times("+", "@least")
    for copied in (pickle.loads(pickle.dumps(distributing)), copy.deepcopy(distributing)):
        assert copied == distributing and copied.distributes_over == ("add", "@least")
    request = CompileRequest(parse_statement("y[i] = @times(a[i], b[i])", ["times"]), (), operators=(plain,))
    other = replace(request, operators=(distributing,))
    options = current_options()
    assert request != other and request.structure(options) != other.structure(options)


def test_the_operator_of_a_dtype():
    over = times("add", least)
    assert declared_operator(over, np.dtype(np.float32)).distributes_over == ("add", "@least")
    # Of whole numbers it gives floats, which are reduced by another operator than its arguments would be.
    half = it.operator("half", lambda a, b: a * b / 2, distributes_over=("add",))
    assert declared_operator(half, np.dtype(np.int64)).distributes_over == ()
    assert declared_operator(half, np.dtype(np.float64)).distributes_over == ("add",)


def test_in_the_module():
    """Each dtype has operators of its own; those that do not reduce in the module are left out."""
    text, operators = (
        "y[i] = @least(j, @times(a[i,j], b[j])) + @least(j, @times(c[i,j], d[j]))",
        [times("+", least), least],
    )
    kernel = it.compile(text, operators=operators)
    single = np.float32
    kernel(a=A, b=np.ones(3), c=A.astype(single), d=np.ones(3, single))
    ir = kernel.ir("index_notation")
    for name, element, suffix in (("times", "f64", ""), ("times_float32", "f32", "_float32")):
        declared = f"algebra.operator @{name}(%a: {element}, %b: {element}) -> {element}"
        assert f'{declared} attributes {{distributes_over = ["add", @least{suffix}]}}' in ir
    alone = it.compile("y[i] = @times(a[i], b[i])", operators=operators)
    alone(a=x, b=x)
    assert 'attributes {distributes_over = ["add"]}' in alone.ir("index_notation")
    half = it.operator("half", lambda a, b: a * b / 2, distributes_over=("add",))
    whole = it.compile("y[i] += @half(a[i,j], b[j])", operators=[half])
    np.testing.assert_array_equal(whole(a=np.arange(6).reshape(2, 3), b=np.arange(3)), [2.5, 7.0])
    assert "distributes_over" not in whole.ir("index_notation")


def test_what_is_named_like_the_reduction_but_does_not_combine_two_values():
    """Operators are meant by name; what takes one argument is no reduction of the module."""
    single = it.operator("least", lambda a: a)
    kernel = it.compile("y[i] = @times(a[i], @least(b[i]))", operators=[times("@least"), single])
    np.testing.assert_array_equal(kernel(a=x, b=x), x * x)
    assert "distributes_over" not in kernel.ir("index_notation")


def test_precompute_sums_before_it():
    """A loop that only a part needs goes to the part, which is then reduced by itself."""
    text, schedule = "y[i] += @times(A[i,j] * B[j,k], x[i])", "precompute(A[i,j] * B[j,k], over=i)"
    given = {"A": A, "B": B, "x": x[:2]}
    kernel = it.compile(text, operators=[times("add")], schedule=it.schedule(schedule))
    np.testing.assert_array_equal(kernel(**given), (A @ B).sum(1) * x[:2])
    assert "where" in kernel.ir("concrete_index")
    with pytest.raises(it.UserError, match="'@times' is applied, which does not distribute over 'add'") as caught:
        it.compile(text, operators=[times("min")], schedule=it.schedule(schedule))(**given)
    assert str(caught.value).endswith("; if '@times' distributes, declare it with distributes_over")


def test_precompute_reduces_with_a_declared_operator():
    text = "y[i] @least= @plus(A[i,j] * B[j,k], x[i])"
    plus = it.operator("plus", lambda a, b: a + b, distributes_over=least)
    schedule = it.schedule("precompute(A[i,j] * B[j,k], over=i)")
    expected = (A[:, :, None] * B).min((1, 2)) + x[:2]
    kernel = it.compile(text, operators=[plus, least], schedule=schedule)
    np.testing.assert_array_equal(kernel(A=A, B=B, x=x[:2]), expected)


def test_the_search_reduces_parts_of_arguments():
    text, formats = "y[i] += @times(@times(A[i,j], B[j,k]), x[k])", {"A": it.CSR, "B": it.CSR}
    traits: dict[str, Any] = {"annihilator": 0, "commutative": True, "associative": True}
    given = {"A": it.Tensor.from_numpy(A, it.CSR), "B": it.Tensor.from_numpy(B, it.CSR), "x": x}
    for over, found in ((("add",), True), ((), False)):
        declared = it.operator("times", lambda a, b: a * b, **traits, distributes_over=over)
        kernel = it.compile(text, formats=formats, operators=[declared], schedule="auto")
        np.testing.assert_array_equal(kernel(**given), A @ (B @ x))
        assert ("w[j] += @times(B[l(j),s(k)], x[k])" in kernel.explain()) == found


def test_the_multiplication_of_a_semiring_keeps_it():
    """For the addition of the semiring: beside its identity, missing entries, the multiplication gives that as well."""
    multiply = times("add", "min")
    semiring = it.Semiring("add", multiply)
    (declared,) = semiring.operators(np.dtype(float))[2]
    assert declared.annihilator == 0 and declared.distributes_over == ("add",)
    np.testing.assert_array_equal(it.einsum("ij,jk,k->i", A, B, x, semiring=semiring), A @ B @ x)
    # A built-in one may only do so without missing entries: the greatest integer and 1 is another one.
    (plus,) = it.Semiring("min", "add").operators(np.dtype(int))[2]
    assert "min" in OPERATORS["add"].distributes_over and plus.distributes_over == ()


MATRICES = np.random.default_rng(3).integers(-3, 4, (2, 4, 5)) * 0.5
OF_TWO_REDUCTIONS = {
    "R += prod(k, A[j,k])": lambda A, B, x: A.prod(1).sum(),
    "R += x[j] * prod(k, A[j,k] * B[j,k])": lambda A, B, x: (x * (A * B).prod(1)).sum(),
    "R max= sum(k, A[j,k])": lambda A, B, x: A.sum(1).max(),
    "R += max(k, A[j,k]) * x[j]": lambda A, B, x: (A.max(1) * x).sum(),
    "R min= max(k, A[j,k] + B[j,k])": lambda A, B, x: (A + B).max(1).min(),
    "y[k] += prod(j, A[j,k]) * x[i]": lambda A, B, x: A.prod(0) * x.sum(),
    "R += sum(k, A[j,k]) * x[j]": lambda A, B, x: (A.sum(1) * x).sum(),
    "R += prod(k, A[j,k]) * sum(k, B[j,k])": lambda A, B, x: (A.prod(1) * B.sum(1)).sum(),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("format", [None, it.DCSR], ids=str)
@pytest.mark.parametrize("notation", OF_TWO_REDUCTIONS)
def test_a_reduction_inside_of_another_one_keeps_its_loops(notation, format):
    """The loop over rows does not go to where the elements of one row are multiplied."""
    given = dict(zip("ABx", (*MATRICES, np.arange(1.0, 5)), strict=True))
    expected = OF_TWO_REDUCTIONS[notation](**given)
    read = {name: array for name, array in given.items() if f"{name}[" in notation}
    formats = {name: format for name in read if format is not None and name != "x"}
    np.testing.assert_allclose(it.compile(notation, formats, schedule="auto")(**read), expected)
