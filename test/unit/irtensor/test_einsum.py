"""The front door of einsum, with the dense oracle in the compiler's place."""

import importlib
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
import sparse
from reference.dense_compiler import compile_statement

from irtensor.api import einsum_request
from irtensor.core.diagnostics import UserError
from irtensor.named_formats import COO, CSR
from irtensor.tensors.tensor import Tensor

# irtensor.einsum is also the name of the function that the package exports.
front = importlib.import_module("irtensor.api.einsum")
einsum = front.einsum


@pytest.fixture(autouse=True)
def requests(monkeypatch: pytest.MonkeyPatch):
    """The statements compiled in a test, as text."""
    made: list[str] = []

    def record(statement, operands, result_format=None, operators=(), wide=()):
        made.append(str(statement))
        return compile_statement(statement, operands, result_format)

    front.clear_plans()
    monkeypatch.setattr(einsum_request, "_load_compiler", lambda: record)
    yield made
    front.clear_plans()


def test_misspelled_settings_are_compared_with_all_keywords():
    """What `check_options` knows are the keywords of the function itself."""
    assert (*einsum.__kwdefaults__,) == einsum_request.KEYWORDS


A = np.arange(6.0).reshape(2, 3)
B = np.arange(12.0).reshape(3, 4)
x = np.array([1.0, 2.0, 3.0])
S = scipy.sparse.csr_array(np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]))


def same(result, expected) -> None:
    assert type(result) is type(expected)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)


def test_numpy_operands_give_numpy_results():
    same(einsum("ij,j->i", A, x), A @ x)
    same(einsum("ij,jk", A, B), A @ B)
    same(einsum("ij->", A), np.einsum("ij->", A))
    same(einsum("...,...", 2, [1, 2]), np.array([2, 4]))


def test_a_second_call_compiles_nothing(requests):
    for _ in range(3):
        einsum("ij,j->i", A, x)
    einsum("ij,j->i", A + 1, x)
    assert requests == ["result[i] = sum(j, operand0[i, j] * operand1[j])"]


def test_transposed_arrays_are_read_in_place(requests):
    same(einsum("ij,j->i", B.T, x), B.T @ x)
    assert requests == ["result[i] = sum(j, operand0[j, i] * operand1[j])"]


def test_an_operand_given_twice_is_one_operand(requests):
    same(einsum("ij,ij->", A, A), np.einsum("ij,ij->", A, A))
    same(einsum("ij,kj->ik", A, A), A @ A.T)
    same(einsum("ij,ij->", A, A.copy()), np.einsum("ij,ij->", A, A))
    assert requests == [
        "result = sum(i, j, operand0[i, j] * operand0[i, j])",
        "result[i, k] = sum(j, operand0[i, j] * operand0[k, j])",
        "result = sum(i, j, operand0[i, j] * operand1[i, j])",
    ]


def test_sparse_operands():
    for operand in (S, S.tocoo(), S.tocsc(), Tensor.from_scipy(S), Tensor.from_numpy(S.toarray(), COO(2))):
        same(einsum("ij,j->i", operand, x), S @ x)
    same(einsum("ij,j->i", sparse.COO.from_numpy(S.toarray()), x), S @ x)
    ones = scipy.sparse.csr_array(np.ones((2, 1)))
    same(einsum("ij,ij->j", S, ones), S.toarray().sum(0))


def test_sparse_results():
    result = einsum("ij,ij->ij", S, S, format=CSR)
    assert isinstance(result, Tensor) and result.format == CSR
    np.testing.assert_array_equal(result.to_numpy(), S.toarray() ** 2)
    assert einsum("ij->ji", S, format=COO).format == COO(2)
    assert einsum("ij->ji", S, format="dense, compressed").format == CSR
    assert isinstance(einsum("ij", A, format=CSR), Tensor)
    with pytest.raises(UserError, match="rank 2, the result has rank 1"):
        einsum("ij,j->i", S, x, format=CSR)
    with pytest.raises(UserError, match="give one of them"):
        einsum("ij,j->i", S, x, format=CSR, out=np.zeros(2))


def test_many_operands(requests):
    arrays = [np.random.default_rng(0).random((4, 4)) for _ in range(4)]
    expected = np.linalg.multi_dot(arrays)
    for optimize in (False, True, "greedy", "optimal", ["einsum_path", (0, 1), (0, 1), (0, 1)]):
        np.testing.assert_allclose(einsum("ij,jk,kl,lm", *arrays, optimize=optimize), expected)
    product = "operand0[i, j] * operand1[j, k] * operand2[k, l] * operand3[l, m]"
    assert requests[0] == f"result[i, m] = sum(j, k, l, {product})"
    assert len(requests) == 1 + 3 * 4


def test_big_dense_intermediates_of_sparse_and_dense_operands_are_refused():
    """Of 256 MB or more than operands and result take."""
    path = [(0, 1), (0, 1)]
    for extent in (1000, 8000):
        thin = scipy.sparse.csr_array(np.eye(extent, 2))
        given = ("ia,ja,ij->", thin, np.eye(extent, 2), scipy.sparse.eye_array(extent))
        if extent == 1000:
            assert einsum(*given, optimize=path) == 2
            continue
        with pytest.raises(UserError, match="dense-intermediate"):
            einsum(*given, optimize=path)


@pytest.mark.parametrize("code", "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 >f8 >i4".split())
def test_dtypes(code: str):
    left, right = (np.arange(12).reshape(3, 4) * 7).astype(code), np.arange(4).astype(code)
    same(einsum("ij,j->i", left, right), np.einsum("ij,j->i", left, right))
    same(einsum("i->", right), np.einsum("i->", right))
    same(einsum("ij,j->i", left, x.repeat(2)[:4]), np.einsum("ij,j->i", left, x.repeat(2)[:4]))


def test_dtype_and_casting():
    n = np.array([100, 100], np.int8)
    same(einsum("i,i->i", n, n), np.einsum("i,i->i", n, n))
    same(einsum("i,i->i", n, n, dtype="i4"), np.einsum("i,i->i", n, n, dtype="i4"))
    same(einsum("i,i->i", n, n, out=np.zeros(2, np.int64)), np.full(2, 10000))
    same(einsum("i,i->i", A[0], A[0], dtype="f4", casting="same_kind"), (A[0] ** 2).astype("f4"))
    same(einsum("i,i->i", A[0], A[1], dtype="?", casting="unsafe"), (A[0] != 0) & (A[1] != 0))
    for bad in ({"dtype": "i4"}, {"dtype": "f4"}, {"out": np.zeros(3, np.float32)}, {"dtype": "bad"}, {"casting": 3}):
        with pytest.raises(TypeError):
            einsum("i,i->i", A[0], A[0], **bad)
    for bad in ({"casting": "same_value"}, {"order": "W"}):
        with pytest.raises(UserError, match="bad-argument"):
            einsum("i,i->i", A[0], A[0], **bad)
    for unsupported in (np.array([1], object), np.array([1], np.longdouble)):
        with pytest.raises(UserError, match="unsupported-dtype"):
            einsum("i->", unsupported)


def test_out():
    out = np.full((2, 4), 7.0)
    assert einsum("ij,jk->ik", A, B, out=out) is out
    np.testing.assert_array_equal(out, A @ B)
    transposed = np.zeros((4, 2)).T
    assert einsum("ij,jk->ik", A, B, out=transposed) is transposed
    np.testing.assert_array_equal(transposed, A @ B)
    spread = np.zeros(3)
    np.testing.assert_array_equal(einsum("i->i", x[:1], out=spread), [1.0, 1.0, 1.0])
    square = np.arange(9.0).reshape(3, 3)
    expected = square @ square
    assert einsum("ij,jk->ik", square, square, out=square) is square
    np.testing.assert_array_equal(square, expected)
    scalar = np.zeros(())
    assert einsum("i->", x, out=scalar) is scalar and scalar == 6.0
    read_only = np.zeros(2)
    read_only.flags.writeable = False
    for bad in (np.zeros(3), np.zeros((2, 2)), read_only):
        with pytest.raises(UserError, match="bad-argument"):
            einsum("ij,j->i", A, x, out=bad)
    with pytest.raises(TypeError):
        einsum("ij,j->i", A, x, out="out")


@pytest.mark.parametrize("order", ["C", "F", "A", "K", "c", None])
@pytest.mark.parametrize("left", [A, np.asfortranarray(A), A[::-1], np.broadcast_to(x, (2, 3))])
@pytest.mark.parametrize("right", [B, np.asfortranarray(B), B[:, ::2]])
@pytest.mark.parametrize("text", ["ij,jk->ik", "ij,jk->ki", "ij,jk->jik", "ij,jk->kji"])
def test_layouts_are_numpys(text: str, left, right, order):
    expected = np.einsum(text, left, right, order=order)
    result = einsum(text, left, right, order=order)
    same(result, expected)
    assert result.strides == expected.strides


def test_views():
    square = np.arange(9.0).reshape(3, 3)
    diagonal = einsum("ii->i", square)
    diagonal[:] = 0
    assert square.trace() == 0
    assert np.shares_memory(einsum("ij->ji", square), square)
    assert not np.shares_memory(einsum("ij->ij", square, out=np.zeros((3, 3))), square)


def test_scipy_xdsl_and_llvmlite_stay_unloaded():
    code = (
        "import sys, irtensor.api.einsum, irtensor.api.expression\n"
        "print([m for m in ('scipy', 'xdsl', 'llvmlite', 'opt_einsum') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_first_result_from_the_disk_cache_loads_no_expressions():
    code = (
        "import sys, irtensor, irtensor.compiler.compilation.compile_kernel\n"
        "irtensor.Tensor, irtensor.einsum\n"
        "heavy = ('expression', 'frontend.lazy_expression', 'frontend.user_operator', 'dialects.operators')\n"
        "print([m for m in heavy if f'irtensor.{m}' in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
