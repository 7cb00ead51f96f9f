"""Operands that are converted because a statement asks for it, without being told."""

import numpy as np
import pytest

import irtensor as it


@pytest.mark.parametrize(("left", "right", "result"), [(it.CSC, it.CSC, it.CSR), (it.CSR, it.CSR, it.CSC)])
def test_operands_are_converted_rather_than_many_rows_collected(left, right, result):
    """What is reached in another order than the result's is converted where a row is all that is collected then."""
    rng = np.random.default_rng(5)
    a, b = ((rng.random((9, 9)) < 0.3) * rng.integers(1, 5, (9, 9)).astype(float) for _ in range(2))
    kernel = it.compile("R[i,j] = A[i,k] * B[k,j]", formats={"A": left, "B": right, "R": result})
    found = kernel(A=it.Tensor.from_numpy(a, left), B=it.Tensor.from_numpy(b, right))
    np.testing.assert_array_equal(found.to_numpy(), a @ b)
    assert [(f.dimension_order, f.is_dense) for f in kernel.read_formats.values()] == [
        (result.dimension_order, False)
    ] * 2


CUBE = "(i, j, k) -> (i : compressed, j : dense, k : compressed)"
TUPLES = (
    "(i, j, k, l) -> (i : dense, j : compressed(nonunique), k : singleton(nonunique), l : singleton)",
    "(i, j, k, l) -> (l : compressed(nonunique), k : singleton(nonunique), j : singleton(nonunique), i : singleton)",
)


@pytest.mark.parametrize(
    ("statement", "format", "oracle"),
    [
        ("R[j,i] = A[k,j,i] * A[i,j,k] + A[k,j,i]", CUBE, lambda a: np.einsum("kji,ijk->ji", a, a) + a.sum(0)),
        ("R[i,j] = A[j,k,i] * A[i,k,j] + A[k,i,j]", CUBE, lambda a: np.einsum("jki,ikj->ij", a, a) + a.sum(0)),
        *[
            ("R[l,k] = A[k,l,j,i] + A[k,l,k,i]", one, lambda a: np.einsum("klji->lk", a) + np.einsum("klki->lk", a))
            for one in TUPLES
        ],
    ],
)
def test_orders_that_conversions_mend_are_not_refused(statement, format, oracle):
    """Each access of a reduction inside of others may need a copy of its own."""
    rng = np.random.default_rng(2)
    shape = (3,) * it.Format(format).rank
    array = ((rng.random(shape) < 0.4) * rng.integers(1, 5, shape)).astype(float)
    found = it.compile(statement, formats={"A": format})(A=it.Tensor.from_numpy(array, format))
    np.testing.assert_array_equal(found, oracle(array))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("result", [None, "dense, bitmap"])
@pytest.mark.parametrize("rest", ["", " + C[i,j]"])
@pytest.mark.parametrize("blocks", ["bcsr(2, 2)", "bcsr(1, 3)"])
def test_rows_below_coordinates_that_blocks_give_are_walked(blocks, rest, result):
    """A coordinate is bound once block and place are known, and the row of it is walked: nothing is transposed."""
    rng = np.random.default_rng(7)
    a, b, c = ((rng.random((7, 7)) < 0.3) * rng.integers(1, 5, (7, 7)).astype(float) for _ in range(3))
    rows = it.CSR
    formats = {"A": blocks, "B": rows} | ({} if result is None else {"R": result})
    kernel = it.compile(f"R[i,j] = A[i,k] * B[k,j]{rest}", formats=formats | ({"C": rows} if rest else {}))
    operands = {"A": it.Tensor.from_numpy(a, blocks), "B": it.Tensor.from_numpy(b, rows)}
    found = kernel(**operands, **({"C": it.Tensor.from_numpy(c, rows)} if rest else {}))
    np.testing.assert_array_equal(found if result is None else found.to_numpy(), a @ b + (c if rest else 0))
    text = kernel.explain()
    assert "converted" not in text and "searched" not in text
