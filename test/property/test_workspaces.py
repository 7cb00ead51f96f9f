"""Results that no loop order appends to in order are computed through workspaces, whatever stores the operands."""

import random
from itertools import product
from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.core.tensor_format import TensorFormat

CSR, CSC, DCSR = "dense, compressed", "(i, j) -> (j : dense, i : compressed)", "compressed, compressed"
COO, CSF = "compressed(nonunique), singleton", "compressed, compressed, compressed"
MATRICES = (CSR, CSC, DCSR, COO)
DCSC, MIXED = "(i, j) -> (j : compressed, i : compressed)", "compressed, dense, compressed"
DENSE_ROWS = "(i, j) -> (j : compressed, i : dense)"
Case = tuple[tuple[str, ...], str | None]
# Notation, the same for NumPy, extents of the operands, and formats of operands and result.
STATEMENTS: tuple[tuple[str, str, tuple[tuple[int, ...], ...], list[Case]], ...] = (
    (
        "C[i,j] = A[i,k] * B[k,j]",
        "ik,kj->ij",
        ((5, 6), (6, 7)),
        [((a, b), out) for a, b, out in product(MATRICES, MATRICES, (*MATRICES, None))],
    ),
    (
        "C[i,j] = A[i,k] * B[k,j] * D[i,j]",
        "ik,kj,ij->ij",
        ((5, 6), (6, 7), (5, 7)),
        [((a, b, d), out) for a, b, d, out in product(MATRICES[:3], MATRICES[:3], (CSR, COO), (CSR, CSC, None))],
    ),
    (
        "C[i,j] = A[i,k] * B[k,j] + D[i,j]",
        "ik,kj->ij + D",
        ((5, 6), (6, 7), (5, 7)),
        [((a, b, d), out) for a, b, d, out in product(MATRICES[:3], MATRICES[:3], (CSR, COO), (CSR, CSC, None))],
    ),
    (
        "C[i,j] = A[i,k] * B[k,j] + D[i,j]",
        "ik,kj->ij + D",
        ((5, 6), (6, 7), (5, 7)),
        [
            ((a, b, d), out)
            for a, b, d, out in product((CSR, CSC), MATRICES[:2], MATRICES, ("compressed, dense", DENSE_ROWS))
        ],
    ),
    ("C[i,j] = A[i,j]", "ij->ij", ((5, 6),), [((a,), out) for a, out in product(MATRICES, MATRICES)]),
    ("C[i,j] = A[j,i]", "ji->ij", ((5, 6),), [((a,), out) for a, out in product(MATRICES, MATRICES)]),
    (
        "C[i,j] = A[i,k,l] * B[l,j] * D[k,j]",
        "ikl,lj,kj->ij",
        ((4, 5, 6), (6, 3), (5, 3)),
        [((CSF, b, d), out) for b, d, out in product((CSR, DCSR, COO), (CSR, DCSR), (CSR, DCSR, COO, None))],
    ),
    (
        "C[i,j] = A[i] * B[j]",
        "i,j->ij",
        ((5,), (6,)),
        [((a, "compressed"), out) for a, out in product(("compressed", "dense"), (*MATRICES, DCSC))],
    ),
    (
        "C[i,j] = A[i,k] * B[k,l] * D[l,j]",
        "ik,kl,lj->ij",
        ((4, 5), (5, 6), (6, 3)),
        [((a, b, d), out) for a, b, d, out in product(MATRICES, MATRICES, (CSC, COO), (CSR, DCSC))],
    ),
    (
        "C[i,j,k] = A[k,i,j]",
        "kij->ijk",
        ((4, 5, 6),),
        [((a,), out) for a, out in product((CSF, MIXED), (CSF, MIXED, "dense, dense, compressed"))],
    ),
    (
        "C[i,j,k,l] = A[i,k] * B[j,l]",
        "ik,jl->ijkl",
        ((3, 4), (2, 3)),
        [((a, b), f"{CSF}, compressed") for a, b in product((CSR, DCSC, COO), (DCSR, CSC))],
    ),
    (
        "C[i,j,l] = A[i,j,k] * B[k,l]",
        "ijk,kl->ijl",
        ((4, 5, 6), (6, 3)),
        [((CSF, b), out) for b, out in product((CSR, DCSR), (CSF, "dense, dense, compressed", None))],
    ),
    (
        "C[i,k,l] = A[i,j,k] * B[j,l]",
        "ijk,jl->ikl",
        ((4, 5, 6), (5, 3)),
        [((CSF, b), out) for b, out in product((CSR, DCSR), (CSF, "dense, dense, compressed", None))],
    ),
)


def _expected(subscripts: str, arrays: list[np.ndarray]) -> np.ndarray:
    subscripts, _, added = subscripts.partition(" + ")
    return np.einsum(subscripts, *arrays[:-1]) + arrays[-1] if added else np.einsum(subscripts, *arrays)


@pytest.mark.one_in(24)
@pytest.mark.parametrize(("notation", "subscripts", "shapes", "cases"), STATEMENTS, ids=[s[0] for s in STATEMENTS])
def test_results_in_any_order(notation: str, subscripts: str, shapes: tuple[Any, ...], cases: list[Case]) -> None:
    rng = np.random.default_rng(len(notation))
    # Every kernel is compiled, so a part of the cases has to do.
    cases = random.Random(0).sample(cases, max(len(cases) // 4, 6))
    arrays = [rng.random(shape) * (rng.random(shape) < 0.3) for shape in shapes]
    names = "ABD"[: len(shapes)]
    for formats, out in cases:
        stored = dict(zip(names, formats, strict=True)) | ({} if out is None else {"C": out})
        kernel = it.compile(notation, formats=stored)
        operands = [it.Tensor.from_numpy(a, it.Format(f)) for a, f in zip(arrays, formats, strict=True)]
        result = kernel(**dict(zip(names, operands, strict=True)))
        actual = result if isinstance(result, np.ndarray) else result.to_numpy()
        np.testing.assert_allclose(actual, _expected(subscripts, arrays), rtol=1e-12, atol=1e-13, err_msg=f"{stored}")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("result", [CSR, CSC, DCSR, DENSE_ROWS])
@pytest.mark.parametrize("over", [(), ("j",)])
def test_temporaries_inside_of_a_workspace(result: str, over: tuple[str, ...]) -> None:
    """A schedule computes products aside before it is known that the result needs a workspace."""
    rng = np.random.default_rng(5)
    a, b = (rng.random(shape) * (rng.random(shape) < 0.4) for shape in ((5, 6), (6, 7)))
    schedule = it.schedule().reorder("i", "k", "j").precompute("A[i,k] * B[k,j]", over=over)
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats={"A": CSR, "B": CSR, "C": result}, schedule=schedule)
    found = kernel(it.Tensor.from_numpy(a, it.CSR), it.Tensor.from_numpy(b, it.CSR))
    found.check()
    np.testing.assert_allclose(found.to_numpy(), a @ b, rtol=1e-12)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (200, 9000)])
def test_workspaces_of_any_extent(shape: tuple[int, int]) -> None:
    """None, one and many layers of the set of what is stored; the 9000 coordinates take two of 64 bits each."""
    rng = np.random.default_rng(7)
    a = rng.random((shape[0], 50)) * (rng.random((shape[0], 50)) < 0.1)
    b = rng.random((50, shape[1])) * (rng.random((50, shape[1])) < 0.02)
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats=dict.fromkeys("ABC", CSR))
    result = kernel(A=it.Tensor.from_numpy(a, it.CSR), B=it.Tensor.from_numpy(b, it.CSR))
    np.testing.assert_allclose(result.to_numpy(), a @ b, rtol=1e-12)
    assert result.nnz == np.count_nonzero(a @ b)


@pytest.mark.parametrize("shapes", [((4, 6), (6, 4)), ((5, 7), (7, 3))], ids=["whole blocks", "padding"])
def test_products_of_blocks(shapes: tuple[Any, ...]) -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.random(shape) * (rng.random(shape) < 0.4) for shape in shapes)
    for formats in ((it.BCSR(2, 2),) * 3, (it.BCSR(2, 3), it.BCSR(3, 2), it.BCSR(2, 2))):
        kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats=dict(zip("ABC", formats, strict=True)))
        result = kernel(it.Tensor.from_numpy(a, formats[0]), it.Tensor.from_numpy(b, formats[1]))
        np.testing.assert_allclose(result.to_numpy(), a @ b, rtol=1e-12, atol=1e-13)


def test_dense_rows_of_a_workspace_start_from_the_fill_value() -> None:
    """A row that is written at one coordinate first, and at another one later."""
    a = np.array([[0, 1.0, 0, 2], [0, 0, 0, 5], [0, 7, 0, 0]])
    kernel = it.compile("C[i,j] = A[j,i]", formats={"A": COO, "C": "compressed, dense"}, convert=False)
    np.testing.assert_array_equal(kernel(it.Tensor.from_numpy(a, it.COO(2))).to_numpy(), a.T)


@pytest.mark.parametrize("convert", [True, False])
def test_entries_that_nothing_is_written_to_are_not_stored(convert: bool) -> None:
    """The place in the workspace is found before the loop that may write to it, but added in that loop."""
    rng = np.random.default_rng(11)
    a, b, d = (rng.random((9, 9)) * (rng.random((9, 9)) < 0.15) for _ in range(3))
    formats = {"A": CSR if not convert else CSC, "B": CSC, "C": CSR, "D": COO}
    kernel = it.compile("C[i,l] = A[i,j] * B[j,k] * D[k,l]", formats=formats, convert=convert)
    result = kernel(**{n: it.Tensor.from_numpy(x, it.Format(formats[n])) for n, x in (("A", a), ("B", b), ("D", d))})
    np.testing.assert_allclose(result.to_numpy(), a @ b @ d, rtol=1e-12)
    assert result.nnz == np.count_nonzero(a @ b @ d)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32, complex])
def test_maps_with_every_kind_of_element(dtype: type) -> None:
    rng = np.random.default_rng(13)
    a, b = ((rng.integers(1, 5, (6, 6)) * (rng.random((6, 6)) < 0.4)).astype(dtype) for _ in range(2))
    formats = {"A": DCSC, "B": DCSR, "C": DCSR}
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats=formats, convert=False)
    result = kernel(it.Tensor.from_numpy(a, it.DCSC), it.Tensor.from_numpy(b, it.DCSR))
    expected = np.einsum("ik,kj->ij", *((x.astype(int) if dtype is bool else x) for x in (a, b)))
    np.testing.assert_array_equal(result.to_numpy(), expected)
    assert "w[i, j]" in kernel.explain()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("out", [it.DCSR, it.DCSC, it.COO(2)], ids=["DCSR", "DCSC", "COO"])
def test_products_cost_what_is_stored_whatever_the_extents(out: TensorFormat) -> None:
    rng = np.random.default_rng(17)
    extent, rows, columns, shared = 10**12, *(np.sort(rng.choice(10**12, 9)) for _ in range(3))
    a, b = (rng.random((9, 9)) * (rng.random((9, 9)) < 0.4) for _ in range(2))
    shape = (extent, extent)
    wide = [
        it.Tensor.from_coo((outer[x.nonzero()[0]], inner[x.nonzero()[1]]), x[x.nonzero()], shape=shape, format=it.DCSR)
        for x, outer, inner in ((a, rows, shared), (b, shared, columns))
    ]
    for first in (it.DCSR, it.DCSC):
        kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats={"A": first, "B": it.DCSR, "C": out}, convert=False)
        result = kernel(wide[0].to_format(first), wide[1])
        i, j = result.to_coo()[0]
        found = np.zeros((9, 9))
        found[np.searchsorted(rows, i), np.searchsorted(columns, j)] = result.to_coo()[1]
        np.testing.assert_allclose(found, a @ b, rtol=1e-12)
        assert result.nnz == np.count_nonzero(a @ b)


def test_rows_are_not_combined_with_all_rows() -> None:
    """Rows times rows would visit and store every pair: one operand is converted, so that only pairs that meet are."""
    rng = np.random.default_rng(19)
    a = rng.random((40, 50)) * (rng.random((40, 50)) < 0.04)
    operand = it.Tensor.from_numpy(a, it.CSR)
    result = it.einsum("ik,jk->ij", operand, operand, format=it.CSR)
    np.testing.assert_allclose(result.to_numpy(), a @ a.T, rtol=1e-12)
    assert result.nnz == np.count_nonzero(a @ a.T) < 40 * 40


def test_explanation_says_how_a_workspace_is_used() -> None:
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats=dict.fromkeys("ABC", CSR))
    operand = it.Tensor.from_numpy(np.eye(3), it.CSR)
    kernel(A=operand, B=operand)
    text = kernel.explain()
    assert "'C' is appended in order of j, but the loops reach it in the order i, k, j" in text
    assert "level 0 of w (accumulator) is inserted into" in text
    assert "level 0 of w (accumulator) is listed in order" in text
    assert "level 0 of C (i : dense)  insert: its position follows from its coordinate" in text
    assert "level 1 of C (j : compressed)  workspace w: the loop over k comes back to its entries" in text


def test_a_declared_operator_combines_in_a_workspace():
    either = it.operator("either", lambda a, b: a + b - a * b, identity=0, associative=True, commutative=True)
    random = np.random.default_rng(0)
    array = np.where(random.random((4, 5, 6)) < 0.4, random.integers(1, 4, (4, 5, 6)), 0).astype(float)
    kernel = it.compile("C[i,j] = @either(k, T[i,k,j])", formats={"T": it.COO(3), "C": it.COO(2)}, operators=[either])
    expected = 1 - np.prod(1 - array, axis=1)
    np.testing.assert_allclose(kernel(T=array).to_numpy(), expected)
