"""Sums down columns that a statement uses at entries or at all coordinates: values, and which entries there are."""

import numpy as np
import pytest

import irtensor as it

FORMATS = {
    "csr": "(i, j) -> (i : dense, j : compressed)",
    "csc": "(i, j) -> (j : dense, i : compressed)",
    "dcsr": "(i, j) -> (i : compressed, j : compressed)",
    "coo": "(i, j) -> (i : compressed(nonunique), j : singleton)",
    "bitmap": "(i, j) -> (i : dense, j : bitmap)",
}
# Of a matrix, its sums along rows and down columns, and a vector; what is computed at the entries of the matrix.
AT_ENTRIES = {
    "N[i,j] = A[i,j] / sum(k, A[k,j])": lambda a, r, c, x: a / c,
    "N[i,j] = A[i,j] / sqrt(sum(k, A[i,k]) * sum(l, A[l,j]))": lambda a, r, c, x: a / np.sqrt(r[:, None] * c),
    "N[i,j] = A[i,j] / (x[j] + sum(k, A[k,j]))": lambda a, r, c, x: a / (x + c),
    "N[i,j] = A[i,j] * exp(-sum(k, A[k,j]))": lambda a, r, c, x: a * np.exp(-c),
    "N[i,j] = A[i,j] * sum(k, A[k,j])": lambda a, r, c, x: a * c,
}
OF_ALL = {
    "s = sum(j, abs(sum(i, A[i,j]) - x[j]))": lambda a, r, c, x: np.abs(c - x).sum(),
    "s = max(j, sum(i, A[i,j]) - x[j])": lambda a, r, c, x: (c - x).max(),
    "s = sum(j, x[j] * sum(i, A[i,j]))": lambda a, r, c, x: x @ c,
    "s = sum(j, exp(x[j] * sum(i, A[i,j])) * x[j])": lambda a, r, c, x: (np.exp(x * c) * x).sum(),
    "s = sum(i, abs(sum(j, A[i,j]) - 1))": lambda a, r, c, x: np.abs(r - 1).sum(),
}


def _matrix(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    a = (rng.random((9, 7)) * (rng.random((9, 7)) < 0.4)).round(3)
    a[:, 3] = a[5] = 0
    return a


@pytest.mark.one_in(2)
@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("text", AT_ENTRIES)
def test_at_entries(text: str, format: str, num_threads: int) -> None:
    a, x = _matrix(0), np.linspace(0.5, 2, 7)
    formats = {"A": FORMATS[format], "N": FORMATS["csr"]}
    kernel = it.compile(text, formats=formats, num_threads=num_threads)
    given = {"x": x} if "x[" in text else {}
    found = kernel(A=it.Tensor.from_numpy(a, formats["A"]), **given)
    coordinates, values = found.to_coo()
    np.testing.assert_array_equal(coordinates, np.nonzero(a))
    with np.errstate(all="ignore"):
        expected = AT_ENTRIES[text](a, a.sum(axis=1), a.sum(axis=0), x)
    np.testing.assert_allclose(values, expected[np.nonzero(a)], rtol=1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("text", OF_ALL)
def test_of_all_coordinates(text: str, format: str, num_threads: int) -> None:
    a, x = _matrix(1), np.linspace(0.5, 2, 7)
    given = {"x": x} if "x[" in text else {}
    kernel = it.compile(text, formats={"A": FORMATS[format]}, num_threads=num_threads)
    found = kernel(A=it.Tensor.from_numpy(a, FORMATS[format]), **given)
    np.testing.assert_allclose(found, OF_ALL[text](a, a.sum(axis=1), a.sum(axis=0), x), rtol=1e-12)


@pytest.mark.parametrize("text", ["y[j] = a[j] + B[k,j]", "y[j] = a[j] - B[k,j]", "y[j] = max(a[j], sum(k, B[k,j]))"])
def test_terms_of_a_union_have_their_entries(text: str) -> None:
    a, b = np.array([0, 2.0, 0, 0, 3, 0, 0]), _matrix(4)
    b[:, [1, 2, 3]] = 0
    formats = {"a": "compressed", "B": "csr", "y": "compressed"}
    found = it.compile(text, formats=formats)(a=it.Tensor.from_numpy(a, "compressed"), B=it.Tensor.from_numpy(b, "csr"))
    np.testing.assert_array_equal(found.to_coo()[0][0], np.flatnonzero(a + b.sum(axis=0)))


def test_absent_sums_annihilate() -> None:
    """Where a column has no entry, nothing is multiplied by an infinity."""
    a, x = _matrix(2), np.ones(7)
    x[3] = np.inf
    tensor = it.Tensor.from_numpy(a, "csr")
    found = it.compile("s = sum(j, exp(-x[j] * sum(i, A[i,j])))", formats={"A": "csr"})(A=tensor, x=x)
    sums = a.sum(axis=0)
    np.testing.assert_allclose(found, np.exp(-np.where(sums == 0, 0, sums)).sum(), rtol=1e-12)


def test_what_is_read_at_all_coordinates_is_dense() -> None:
    tensor = it.Tensor.from_numpy(_matrix(3), "csr")
    for text, is_dense in (
        ("s = sum(j, abs(sum(i, A[i,j]) - x[j]))", True),
        ("s = sum(j, x[j] * sum(i, A[i,j]))", False),
    ):
        kernel = it.compile(text, formats={"A": "csr"})
        kernel(A=tensor, x=np.ones(7))
        assert ("accumulator" not in kernel.explain()) is is_dense
