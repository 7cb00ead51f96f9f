"""Sparse results of products have the entries of the products, however the factors are stored."""

from itertools import product

import numpy as np
import pytest

import irtensor as it

SIZES = {"i": 6, "j": 5, "k": 7, "l": 4}
LIST, BITMAP = "dense, compressed", "dense, bitmap"
SECOND = (LIST, BITMAP, "compressed, bitmap", "bitmap, bitmap", "dense, hashed", "(i, j) -> (j : dense, i : bitmap)")
RESULTS = (it.CSR, it.DCSR, it.CSC, it.COO(2), *map(it.Format, ("dense, hashed", BITMAP, "bitmap, bitmap")))
# Statements with the indices of their operands, and the same as a sum of products over which entries there are.
STATEMENTS = {
    "A[i,k] = B[i,j] * C[j,k]": ({"B": "ij", "C": "jk"}, "ij,jk->ik"),
    "A[i,k] = B[i,j] * x[j] * C[j,k]": ({"B": "ij", "C": "jk"}, "ij,jk->ik"),
    "A[i,k] = min(j, B[i,j] + C[j,k])": ({"B": "ij", "C": "jk"}, "ij,jk->ik"),
    "A[i,k] = B[i,j] * C[j,k] + D[i,k]": ({"B": "ij", "C": "jk", "D": "ik"}, "ij,jk->ik"),
    "A[i,k] = D[i,j] * B[j,l] * C[l,k]": ({"D": "ij", "B": "jl", "C": "lk"}, "ij,jl,lk->ik"),
    "A[i,k] = B[i,j] * C[j,l] * D[l,k]": ({"B": "ij", "C": "jl", "D": "lk"}, "ij,jl,lk->ik"),
}


def stored(indices: str, seed: int) -> np.ndarray:
    shape = [SIZES[index] for index in indices]
    return np.random.default_rng(seed).random(shape) < 0.2


def coordinates(tensor: it.Tensor) -> np.ndarray:
    found = np.zeros(tensor.shape, bool)
    found[tuple(tensor.to_coo()[0])] = True
    return found


@pytest.mark.filterwarnings("error::irtensor.DenseResultWarning")
@pytest.mark.one_in(4)
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("result", RESULTS, ids=str)
def test_entries_are_those_of_the_product(statement, second, result):
    indices, pattern = STATEMENTS[statement]
    fill = np.inf if "min" in statement else 0.0
    patterns = {name: stored(own, seed) for seed, (name, own) in enumerate(indices.items())}
    formats = {name: it.Format(second if name == "C" else LIST).with_fill(fill) for name in indices}
    operands = {name: it.Tensor.from_numpy(np.where(own, 2.0, fill), formats[name]) for name, own in patterns.items()}
    kernel = it.compile(statement, {**formats, "A": result.with_fill(fill)})
    found = kernel(**operands, **({"x": np.ones(SIZES["j"])} if "x[" in statement else {}))
    factors = [own.astype(int) for name, own in patterns.items() if "+ D" not in statement or name != "D"]
    expected = np.einsum(pattern, *factors) > 0
    if "+ D" in statement:
        expected |= patterns["D"]
    np.testing.assert_array_equal(coordinates(found), expected)


FACTORS = (
    *SECOND,
    "compressed, compressed",
    "(i, j) -> (j : dense, i : compressed)",
    "compressed(nonunique), singleton",
)
WITH_FLAGS = (BITMAP, "bitmap, bitmap", "compressed, bitmap", "(i, j) -> (j : dense, i : bitmap)")


@pytest.mark.filterwarnings("error::irtensor.DenseResultWarning")
@pytest.mark.one_in(64)
@pytest.mark.parametrize("indices", ["ij", "ji"])
@pytest.mark.parametrize("factors", list(product(FACTORS, repeat=2)), ids=str)
@pytest.mark.parametrize("result", WITH_FLAGS)
def test_results_with_flags_have_the_entries_of_the_product(indices: str, factors: tuple[str, str], result: str):
    patterns = stored(indices, 0), stored("jk", 1)
    B, C = (it.Tensor.from_numpy(own * 2.0, one) for own, one in zip(patterns, factors, strict=True))
    formats = {"A": it.Format(result), "B": it.Format(factors[0]), "C": it.Format(factors[1])}
    found = it.compile(f"A[i,k] = B[{','.join(indices)}] * C[j,k]", formats)(B=B, C=C)
    expected = np.einsum(f"{indices},jk->ik", *(own.astype(int) for own in patterns)) > 0
    np.testing.assert_array_equal(coordinates(found), expected)


@pytest.mark.parametrize("result", [it.CSR, it.CSC])
@pytest.mark.parametrize("last", ["compressed", "bitmap"])
def test_entries_where_lists_are_above_what_is_looked_up(result, last):
    B, C = stored("ijl", 1), stored("lk", 2)
    kernel = it.compile(
        "A[i,k] = B[i,j,l] * C[l,k]", {"A": result, "B": it.Format(f"dense, compressed, {last}"), "C": it.CSR}
    )
    found = kernel(B=B.astype(float), C=C.astype(float))
    expected = np.einsum("ijl,lk->ik", B.astype(int), C.astype(int)) > 0
    np.testing.assert_array_equal(coordinates(found), expected)


def test_operands_that_are_not_converted_are_collected_in_a_workspace():
    B, C = stored("ij", 1), stored("jk", 2)
    formats = {"A": it.CSR, "B": it.CSR, "C": it.Format(BITMAP)}
    kernel = it.compile("A[i,k] = B[i,j] * C[j,k]", formats, convert=False)
    found = kernel(
        B=it.Tensor.from_numpy(B.astype(float), it.CSR), C=it.Tensor.from_numpy(C.astype(float), formats["C"])
    )
    np.testing.assert_array_equal(coordinates(found), B.astype(int) @ C.astype(int) > 0)
    # Who gives the order of the loops is given it.
    given = it.compile("A[i,k] = B[i,j] * C[j,k]", formats, schedule=it.schedule("reorder(i, k, j)"))
    assert given(B=B.astype(float), C=C.astype(float)).nnz == found.to_numpy().size
