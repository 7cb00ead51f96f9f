"""`merge-dense-dimensions`: values as NumPy has them, in each stage of the IR, and as few loops as there can be."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from reference.interpret_concrete_index import interpret_concrete_index
from reference.interpret_iteration_lattice import interpret_iteration_lattice

import irtensor as it
from irtensor.compiler.compilation.draft import Draft
from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.compiler.kernel.notation_kernel import NotationKernel
from irtensor.options import current_options

SIZES = {"a": 2, "b": 3, "c": 1, "d": 4, "i": 3, "j": 5, "k": 2}
ROWS = "(i, j, k) -> (i : compressed, j : dense, k : dense)"
TURNED = "(i, j, k) -> (k : dense, j : dense, i : dense)"
# Statements, formats, what NumPy says, and the number of loops that are left.
CASES: list[tuple[str, dict[str, str], Callable[..., Any], int]] = [
    ("C[a,b,i,c,d] = sum(j, M[i,j] * T[a,b,j,c,d])", {}, lambda M, T: np.einsum("ij,abjcd->abicd", M, T), 4),
    ("C[a,b,c,d] = T[a,b,c,d] + 1", {}, lambda T: T + 1, 1),
    ("C[a,b,c] = T[a,b,c] * U[a,b,c] - s", {}, lambda T, U, s: T * U - s, 1),
    ("s = sum(a, sum(b, sum(c, T[a,b,c] * U[a,b,c])))", {}, lambda T, U: (T * U).sum(), 1),
    ("y[a] = max(b, max(c, T[a,b,c]))", {}, lambda T: T.max((1, 2)), 2),
    ("C[i,j,k] = T[i,j,k] * x[k]", {}, lambda T, x: T * x, 2),
    ("C[i,j,k] = T[i,j,k] * x[i]", {}, lambda T, x: T * x[:, None, None], 2),
    ("C[i,j,k] = T[i,j,k] * x[j]", {}, lambda T, x: T * x[:, None], 3),
    ("C[i,j] = A[i,j] * B[j,i]", {}, lambda A, B: A * B.T, 2),
    ("C[i,j,k] = T[i,j,k] * U[i,j,k]", {"T": TURNED, "U": TURNED, "C": TURNED}, lambda T, U: T * U, 1),
    ("C[i,j,k] = T[i,j,k] * U[i,j,k]", {"T": TURNED}, lambda T, U: T * U, 3),
    ("C[i,j,k] = S[i,j,k] * B[j,k]", {"S": ROWS, "C": ROWS}, lambda S, B: S * B, 2),
    ("C[i,j,k] = S[i,j,k] + T[i,j,k]", {"S": ROWS}, lambda S, T: S + T, 2),
    ("C[i,c,d] = sum(j, A[i,j] * B[j,c,d])", {"A": "csr"}, lambda A, B: np.einsum("ij,jcd->icd", A, B), 3),
    ("C[i,c,d] = sum(j, A[i,j] * B[c,d,j])", {"A": "csr"}, lambda A, B: np.einsum("ij,cdj->icd", A, B), 4),
    ("C[i,j,a] = T[a,i,j] + x[a]", {}, lambda T, x: np.moveaxis(T, 0, 2) + x, 2),
    (
        "C[k,i,j,a] = sum(b, sum(d, M[a,k,b,d] * T[d,i,j,b]))",
        {},
        lambda M, T: np.einsum("akbd,dijb->kija", M, T),
        5,
    ),
    ("C[i,j,k] += 2 * T[i,j,k]", {}, lambda C, T: C + 2 * T, 1),
    ("C[i,j,k] = where(T[i,j,k] > 0, T[i,j,k], U[i,j,k])", {}, lambda T, U: np.where(T > 0, T, U), 1),
]


def operands_of(statement: str, function: Callable[..., Any], dtype: str = "float64") -> dict[str, Any]:
    rng = np.random.default_rng(len(statement))
    found = {name: indices.split(",") for name, indices in re.findall(r"(\w)\[([^]]*)\]", statement)}
    names = function.__code__.co_varnames
    shapes = {name: [SIZES[index] for index in found.get(name, ())] for name in names}
    return {n: (rng.integers(-3, 4, s) * (rng.random(s) < 0.7)).astype(dtype) for n, s in shapes.items()}


def loops(kernel: NotationKernel) -> int:
    return kernel.ir("merge-dense-dimensions").count("concrete_index.forall")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("options", [{}, {"num_threads": 2}, {"strict_fp": True}], ids=str)
@pytest.mark.parametrize(("statement", "formats", "function", "left"), CASES)
def test_kernels(statement, formats, function, left, options):
    operands = operands_of(statement, function)
    # BLAS has no loops to merge, and is not deterministic.
    kernel = it.compile(statement, formats=formats, deterministic=True, **options)
    result = kernel(**operands)
    np.testing.assert_array_equal(result.to_numpy() if isinstance(result, it.Tensor) else result, function(**operands))
    assert loops(kernel) == left


@pytest.mark.parametrize(("statement", "formats", "function", "left"), [CASES[n] for n in (0, 1, 3, 5, 13)])
def test_kernels_for_gpus(statement, formats, function, left):
    operands = operands_of(statement, function)
    kernel = it.compile(statement, formats=formats, target="cuda-emulated")
    np.testing.assert_array_equal(kernel(**operands), function(**operands))
    assert loops(kernel) == left


@pytest.mark.parametrize("dtype", ["int8", "bool", "float32", "complex128"])
def test_element_types(dtype):
    _, _, function, _ = CASES[5]
    operands = operands_of(CASES[5][0], function, dtype)
    result = it.compile(CASES[5][0])(**operands)
    np.testing.assert_array_equal(result, function(**operands))
    assert result.dtype == np.dtype(dtype)


@pytest.mark.parametrize(("statement", "formats", "function", "left"), CASES)
def test_the_ir_means_the_same(statement, formats, function, left):
    if "+=" in statement:
        statement = statement.replace("+= ", "= C[i,j,k] + ").replace("C[i,j,k] =", "D[i,j,k] =", 1)
    operands = operands_of(statement, function)
    expected = function(**operands)
    settings = current_options(num_threads=1)
    kernel = it.compile(statement, formats=formats, num_threads=1, convert=True)
    kernel(**operands)
    request = kernel._request()
    module = Draft(request, settings).module
    choices = PipelineChoices.for_request(request, settings)
    data = [np.asarray(operands[name]) for name in kernel.operand_names]
    merged = module.clone()
    lower_module(
        merged, "concrete_index", "iteration_lattice", choices=choices, after=lambda n: n == "merge-dense-dimensions"
    )
    assert str(merged).count("concrete_index.forall") == left
    (found,) = interpret_concrete_index(merged, data, expected.shape)
    np.testing.assert_array_equal(found.astype(float), expected)
    stored = [it.Tensor.from_numpy(one, formats[n]) if n in formats else one for n, one in operands.items()]
    lower_module(module, "concrete_index", "iteration_lattice", choices=choices)
    found = interpret_iteration_lattice(module, stored, expected.shape)
    np.testing.assert_array_equal(found.astype(float), expected)


def test_nothing_is_computed_of_nothing():
    for shape in ((0, 3, 2), (3, 0, 2), (3, 2, 0)):
        np.testing.assert_array_equal(it.compile("C[i,j,k] = T[i,j,k] + 1")(T=np.ones(shape)), np.ones(shape))
    assert it.compile("s = sum(i, sum(j, A[i,j]))")(A=np.ones((0, 4))) == 0


def test_extents_whose_product_is_no_number():
    """A tensor without entries may have dense levels that no memory holds."""
    wide = it.Tensor.from_coo([[], [], []], np.ones(0), shape=(4, 1 << 40, 1 << 40), format=ROWS)
    assert it.compile("s = sum(i, sum(j, sum(k, S[i,j,k])))")(S=wide) == 0
    assert it.compile("y[i] = sum(j, sum(k, S[i,j,k]))")(S=wide).tolist() == [0, 0, 0, 0]


def test_results_that_are_given():
    T, out = np.arange(24.0).reshape(2, 3, 4), np.empty((2, 3, 4))
    it.compile("C[i,j,k] = 2 * T[i,j,k]")(T=T, out=out)
    np.testing.assert_array_equal(out, 2 * T)
    it.einsum("abc,d->abcd", T, np.ones(2), out=(wide := np.empty((2, 3, 4, 2))))
    np.testing.assert_array_equal(wide, np.repeat(T[..., None], 2, 3))


def test_dimensions_are_checked_apart():
    kernel = it.compile("C[i,j,k] = T[i,j,k] + U[i,j,k]")
    with pytest.raises(it.UserError, match=r"index j has extent 2 in dimension 1 of U\[i, j, k\], but 3 in T"):
        kernel(T=np.ones((2, 3, 4)), U=np.ones((2, 2, 6)))


def test_explain_tells_what_is_one():
    text = it.compile("C[i,j,k] = T[i,j,k] * x[k]").explain()
    assert "the loops over i, j are one, because no tensor tells them apart" in text
    assert "are one" not in it.compile("C[i,k] = sum(j, A[i,j] * B[j,k])").explain()


def test_semirings():
    T, M = np.arange(24.0).reshape(2, 3, 4), np.arange(6.0).reshape(2, 3) % 4
    found = it.einsum("ij,ajb->aib", M, T, semiring=it.MIN_PLUS)
    np.testing.assert_array_equal(found, (M[None, :, :, None] + T[:, None]).min(2))
    gate = np.arange(2.0**8).reshape((2,) * 8)
    found = it.einsum("Xd,abcdefgh->abcXefgh", M[:, :2], gate, deterministic=True)
    np.testing.assert_array_equal(found, np.einsum("Xd,abcdefgh->abcXefgh", M[:, :2], gate))


@pytest.mark.parametrize(
    "step", [it.schedule().split("j", "j0", "j1", 2), it.schedule().vectorize("k", 4), it.schedule().parallelize("j")]
)
def test_loops_of_schedules_stay(step):
    T = np.arange(24.0).reshape(2, 3, 4)
    kernel = it.compile("C[i,j,k] = 2 * T[i,j,k]", schedule=step)
    np.testing.assert_array_equal(kernel(T=T), 2 * T)
    assert loops(kernel) >= 2


def test_functions_of_ir():
    text = it.compile("C[i,j,k] = 2 * T[i,j,k]").ir("concrete_index").replace("tensor<?x?x?xf64>", "tensor<2x?x4xf64>")
    kernel = it.compile_module(text)
    T = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(kernel(T), 2 * T)
    assert kernel.ir("merge-dense-dimensions").count("forall") == 1
    with pytest.raises(it.UserError, match=r"\[extent-mismatch\]"):
        kernel(T.reshape(4, 3, 2))
