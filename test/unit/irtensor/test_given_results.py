"""`out=` of kernels: memory that holds an operand as well gets what memory of its own would get."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cuda_stub import run_on_card

import irtensor as it

rng = np.random.default_rng(5)
X, Y, Z = (rng.random((4, 4)) for _ in range(3))
FORMATS = {"A": "csr", "T": "(i, j) -> (j : dense, i : dense)"}
# Statements over matrices, with what NumPy computes.
STATEMENTS: dict[str, Callable[..., Any]] = {
    "C[i,j] += A[i,k] * B[k,j]": lambda A, B, C: C + A @ B,
    "C[i,j] = A[i,k] * B[k,j]": lambda A, B: A @ B,
    "C[i,j] = B[i,k] * D[k,j]": lambda B, D: B @ D,
    "C[i,j] += B[i,k] * D[k,j]": lambda B, C, D: C + B @ D,
    "C[i,j] = T[i,k] * B[k,j]": lambda B, T: T @ B,
    "C[i,j] = B[j,i] + C[i,j]": lambda B, C: B.T + C,
    "C[i,j] min= B[i,k] + D[k,j]": lambda B, C, D: np.minimum(C, (B[:, :, None] + D[None]).min(axis=1)),
    "C[i,j] = C[i,j] / (1 + sum(k, C[i,k]))": lambda C: C / (1 + C.sum(axis=1, keepdims=True)),
    "C[i,l] = A[i,j] * B[j,k] * D[k,l]": lambda A, B, D: A @ B @ D,
}


def called(text: str, operands: dict[str, np.ndarray], name: str, **options: Any) -> None:
    """A kernel that writes to the memory of an operand, called twice."""
    kernel = it.compile(text, formats={one: FORMATS[one] for one in operands if one in FORMATS}, **options)
    given: dict[str, Any] = {one: value.copy() for one, value in operands.items()}
    given |= {one: it.Tensor.from_numpy(given[one], FORMATS[one]) for one in given if one in FORMATS}
    for _ in range(2):
        values = {
            one: np.array(value if type(value) is np.ndarray else value.to_numpy()) for one, value in given.items()
        }
        expected = STATEMENTS[text](**values)
        taken = given[name] if type(given[name]) is np.ndarray else given[name].values.reshape(expected.shape)
        assert kernel(**given, out=taken) is taken
        np.testing.assert_allclose(taken, expected)


@pytest.mark.parametrize("options", [{}, {"strict_fp": True}, {"num_threads": 3}], ids=["plain", "strict", "threads"])
@pytest.mark.parametrize("text", STATEMENTS)
def test_an_operand_is_the_result(text: str, options: dict[str, Any]):
    names = STATEMENTS[text].__code__.co_varnames
    operands = dict(zip(names, (X, Y, Z), strict=False))
    for name in names:
        if name != "A":
            called(text, operands, name, **options)


@pytest.mark.parametrize("shift", [-5, -1, 0, 1, 3, 4, 9])
def test_a_part_of_an_operand_is_the_result(shift: int):
    kernel = it.compile("y[i] = x[i] + sum(k, x[k])")
    memory = rng.random(20)
    x, out = memory[6:10], memory[6 + shift : 10 + shift]
    expected = x + x.sum()
    kernel(x=x, out=out)
    np.testing.assert_allclose(out, expected)


def test_values_of_a_sparse_operand_are_the_result():
    A = it.Tensor.from_numpy(np.eye(3) * 2, "csr")
    kernel = it.compile("y[i] = A[i,j] * x[j] + x[i]", formats={"A": "csr"})
    out = A.values
    kernel(A=A, x=np.arange(3.0), out=out)
    np.testing.assert_array_equal(out, [0, 3, 6])


def test_a_number_is_the_result():
    kernel, s = it.compile("s += x[i] * y[i]"), np.array(2.0)
    assert kernel(x=np.ones(3), y=np.ones(3), s=s, out=s) == 5
    assert kernel(x=np.ones(3), y=np.ones(3), s=s, out=s) == 8 == s


@pytest.mark.parametrize("format", ["dense, dense", "csr", "csc"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X[i,d] += A[i,j] * X[j,d]", lambda A, X: X + A @ X),
        ("X[i,d] *= X[i,d] + A[i,d]", lambda A, X: X * (X + A)),
        ("X[i,d] min= A[i,j] + X[j,d]", lambda A, X: np.minimum(X, (A[:, :, None] + X[None]).min(1))),
        ("X[i,d] max= X[d,i] - A[i,d]", lambda A, X: np.maximum(X, X.T - A)),
        ("X[i,d] = A[i,j] * X[j,d]", lambda A, X: A @ X),
        ("X[i,d] = X[i,d] - sum(j, A[i,j] * X[j,d])", lambda A, X: X - A @ X),
    ],
)
def test_a_right_side_reads_the_result(text: str, expected: Callable[..., Any], format: str):
    """Its old values take part in a compound assignment, as with NumPy, in new memory and in the operand's own."""
    rng = np.random.default_rng(7)
    A, X = (rng.integers(-3, 4, (4, 4)) * (rng.random((4, 4)) < 0.6) * 1.0 for _ in range(2))
    kernel = it.compile(text, formats={"A": format})
    before = X.copy()
    np.testing.assert_array_equal(kernel(A=it.Tensor.from_numpy(A, format), X=X), expected(A, before))
    np.testing.assert_array_equal(X, before)
    kernel(A=it.Tensor.from_numpy(A, format), X=X, out=X)
    np.testing.assert_array_equal(X, expected(A, before))


def test_an_array_is_as_it_was_after_an_error():
    kernel = it.compile("y[i] = x[i] * sum(k, B[k,i])")
    x = np.ones(3)
    with pytest.raises(it.UserError, match="extent-mismatch"):
        kernel(x=x, B=np.ones((2, 4)), out=x)
    np.testing.assert_array_equal(x, [1, 1, 1])


def test_an_array_of_its_own_is_written_to_at_once(monkeypatch: pytest.MonkeyPatch):
    """No memory is made for a result, unless an operand is in the array that is given."""
    from irtensor.compiler.kernel import kernel as kernels

    made: list[Any] = []
    empty = kernels.empty_array
    monkeypatch.setattr(kernels, "empty_array", lambda *one: made.append(one) or empty(*one))
    kernel = it.compile("y[i] = x[i] + z[i]")
    memory = np.ones(8)
    kernel(x=memory[:4], z=np.ones(4), out=memory[4:])
    assert not made
    kernel(x=memory[:4], z=np.ones(4), out=memory[1:5])
    assert len(made) == 1
    np.testing.assert_array_equal(memory, [1, 2, 2, 2, 2, 2, 2, 2])


def test_on_a_card():
    ran = run_on_card(
        """
kernel = compiled("y[i] += A[i,j] * x[j]")
Y = it.cuda.to_device(np.ones(2))
for _ in range(2):
    show(kernel(A=A, x=X, y=Y, out=Y) is Y, Y.to_numpy().tolist())
S = it.cuda.to_device(np.arange(9.0).reshape(3, 3))
show(it.einsum("ij,jk->ki", S, S, out=S) is S, S.to_numpy().tolist())
del kernel, Y, S
""",
        to_the_end=True,
    )
    square = np.arange(9.0).reshape(3, 3)
    assert ran.shown == [True, [10.0, 13.0], True, [19.0, 25.0], True, (square @ square).T.tolist()]
    assert ran.kept() == set()
