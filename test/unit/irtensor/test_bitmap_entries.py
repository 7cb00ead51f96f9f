"""Entries of bitmaps: choices by size know how many there are, and parts of a statement keep those of a whole."""

from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.storage.entries_about import entries_about


@pytest.mark.parametrize("shape", [(0, 5), (30, 40), (3000, 2000)])
@pytest.mark.parametrize(("levels", "is_exact"), [("dense, bitmap", False), ("bitmap, compressed", True)])
def test_entries_are_counted_or_estimated(shape: tuple[int, int], levels: str, is_exact: bool):
    stored = np.random.default_rng(0).random(shape) < 0.02
    tensor = it.Tensor.from_numpy(stored.astype(np.float32), it.Format(levels))
    counted = np.count_nonzero(stored)
    if is_exact or stored.size < 2**16:
        assert entries_about(tensor) == counted
    else:
        assert 0.75 * counted < entries_about(tensor) < 1.3 * counted


def test_times_are_expected_for_the_entries():
    places = np.random.default_rng(0).random((400, 500)) < 0.02
    operands: dict[str, Any] = {"W": np.ones((500, 20)), "V": np.ones((20, 30))}
    expected = []
    for levels in ("dense, bitmap", "dense, compressed"):
        A = it.Tensor.from_numpy(places.astype(float), it.Format(levels))
        kernel = it.compile("Y[i,l] = A[i,j] * W[j,k] * V[k,l]", formats={"A": A.format}).prepare(A=A, **operands)
        expected.append(kernel.explain().split("kernels\n")[1].splitlines()[0])
    assert expected[0] == expected[1]


@pytest.mark.parametrize("levels", ["dense, bitmap", "dense, compressed", "compressed, bitmap"])
@pytest.mark.parametrize("function", ["exp(sum(f, V[j,f]))", "sqrt(sum(f, V[j,f] * V[j,f]))"])
def test_a_sum_into_a_vector_has_the_entries_of_one_kernel(levels: str, function: str):
    generator = np.random.default_rng(0)
    values = generator.random((2000, 100)) * (generator.random((2000, 100)) < 0.2)
    values[::2] = 0
    X, V = it.Tensor.from_numpy(values, it.Format(levels)), generator.random((100, 20))
    text, formats = f"R[i] = sum(j, X[i,j] * {function})", {"X": X.format, "R": it.Format("compressed")}
    found = it.compile(text, formats)(X=X, V=V)
    assert found.nnz == it.compile(text, formats, schedule=it.schedule())(X=X, V=V).nnz
    weights = np.exp(V.sum(1)) if function.startswith("exp") else np.sqrt((V * V).sum(1))
    np.testing.assert_allclose(found.to_numpy(), values @ weights)


@pytest.mark.parametrize("result", ["compressed, compressed", "bitmap, compressed", "compressed, bitmap"])
@pytest.mark.parametrize("levels", ["compressed, bitmap", "compressed, compressed", "bitmap, bitmap"])
def test_a_stored_zero_over_zero_is_not_a_number(levels: str, result: str):
    X = it.Tensor.from_coo([[0, 1], [0, 1]], [0.0, 2.0], shape=(2, 2), format=it.DCSR)
    Y = it.Tensor.from_coo([[0, 1, 1], [0, 0, 1]], [1.0, -1.0, 3.0], shape=(2, 2), format=it.Format(levels))
    kernel = it.compile(
        "R[i,j] = X[i,j] * Y[i,j] / sum(l, Y[l,j])", {"X": X.format, "Y": Y.format, "R": it.Format(result)}
    )
    np.testing.assert_array_equal(kernel(X=X, Y=Y).to_numpy(), [[np.nan, 0], [0, 2]])
