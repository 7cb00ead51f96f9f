"""Loops over many stored operands: each combination of those that have an entry gets its own value."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from absent_entries import Values, values_of

import irtensor as it
from irtensor.core.tensor_format import TensorFormat
from irtensor.passes.iteration_lattice.support import coiteration

INF = float("inf")
LIST = TensorFormat.parse("compressed")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("levels", ["compressed", "bitmap"])
@pytest.mark.parametrize("result", [None, "compressed"])
@pytest.mark.parametrize(
    "expression, fills",
    [
        ("where(A[i] > 0, 0*B[i], 0.0)", (0, INF, 0)),
        ("where(C[i] > 0, A[i]/B[i], 0.0)", (0, 0, 0)),
        ("where(C[i] > 0, A[i]*B[i], 0.0)", (0, INF, 0)),
        ("where(A[i] > 0, B[i]/C[i], 0.0) + B[i]", (0, 0, 0)),
        ("A[i]*B[i] + C[i]", (0, INF, 0)),
        ("A[i]/B[i] + C[i]", (0, 0, 0)),
        ("max(A[i]*B[i], C[i])", (0, -INF, 1)),
    ],
)
def test_an_entry_is_not_a_gap(expression, fills, result, levels):
    """A stored 0 is a number, which an infinite fill value makes NaN; an absent one makes the product absent."""
    names = [name for name in "ABC" if f"{name}[" in expression]
    fills = dict(zip("ABC", fills, strict=True))
    choices = [[None, 2.0, -1.0, 0.0, fills[name]] for name in names]
    columns = dict(zip(names, zip(*product(*choices), strict=True), strict=True))
    tensors, operands = {}, {}
    for name, column in columns.items():
        present = np.array([value is not None for value in column])
        values = np.array([fills[name] if value is None else value for value in column], float)
        tensors[name] = Values(values, present, float(fills[name]))
        format = TensorFormat.parse(levels).with_fill(fills[name])
        where = np.nonzero(present)
        operands[name] = it.Tensor.from_coo(np.array(where), values[where], shape=values.shape, format=format)
    got = it.compile(f"O[i] = {expression}", {} if result is None else {"O": result})(**operands)
    with np.errstate(all="ignore"):
        want = values_of(f"O[i] = {expression}", tensors)
    np.testing.assert_array_equal(got if result is None else got.to_numpy(), want)


NAN = float("nan")
# Where an operand without an entry would meet a stored inf or NaN; the last operand keeps every coordinate alive.
STORED = {
    "a": np.array([INF, 0.0, 2.0, 0.0, NAN, 0.0]),
    "b": np.array([0.0, INF, 3.0, 0.0, 0.0, 0.0]),
    "c": np.array([0.0, NAN, 0.0, INF, 1.0, 2.0]),
    "e": np.array([1.0, 5.0, 0.0, 2.0, 3.0, 4.0]),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "term, expected",
    [
        ("a[i]*b[i] + e[i]", [1, 5, 6, 2, 3, 4]),
        ("e[i] - b[i]*a[i]", [1, 5, -6, 2, 3, 4]),
        ("a[i]*d[i] + e[i]", [INF, 5, 2, 2, NAN, 4]),  # d is dense and holds inf where a has no entry
        ("(a[i] + b[i])*c[i] + e[i]", [1, NAN, 0, 2, NAN, 4]),
        ("a[i]*b[i]*c[i] + e[i]", [1, 5, 0, 2, 3, 4]),
        ("b[i]/(a[i] + 1) + e[i]", [1, INF, 1, 2, 3, 4]),
        ("b[i]/c[i] + e[i]", [1, NAN, INF, 2, 3, 4]),  # an absent dividend, whatever the divisor
        ("a[i]*b[i] + b[i]*c[i] + c[i]*a[i] + e[i]", [1, NAN, 6, 2, NAN, 4]),
        ("max(a[i]*b[i], e[i])", [1, 5, 6, 2, 3, 4]),
        ("a[i]*where(b[i] > 1, c[i], d[i]) + e[i]", [INF, 5, 0, 2, NAN, 4]),
    ],
)
@pytest.mark.parametrize("form", ["entries", "dense", "sum"])
def test_what_is_missing_annihilates_infinities(term, expected, form):
    """One body for all cases must leave out what a body for the case would: a missing 0 times a stored inf."""
    names = [name for name in STORED if f"{name}[" in term]
    operands: dict[str, Any] = {name: it.Tensor.from_numpy(STORED[name], "compressed") for name in names}
    if "d[" in term:
        operands["d"] = np.array([1.0, INF, 1.0, NAN, 1.0, INF])
    statement = f"s = sum(i, {term})" if form == "sum" else f"y[i] = {term}"
    kernel = it.compile(statement, formats={"y": "compressed"} if form == "entries" else {}, disk_cache=False)
    result = kernel(**operands)
    if form == "sum":
        np.testing.assert_equal(result, np.sum(np.array(expected, float)))
    else:
        np.testing.assert_equal(result.to_numpy() if form == "entries" else result, np.array(expected, float))


def test_what_is_missing_annihilates_in_inner_loops():
    a = it.Tensor.from_numpy(np.array([0.0, 2.0, 0.0]), "compressed")
    b = np.array([[INF, 1.0], [3.0, 0.0], [NAN, 0.0]])
    c = np.array([[1.0, 1.0], [0.0, 5.0], [2.0, 0.0]])
    e = np.array([7.0, 0.0, 0.0])
    operands = {"A": a, "e": it.Tensor.from_numpy(e, "compressed")}
    for name, array in (("B", b), ("C", c)):
        operands[name] = it.Tensor.from_numpy(array, "compressed, compressed")
    kernel = it.compile("s = sum(i, sum(j, A[i]*B[i,j] + C[i,j] + e[i]*C[i,j]))", disk_cache=False)
    np.testing.assert_equal(kernel(**operands), 6.0 + 9.0 + 14.0)


def test_declared_operators_fold_while_a_body_is_copied():
    either = it.operator("either", lambda a, b: a + b - a * b, identity=0, associative=True, commutative=True)
    both = it.operator("both", lambda a, b: a * b, annihilator=0, commutative=True)
    b = np.diag([1.0, 2.0, 0.0]) + np.eye(3, k=1)
    kernel = it.compile("C[i,j] = sum(k, @both((@either(1.0, B[i,j]) - B[j,k]), B[k,k]))", operators=[either, both])
    expected = ((1.0 + b - b)[:, :, None] - b[None]) @ np.diag(b)
    np.testing.assert_allclose(kernel(B=it.Tensor.from_numpy(b, "compressed, compressed")), expected)


def _product_of_sums(names):
    return " * ".join(f"({a} + {b})" for a, b in zip(names[::2], names[1::2], strict=True))


def _nested(names):
    text = names[0]
    for number, name in enumerate(names[1:]):
        text = f"({text} {'+*'[number % 2]} {name})"
    return text


SHAPES = {
    "product": " * ".join,
    "sum": " + ".join,
    "sum of products": lambda names: " + ".join(f"{a} * {b}" for a, b in zip(names[::2], names[1::2], strict=True)),
    "product of sums": _product_of_sums,
    "nested": _nested,
    "product with a sum": lambda names: " * ".join(names[:-2]) + f" * ({names[-2]} + {names[-1]})",
    "product plus one": lambda names: " * ".join(names[:-1]) + f" + {names[-1]}",
    "gaps count": lambda names: " + ".join(names) + " + 1",
}


def _operands(count, extent, density):
    random = np.random.default_rng(count)
    values = random.integers(1, 4, (count, extent)) * (random.random((count, extent)) < density)
    return {f"v{number}": row.astype(float) for number, row in enumerate(values)}


@pytest.mark.one_in(16)
@pytest.mark.parametrize("result", ["dense", "compressed"])
@pytest.mark.parametrize("count", [4, 6, 8, 20])
@pytest.mark.parametrize("shape", SHAPES)
def test_many_operands(shape, count, result):
    operands = _operands(count, 40, 0.9 if "product" in shape else 0.3)
    text = SHAPES[shape]([f"{name}[i]" for name in operands])
    formats = {**dict.fromkeys(operands, "compressed"), "y": result}
    kernel = it.compile(f"y[i] = {text}", formats=formats, disk_cache=False)
    computed = kernel(**{name: it.Tensor.from_numpy(row, "compressed") for name, row in operands.items()})
    expected = eval(text.replace("[i]", ""), {}, operands)
    if isinstance(computed, it.Tensor):
        computed.check()
        if shape != "nested" and shape != "gaps count":
            # Nothing cancels here, so what is stored shows where the body ran.
            assert len(computed.values) == np.count_nonzero(expected)
        computed = computed.to_numpy()
    np.testing.assert_allclose(computed, expected)


def test_many_operands_whose_gaps_count():
    """Gaps of 1 annihilate nothing: every coordinate is computed, whoever has an entry there."""
    filled = LIST.with_fill(1)
    operands = {name: np.where(row == 0, 1, row) for name, row in _operands(9, 12, 0.4).items()}
    notation = " * ".join(f"{name}[i]" for name in operands)
    kernel = it.compile(f"y[i] = {notation}", formats=dict.fromkeys(operands, filled), disk_cache=False)
    computed = kernel(**{name: it.Tensor.from_numpy(row, filled) for name, row in operands.items()})
    np.testing.assert_allclose(computed, np.prod(list(operands.values()), axis=0))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("looked_up", ["bitmap", "hashed", "dense"])
@pytest.mark.parametrize(
    "term, stored",
    [
        ("b[i]*c[i] + d[i]", lambda b, c, d, e: (b & c) | d),
        ("b[i]*c[i] + d[i]*e[i]", lambda b, c, d, e: (b & c) | (d & e)),
        ("b[i]*(c[i] + d[i])", lambda b, c, d, e: b & (c | d)),
        ("b[i]*c[i] + e[i]*d[i] + c[i]*d[i]", lambda b, c, d, e: (b & c) | (d & e) | (c & d)),
        ("where(b[i] > 0, c[i], d[i])", lambda b, c, d, e: (b & c) | d),  # an entry of b may be negative
    ],
)
def test_what_is_looked_up_is_asked_for_its_own_term(term, stored, looked_up):
    """One body for the entries of c and of d would append one for each, whatever b and e have."""
    there = np.indices((2, 2, 2, 2)).reshape(4, 16).astype(bool)
    arrays = {name: np.where(has, 2.0, 0.0) for name, has in zip("bcde", there, strict=True) if f"{name}[" in term}
    operands = {
        name: it.Tensor.from_numpy(array, it.Format(looked_up if name in "be" else "compressed"))
        for name, array in arrays.items()
    }
    formats = {name: operand.format for name, operand in operands.items()}
    result = it.compile(f"y[i] = {term}", formats={**formats, "y": "compressed"}, num_threads=1)(**operands)
    b, c, d, e = there
    if looked_up == "dense":
        b = e = np.ones(16, bool)
    assert result.nnz == stored(b, c, d, e).sum()


def test_code_for_a_product_and_a_sum_grows_with_the_operands():
    """A product of n operands is stored under a condition of n parts, not of 2**n."""
    lines = []
    for count in (6, 12):
        names = [f"v{number}" for number in range(count + 1)]
        text = " * ".join(f"{name}[i]" for name in names[:-1]) + f" + {names[-1]}[i]"
        kernel = it.compile(f"y[i] = {text}", formats=dict.fromkeys(names, "compressed"))
        lines.append(len(kernel.ir("lower-looplets").splitlines()))
    assert lines[1] < 3 * lines[0]


def test_code_grows_with_the_operands_and_not_with_their_combinations():
    """Also where something happens at every coordinate, so that every set of entries may meet at one."""

    def lines(count: int) -> int:
        names = "ABCEFG"[:count]
        terms = " + ".join(f"sin({name}[i,j])" for name in names)
        lists = "(i, j) -> (i : compressed, j : compressed)"
        kernel = it.compile(f"R[i,j] = D[i,j] - max({terms}, 0)", dict.fromkeys(names, lists))
        return len(kernel.ir("loop").splitlines())

    assert lines(6) < 3 * lines(3)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("vector", ["compressed", "bitmap", "hashed"])
@pytest.mark.parametrize("matrix", ["csr", "dcsr", "dense, bitmap", "bcsr(2,2)"])
@pytest.mark.parametrize("most_loops", [1, 96])
@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize(
    "dividend",
    ["sin(C[i,j] - (D[i] + E[i] + F[i]))", "C[i,j] + D[i]", "C[i,j]*D[i] + E[i]", "D[i] + E[i] + F[i]"],
)
def test_what_an_outer_and_an_inner_loop_miss_together(dividend, dtype, most_loops, matrix, vector, monkeypatch):
    """Where no operand of a dividend has an entry, the quotient is absent, in whatever loops that is found out."""
    monkeypatch.setattr(coiteration, "MOST_LOOPS", most_loops)
    it.clear_caches()
    draw = np.random.default_rng(3)
    values = {name: np.where(draw.random((7, 7)) < 0.4, draw.integers(1, 5, (7, 7)), 0).astype(dtype) for name in "CA"}
    values |= {name: np.where(draw.random(7) < 0.4, draw.integers(1, 5, 7), 0).astype(dtype) for name in "DEF"}
    names = [name for name in "CADEF" if f"{name}[" in dividend or name == "A"]
    if dtype is complex and "sin" in dividend:
        dividend = dividend.replace("sin", "")
    formats = {name: matrix if name in "CA" else vector for name in names}
    operands = {name: it.Tensor.from_numpy(values[name], formats[name]) for name in names}
    got = it.compile(f"R[i,j] = ({dividend}) / A[i,j]", formats, disk_cache=False)(**operands)
    indices = {name: values[name][:, None] if name in "DEF" else values[name] for name in values}
    text = dividend.replace("[i,j]", "").replace("[i]", "")
    stored = {name: indices[name] != 0 for name in indices}
    present = {"C*D + E": stored["C"] & stored["D"] | stored["E"]}.get(text)
    if present is None:
        present = np.logical_or.reduce(np.broadcast_arrays(*(stored[name] for name in names if name != "A")))
    with np.errstate(all="ignore"):
        want = np.where(present, eval(text, {"sin": np.sin, **indices}) / indices["A"], 0)
    it.clear_caches()
    if dtype is complex:
        # Division by an absent 0 gives infinities and NaN, of which complex numbers have several.
        got, want = (np.where(np.isfinite(both), both, np.nan) for both in (got, want))
    np.testing.assert_allclose(got, want)
