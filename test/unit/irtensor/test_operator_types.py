"""The dtypes of declared operators: an operator gives what its body gives, as NumPy computes it."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.api.expression import functions

DTYPES = [np.dtype(name) for name in ("?", "i1", "i2", "i4", "i8", "f4", "f8", "c8", "c16")]
REAL = [dtype for dtype in DTYPES if dtype.kind != "c"]
LEFT, RIGHT = np.array([0, 5, 9, 1, 3, 0]), np.array([1, 1, 2, 0, 3, 0])
# The operator, its body for NumPy, and whether it gives what it takes.
OPERATORS: dict[str, tuple[Any, dict[str, Any], bool]] = {
    "ratio": (lambda a, b: a / (b + 1), {}, False),
    "share": (lambda a, b: (a + 1) / (b * b + 2), {}, False),
    "length": (lambda a, b: abs(a * b), {"annihilator": 0}, False),
    "below": (lambda a, b: a < b, {}, False),
    "join": (lambda a, b: a + b + a * b, {"identity": 0, "associative": True}, True),
    "sum": (lambda a, b: a + b, {"identity": 0, "associative": True, "commutative": True}, True),
}


def declared(name):
    body, traits, _ = OPERATORS[name]
    return it.operator(name, body, **traits)


def oracle(name, a, b):
    """What the body gives for arrays of one dtype, converted only if the operator gives what it takes."""
    common = np.result_type(a, b)
    result = OPERATORS[name][0](a.astype(common), b.astype(common))
    return result.astype(common) if OPERATORS[name][2] else result


def check(result, expected):
    result = result if isinstance(result, np.ndarray) else result.to_numpy()
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_a_quotient_of_integers_is_none():
    ratio = declared("ratio")
    a, b = np.array([0, 5, 9]), np.array([1, 1, 2])
    written = it.compile("y[i] = a[i] / (b[i] + 1)")(a=a, b=b)
    applied = it.compile("y[i] = @ratio(a[i], b[i])", operators=[ratio])(a=a, b=b)
    for result in (written, applied):
        check(result, np.array([0.0, 2.5, 3.0]))


@pytest.mark.one_in(12)
@pytest.mark.parametrize("first", DTYPES, ids=str)
@pytest.mark.parametrize("name", OPERATORS)
def test_all_pairs_of_dtypes(name, first):
    kernel = it.compile(f"y[i] = @{name}(a[i], b[i])", operators=[declared(name)])
    for second in REAL if name == "below" else DTYPES:
        if name != "below" or first in REAL:
            a, b = LEFT.astype(first), RIGHT.astype(second)
            check(kernel(a=a, b=b), oracle(name, a, b))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["ratio", "share", "length", "below"])
@pytest.mark.parametrize("dtype", ["i1", "i8", "f4", "f8"])
@pytest.mark.parametrize("fills", [(0, 0), (0, 2), (100, 3)])
def test_the_fill_of_the_result(name, dtype, fills):
    """It is the operator on the fills of its operands, in the dtype of the result, with or without an annihilator."""
    arrays, tensors = {}, {}
    for one, values, fill in (("a", LEFT, fills[0]), ("b", RIGHT, fills[1])):
        arrays[one] = np.where(values == 0, fill, values).astype(dtype)
        tensors[one] = it.Tensor.from_numpy(arrays[one], it.Format(f"(i) -> (i : compressed), fill = {fill}"))
    formats = {**{one: tensor.format for one, tensor in tensors.items()}, "y": "compressed"}
    result = it.compile(f"y[i] = @{name}(a[i], b[i])", formats=formats, operators=[declared(name)])(**tensors)
    check(result, oracle(name, arrays["a"], arrays["b"]))
    fill = oracle(name, *(np.array([fill], dtype) for fill in fills))
    assert result.values.dtype == fill.dtype
    np.testing.assert_allclose(np.asarray(result.fill_value, fill.dtype), fill[0], rtol=1e-6)
    # Without a factor or a dividend that is 0 where it has no entry, there is none.
    decisive = {"length": [(LEFT, fills[0]), (RIGHT, fills[1])], "ratio": [(LEFT, fills[0])]}.get(name, [])
    stored = [values != 0 for values, fill in decisive if fill == 0]
    assert result.nnz == np.count_nonzero(np.all(stored, axis=0) if stored else (LEFT != 0) | (RIGHT != 0))


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "f4", "f8", "c8"])
def test_an_annihilator_of_another_dtype_skips_what_is_missing(dtype):
    """In the dtype of the result the missing entry is 0 as well, also where the body would give NaN."""
    quotient = it.operator("quotient", lambda a, b: abs(a / b) / 2, annihilator=0)
    formats = {"A": it.CSR, "C": it.CSR}
    A, x = (np.diag([4, 0, 3]) + np.eye(3, k=1)).astype(dtype), np.array([2, 0, 1]).astype(dtype)
    result = it.compile("C[i,j] = @quotient(A[i,j], x[i])", formats=formats, operators=[quotient])(A=A, x=x)
    with np.errstate(all="ignore"):
        expected = np.where(A != 0, abs(A / x[:, None]) / 2, 0).astype(abs(A / x[:, None]).dtype)
    check(result, expected)
    assert result.nnz == np.count_nonzero(A) and result.fill_value == 0
    for order in ("ij,i->ij", "ij,i->"):
        found = it.einsum(order, it.Tensor.from_numpy(A, it.CSR), x, semiring=it.Semiring("add", quotient))
        summed = expected.sum() if order.endswith(">") else expected
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, summed, rtol=1e-6)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8", "c16"])
@pytest.mark.parametrize("body", [lambda a, b: abs(a / b) < 2.5, lambda a, b: abs(a / b + 1)], ids=["bool", "real"])
def test_an_annihilator_where_a_union_decides(body, dtype):
    """One loop body serves entries of several operands; it selects the annihilator in the dtype of the result."""
    operator = it.operator("f", body, annihilator=0)
    rng = np.random.default_rng(1)
    given = {name: (rng.integers(1, 9, 40) * (rng.random(40) < 0.5)).astype(dtype) for name in "abcde"}
    text = "y[i] = " + " + ".join(f"@f({name}[i], {k + 2})" for k, name in enumerate(given))
    terms = [np.where(x != 0, body(x, x.dtype.type(k + 2)), 0) for k, x in enumerate(given.values())]
    terms = [term.astype(body(given["a"], given["a"].dtype.type(2)).dtype) for term in terms]
    for format in ("compressed", "bitmap"):
        kernel = it.compile(text, formats=dict.fromkeys(given, format), operators=[operator])
        check(kernel(**given), sum(terms[1:], terms[0]))


@pytest.mark.parametrize("name", ["ratio", "length"])
@pytest.mark.parametrize("step", ["none", "auto", "reorder", "precompute", "parallelize"])
def test_reductions_and_schedules(name, step):
    A, x = np.array([[1, 0, 3], [0, 2, 0], [4, 4, 4]]), np.array([1, 5, 2])
    schedule: Any = {
        "none": None,
        "auto": "auto",
        "reorder": it.schedule().reorder("j", "i"),
        "precompute": it.schedule().precompute(f"@{name}(A[i,j], x[j])", over="j"),
        "parallelize": it.schedule().parallelize("i"),
    }[step]
    formats = {"A": it.CSC if step == "reorder" else it.CSR}
    text, operators = f"y[i] = sum(j, @{name}(A[i,j], x[j]))", [declared(name)]
    kernel = it.compile(text, formats=formats, operators=operators, schedule=schedule)
    check(kernel(A=A, x=x), oracle(name, A, x).sum(1))


@pytest.mark.parametrize("schedule", [None, "auto"])
def test_an_operator_of_a_reduction_over_integers(schedule):
    """A search for a schedule knows that nothing is less than the identity of min, which is no float here."""
    following = it.operator("following", lambda a, b: a + b + 1)
    A, x = np.array([[1, 0, 3], [0, 2, 0], [4, 4, 4]]), np.array([0, 5, 0])
    text, formats = "y[i] = @following(min(k, A[i,k]), x[i])", {"A": it.CSR, "x": "compressed"}
    kernel = it.compile(text, formats=formats, operators=[following], schedule=schedule)
    check(kernel(A=A, x=x), A.min(1) + x + 1)


def test_one_operator_within_itself():
    """The inner one takes integers, the outer one floats."""
    a, b = LEFT, RIGHT
    kernel = it.compile("y[i] = @ratio(@ratio(a[i], b[i]), b[i])", operators=[declared("ratio")])
    check(kernel(a=a, b=b), a / (b + 1) / (b + 1))


def test_on_numbers_alone():
    ones = np.ones(2, np.float32)
    operators = [declared(name) for name in OPERATORS]

    def run(text):
        return it.compile(f"y[i] = {text} * x[i]", operators=operators)(x=ones)

    for text, expected in (("@ratio(5, 1)", 2.5), ("@join(2, 3)", 11), ("@length(-3, 2)", 6), ("@length(0, 2.5)", 0)):
        check(run(text), np.full(2, expected, np.float32))
    # Python's numbers are weak, but a quotient is a float.
    assert it.compile("y[i] = @ratio(4, 1) + n[i]", operators=operators)(n=np.ones(1, int)).dtype == np.float64
    assert it.compile("y[i] = @join(4, 1) + n[i]", operators=operators)(n=np.ones(1, int)).dtype == np.int64
    with pytest.raises(it.UserError, match="number-too-large"):
        run("@join(9223372036854775807, 1)")


@pytest.mark.parametrize("stage", ["index_notation", "concrete_index"])
def test_the_module_of_a_statement_says_the_same(stage):
    """What Python builds is IR with the same types, which computes the same."""
    a, b = LEFT.copy(), RIGHT.copy()
    kernel = it.compile("y[i] = @ratio(a[i], b[i])", operators=[declared("ratio")])
    kernel(a=a, b=b)
    text = kernel.ir(stage)
    assert "algebra.operator @ratio(%a: i64, %b: i64) -> f64" in text
    assert "algebra.apply @ratio" in text and "(i64, i64) -> f64" in text
    if stage == "index_notation":
        check(it.compile_module(text)(a, b), a / (b + 1))


def test_integers_of_any_width_stay_what_they_are():
    """What a literal or a sum does not widen is not refused, and a comparison is a value of every dtype."""
    for dtype in DTYPES:
        x = np.array([0, 1, 1]).astype(dtype)
        for name in ("join", "sum"):
            result = it.compile(f"s @{name}= x[i]", operators=[declared(name)])(x=x)
            assert result.dtype == dtype
    least = it.operator("least", lambda a, b: functions.where(a < b, a, b), associative=True, idempotent=True)
    equal = it.operator("equal", lambda a, b: a == b, associative=True, identity=1)
    for dtype, operator in product(("i1", "i8", "f4", "?"), (least, equal)):
        a, b = LEFT.astype(dtype), RIGHT.astype(dtype)
        result = it.compile(f"y[i] = @{operator.name}(a[i], b[i])", operators=[operator])(a=a, b=b)
        check(result, (np.minimum(a, b) if operator is least else a == b).astype(dtype))


def test_out_has_the_dtype_of_the_product():
    """A product of another dtype is what is written, or what is cast by the rule that is asked for."""
    A, x = np.array([[20, 3], [1, 25]]), np.array([3, 2])
    expected = (A / x).sum(1)
    division = it.Semiring("add", "div")
    for dtype, casting in ((float, "safe"), (np.complex128, "safe"), (np.float32, "same_kind"), (int, "unsafe")):
        out = np.zeros(2, dtype)
        assert it.einsum("ij,j->i", A, x, semiring=division, out=out, casting=casting) is out
        np.testing.assert_allclose(out, expected.astype(dtype), rtol=1e-6)
    with pytest.raises(TypeError, match="the result cannot be cast from float64 to int64"):
        it.einsum("ij,j->i", A, x, semiring=division, out=np.zeros(2, int))
    np.testing.assert_array_equal(
        it.einsum("ij,j->i", A * 1.0, x * 1.0, semiring=it.Semiring("add", "lt"), out=np.zeros(2)), (A < x).sum(1)
    )
    half = it.operator("half", lambda a, b: a * b / 2)
    for optimize in (False, True):
        found = it.einsum("ij,j,j->i", A, x, x, semiring=it.Semiring("add", half), optimize=optimize)
        check(found, (A * x * x).sum(1) / 4)
    wrapped = it.einsum("ij,j->i", A.astype(np.uint8), x.astype(np.uint8), semiring=it.PLUS_TIMES)
    np.testing.assert_array_equal(wrapped, (A @ x).astype(np.uint8))
    assert wrapped.dtype == np.uint8
