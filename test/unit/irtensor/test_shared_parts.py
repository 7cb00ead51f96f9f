"""Parts that a statement has several times, which one kernel of their own computes: values, and which parts."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels_of_statement import kernels_of, one_kernel
from reference.evaluate_dense import evaluate_dense

import irtensor as it
from irtensor.frontend.expression_tree import accesses, format_expression
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.parts.equal_parts import form_of, has_full_sum, repeated_parts
from irtensor.frontend.parts.kernel_steps import run_steps
from irtensor.frontend.parts.may_split import may_split
from irtensor.frontend.summation import insert_reductions

EXTENTS = dict(zip("ijkflqr", (5, 4, 6, 3, 2, 4, 4), strict=True))
ROW, TWIN = "sum(k, A[i,k] * B[k,j])", "sum(k, B[k,q] * A[i,k])"
DISTANCE = "exp(-sum(k, (A[i,k] - D[{},k]) ** 2))"
SOFTMAX = f"exp({ROW} - max(q, {TWIN})) / sum(q, exp({TWIN} - max(r, {TWIN.replace('q', 'r')})))"
# Statements, with the parts that kernels of their own compute if these are taken wherever they may be.
STATEMENTS = {
    f"Y[i,j] = exp({ROW}) / sum(q, exp({TWIN}))": ["exp(intermediate[i, j])", ROW],
    f"Y[i,j] = {SOFTMAX}": ["exp(intermediate[i, j] - max(q, intermediate[i, q]))", ROW],
    f"Y[i,j] = {ROW} / sqrt(sum(q, {TWIN} ** 2) + 1)": [ROW],
    f"Y[i,j] = p[j] * {DISTANCE.format('j')} / sum(q, {DISTANCE.format('q')} * p[q])": [DISTANCE.format("j")],
    f"Y[i,j] = {DISTANCE.format('j')} / (p[j] + sum(q, {DISTANCE.format('q')}))": [DISTANCE.format("j")],
    "y[i] = sum(k, A[i,k] * x[k]) / (sum(l, abs(sum(k, x[k] * A[l,k]))) + 1)": ["sum(k, A[i,k] * x[k])"],
    "y[i] = sum(k, A[i,k] * x[k]) - max(l, sum(k, A[l,k] * x[k]))": ["sum(k, A[i,k] * x[k])"],
    "Y[j,q] = sum(i, (C[i,j] - sum(l, C[l,j])) * (C[i,q] - sum(l, C[l,q])))": ["C[i,j] - sum(l, C[l,j])"],
    "Y[i,f] = sum(k, A[i,k] * F[k,f]) + sum(l, G[i,l] * sum(k, A[l,k] * F[k,f]))": ["sum(k, A[i,k] * F[k,f])"],
    # Loops beside each other: one kernel, unless a sum is collected in rows.
    "y[f] = sum(i, exp(sum(k, A[i,k] * x[k])) * E[i,f]) / sum(i, exp(sum(k, A[i,k] * x[k])))": [],
    f"y[i] = sum(j, exp({ROW}) * p[j]) / sum(q, exp({TWIN}))": ["exp(intermediate[i, j])", ROW],
    # One kernel computes them once: at the same indices, and without any.
    "Y[i,j] = (sum(k, A[i,k] * B[k,j]) + 1) / (2 + sum(k, B[k,j] * A[i,k]))": [],
    "y[i] = x[i] / sum(k, x[k]) - sum(l, x[l])": [],
}
FORMATS = [{}, {"A": it.CSR}, {"A": it.CSC, "B": it.CSR}, {"C": it.CSR, "F": it.CSC}]
SHAPES = {"A": "ik", "B": "kj", "C": "ij", "D": "jk", "E": "if", "F": "kf", "G": "ii", "p": "j", "x": "k"}
SQUARE = {**EXTENTS, "i": 6, "l": 6}  # Of statements that go along one dimension by two names.


def operands_of(text, dtype=np.float64):
    """Arrays of few small numbers, and the statement."""
    statement = insert_reductions(parse_statement(text))
    rng, found = np.random.default_rng(len(text)), {}
    for access in accesses(statement.expression):
        shape = [SQUARE[index] for index in SHAPES[access.tensor]]
        drawn = rng.integers(1, 3, shape) * (rng.random(shape) < 0.6)
        found.setdefault(access.tensor, np.asarray(drawn, dtype))
    return statement, found


def given(arrays, formats):
    """Arrays, in formats where there is one."""
    return {name: it.Tensor.from_numpy(a, formats[name]) if name in formats else a for name, a in arrays.items()}


def kernels_text(kernel):
    return kernel.explain().partition("\nkernels\n")[2].partition("\n\n")[0]


def parts_of(kernel):
    """The expressions that intermediates hold, as `explain` says, all of them by one name."""
    lines = kernels_text(kernel).splitlines()
    held = [line.partition(" = ")[2].rpartition(": dense")[0] for line in lines if line.startswith("  intermediate")]
    return [text.replace("intermediate0", "intermediate").replace("intermediate1", "intermediate") for text in held]


def form_of_text(text):
    return form_of(parse_statement(f"Z[i,j] = {text}").expression)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("formats", FORMATS, ids=str)
@pytest.mark.parametrize("text", STATEMENTS)
def test_values(text, formats, always):
    statement, arrays = operands_of(text)
    formats = {name: format for name, format in formats.items() if name in arrays}
    kernel = it.compile(text, formats=formats)
    with np.errstate(all="ignore"):
        expected = evaluate_dense(statement, arrays, SQUARE)
    np.testing.assert_allclose(kernel(**given(arrays, formats)), expected, rtol=1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", [text for text in STATEMENTS if "exp" not in text and "sqrt" not in text])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.complex128])
def test_types(text, dtype, always):
    """Numbers that wrap around do so as in one kernel."""
    if np.dtype(dtype).kind == "c" and ("max" in text or "abs" in text):
        pytest.skip("complex numbers have no order")
    _, arrays = operands_of(text, dtype)
    found, expected = it.compile(text)(**arrays), one_kernel(text, {})(**arrays)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", STATEMENTS)
def test_parts(text, always):
    """Which parts: the outermost equal ones, then those in them. Products that BLAS computes come in addition."""
    _, arrays = operands_of(text)
    kernel = it.compile(text).prepare(**arrays)
    if not STATEMENTS[text]:
        assert not [part for part in parts_of(kernel) if part in text], kernel.explain()
        return
    wanted = [form_of_text(part).shape for part in STATEMENTS[text]]
    found = [form_of_text(part).shape for part in parts_of(kernel)]
    assert [shape for shape in wanted if shape not in found] == []
    statements = kernels_text(kernel).partition("ir() and assembly()")[0]
    assert statements.count("exp(") == ("exp(" in text), statements


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text", [text for text, parts in STATEMENTS.items() if parts])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("formats", [{}, {"A": it.CSR}], ids=["dense", "csr"])
def test_what_is_no_number(text, value, formats, always):
    """Beside one kernel, for each operand: an absent entry times infinity is absent, whatever is between them."""
    _, arrays = operands_of(text)
    formats = {name: format for name, format in formats.items() if name in arrays}
    kernel, one = it.compile(text, formats=formats), one_kernel(text, formats)
    for name, array in arrays.items():
        changed = array.copy()
        changed[(0,) * array.ndim] = value
        tensors = given({**arrays, name: changed}, formats)
        found, expected = kernel(**tensors), one(**tensors)
        found = np.where(np.isnan(expected), expected, found)
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=name)


N = 8000
RANDOM = np.random.default_rng(0)
GRAPH = it.Tensor.from_coo(
    [np.arange(9 * N) // 9, np.arange(9 * N) * 7919 % N], np.ones(9 * N), shape=(N, N), format=it.CSR
)
X, W, M, w = (RANDOM.random(shape) / 8 for shape in ((N, 24), (24, 16), (16, 24), 24))
H, u = RANDOM.random((N, 16)), RANDOM.random(N)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("text", "operands", "part"),
    [
        # Of a mixture: of rows of X, which are read once.
        (
            "R[i,k] = exp(-sum(f, (X[i,f] - M[k,f]) ** 2)) / sum(q, exp(-sum(f, (X[i,f] - M[q,f]) ** 2)))",
            {"X": X, "M": M},
            "intermediate0[i, k] = exp(-sum(f, (X[i, f] - M[k, f]) ** 2))",
        ),
        (
            "R[k,g] = sum(i, sum(f, abs(M[k,f] - X[i,f])) / sum(q, sum(f, abs(M[q,f] - X[i,f]))) * X[i,g])",
            {"X": X, "M": M},
            "intermediate0[i, k] = sum(f, abs(M[k, f] - X[i, f]))",
        ),
        # Norms of what a graph sums up, by rows and by columns.
        (
            "y[i] = sum(j, A[i,j] * u[j]) / sqrt(sum(l, sum(j, A[l,j] * u[j]) ** 2))",
            {"A": GRAPH, "u": u},
            "intermediate0[i] = sum(j, A[i, j] * u[j])",
        ),
        (
            "Y[i,f] = sum(j, A[i,j] * H[j,f]) / sqrt(sum(q, sum(j, A[q,j] * H[j,f]) ** 2))",
            {"A": GRAPH, "H": H},
            "intermediate0[i, f] = sum(j, A[i, j] * H[j, f])",
        ),
        # A row of few elements is no time.
        ("Y[i,j] = X[i,j] / sum(q, X[i,q])", {"X": X}, None),
        ("y[i] = sum(k, X[i,k] * w[k]) / sum(l, sum(k, X[l,k] * w[k]))", {"X": X[:50], "w": w}, None),
        # One loop for both sums.
        (
            "y[f] = sum(i, exp(sum(k, X[i,k] * w[k])) * X[i,f]) / sum(i, exp(sum(k, X[i,k] * w[k])))",
            {"X": X, "w": w},
            None,
        ),
        # Functions of what a row has in common, which one kernel keeps where the row of the result will be.
        ("Y[i,j] = exp(X[i,j] - max(l, X[i,l])) / sum(l, exp(X[i,l] - max(k, X[i,k])))", {"X": X}, None),
        # At the entries of a graph only.
        (
            "Y[i,f] = sum(j, A[i,j] * S * H[j,f]) / sum(j, A[i,j] * S)".replace("S", "exp(sum(k, X[i,k] * X[j,k]))"),
            {"A": GRAPH, "X": X, "H": H},
            None,
        ),
    ],
)
def test_shared_where_that_takes_less_time(text, operands, part):
    kernel = it.compile(text, formats={"A": it.CSR} if "A" in operands else {}).prepare(**operands)
    kernels = kernels_text(kernel)
    assert part in kernels if part else "intermediate0" not in kernels, kernels


def test_results_with_nan_come_from_one_kernel(always, monkeypatch):
    """After one, the next calls go there at once, and more of them each time; without one they go to parts again."""
    text = "y[i] = sum(k, A[i,k] * x[k]) / max(l, abs(sum(k, A[l,k] * x[k])))"
    zero, some = np.zeros(3), np.ones(3)
    A = it.Tensor.from_numpy(np.eye(3), it.CSR)
    kernel = it.compile(text, formats={"A": it.CSR})
    calls = []
    monkeypatch.setattr(
        "irtensor.compiler.kernel.statement_in_parts.run_steps", lambda *given: calls.append(None) or run_steps(*given)
    )

    def runs_parts(x):
        calls.clear()
        np.testing.assert_array_equal(kernel(A=A, x=x), x)  # one kernel divides no absent number by 0
        return len(calls)

    assert [runs_parts(x) for x in (some, zero, zero, some, zero, some)] == [1, 1, 0, 0, 1, 0]
    assert [runs_parts(some) for _ in range(5)] == [0, 0, 0, 1, 1]
    assert [runs_parts(zero) for _ in range(4)] == [1, 0, 0, 1]


@pytest.mark.parametrize(("formats", "is_shared"), [({}, True), ({"A": it.CSR}, False)])
def test_what_hides_nan_reads_no_part_of_sparse_tensors(formats, is_shared, always):
    """The result would not tell that the part has a number where a row has no entries."""
    text = "y[i] = where(sum(k, A[i,k] * x[k]) > 1, x[i], 0) + sum(l, where(sum(k, A[l,k] * x[k]) > 2, x[l], 0))"
    _, arrays = operands_of(text)
    kernel = it.compile(text, formats=formats).prepare(**given(arrays, formats))
    assert ("intermediate0" in kernels_text(kernel)) is is_shared


def test_a_sparse_result_has_its_entries():
    """What divides entries may be dense, as it makes none."""
    text = "S[i,j] = A[i,j] / sum(k, A[i,k] * u[k]) / sum(k, A[j,k] * u[k])"
    kernel = it.compile(text, formats={"A": it.CSR, "S": it.CSR})
    found = kernel(A=GRAPH, u=u)
    A = GRAPH.to_scipy()
    expected = A.multiply(1 / (A @ u)[:, None]).multiply(1 / (A @ u)[None]).tocsr()
    assert found.nnz == expected.nnz
    assert abs(found.to_scipy() - expected).max() < 1e-15
    assert kernels_of(kernel) == 2


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        ("A[i,j]", "A[j,i]", True),
        ("A[i,j]", "A[i,i]", False),
        ("sum(k, A[i,k] * B[k,j])", "sum(l, B[l,i] * A[j,l])", True),
        ("sum(k, A[i,k] * B[k,j])", "sum(k, A[i,k] * B[j,k])", False),
        ("sum(k, A[i,k] * A[k,j])", "sum(k, A[k,j] * A[i,k])", True),
        ("sum(k, A[i,k] + B[k,j])", "sum(k, A[i,k] * B[k,j])", False),
        ("sum(k, A[i,k] / B[k,j])", "sum(k, B[k,j] / A[i,k])", False),
        ("sum(k, A[i,k] * B[k,j])", "max(k, A[i,k] * B[k,j])", False),
        ("sum(k, sum(l, A[k,l] * A[i,k]))", "sum(l, sum(k, A[l,k] * A[j,l]))", True),
        ("sum(k, sum(l, A[k,l] * A[i,k]))", "sum(l, sum(k, A[k,l] * A[j,l]))", False),
        ("A[i,j] + 1", "A[i,j] + 1.0", False),
        ("min(A[i,j], B[i,j])", "min(B[i,j], A[i,j])", True),
    ],
)
def test_form(one, two, equal):
    assert (form_of_text(one).shape == form_of_text(two).shape) is equal


def test_free_indices_of_equal_parts_stand_for_each_other():
    one, two = form_of_text("sum(k, A[i,k] * B[k,j])"), form_of_text("sum(l, B[l,i] * A[j,l])")
    assert one.free == ("i", "j")
    assert two.free == ("j", "i")


def test_repeated_parts():
    expression = parse_statement("Z[i,j] = exp(sum(k, A[i,k])) * A[i,j] + exp(sum(l, A[j,l])) * A[i,j]").expression
    found = sorted(map(format_expression, repeated_parts([expression])), key=lambda text: (len(text), text))
    sums, functions = ["sum(k, A[i, k])", "sum(l, A[j, l])"], ["exp(sum(k, A[i, k]))", "exp(sum(l, A[j, l]))"]
    assert found == [*sums, *functions, *[f"{one} * A[i, j]" for one in functions]]


@pytest.mark.parametrize(
    ("text", "full"),
    [("sum(k, A[i,k] * B[k,j])", True), ("A[i,j] - sum(k, A[i,k])", False), ("exp(B[i,j] + sum(k, C[i,j,k]))", True)],
)
def test_sums_that_differ_at_each_coordinate(text, full):
    assert has_full_sum(parse_statement(f"Z[i,j] = {text}").expression) is full


@pytest.mark.parametrize("text", [text for text, parts in STATEMENTS.items() if parts])
def test_statements_with_equal_parts_have_a_choice(text):
    assert may_split(insert_reductions(parse_statement(text)), is_sparse=False)


@pytest.mark.parametrize(
    ("text", "expected", "kernels"),
    [
        # A function takes longer than an element is written and read; a difference does not.
        (
            "Z[i,f] = exp(X[i,f] - max(k, X[k,f])) / sum(l, exp(X[l,f] - max(k, X[k,f])))",
            lambda X: np.exp(X - X.max(0)) / np.exp(X - X.max(0)).sum(0),
            2,
        ),
        (
            "Z[i,f] = (X[i,f] - sum(k, X[k,f])) / sqrt(sum(k, (X[k,f] - sum(l, X[l,f])) ** 2))",
            lambda X: (X - X.sum(0)) / np.sqrt(((X - X.sum(0)) ** 2).sum(0)),
            1,
        ),
    ],
)
def test_what_columns_have_in_common(text, expected, kernels):
    X = np.random.default_rng(0).random((20_000, 32))
    kernel = it.compile(text)
    np.testing.assert_allclose(kernel(X=X), expected(X), rtol=1e-9)
    assert kernels_of(kernel) == kernels


@pytest.mark.parametrize("is_first", [True, False])
def test_what_blas_computes_for_one_part_is_read_by_others(is_first: bool):
    """Few elements of it are read behind it, for which it would not be computed."""
    few = "sum(i, c, Y[i,c] * sum(k, X[i,k] * W[k,c]))"
    softmax = "sum(i, log(sum(c, exp(sum(k, X[i,k] * W[k,c])))))"
    text = f"l = {softmax} - {few}" if is_first else f"l = -{few} + {softmax}"
    rng = np.random.default_rng(0)
    x, w, classes = rng.random((2000, 64)), rng.random((64, 100)), rng.integers(0, 100, 2000)
    kernel = it.compile(text)
    taken = it.Tensor.from_coo((np.arange(2000), classes), np.ones(2000), shape=(2000, 100))
    scores = x @ w
    expected = np.log(np.exp(scores).sum(1)).sum() - scores[np.arange(2000), classes].sum()
    np.testing.assert_allclose(kernel(X=x, W=w, Y=taken), expected)
    assert kernel.explain().count("sum(k, X[i, k] * W[k, c]): dense") == 1 and kernels_of(kernel) == 2


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("text", STATEMENTS)
def test_kernels_are_copied_after_they_were_planned(text: str, copied: Callable[[Any], Any]):
    """What planning found out about the statement stays behind."""
    _, arrays = operands_of(text)
    kernel = it.compile(text)
    expected = kernel(**arrays)
    np.testing.assert_array_equal(copied(kernel)(**arrays), expected)
