"""An absent entry annihilates whatever it meets, in every sparse format alike: infinities, NaN, and zero divisors."""

import random
import re

import numpy as np
import pytest
from absent_entries import Values, values_of
from sampling import few_or_many

import irtensor as it

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

N = 5
MATRICES = [
    "dense, compressed",
    "compressed, compressed",
    "(i, j) -> (j : dense, i : compressed)",
    "compressed(nonunique), singleton",
    "dense, bitmap",
    "bitmap, bitmap",
    "compressed, bitmap",
    "dense, hashed",
    "hashed, hashed",
    "dense, padded",
    "compressed, dense",
    "bitmap, dense",
    "(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)",
    "(i, j) -> (i floordiv 2 : compressed, j floordiv 2 : bitmap, i mod 2 : dense, j mod 2 : dense)",
    "(i, j) -> (j - i : compressed, i : range, j : offset)",
    str(it.CSB(2)),
]
VECTORS = ["compressed", "bitmap", "hashed"]
FILLS = [0.0, 1.0, np.inf, np.nan, 2.5]

# A, B, E and u are sparse; D and c are dense, and hold infinities, NaN and zeros.
STATEMENTS = """
O[i,j] = A[i,j] * D[i,j]
O[i,j] = c[i] * A[i,j]
O[i,j] = A[i,j] / D[i,j]
O[i,j] = A[i,j] // c[i]
O[i,j] = A[i,j] % D[i,j]
O[i,j] = A[i,j] / B[i,j]
O[i,j] = A[i,j] % B[i,j]
O[i,j] = A[i,j] * B[i,j]
O[i,j] = A[i,j] / sum(k, A[i,k])
O[i,j] = A[i,j] / sum(k, A[k,j])
O[i,j] = exp(A[i,j]) * c[j]
O[i,j] = exp(A[i,j]) / D[i,j]
O[i,j] = sqrt(A[i,j]) * c[j]
O[i,j] = sqrt(A[i,j]) / c[j]
O[i,j] = log(A[i,j]) * D[i,j]
O[i,j] = reciprocal(A[i,j]) * c[j]
O[i,j] = A[i,j] ** 2 * c[j]
O[i,j] = A[i,j] ** c[j]
O[i,j] = A[i,j] ** B[i,j]
O[i,j] = (A[i,j] * B[i,j] + A[i,j] * E[i,j]) * c[j]
O[i,j] = (A[i,j] * B[i,j] + E[i,j] * E[i,j]) * c[j]
O[i,j] = (A[i,j] + B[i,j]) * c[j]
O[i,j] = (A[i,j] + B[i,j]) / D[i,j]
O[i,j] = (A[i,j] + B[i,j]) * E[i,j] * c[i]
O[i,j] = (A[i,j] + B[i,j] / E[i,j]) * c[i]
O[i,j] = A[i,j] * inf
O[i,j] = inf * A[i,j]
O[i,j] = 0 * A[i,j]
O[i,j] = A[i,j] / 0
O[i,j] = 0 / A[i,j]
O[i,j] = (A[i,j] + 1) * c[j]
O[i,j] = (A[i,j] > 1) * D[i,j]
O[i,j] = where(A[i,j] != 0, D[i,j], 0)
O[i,j] = where(A[i,j] > 1, B[i,j], E[i,j]) * c[j]
O[i,j] = where(A[i,j] != 0, log(A[i,j]), 0) * c[j]
O[i,j] = max(A[i,j], B[i,j]) * c[j]
O[i,j] = min(A[i,j], D[i,j])
O[i,j] = max(A[i,j], D[i,j])
O[i,j] = A[i,j] + D[i,j]
O[i,j] = -A[i,j] * D[i,j]
O[i,j] = (A[i,j] * D[i,j]) / c[i]
O[i,j] = A[i,j] * (B[i,j] / c[i])
O[i,j] = D[i,j] / A[i,j] * B[i,j]
O[i,j] = A[j,i] * D[i,j] + B[i,j] * c[i]
O[i,j] = sum(k, A[i,k] * B[k,j]) * D[i,j]
O[i,j] = sum(k, A[i,k] * B[k,j]) / D[i,j]
O[i,j] = sum(k, A[i,k] * D[k,j])
O[i,j] = sum(k, A[i,k] * D[k,j]) * B[i,j]
O[i,j] = (A[i,j] * u[i] + B[i,j] * c[i]) * D[i,j]
O[i,j] = u[i] * u[j] / D[i,j]
O[i,j] = u[i] / sum(k, u[k]) * A[i,j]
O[i] = sum(k, A[i,k]) * c[i]
O[i] = sum(k, A[i,k]) / c[i]
O[i] = c[i] / sum(k, A[i,k])
O[i] = sum(k, A[k,i]) * c[i]
O[i] = sum(k, A[i,k] / c[k])
O[i] = sum(k, A[i,k] * B[i,k] * c[k])
O[i] = sum(k, (A[i,k] + B[i,k]) * c[k])
O[i] = max(k, A[i,k]) * c[i]
O[i] = max(k, A[i,k] * c[k])
O[i] = min(k, A[i,k]) * c[i]
O[i] = prod(k, A[i,k]) * c[i]
O[i] = u[i] / c[i]
O[i] = u[i] % c[i]
O[i] = exp(u[i]) / sum(k, exp(A[i,k]))
""".strip().splitlines()


def sparse(rank: int, fill: float, rng: np.random.Generator) -> Values:
    """Positive values, none of them the fill; the second row has none."""
    present = rng.random((N,) * rank) < 0.4
    present[1] = False
    values = np.where(present, rng.choice([0.5, 2.0, 3.0, 4.0], size=present.shape), fill)
    return Values(values, present, fill)


def tensors_of(statement: str, fills: list[float], rng: np.random.Generator) -> dict[str, Values]:
    read = set(re.findall(r"\b([A-Zu])\[|\b(c)\[", statement.partition(" = ")[2]))
    names = sorted("".join(pair) for pair in read)
    tensors = {name: sparse(1 if name == "u" else 2, fills[name == "B"], rng) for name in names if name in "ABEu"}
    if "D" in names:
        values = rng.choice([0.0, 1.0, 2.0, np.inf, np.nan, -np.inf], size=(N, N))
        tensors["D"] = Values(values, np.ones((N, N), bool))
    if "c" in names:
        tensors["c"] = Values(rng.permutation([0.0, np.inf, np.nan, 2.0, -np.inf]), np.ones(N, bool))
    return tensors


def stored(tensor: Values, levels: str) -> it.Tensor:
    format = it.Format(levels)
    if tensor.fill:
        format = it.Format(f"{format}, fill = {tensor.fill}")
    where = np.nonzero(tensor.present)
    return it.Tensor.from_coo(np.array(where), tensor.values[where], shape=tensor.values.shape, format=format)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_format_gives_what_the_rule_says(statement):
    draw = random.Random(statement)
    for _ in range(few_or_many(1, 60)):
        fills = [draw.choice([0.0, 0.0, *FILLS]) for _ in range(2)]
        tensors = tensors_of(statement, fills, np.random.default_rng(draw.randrange(1 << 30)))
        levels, result = draw.choice(MATRICES), draw.choice([None, "dense, compressed"])
        operands = {
            name: tensor.values if name in "Dc" else stored(tensor, draw.choice(VECTORS) if name == "u" else levels)
            for name, tensor in tensors.items()
        }
        formats = {"O": result} if result is not None and statement.startswith("O[i,j]") else None
        got = it.compile(statement, formats)(**operands)
        with np.errstate(all="ignore"):
            want = values_of(statement, tensors)
        given = got.to_numpy() if isinstance(got, it.Tensor) else got
        np.testing.assert_array_equal(given, want, err_msg=f"{levels} with fills {fills}, result {result}")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("levels", MATRICES)
def test_row_normalisation_stores_what_its_operand_stores(levels):
    matrix = sparse(2, 0.0, np.random.default_rng(3))
    kernel = it.compile("O[i,j] = A[i,j] / sum(k, A[i,k])", {"A": levels, "O": it.CSR})
    got = kernel(A=stored(matrix, levels))
    assert got.fill_value == 0
    sums = matrix.values.sum(axis=1, keepdims=True)
    want = np.divide(matrix.values, sums, out=np.zeros((N, N)), where=matrix.present)
    np.testing.assert_allclose(got.to_numpy(), want)
    if not it.Format(levels).levels[-1].format.pattern.full and "range" not in levels:
        assert got.nnz == matrix.present.sum()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("levels", MATRICES)
def test_exact_arithmetic_computes_with_fills(levels):
    matrix = sparse(2, 0.0, np.random.default_rng(4))
    dense, column = np.random.default_rng(5).choice([0.0, 2.0, np.inf, np.nan], size=(N, N)), np.full(N, np.inf)
    with np.errstate(all="ignore"):
        cases = {
            "O[i,j] = A[i,j] * D[i,j]": matrix.values * dense,
            "O[i,j] = A[i,j] / D[i,j]": matrix.values / dense,
            "O[i,j] = A[i,j] / sum(k, A[i,k])": matrix.values / matrix.values.sum(axis=1, keepdims=True),
            "O[i] = A[i,k] * c[k]": matrix.values @ column,
            "O[i] = sum(k, A[i,k]) * c[i]": matrix.values.sum(axis=1) * column,
        }
    tensor = stored(matrix, levels)
    for statement, want in cases.items():
        operands = {name: value for name, value in (("D", dense), ("c", column)) if f"{name}[" in statement}
        got = it.compile(statement, exact=True)(A=tensor, **operands)
        np.testing.assert_allclose(got, want, err_msg=statement)
    np.testing.assert_allclose(it.einsum("ij,j->i", tensor, column, exact=True), cases["O[i] = A[i,k] * c[k]"])
