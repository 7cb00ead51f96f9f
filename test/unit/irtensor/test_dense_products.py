"""Products of dense operands at the front doors: NumPy's BLAS computes them unless somebody asks for loops."""

import itertools
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.compiler.compilation import compile_kernel

rng = np.random.default_rng(0)
TEXTS = ("ij,jk->ik", "ij,jk->ki", "ij,kj", "ji,jk", "ij,j", "ij,ij", "bij,bjk->bik", "bij,bjk->ibk", "ijk,jl->ilk")
LOOPS = {
    "strict_fp": {"strict_fp": True},
    "deterministic": {"deterministic": True},
    "verify": {"verify": True},
    "schedule": {"schedule": it.schedule("reorder(j, i, k)")},
    "auto": {"schedule": "auto"},
    "tune": {"tune": "operands"},
    "cuda-emulated": {"target": "cuda-emulated", "num_threads": 1},
}
PRODUCT = "C[i,j] = A[i,k] * B[k,j]"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The requests for which code is loaded or compiled."""
    requests: list[Any] = []
    loaded = compile_kernel.loaded

    def load(request: Any, *others: Any) -> Any:
        requests.append(request)
        return loaded(request, *others)

    it.clear_caches()
    monkeypatch.setattr(compile_kernel, "loaded", load)
    return requests


def whole(*shape: int) -> Any:
    """Small whole numbers, whose sums are exact in any order."""
    return rng.integers(-9, 9, shape).astype(float)


def arrays(text: str, **extents: int) -> list[Any]:
    inputs = text.partition("->")[0].split(",")
    return [whole(*(extents.get(label, 3 + "ijklb".index(label)) for label in labels)) for labels in inputs]


def layouts(array: Any) -> list[Any]:
    """The same values stored in other ways."""
    apart = np.zeros([2 * extent for extent in array.shape])
    places = tuple(slice(None, None, 2) for _ in array.shape)
    apart[places] = array
    return [array, np.asfortranarray(array), apart[places], array[::-1].copy()[::-1], array.astype(">f8")]


@pytest.mark.parametrize("text", TEXTS)
def test_layouts(text: str, compiled: list[Any]):
    A, B = arrays(text)
    expected = np.einsum(text, A, B)
    for one, two in itertools.product(layouts(A), layouts(B)):
        np.testing.assert_array_equal(it.einsum(text, one, two), expected)
    assert not compiled


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("text", TEXTS)
def test_orders_and_out(text: str, order: Any, compiled: list[Any]):
    A, B = arrays(text)
    exact = np.einsum(text, A, B)
    for one, two in itertools.product((A, A.copy("F")), (B, B.copy("F"))):
        expected = np.einsum(text, one, two, order=order)
        result = it.einsum(text, one, two, order=order)
        np.testing.assert_array_equal(result, expected)
        assert np.shape(result) == () or result.strides == expected.strides
    for out in (
        np.full(exact.shape, np.nan),
        np.full(exact.shape, np.nan, order="F"),
        np.zeros(exact.shape, "c16"),
    ):
        assert it.einsum(text, A, B, out=out) is out
        np.testing.assert_array_equal(out, exact)
    assert not compiled


@pytest.mark.one_in(4)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("dtypes", [*itertools.product(["f4", "f8", "c8", "c16", "i2", "f2"], repeat=2)], ids="-".join)
def test_types(text: str, dtypes: tuple[str, str], compiled: list[Any]):
    given = [array.astype(dtype) for array, dtype in zip(arrays(text), dtypes, strict=True)]
    A, B = (array * (1 + 2j) if array.dtype.kind == "c" else array for array in given)
    expected = np.einsum(text, A, B)
    result = it.einsum(text, A, B)
    np.testing.assert_array_equal(result, expected)
    assert result.dtype == expected.dtype
    assert bool(compiled) == (dtypes == ("i2", "i2"))


@pytest.mark.parametrize("text", TEXTS)
def test_loops_and_blas_agree(text: str):
    A, B = arrays(text)
    for dtype in ("f4", "f8", "c16"):
        one, two = A.astype(dtype), B.astype(dtype)
        np.testing.assert_array_equal(it.einsum(text, one, two), it.einsum(text, one, two, strict_fp=True))


@pytest.mark.parametrize("extent", [0, 1])
@pytest.mark.parametrize("label", "ijkb")
@pytest.mark.parametrize("text", TEXTS)
def test_extents_of_none_and_one(text: str, label: str, extent: int):
    if label in text:
        A, B = arrays(text, **{label: extent})
        np.testing.assert_array_equal(it.einsum(text, A, B), np.einsum(text, A, B))


def test_extents_that_broadcast():
    np.testing.assert_array_equal(it.einsum("ij,jk->ik", whole(3, 4), np.ones((1, 5))).shape, (3, 5))
    A, B = whole(1, 3, 4), whole(6, 4, 2)
    np.testing.assert_array_equal(it.einsum("bij,bjk->bik", A, B), A @ B)
    np.testing.assert_array_equal(it.einsum("...ij,...jk->...ik", A, B), A @ B)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("choices", LOOPS.values(), ids=LOOPS)
def test_what_asks_for_loops(choices: dict[str, Any], compiled: list[Any]):
    A, B = whole(4, 5), whole(5, 6)
    kernel = it.compile(PRODUCT, **choices)
    np.testing.assert_array_equal(kernel(A, B), A @ B)
    assert compiled and "NumPy's BLAS" not in kernel.explain()
    compiled.clear()
    it.clear_caches()
    if "schedule" not in choices or choices["schedule"] == "auto":
        np.testing.assert_array_equal(it.einsum("ik,kj->ij", A, B, **choices), A @ B)
        assert compiled


def test_a_variable_asks_for_loops(monkeypatch: pytest.MonkeyPatch, compiled: list[Any]):
    monkeypatch.setenv("IRTENSOR_STRICT_FP", "1")
    it.einsum("ik,kj->ij", whole(4, 5), whole(5, 6))
    assert compiled


@pytest.mark.parametrize("choices", [{"num_threads": 1}, {"exact": True}, {"gallop": True}, {"disk_cache": False}])
def test_what_changes_nothing(choices: dict[str, Any], compiled: list[Any]):
    A, B = whole(4, 5), whole(5, 6)
    np.testing.assert_array_equal(it.einsum("ik,kj->ij", A, B, **choices), A @ B)
    np.testing.assert_array_equal(it.compile(PRODUCT, **choices)(A, B), A @ B)
    assert not compiled


def test_other_operations_are_loops(compiled: list[Any]):
    A, B = whole(4, 5), whole(5, 6)
    np.testing.assert_array_equal(it.einsum("ik,kj->ij", A, B, semiring=it.MIN_PLUS), (A[:, :, None] + B).min(1))
    assert len(compiled) == 1
    assert it.einsum("ik,kj->ij", A, B, format="csr").to_numpy().tolist() == (A @ B).tolist()
    assert len(compiled) == 2
    np.testing.assert_array_equal(it.einsum("ik,ik->ik", A, A), A * A)
    np.testing.assert_array_equal(it.einsum("ik,kj->j", A, B), (A @ B).sum(0))
    np.testing.assert_array_equal(it.einsum("kk,kj->j", B[:, :5], B), np.diag(B) @ B)
    np.testing.assert_array_equal(it.compile("C[i,j] = max(sum(k, A[i,k] * B[k,j]), 0)")(A, B), np.maximum(A @ B, 0))
    assert len(compiled) == 6


def test_pairs_of_a_chain(compiled: list[Any]):
    A, B, C, D = whole(4, 5), whole(5, 6), whole(6, 7), whole(7, 3)
    np.testing.assert_array_equal(it.einsum("ij,jk,kl,lm", A, B, C, D, optimize=True), A @ B @ C @ D)
    assert not compiled


def test_statements(compiled: list[Any]):
    A, B, C = whole(4, 5), whole(5, 6), whole(4, 6)
    np.testing.assert_array_equal(it.compile(PRODUCT)(A=A, B=B), A @ B)
    np.testing.assert_array_equal(it.compile("C[j,i] = sum(k, B[k,j] * A[i,k])")(A=A, B=B), (A @ B).T)
    assert it.compile("s = A[i,k] * A[i,k]")(A) == (A * A).sum()
    np.testing.assert_array_equal(it.compile("G[i,j] = A[i,k] * A[j,k]")(A), A @ A.T)
    np.testing.assert_array_equal(it.compile("y[i] = sum(j, sum(k, T[i,j,k] * M[k,j]))")(whole(2, 6, 5) * 0, B), [0, 0])
    update = it.compile("C[i,j] += A[i,k] * B[k,j]")
    np.testing.assert_array_equal(update(A=A, B=B), A @ B)
    np.testing.assert_array_equal(update(A=A, B=B, C=C), C + A @ B)
    into = np.full((4, 6), np.nan)
    assert it.compile(PRODUCT)(A=A, B=B, out=into) is into
    np.testing.assert_array_equal(into, A @ B)
    single = it.compile(PRODUCT, dtypes={"A": "f4", "B": "f4"})(A, B)
    assert single.dtype == np.float32 and single.tolist() == (A @ B).tolist()
    assert not compiled
    # Types that differ are for the loops to convert, as is a result of another type.
    assert it.compile(PRODUCT)(A.astype("f4"), B).tolist() == (A @ B).tolist()
    assert it.compile(PRODUCT, dtypes={"C": "f8"})(A.astype("f4"), B.astype("f4")).dtype == np.float64
    assert len(compiled) == 2


def test_lazy_expressions(compiled: list[Any]):
    A, B = whole(4, 5), whole(5, 6)
    i, j, k = it.indices("i j k")
    C = it.tensor_variable("C", 2)
    C[i, j] = it.tensor_variable("A", 2)[i, k] * it.tensor_variable("B", 2)[k, j]
    np.testing.assert_array_equal(C.evaluate({"A": A, "B": B}), A @ B)
    assert not compiled
    assert C.evaluate({"A": A, "B": B}, format="csr").to_numpy().tolist() == (A @ B).tolist()
    assert compiled


def test_a_tensor_that_is_dense(compiled: list[Any]):
    A, B = whole(4, 5), whole(5, 6)
    np.testing.assert_array_equal(it.compile(PRODUCT)(it.Tensor.from_numpy(A, "dense, dense"), B), A @ B)
    assert not compiled
    np.testing.assert_array_equal(it.compile(PRODUCT)(it.Tensor.from_numpy(A, "csr"), B), A @ B)
    assert compiled


def test_sizes_decide(compiled: list[Any]):
    kernel, A = it.compile("C[b,i] = A[b,i,j] * x[b,j]"), whole(10_000, 3, 3)
    np.testing.assert_array_equal(kernel(A[:9], A[:9, 0]), np.einsum("bij,bj->bi", A[:9], A[:9, 0]))
    assert not compiled
    np.testing.assert_array_equal(kernel(A, A[:, 0].copy()), np.einsum("bij,bj->bi", A, A[:, 0]))
    assert len(compiled) == 1
    np.testing.assert_array_equal(kernel(A[:9], A[:9, 0]), np.einsum("bij,bj->bi", A[:9], A[:9, 0]))


def test_preparing(compiled: list[Any]):
    kernel = it.compile("C[b,i] = A[b,i,j] * x[b,j]")
    kernel.prepare(whole(9, 3, 3), whole(9, 3))
    assert not compiled
    kernel.prepare(whole(10_000, 3, 3), whole(10_000, 3))
    assert len(compiled) == 1


def test_the_code_is_there_when_it_is_asked_for(compiled: list[Any]):
    kernel = it.compile(PRODUCT)
    kernel(whole(4, 5), whole(5, 6))
    assert "index_notation.assign" in kernel.ir() and "define" in kernel.llvm_ir() and kernel.assembly()
    assert kernel.read_formats == {} and kernel.chosen_schedule is None
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(kernel))(np.eye(2), np.eye(2)), np.eye(2))
    assert kernel.compute(np.zeros((2, 2)), np.eye(2), np.eye(2)).tolist() == [[1, 0], [0, 1]]
    assert kernel.assemble(np.eye(2), np.eye(2)).tolist() == [[0, 0], [0, 0]]


def test_errors():
    kernel = it.compile(PRODUCT)
    with pytest.raises(it.UserError, match="index k has extent 4 in dimension 0 of B"):
        kernel(whole(4, 5), whole(4, 6))
    with pytest.raises(it.UserError, match="A has 3 dimensions"):
        kernel(whole(4, 5, 1), whole(4, 6))
    with pytest.raises(it.UserError, match=r"out must be a NumPy array of shape \(4, 6\) and dtype float64"):
        kernel(whole(4, 5), whole(5, 6), out=np.zeros((4, 5)))
    A = whole(4, 4)
    with pytest.raises(it.UserError, match="stream= is for kernels of a GPU"):
        kernel(A, A, stream=1)
    with pytest.raises(it.UserError, match="cannot be cast from float64 to int64"):
        it.einsum("ij,jk", A, A, out=np.zeros((4, 4), int))
    np.testing.assert_array_equal(it.einsum("ij,jk", A, A, out=A), it.einsum("ij,jk", A.copy(), np.eye(4)))


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan, complex(0, np.inf), complex(np.inf, np.inf)])
def test_complex_infinities(special: complex):
    """BLAS would make NaN of more of them than the products and sums of the statement do."""
    for text in ("ij,jk->ik", "ij,j->i", "i,i->", "bij,bjk->bik"):
        one, two = (array.astype(complex) for array in arrays(text))
        one.flat[0], two.flat[:] = special, 1 + 2j
        np.testing.assert_array_equal(it.einsum(text, one, two), it.einsum(text, one, two, strict_fp=True))


def test_nothing_is_warned_of():
    large = np.full((3, 3), 1e300)
    with np.errstate(all="raise"):
        assert np.isinf(it.einsum("ij,jk->ik", large, large)).all()
        assert np.isinf(it.compile("C[i,j] += A[i,k] * B[k,j]")(A=large, B=large, C=large)).all()


def test_a_first_call_loads_no_compiler():
    code = (
        "import sys, numpy as np, irtensor as it\n"
        "A = np.ones((20, 20))\n"
        "it.einsum('ij,jk->ik', A, A), it.einsum('ij,jk,kl->il', A, A, A, optimize=True)\n"
        "print([m for m in ('xdsl', 'llvmlite', 'irtensor.compiler.kernel.kernel') if m in sys.modules])\n"
        "it.compile('C[i,j] = A[i,k] * B[k,j]')(A, A)\n"
        "print('xdsl' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\nFalse\n"


EXPLAINED = """
without code
  NumPy's BLAS computes products of matrices, summed over k, and C is added
  loops do where k has one coordinate, where operands would be copied for few products, and for many products of very \
small matrices
  schedule=, tune=, strict_fp=, deterministic=, verify= and target= ask for loops
"""


def test_explained(compiled: list[Any]):
    kernel = it.compile("C[i,j] += A[i,k] * B[k,j]")
    kernel(A=whole(4, 5), B=whole(5, 6), C=whole(4, 6))
    assert EXPLAINED in kernel.explain() and "\nloops\n" in kernel.explain()
    assert "time of a compilation" not in kernel.explain()
    assert not compiled
    kernel(*(array.astype(complex) for array in (whole(4, 5), whole(5, 6))))
    assert "\n  loops compute it once more if a component is not finite\n" in kernel.explain()
