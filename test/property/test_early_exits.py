"""Reductions that end when their result is known, against NumPy: operators, formats, threads, where the end is."""

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it

OPERATORS = {
    "|=": (np.bitwise_or.reduce, np.bool_),
    "&=": (np.bitwise_and.reduce, np.bool_),
    "max=": (np.maximum.reduce, np.uint8),
    "min=": (np.minimum.reduce, np.int16),
    "*=": (np.multiply.reduce, np.int64),
    "or=": (np.bitwise_or.reduce, np.int32),
}


def drawn(numbers, shape, dtype, share):
    """Numbers of which some share are the least or the greatest one, or 0."""
    if dtype == np.bool_:
        return numbers.random(shape) < share
    few = numbers.integers(1, 3, shape).astype(dtype)
    least = np.iinfo(dtype).min if dtype == np.int16 else 0
    ends = {np.uint8: 255, np.int32: -1}.get(dtype, least)
    return np.where(numbers.random(shape) < share, dtype(ends), few)


@pytest.mark.parametrize("format", [None, "compressed", "bitmap"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_vectors(operator, format):
    reduce, dtype = OPERATORS[operator]
    for seed in range(few_or_many(3, 100)):
        numbers = np.random.default_rng(seed)
        share = [0, 1e-3, 0.999][seed % 3] if dtype == np.bool_ else [0, 1e-3, 0.5][seed % 3]
        a = drawn(numbers, int(numbers.integers(0, 20_000)), dtype, share)
        operand = a if format is None else it.Tensor.from_numpy(a, format)
        kernel = it.compile(f"s {operator} a[i]", num_threads=1 + seed % 2)
        assert kernel(a=operand) == reduce(a, dtype=dtype)


@pytest.mark.parametrize("format", ["dense, dense", "csr", "csc", "coo", "dense, bitmap"])
@pytest.mark.parametrize("text", ["g[i] |= A[i,j] & f[j]", "s |= A[i,j]", "h[j] |= A[i,j]", "s &= A[i,j] | f[j]"])
def test_matrices(text, format):
    for seed in range(few_or_many(2, 30)):
        numbers = np.random.default_rng(seed)
        A = numbers.random(((3, 9000), (200, 90))[seed % 2]) < (0.002, 0.3)[seed % 2]
        f = numbers.random(A.shape[1]) < 0.5
        kernel = it.compile(text, num_threads=1 + seed % 2)
        operands = {"A": it.Tensor.from_numpy(A, format), "f": f}
        found = kernel(**{name: operands[name] for name in kernel.operand_names})
        expected = {"g": (A & f).any(1), "h": A.any(0), "s": A.any() if "|=" in text else (A | f).all()}[text[0]]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("formats", [("compressed", "compressed"), ("compressed", None), ("bitmap", "compressed")])
def test_merges(formats):
    for seed in range(few_or_many(3, 50)):
        numbers = np.random.default_rng(seed)
        a, b = (numbers.random(5000) < 0.01 * seed for _ in "ab")
        operands = [x if f is None else it.Tensor.from_numpy(x, f) for x, f in zip((a, b), formats, strict=True)]
        both, either, count = it.compile("s |= a[i] & b[i]; t |= a[i] | b[i]; n = sum(i, a[i] & b[i])")(*operands)
        assert (both, either, count) == ((a & b).any(), (a | b).any(), (a & b).sum())


@pytest.mark.parametrize(
    ("text", "formats", "dtypes"),
    [
        ("s |= a[i]", {}, {"a": bool}),
        ("s |= a[i] & b[i]", {"a": "compressed", "b": "compressed"}, {"a": bool, "b": bool}),
        ("s max= u[i]", {}, {"u": np.uint8}),
        ("g[i] |= A[i,j]", {"A": "csr"}, {"A": bool}),
    ],
)
def test_loops_end(text, formats, dtypes):
    assert "loops end when their result is known" in it.compile(text, formats, dtypes).explain()


def test_floats_and_wide_numbers_go_on():
    for text in ("s max= a[i]", "s *= a[i]", "s += a[i]"):
        assert "loops end" not in it.compile(text).explain()
    assert np.isnan(it.compile("s *= a[i]")(np.array([0.0, np.nan])))
    assert "loops end" not in it.compile("s max= a[i]", dtypes={"a": np.int64}).explain()


@pytest.mark.parametrize("format", [None, "compressed"])
def test_declared_operators(format):
    """One that is commutative, and one in whose absorbing value others end only beside each other, as 3 * 4 = 0."""
    most = it.operator(
        "most", lambda x, y: it.functions.max(x, y), identity=0, annihilator=9, associative=True, commutative=True
    )
    modulo = it.operator("modulo", lambda x, y: x * y % 12, identity=1, annihilator=0, associative=True)
    for seed in range(few_or_many(4, 60)):
        numbers = np.random.default_rng(seed)
        a = np.where(numbers.random(9000) < 0.001, 9, 3)
        b = np.where(numbers.random(9000) < 0.0003, numbers.integers(2, 7, 9000), 1)
        expected = 1
        for value in b[b > 1].tolist():
            expected = expected * value % 12
        stored = [x if format is None else it.Tensor.from_numpy(x, format) for x in (a, b)]
        for operator, operand, result in ((most, stored[0], a.max()), (modulo, stored[1], expected)):
            text = f"s {operator.name}= a[i]"
            kernel = it.compile(text, operators=[operator], num_threads=1 + seed % 2)
            assert kernel(operand) == result
            assert "loops end when their result is known" in kernel.explain()
