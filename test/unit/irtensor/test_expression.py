"""Lazy expressions: what they build, and what they refuse."""

import importlib
from typing import Any

import numpy as np
import pytest
from reference.dense_compiler import compile_statement

from irtensor.api.expression import access, evaluate, functions, indices, tensor_variable
from irtensor.core.diagnostics import UserError
from irtensor.named_formats import CSR
from irtensor.tensors.indexing import Indexable
from irtensor.tensors.tensor import Tensor

module = importlib.import_module("irtensor.api.expression")
i, j, k = indices("i j k")


@pytest.fixture(autouse=True)
def oracle(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_load_compiler", lambda: compile_statement)


def define(expression, *target) -> str:
    y = tensor_variable("y", len(target))
    y[target] = expression
    return str(y.definition)


A, B, x, s = (tensor_variable(name, rank) for name, rank in (("A", 2), ("B", 2), ("x", 1), ("s", 0)))


def test_operators():
    assert define(A[i, j] * x[j] + 1, i) == "y[i] = sum(j, A[i, j] * x[j]) + 1"
    assert define(2 * x[i] - x[i] / 3 // x[i] % 2, i) == "y[i] = 2 * x[i] - x[i] / 3 // x[i] % 2"
    assert define(-(x[i] ** 2) + 2 ** x[i], i) == "y[i] = -x[i] ** 2 + 2 ** x[i]"
    assert define((x[i] > 0) & ~(x[i] == 1) | (x[i] != 2) ^ (3 <= x[i]), i) == (
        "y[i] = (x[i] > 0) & ~(x[i] == 1) | (x[i] != 2) ^ (x[i] >= 3)"
    )
    assert define(abs(x[i]) < +x[i], i) == "y[i] = abs(x[i]) < x[i]"
    assert define(s[()] * x[i], i) == "y[i] = s * x[i]"


def test_functions():
    f = functions
    assert define(f.sum(k, A[i, k] + x[i]), i) == "y[i] = sum(k, A[i, k] + x[i])"
    assert define(f.sum((j, k), A[j, k])) == "y = sum(j, k, A[j, k])"
    assert define(f.max(k, A[i, k]) + f.max(x[i], 0, 1), i) == "y[i] = max(k, A[i, k]) + max(max(x[i], 0), 1)"
    assert define(f.where(x[i] > 0, f.sqrt(x[i]), f.exp(-1)), i) == "y[i] = where(x[i] > 0, sqrt(x[i]), exp(-1))"
    assert define(f.reduce("xor", k, A[i, k] > 0), i) == "y[i] = xor(k, A[i, k] > 0)"
    assert define(f.elementwise("first", x[i], 1), i) == "y[i] = first(x[i], 1)"
    assert define(f.abs(x[i]) - f.atan2(x[i], 1), i) == "y[i] = abs(x[i]) - atan2(x[i], 1)"


def test_numpy_scalars_are_operands_and_python_numbers_literals():
    y = tensor_variable("y", 1)
    y[i] = np.float64(2) * x[i] * 3
    assert str(y.definition) == "y[i] = A * x[i] * 3"
    assert y.operands["A"] == 2.0


def test_evaluation():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    C = tensor_variable("C", 2)
    C[i, j] = access(a, (i, k)) * access(b, (k, j))
    np.testing.assert_array_equal(C.evaluate(), a @ b)
    C[i, j] = access(a, (i, k)) * B[k, j]
    np.testing.assert_array_equal(C.evaluate({"B": b.T.copy().T}), a @ b)
    sparse = C.evaluate({"B": b}, format=CSR)
    assert isinstance(sparse, Tensor) and sparse.format == CSR
    y = tensor_variable("y", 0)
    y[()] = access(Tensor.from_numpy(a, CSR), (i, j))
    assert y.evaluate() == 15.0 and isinstance(y.evaluate(), np.float64)


def test_unnamed_tensors_get_free_names():
    a = np.ones((2, 2))
    C = tensor_variable("C", 2)
    C[i, j] = access(a, (i, j)) + A[i, j] * access(a.copy(), (j, i)) + access(a, (j, i))
    assert str(C.definition) == "C[i, j] = B[i, j] + A[i, j] * D[j, i] + B[j, i]"


def test_repr_shows_the_expression():
    assert repr(A[i, j] * 2) == "<expression A[i, j] * 2>"


@pytest.mark.parametrize(
    ("attempt", "slug"),
    [
        (lambda: bool(x[i] > 0), "expression-as-value"),
        (lambda: A[i], "rank-mismatch"),
        (lambda: A[0, 1], "unsupported-index"),
        (lambda: A[0.5 * i, j], "unsupported-index"),
        (lambda: A[i * k, j], "unsupported-index"),
        (lambda: x[i].where(i > 1) + 1, "unsupported-operator"),
        (lambda: bool(i == j), "expression-as-value"),
        (lambda: x[i] + np.ones(3), "expression-as-value"),
        (lambda: x[i] + "2", "expression-as-value"),
        (lambda: x[i] + tensor_variable("x", 1)[i], "name-conflict"),
        (lambda: define((A[i, k] + x[i]) * x[i], i), "ambiguous-sum"),
        (lambda: define(A[i, i], i, i), "repeated-result-index"),
        (lambda: tensor_variable("y", 1).evaluate(), "undefined-variable"),
        (lambda: functions.sum(x[i]), "wrong-arity"),
        (lambda: functions.elementwise("frobnicate", x[i]), "unknown-operator"),
        (lambda: indices(""), "bad-index"),
        (lambda: indices("2"), "bad-index"),
        (lambda: tensor_variable("2", 1), "bad-name"),
    ],
)
def test_refusals(attempt, slug):
    with pytest.raises(UserError) as caught:
        attempt()
    assert caught.value.slug == slug


def test_missing_and_mismatched_operands():
    y = tensor_variable("y", 1)
    y[i] = A[i, j] * x[j]
    with pytest.raises(UserError, match="tensor variable x has no data"):
        y.evaluate({"A": np.ones((2, 3))})
    with pytest.raises(UserError, match=r"index j has extent 4 in dimension 0 of x\[j\], but 3 in A\[i, j\]"):
        y.evaluate({"A": np.ones((2, 3)), "x": np.ones(4)})
    with pytest.raises(UserError, match="no operand is given"):
        assert y.definition is not None
        evaluate(y.definition, {"A": np.ones((2, 3))})


def test_not_iterable():
    for value in (A, A[i, j]):
        with pytest.raises(TypeError):
            iter(value)  # pyrefly: ignore[no-matching-overload]


class Handle(Indexable):
    """What Tensor needs to take part: shape, format, dtype, and replace_storage."""

    def __init__(self, array: np.ndarray):
        self.shape, self.dtype, self.format = array.shape, array.dtype, CSR
        self.stored: Any = None

    def replace_storage(self, other) -> None:
        self.stored = other


def test_assignment_to_a_tensor_computes_now():
    C = Handle(np.zeros((2, 2), np.float32))
    C[i, j] = access(np.arange(4.0).reshape(2, 2), (j, i)) * 2
    assert C.stored.format == CSR and C.stored.dtype == np.float32
    np.testing.assert_array_equal(C.stored.to_numpy(), [[0, 4], [2, 6]])
    with pytest.raises(TypeError, match="same_kind"):
        C[i, j] = access(np.ones((2, 2)), (j, i)) * 2j
    with pytest.raises(UserError, match="result has shape"):
        C[i, j] = access(np.ones((3, 2)), (j, i))


def test_a_flat_sum_may_have_many_terms():
    y, total = tensor_variable("y", 1), x[i]
    for k in range(300):
        total = total - x[i] if k % 3 == 0 else total + x[i]
    y[i] = total
    statement = y.definition
    assert statement is not None
    assert sum_of_ones(statement.expression) == 1 + 200 - 100


def sum_of_ones(expression):
    """A sum in which every access is 1."""
    if not hasattr(expression, "arguments"):
        return 1
    left, right = map(sum_of_ones, expression.arguments)
    return left + right if expression.operator == "add" else left - right


def test_an_expression_too_large_to_work_on():
    deep, wide = x[i], x[i]
    for _ in range(5000):
        deep = deep * x[i]
    for _ in range(200):
        wide = wide * wide  # a tree of 2**200 nodes
    for expression, reason in ((deep, "deeper than 200"), (wide, "more than 20000")):
        assert reason in repr(expression)
        with pytest.raises(UserError, match=reason) as caught:
            define(expression, i)
        assert caught.value.slug == "notation-too-deep"


def test_a_result_is_no_other_tensor_of_its_name():
    first, second = tensor_variable("a", 1), tensor_variable("a", 1)
    for value in (second[i], 2 * second[i] + x[i], functions.sum(j, A[i, j] * second[j])):
        with pytest.raises(UserError, match="name-conflict"):
            first[i] = value
    # A variable that reads itself is one and the same.
    first[i] = first[i] + x[i]
    assert first.definition is not None


@pytest.mark.parametrize("index", [0, slice(2, 5), slice(None, None, 2), ..., None, np.array([1, 2])])
def test_subscripts_of_arrays_say_what_to_write(index):
    with pytest.raises(UserError, match="unsupported-index") as caught:
        tensor_variable("t", 1)[index]
    assert "T[2:5][i, j]" in str(caught.value) and "irtensor.indices" in str(caught.value)


def test_operators_with_a_number_on_the_left():
    for expression, text in (
        (1 + x[i], "1 + x[i]"),
        (1 - x[i], "1 - x[i]"),
        (2 / x[i], "2 / x[i]"),
        (7 // x[i], "7 // x[i]"),
        (7 % x[i], "7 % x[i]"),
        (6 & x[i], "6 & x[i]"),
        (6 | x[i], "6 | x[i]"),
        (6 ^ x[i], "6 ^ x[i]"),
    ):
        assert define(expression, i) == f"y[i] = {text}"


def test_an_index_variable_is_shown_by_its_name():
    assert str(i) == "i"
    with pytest.raises(UserError, match="'i' is not an index variable") as caught:
        x["i"]
    assert caught.value.help == 'make some with i, j = irtensor.indices("i j")'
