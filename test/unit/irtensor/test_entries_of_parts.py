"""Sparse results of statements of which parts are computed before: they have the entries of one kernel."""

import numpy as np
import pytest
from kernels_of_statement import kernels_of, one_kernel

import irtensor as it
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import Access
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.parts.absent_parts import Changes, changes_by_presence

# Sums that a sparse `Y` has no terms for at some `j`, and what reads them.
PARTS = [
    "sum(k, Y[k,j])",
    "sum(k, Y[j,k])",
    "exp(sum(k, Y[j,k]) - max(k, Y[j,k]))",
    "log(2 + sum(k, Y[k,j]))",
    "max(k, Y[k,j])",
    "sum(k, sum(l, Y[k,l]) * Y[k,j])",
]
READERS = [
    "X[i,j] / P",
    "X[i,j] * P",
    "X[i,j] * (X[i,j] + P)",
    "X[i,j] / (d[j] + P)",
    "X[i,j] * d[j] / (d[j] * P)",
    "where(P > 1, X[i,j], 0)",
    "X[i,j] * where(P > 1, 1, 2)",
    "X[i,j] * where(P > 1, d[j], 0)",
    "X[i,j] * where(d[j] * P > 0, 2, 3)",
    "X[i,j] + Z[i,j] * P",
    "X[i,j] / P + Z[i,j] / (1 + P)",
    "max(X[i,j], Z[i,j] * P)",
    "X[i,j] / (Z[i,j] + P)",
    "sum(m, X[i,m] * Z[m,j] * P)",
    "sum(m, X[i,m] * Z[m,j]) / (1 + P)",
    "min(X[i,j], P) * X[i,j]",
]
# Of a chain, whose sums are of dense matrices.
CHAIN = "sum(f, g, U[i,f] * W[f,g] * V[j,g])"
SAMPLED = {
    "X[i,j] * P": 3,
    "X[i,j] * Z[j,i] * P": 3,
    "X[i,j] * exp(P)": 3,
    "X[i,j] / (1 + exp(-P))": 3,
    "Z[i,j] + X[i,j] * P": 3,
    "where(X[i,j] > 1, P, 0)": 3,
    "X[i,j] * min(f, g, U[i,f] + W[f,g] + V[j,g])": 2,
    "X[i,j] * sum(g, max(sum(f, U[i,f] * W[f,g]), 0) * V[j,g])": 3,
    # Which rows have entries depends on the loops.
    "X[i,m] * Z[m,j] * P": 1,
    "X[i,m] * exp(sum(f, g, U[m,f] * W[f,g] * V[j,g]))": 1,
    "X[i,j] * S[i,f] * W[f,g] * V[j,g]": 1,
}


def operands_of(text, formats, seed, f=3):
    """Rows and columns without entries, and numbers that are not finite."""
    rng = np.random.default_rng(seed)
    X, Y, Z = ((rng.random((6, 6)) < 0.35) * rng.integers(1, 4, (6, 6)) * 1.0 for _ in range(3))
    X[:, 1], X[0], Y[:, 1], Y[2], Z[3] = [2, 0, 1, 0, 3, 0], 0, 0, 0, 0
    d = np.array([0.0, np.inf, np.nan, -1, 0.5, 2]) if seed % 2 else rng.random(6) + 0.5
    U, W, V = (rng.integers(1, 5, shape) * 1.0 for shape in ((6, f), (f, 4), (6, 4)))
    if seed % 2 and f:
        U[1, 1], W[0, 0], V[2, 0] = np.inf, 0, np.nan
    arrays = {"X": X, "Y": Y, "Z": Z, "d": d, "U": U, "W": W, "V": V, "S": (rng.random((6, f)) < 0.4) * 1.0}
    return {
        name: it.Tensor.from_numpy(array, formats[name]) if name in formats else array
        for name, array in arrays.items()
        if f"{name}[" in text
    }


def compared(text, formats, operands):
    """How many kernels compute a statement; if several, its values and entries are those of one kernel."""
    read = {name: its for name, its in formats.items() if f"{name}[" in text}
    kernel, one = it.compile(text, formats=read), one_kernel(text, read)
    found, expected = kernel(**operands), one(**operands)
    if (kernels := kernels_of(kernel)) > 1:
        for ours, other in zip(found.to_coo(), expected.to_coo(), strict=True):
            np.testing.assert_allclose(ours, other, rtol=1e-12)
    return kernels


@pytest.mark.one_in(48)
@pytest.mark.parametrize("format", [it.CSR, None], ids=str)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("part", PARTS)
def test_sums_that_may_have_no_terms(part, reader, format, always):
    text = f"R[i,j] = {reader.replace('P', part)}"
    formats = {"X": it.CSR, "Z": it.CSR, "R": it.CSR, **({"Y": format} if format else {})}
    seed = PARTS.index(part) + READERS.index(reader)
    assert compared(text, formats, operands_of(text, formats, seed)) > 1 or format is not None


@pytest.mark.one_in(32)
@pytest.mark.parametrize("f", [3, 0])
@pytest.mark.parametrize("formats", [(it.CSR, it.CSR), (it.CSC, it.COO(2)), (it.COO(2), it.CSC)], ids=str)
@pytest.mark.parametrize("reader", SAMPLED)
def test_chains_that_sparse_factors_sample(reader, formats, f, always):
    text = f"R[i,j] = {reader.replace('P', CHAIN)}"
    own = {"X": formats[0], "Z": it.CSR, "S": it.CSR, "R": formats[1]}
    kernels = compared(text, own, operands_of(text, own, list(SAMPLED).index(reader), f))
    assert kernels == SAMPLED[reader] or f == 0


N = 2000
VECTOR = TensorFormat.of(["compressed"])
GRAPH = it.Tensor.from_coo(
    np.unique(np.random.default_rng(1).integers(0, N, (2, 20_000)), axis=1), 1.0, shape=(N, N), format="csr"
)
CHOSEN = {
    f"R[i,j] = X[i,j] * {CHAIN}": 2,
    f"R[i,j] = X[i,j] / (1 + exp(-{CHAIN}))": 2,
    "R[i,j] = X[i,j] * sum(k, X[i,k] * X[j,k] / log(2 + sum(l, X[k,l])))": 2,
    "R[i,j] = X[i,j] * sum(k, X[i,k] * X[j,k]) / (sum(k, X[i,k]) + sum(k, X[j,k]) - sum(k, X[i,k] * X[j,k]))": 2,
    "R[i,j] = X[i,j] / sqrt(sum(k, X[i,k]) * sum(k, X[j,k]))": 2,
    "R[i,j] = X[i,j] * where(sum(g, V[j,g]) > 12, 1, 2)": 2,
    "R[i,j] = sum(k, X[i,k] * X[k,j]) / (1 + sum(g, V[j,g]))": 2,
    # Coordinates that no operand has alone: entries of rows and columns meet.
    "R[i,j] = sum(k, X[i,k] * X[j,k]) / sqrt(sum(k, X[i,k] * X[i,k]) * sum(k, X[j,k] * X[j,k]))": 2,
    "R[i,j] = X[i,k] * X[k,l] * X[l,j] / (1 + sum(g, V[j,g]))": 2,
    # Computed once already, or at few coordinates.
    "R[i,j] = X[i,j] * sum(g, U[i,g] * V[j,g])": 1,
    "R[i,j] = X[i,j] / sum(k, X[i,k])": 1,
    # A row has a sum of no terms, where a column has no sum, and no entries in the result.
    "R[i,j] = where(sum(k, X[j,k]) > 10, X[i,j], 0)": 2,
    "R[i,j] = where(sum(k, X[k,j]) > 10, X[i,j], 0)": 1,
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", CHOSEN)
def test_what_is_computed_before(text):
    """An inner sum that each entry would compute again, and not one that an entry alone needs."""
    f = 16
    arrays = {"X": GRAPH, "U": np.ones((N, f)), "W": np.ones((f, f)), "V": np.ones((N, f))}
    operands = {name: one for name, one in arrays.items() if f"{name}[" in text}
    assert compared(text, {"X": it.CSR, "R": it.CSR}, operands) == CHOSEN[text]


@pytest.mark.parametrize(
    ("text", "entries", "numbers"),
    [
        ("X[i,j] * P[j]", True, True),
        ("X[i,j] / P[j]", False, False),
        ("X[i,j] / (d[j] * P[j])", False, True),
        ("where(P[j] > 1, X[i,j], 0)", True, False),
        ("where(P[j] > 1, 0, X[i,j])", False, False),
        ("X[i,j] * where(P[j] > 1, 1, 2)", False, False),
        ("X[i,j] + Z[i,j] * P[j]", True, True),
        ("X[i,j] + Z[i,j] / P[j]", False, False),
        ("max(X[i,j], P[j])", True, False),
        ("A[i] * B[i] * C[i] * D[i] * E[i] * F[i] + P[j]", None, None),
        ("X[i,j]", None, None),
    ],
)
def test_what_changes_where_a_part_is_absent_nowhere(text, entries, numbers):
    """`P` is 0 where it is absent."""
    whole = parse_statement(f"R[i,j] = {text}").expression
    float64 = np.dtype(np.float64)
    formats = {"X": it.CSR, "Z": it.CSR, "P": VECTOR, **dict.fromkeys("ABCDEF", VECTOR)}
    described = {name: OperandDescription(float64, its.rank, its) for name, its in formats.items()}
    described["d"] = OperandDescription(float64, 1)
    found = changes_by_presence(whole, Access("P", ("j",)), 0.0, float64, described, {})
    assert found == (None if entries is None else Changes(entries, numbers))


def test_tensors_may_have_any_name():
    """Nothing that stands for a part is taken for a tensor of the statement."""
    text = "R[i,j] = X[i,j] * sum(k, _part[k,j]) + _part[i,j]"
    named, renamed = (it.compile(one, formats={"R": it.CSR}) for one in (text, text.replace("_part", "Y")))
    assert named(X=GRAPH, _part=GRAPH).nnz == renamed(X=GRAPH, Y=GRAPH).nnz
