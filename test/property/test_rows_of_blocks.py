"""Blocks times dense matrices: rows of a block are summed together, in vectors, up to the edges of both."""

from itertools import product

import numpy as np
import pytest

import irtensor as it

WIDTHS = (0, 1, 3, 4, 5, 8, 9, 16, 31, 33)


def blocked(rows, columns):
    return (
        f"(i, j) -> (i floordiv {rows} : dense, j floordiv {columns} : compressed, i mod {rows} : dense, "
        f"j mod {columns} : dense)"
    )


def in_blocks(generator, shape, block, dtype):
    """A matrix some blocks of which have entries, and these not everywhere."""
    blocks = [-(-extent // size) for extent, size in zip(shape, block, strict=True)]
    stored = np.kron(generator.random(blocks) < 0.5, np.ones(block)) != 0
    dense = generator.integers(-4, 5, stored.shape) * (stored & (generator.random(stored.shape) < 0.8))
    return dense[: shape[0], : shape[1]].astype(dtype)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i2", "c16", "?"])
@pytest.mark.parametrize("block", [(1, 3), (2, 2), (3, 1), (4, 4), (5, 2), (8, 8), (9, 4)], ids=str)
def test_products(block, dtype):
    """Rows that are whole blocks, those that are cut at the edge, and columns of every length."""
    generator = np.random.default_rng(3)
    kernels = [
        it.compile("C[i,f] = A[i,j] * D[j,f]", formats={"A": blocked(*block)}, num_threads=number) for number in (1, 2)
    ]
    for shape in ((block[0] * 3, block[1] * 4), (block[0] * 2 + 1, block[1] * 3 - 1), (1, 2), (0, 3), (block[0], 0)):
        a = in_blocks(generator, shape, block, dtype)
        for width, kernel in product(WIDTHS, kernels):
            d = generator.integers(-3, 4, (shape[1], width)).astype(dtype)
            # The sum of Booleans counts.
            expected = a.astype("i8") @ d if dtype == "?" else a @ d
            result = kernel(A=a, D=d)
            np.testing.assert_array_equal(result, expected)
            assert result.dtype == expected.dtype


@pytest.mark.parametrize("block", [(2, 2), (4, 4), (4, 1)], ids=str)
def test_what_is_absent_in_a_block_is_not_multiplied(block):
    """A zero beside an entry is no entry: infinity and NaN are not multiplied by it."""
    generator = np.random.default_rng(1)
    a = in_blocks(generator, (block[0] * 3 + 1, block[1] * 4), block, "f8")
    d = generator.choice([1.0, -2.0, np.inf, np.nan], (a.shape[1], 21), p=[0.4, 0.4, 0.1, 0.1])
    with np.errstate(invalid="ignore"):
        terms = np.where(a[:, :, None] != 0, a[:, :, None] * d[None], 0.0)
        expected = terms.sum(axis=1)
    kernel = it.compile("C[i,f] = A[i,j] * D[j,f]", formats={"A": blocked(*block)})
    np.testing.assert_array_equal(kernel(A=a, D=d), expected)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("block", [(2, 3), (4, 4), (8, 2)], ids=str)
@pytest.mark.parametrize(
    ("statement", "of"),
    [
        ("C[i,f] = min(j, A[i,j] + D[j,f])", lambda a, d: (a[:, :, None] + d[None]).min(axis=1, initial=np.inf)),
        ("C[i,f] = max(j, A[i,j] * D[j,f])", lambda a, d: (a[:, :, None] * d[None]).max(axis=1, initial=-np.inf)),
        ("C[i,f] = A[i,j] * D[j,f] + 2", lambda a, d: a @ d + 2),
        ("C[i,f] = E[i,f] + A[i,j] * D[j,f]", lambda a, d: a @ d + 1),
        ("C[f,i] = A[i,j] * D[j,f]", lambda a, d: (a @ d).T),
        ("C[j,f] = A[i,j] * D2[i,f]", lambda a, d: a.T @ d[: a.shape[0]]),
        ("c[f] = A[i,j] * D[j,f]", lambda a, d: (a @ d).sum(axis=0)),
        ("C[i,f] = exp(A[i,j]) * D[j,f]", lambda a, d: np.exp(a) @ d),
        ("C[i,f] = A[i,j] * exp(D[j,f])", lambda a, d: a @ np.exp(d)),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_other_sums(block, statement, of):
    generator = np.random.default_rng(2)
    a = in_blocks(generator, (block[0] * 3 - 1, block[1] * 5 + 1), block, "f8")
    for width in (1, 7, 16, 19):
        d = generator.integers(-3, 4, (max(a.shape), width)).astype("f8")
        given = {"D": d[: a.shape[1]], "D2": d[: a.shape[0]], "E": np.ones((a.shape[0], width))}
        kernel = it.compile(statement, formats={"A": blocked(*block)})
        operands = {name: value for name, value in given.items() if f"{name}[" in statement}
        wanted = of(a, given["D"] if "D2" not in operands else given["D2"])
        np.testing.assert_allclose(kernel(A=a, **operands), wanted, rtol=1e-12)


def test_rows_of_a_block_share_what_they_read():
    """The rows are in vectors together: eight of four rows and two vectors, and masks instead of branches."""
    kernel = it.compile("C[i,f] = A[i,j] * D[j,f]", formats={"A": blocked(4, 4)})
    text = kernel.ir("cpu")
    assert text.count("loop.view %C_vals") == 4
    strips = text.split("loop.view %C_vals")[-1].split("loop.for %p")[:2]
    assert [strip.count("loop.cell") for strip in strips] == [8, 8] and "llvm.icmp" in text
