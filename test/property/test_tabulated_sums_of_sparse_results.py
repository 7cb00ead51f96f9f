"""`tabulate-sums` for results that are appended to: a sum of dense operands is computed once, and entries stay."""

import numpy as np
import pytest

import irtensor as it
from irtensor.core.tensor_format import TensorFormat

VECTOR = TensorFormat.of(["compressed"])
# Statements, and the factor of each entry, by NumPy.
STATEMENTS = {
    "R[i] = sum(j, A[i,j] * exp(sum(f, V[j,f])))": lambda V, d: np.exp(V.sum(1)),
    "R[i] = sum(j, A[i,j] * d[j] / (1 + sum(f, V[j,f] * V[j,f])))": lambda V, d: d / (1 + (V * V).sum(1)),
    "R[i] = sum(j, where(max(f, V[j,f]) > 0.9, A[i,j], 2 * A[i,j]))": lambda V, d: np.where(V.max(1) > 0.9, 1, 2),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("entries", [0, 3, 40])
@pytest.mark.parametrize("format", [it.CSR, it.DCSR], ids=str)
@pytest.mark.parametrize("text", STATEMENTS)
def test_entries_and_values(text, format, entries, threads, small_parts):
    """More entries than columns, or fewer. Rows without entries have none in the result."""
    rng = np.random.default_rng(entries)
    A, V, d = np.zeros((8, 9)), rng.random((9, 4)), rng.random(9) - 0.5
    A.flat[rng.permutation(np.arange(18, 72))[:entries]] = rng.random(entries) + 1
    given = {"A": it.Tensor.from_numpy(A, format), "V": V, "d": d}
    kernel = it.compile(text, formats={"A": format, "R": VECTOR}, num_threads=threads)
    found = [kernel(**{name: given[name] for name in kernel.operand_names}) for _ in range(2)]
    assert "is computed for all j first, if the loops come to each j more than once on average" in kernel.explain()
    rows = np.flatnonzero((A != 0).any(1))
    for one in found:
        (coordinates,), values = one.to_coo()
        np.testing.assert_array_equal(coordinates, rows)
        np.testing.assert_allclose(values, (A @ STATEMENTS[text](V, d))[rows], rtol=1e-12)


def test_sums_that_may_have_no_value_stay():
    """A row without entries has no sum, and no entry in the result."""
    text = "R[i] = sum(j, A[i,j] * sum(f, S[j,f]))"
    A, S = np.ones((3, 4)), np.zeros((4, 5))
    formats = {"A": it.CSR, "S": it.DCSR, "R": VECTOR}
    kernel = it.compile(text, formats=formats)
    assert kernel(A=it.Tensor.from_numpy(A, it.CSR), S=it.Tensor.from_numpy(S, it.DCSR)).nnz == 0
