"""Kernels over operands and results in every level format, above and below every other, against NumPy."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from reference.random_operands import random_operand
from sampling import few_or_many

import irtensor as it
from irtensor.named_formats import CSB, ELL

LEVELS = ("dense", "compressed", "bitmap", "hashed", "padded")
PAIRS = [f"{outer}, {inner}" for outer, inner in product(LEVELS, repeat=2) if (outer, inner) != ("dense", "dense")]
TRANSPOSED = [
    "(i, j) -> (j : dense, i : padded)",
    "(i, j) -> (j : compressed, i : hashed)",
    "(j, i) -> (i : bitmap, j : padded)",
]
BLOCKED = ["(i, j) -> (i floordiv 2 : padded, j : dense, i mod 2 : bitmap)", str(CSB(2)), str(CSB(3))]
SHAPES = few_or_many(((5, 7), (0, 3), (1, 6)), ((5, 7), (1, 1), (0, 3), (3, 0), (1, 6), (6, 1)))


def operand(format, shape, dtype: Any = np.float64, seed=0, pattern="sparse"):
    pool = np.array([1, 2, 3, 5]).astype(dtype)
    return random_operand(shape, it.Format(format), pool, pattern, np.random.default_rng(seed))


def run(notation, format, **operands):
    """The result, or None if an operand has no order where one is needed."""
    formats = [o.format for o in operands.values() if isinstance(o, it.Tensor)]
    slugs = ("unordered-merge", "unordered-search")
    has_order = all(level.format.ordered for one in formats for level in one.levels)
    try:
        result = it.compile(notation, formats={notation[0]: format} if format else None)(**operands)
    except it.UserError as error:
        if has_order or error.slug not in slugs:
            raise
        return None
    if isinstance(result, it.Tensor):
        result.check()
        return result.to_numpy()
    return result


# Several entries of a row stand below the slots of its block, each with one child.
BLOCKS_ABOVE_SINGLETONS = [
    f"(i, j) -> (i floordiv 2 : {outer}, i mod 2 : {inner}, j : singleton)"
    for outer in ("padded", "hashed", "dense", "bitmap", "compressed")
    for inner in ("compressed(nonunique)", "compressed(nonunique, nonordered)")
]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("notation", ["R[i,j] = A[i,j] * 2", "R[k,i] = A[i,j] * B[j,k]", "R += A[i,i]"])
@pytest.mark.parametrize("format", BLOCKS_ABOVE_SINGLETONS)
def test_blocks_above_singletons(format, notation):
    for shape, pattern in product(((5, 5), (1, 1), (4, 4)), ("sparse", "full", "empty")):
        tensor, dense = operand(format, shape, pattern=pattern)
        other = np.arange(1.0, 1 + shape[0] * 3).reshape(shape[0], 3)
        wanted = {"R[i,j]": 2 * dense, "R[k,i]": (dense @ other).T, "R += A": dense.trace()}[notation[:6]]
        operands = {"B": other} if "B" in notation else {}
        for result in (None, it.COO(2), it.CSR) if "[" in notation[:2] else (None,):
            found = run(notation, result, A=tensor, **operands)
            assert found is not None
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("format", [*PAIRS, *TRANSPOSED, *BLOCKED])
def test_matrix_times_vector(format):
    for shape, pattern in product(SHAPES, ("sparse", "holes", "full", "empty")):
        tensor, dense = operand(format, shape, pattern=pattern)
        tensor.check()
        x, y = np.arange(1.0, shape[1] + 1), np.arange(1.0, shape[0] + 1)
        np.testing.assert_array_equal(it.einsum("ij,j->i", tensor, x), dense @ x)
        np.testing.assert_array_equal(it.einsum("ij,i->j", tensor, y), y @ dense)
        np.testing.assert_array_equal(it.einsum("ij->", tensor), dense.sum())


@pytest.mark.parametrize(
    "format", [*PAIRS, *TRANSPOSED, *BLOCKED, "hashed, hashed, compressed", "padded, hashed, padded"]
)
def test_conversions(format):
    """Entries below the slots of a hash table are stored in the order of the slots."""
    for seed, pattern in product(range(few_or_many(2, 8)), ("sparse", "holes", "full")):
        shape = (5, 7, 3)[: it.Format(format).rank]
        tensor, dense = operand(format, shape, seed=seed, pattern=pattern)
        plain = it.COO(len(shape))
        for made in (
            it.Tensor.from_numpy(dense, format),
            tensor.to_format(plain),
            tensor.to_format(plain).to_format(format),
        ):
            made.check()
            np.testing.assert_array_equal(made.to_numpy(), dense)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("format", [*PAIRS, *TRANSPOSED])
def test_with_other_operands(format):
    results = ["", "dense, bitmap", "dense, compressed", "bitmap, compressed", format]
    for number, (operator, other) in enumerate(
        product("*+", ("dense, compressed", "dense, bitmap", "dense, dense", format))
    ):
        a, left = operand(format, (5, 7), seed=number)
        b, right = operand(other, (5, 7), seed=number + 50)
        expected = left * right if operator == "*" else left + right
        # Results take turns: each meets every operand and operator in some format of the other operand.
        for result in few_or_many(results[number % 5 :][:1], results):
            found = run(f"C[i,j] = A[i,j] {operator} B[i,j]", result, A=a, B=b)
            assert found is None or np.array_equal(found, expected), (format, other, operator, result)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "int64", "f4", "f8", "c8", "c16"])
def test_dtypes(dtype):
    for format in ("dense, bitmap", "dense, hashed", "padded, dense", "bitmap, padded"):
        tensor, dense = operand(format, (4, 6), np.dtype(dtype))
        x = np.ones(6, dtype)
        np.testing.assert_array_equal(it.einsum("ij,j->i", tensor, x), np.einsum("ij,j->i", dense, x))
        copied = run("C[i,j] = A[i,j]", format, A=tensor)
        assert copied is None or (copied.dtype == dense.dtype and np.array_equal(copied, dense))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("fill", ["1", "inf", "-2"])
def test_fills(fill):
    for format in ("dense, bitmap", "bitmap, compressed", "dense, padded", "dense, hashed", "hashed, dense"):
        tensor, dense = operand(f"{format}, fill = {fill}", (4, 6))
        assert (tensor.to_numpy() == dense).all()
        x = np.ones((4, 6))
        for operator in ("min", "max", "add"):
            found = run(f"C[i,j] = {operator}(A[i,j], x[i,j])", "", A=tensor, x=x)
            expected = {"min": np.minimum, "max": np.maximum, "add": np.add}[operator](dense, x)
            assert found is None or np.array_equal(found, expected), (format, operator)


def test_products_cost_what_the_list_stores():
    """A hash table of a million rows' worth of coordinates is looked up, not walked."""
    table = it.Tensor.from_coo([[5, 2**40]], [2.0, 3.0], shape=2**41, format="hashed")
    other = it.Tensor.from_coo([[1, 5, 2**40]], [7.0, 10.0, 100.0], shape=2**41, format="compressed")
    assert it.einsum("i,i->", table, other) == 320
    assert it.einsum("i,i->", other, table) == 320
    assert it.einsum("i->", table) == 5


def test_a_sum_of_tables_is_one_of_lists():
    table = it.Tensor.from_coo([[5, 2**40]], [2.0, 3.0], shape=2**41, format="hashed")
    other = it.Tensor.from_coo([[7, 2**40]], [1.0, 4.0], shape=2**41, format="hashed")
    kernel = it.compile("c[i] = a[i] + b[i]", formats={"c": "compressed"})
    result = kernel(a=table, b=other)
    np.testing.assert_array_equal(result.to_coo()[0], [[5, 7, 2**40]])
    np.testing.assert_array_equal(result.values, [2, 1, 7])
    assert "order-tables" in kernel.explain()
    with pytest.raises(it.UserError, match=r"level 0 \(i : hashed\) of 'a', which is not ordered, is combined"):
        it.compile("c[i] = a[i] + b[i]", formats={"c": "compressed"}, convert=False)(a=table, b=table)


def test_ell_is_a_name():
    assert str(ELL) == "(i, j) -> (i : dense, j : padded)"
    assert it.ELL == ELL
    assert it.CSB(2) == CSB(2)


def test_results_with_slots_are_converted():
    a, dense = operand("dense, compressed", (5, 7))
    kernel = it.compile("C[i,j] = 2 * A[i,j]", formats={"A": it.CSR, "C": ELL})
    result = kernel(A=a)
    assert str(result.format) == str(ELL)
    np.testing.assert_array_equal(result.to_numpy(), 2 * dense)
    index = kernel.assemble(A=a)
    np.testing.assert_array_equal(kernel.compute(index, A=a).to_numpy(), 2 * dense)
    assert f"result  C is computed as written above, and converted to {ELL}" in kernel.explain()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("format", ["bitmap", "dense, bitmap", "bitmap, compressed"])
@pytest.mark.parametrize("count", [3, 4, 9, 17])
def test_code_grows_with_the_operands_not_with_their_combinations(format, count):
    shape = (7,) if format == "bitmap" else (4, 6)
    index = "i" if format == "bitmap" else "i,j"
    tensors = [operand(format, shape, seed=n, pattern=("sparse", "holes", "empty")[n % 3]) for n in range(count)]
    operands = {f"A{n}": tensor for n, (tensor, _) in enumerate(tensors)}
    stored = [np.array(dense) for _, dense in tensors]
    for symbol, combine in (("+", np.sum), ("*", np.prod)):
        statement = f"Y[{index}] = " + f" {symbol} ".join(f"{name}[{index}]" for name in operands)
        found = run(statement, "", **operands)
        assert found is None or np.array_equal(found, combine(stored, axis=0))


def test_what_is_not_stored_annihilates_where_payloads_are_selected():
    tensors = {name: operand("bitmap", (9,), seed=n)[0] for n, name in enumerate("abc")}
    sa, sb, sc = (tensor.levels[0].flags for tensor in tensors.values())
    assert sa is not None and sb is not None and sc is not None
    da, db, dc = (tensor.to_numpy() for tensor in tensors.values())
    x = np.full(9, np.inf)
    with np.errstate(invalid="ignore"):
        expected = np.where(sa, da * x, 0) + np.where(sb, db * x, 0) + dc
        np.testing.assert_array_equal(run("y[i] = a[i] * x[i] + b[i] * x[i] + c[i]", "", x=x, **tensors), expected)
        expected = np.where((sa | sb) & sc, (da + db) * x * dc, 0)
        np.testing.assert_array_equal(run("y[i] = (a[i] + b[i]) * x[i] * c[i]", "", x=x, **tensors), expected)
