"""Statements of which parts are computed before, each by a kernel of its own: values, and which parts."""

import numpy as np
import pytest
from kernels_of_statement import kernels_of, one_kernel
from reference.evaluate_dense import evaluate_dense

import irtensor as it
from irtensor.frontend.expression_tree import accesses, in_numbers
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.parts.may_split import may_split
from irtensor.frontend.parts.product_tree import tree_of
from irtensor.frontend.summation import insert_reductions

EXTENTS = dict(zip("ijklf", (5, 4, 6, 3, 2), strict=True))
# Statements with what they are computed by.
STATEMENTS = {
    "Y[i,l] = 2 * A[i,j] * B[j,k] * C[k,l]": 2,
    "Y[i,l] = s * A[i,j] * B[j,k] * C[k,l] * c[l]": 3,
    "Y[i,l] = -sum(j, k, A[i,j] * B[j,k] * C[k,l])": 2,
    "Y[i,l] = max(c[l] + sum(j, k, A[i,j] * B[j,k] * C[k,l]), 0)": 2,
    "Y[i,l] = X[i,l] - A[i,j] * B[j,k] * C[k,l]": 2,
    "Y[i,l] += A[i,j] * B[j,k] * C[k,l]": 2,
    "Y[i,l] min= A[i,j] + B[j,k] + C[k,l]": 2,
    "Y[i,l] = A[i,j] * B[j,k] * C[k,l] + X[i,n] * D[n,k] * C[k,l]": 5,
    "Y[i,l] = X[i,l] * sum(j, k, A[i,j] * B[j,k] * C[k,l])": 2,
    "Y[i,f] = A[i,j] * max(w[f] + sum(k, B[j,k] * W[k,f]), 0)": 3,
    "Y[i,f] = A[i,j] * max(w[f] + sum(k, l, B[j,k] * C[k,l] * V[l,f]), 0)": 3,
    "Y[i,f] = A[i,j] * max(w[f] + sum(k, B[j,k] * W[k,f]), 0) + E[i,f]": 3,
    "s2 = A[i,j] * B[j,k] * z[k]": 2,
    # Products of matrices that BLAS computes: beside a factor of each element, twice, one after the other.
    "Y[i,l] = X[i,l] * A[i,j] * D[j,l]": 2,
    "Y[i,l] = max(b[l] + sum(j, A[i,j] * D[j,l]), 0) * C[k,l]": 1,
    "Y[i,f] = sum(l, max(b[l] + sum(j, A[i,j] * D[j,l]), 0) * V[l,f])": 2,
    "y[i] = max(l, sum(j, A[i,j] * D[j,l])) - max(k, sum(j, A[i,j] * B[j,k]))": 3,
    "Y[i,f] = sum(l, abs(sum(j, A[i,j] * D[j,l])) * V[l,f]) - sum(l, abs(sum(j, A[i,j] * D[j,l])))": 3,
}
FORMATS = [{}, {"A": it.CSR}, {"A": it.CSC, "B": it.DCSR}, {"X": it.COO(2), "B": it.CSR, "C": it.CSR}]
DTYPES = [np.float64, np.float32, np.complex64, np.complex128, np.int8, np.int16, np.int32, np.int64]


def operands_of(text, dtype, extents=EXTENTS):
    """Arrays of few small numbers, and the statement."""
    statement = insert_reductions(parse_statement(text), accumulate=True)
    rng, found = np.random.default_rng(len(text)), {}
    for access in accesses(statement.expression):
        shape = [{**extents, "n": 3}[index] for index in access.plain_indices]
        drawn = rng.integers(1, 3, shape) * (rng.random(shape) < 0.6)
        found.setdefault(access.tensor, np.asarray(drawn, dtype))
    return statement, found


def checked(text, arrays, statement, formats, extents=EXTENTS, **options):
    given = {name: format for name, format in formats.items() if name in arrays}
    kernel = it.compile(text, formats=given, **options)
    tensors = {n: it.Tensor.from_numpy(a, given[n]) if n in given else a for n, a in arrays.items()}
    found = kernel(**tensors)
    with np.errstate(all="ignore"):
        expected = evaluate_dense(statement, arrays, {**extents, "n": 3})
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype
    return kernel, tensors, expected


@pytest.mark.one_in(12)
@pytest.mark.parametrize("formats", FORMATS, ids=str)
@pytest.mark.parametrize("text", STATEMENTS)
def test_values(text, formats, always):
    statement, arrays = operands_of(text, np.float64)
    if "min=" in text:
        formats = {}
    kernel, tensors, expected = checked(text, arrays, statement, formats)
    if not formats:
        assert kernels_of(kernel) == STATEMENTS[text]
    if np.ndim(expected):
        out = np.full(expected.shape, np.nan)
        assert kernel(**tensors, out=out) is out
        np.testing.assert_array_equal(out, expected)


@pytest.mark.one_in(32)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("text", STATEMENTS)
def test_types(text, dtype, always):
    if np.dtype(dtype).kind == "c" and ("max" in text or "min" in text):
        pytest.skip("complex numbers have no order")
    statement, arrays = operands_of(text, dtype)
    checked(text, arrays, statement, {} if "min=" in text else {"A": it.CSR})


@pytest.mark.one_in(8)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("text", STATEMENTS)
def test_threads(text, threads, always):
    statement, arrays = operands_of(text, np.int64)
    checked(text, arrays, statement, {} if "min=" in text else {"A": it.CSR}, num_threads=threads)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("empty", EXTENTS)
@pytest.mark.parametrize("text", STATEMENTS)
def test_empty_extents(text, empty, always):
    extents = {**EXTENTS, empty: 0}
    statement, arrays = operands_of(text, np.float64, extents)
    checked(text, arrays, statement, {} if "min=" in text else {"A": it.CSR}, extents)


@pytest.mark.one_in(32)
@pytest.mark.parametrize("text", STATEMENTS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("formats", [{}, {"A": it.CSR}], ids=["dense", "csr"])
def test_what_is_no_number(text, value, formats, always):
    """Beside one kernel, for each operand: an absent entry times infinity is absent, whatever is between them.

    Where one kernel finds no number, as of infinity times a 0, the sum of a row may have another one than 0.
    """
    if "min=" in text:
        formats = {}
    _, arrays = operands_of(text, np.float64)
    given = {name: format for name, format in formats.items() if name in arrays}
    kernel = it.compile(text, formats=given)
    one = one_kernel(text, given)
    for name, array in arrays.items():
        changed = array.copy()
        changed[(0,) * array.ndim] = value
        arguments = {**arrays, name: changed}
        tensors = {n: it.Tensor.from_numpy(a, given[n]) if n in given else a for n, a in arguments.items()}
        found, expected = kernel(**tensors), one(**tensors)
        np.testing.assert_array_equal(np.where(np.isnan(expected), expected, found), expected, err_msg=name)


@pytest.mark.parametrize(
    "text",
    [
        "Y[i,l] = where(sum(j, k, A[i,j] * B[j,k] * C[k,l]) > 1, X[i,l], 0)",
        "Y[i,l] = sum(j, k, A[i,j] * B[j,k] * C[k,l]) ** 0",
    ],
)
def test_what_hides_nan_reads_no_intermediate_of_sparse_tensors(text, always):
    """The result would not tell that an intermediate has a number where an operand has no entry."""
    _, arrays = operands_of(text, np.float64)
    arrays["A"][:] = 0
    arrays["C"][:] = np.inf
    tensors = {**arrays, "A": it.Tensor.from_numpy(arrays["A"], it.CSR)}
    kernel, one = it.compile(text, formats={"A": it.CSR}), one_kernel(text, {"A": it.CSR})
    np.testing.assert_array_equal(kernel(**tensors), one(**tensors))
    assert "intermediate0[i, k]" not in kernel.explain()


def test_one_kernel_computes_what_parts_refuse(always, monkeypatch):
    """As an intermediate that is too large where operands are of the same order of magnitude, but smaller."""
    text = "Y[i,l] = 2 * A[i,j] * B[j,k] * C[k,l]"
    statement, arrays = operands_of(text, np.float64)
    kernel, tensors, expected = checked(text, arrays, statement, {})

    def refuse(*_):
        raise it.UserError("dense-intermediate", "too large")

    monkeypatch.setattr("irtensor.compiler.kernel.statement_in_parts.run_steps", refuse)
    np.testing.assert_array_equal(kernel(**tensors), expected)


def test_names_of_operands_are_not_taken(always):
    text = "Y[i,l] = 2 * intermediate0[i,j] * B[j,k] * intermediate1[k,l]"
    statement, arrays = operands_of(text, np.float64)
    kernel, *_ = checked(text, arrays, statement, {})
    assert "intermediate2[" in kernel.explain()


def test_a_part_that_is_written_twice_is_computed_once(always):
    text = "Y[i,f] = A[i,j] * max(w[f] + sum(k, B[j,k] * W[k,f]), 0) + X[i,j] * max(w[f] + sum(k, B[j,k] * W[k,f]), 0)"
    statement, arrays = operands_of(text.replace("X[i,j]", "Z[i,j]"), np.float64)
    kernel, *_ = checked(text.replace("X[i,j]", "Z[i,j]"), arrays, statement, {"A": it.CSR})
    assert kernels_of(kernel) == 4
    kernels = kernel.explain().partition("\nkernels\n")[2].partition("\n\n")[0].splitlines()
    assert sum(line.startswith("  intermediate") and "max(" in line for line in kernels) == 1


N = 2000
ENTRIES = np.arange(20_000)
G = it.Tensor.from_coo([ENTRIES // 10, ENTRIES * 7919 % N], np.ones(20_000), shape=(N, N), format=it.CSR)
FEW = it.Tensor.from_coo([np.arange(50), np.arange(50)], np.ones(50), shape=(N, N), format=it.CSR)
LAYER = "R[i,f] = A[i,j] * max(b[f] + sum(k, B[j,k] * W[k,f]), 0)"


@pytest.mark.parametrize(
    ("graph", "format", "kernels"),
    [(G, "csr", 2), (FEW, "csr", 1), (G.to_format(it.CSC), "csc", 1)],
)
def test_a_layer_is_computed_before_where_it_would_be_computed_again(graph, format, kernels):
    """Each row is read ten times, fewer times than once, and in one iteration of the outer loop."""
    kernel = it.compile(LAYER, formats={"A": format})
    B, W, b = np.ones((N, 16)), np.ones((16, 8)), np.zeros(8)
    found = kernel.prepare(A=graph, b=b, B=B, W=W)(A=graph, b=b, B=B, W=W)
    np.testing.assert_array_equal(found, graph.to_numpy() @ (B @ W))
    assert kernels_of(kernel) == kernels
    if kernels == 2:
        assert "intermediate0[j, f] = max(b[f] + sum(k, B[j, k] * W[k, f]), 0): dense, 128 kB" in kernel.explain()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("text", "graph", "before"),
    [
        ("R[i,f] = A[i,j] * tanh(B[j,f])", G, "tanh(B[j, f])"),
        ("R[i,f] = A[i,j] * max(exp(B[j,f]) - b[f], 0)", G, "max(exp(B[j, f]) - b[f], 0)"),
        ("R[i,f] = A[i,j] * tanh(B[j,f])", FEW, None),
        # Several rows are gathered for each entry, or one.
        ("R[i,f] = A[i,j] * where(B[j,f] > 0.5, C[j,f] / D[j,f], 0)", G, "where(B[j, f] > 0.5, C[j, f] / D[j, f], 0)"),
        ("R[i,f] = A[i,j] * where(B[j,f] > 0.5, C[j,f] / D[j,f], 0)", FEW, None),
        ("R[i,f] = A[i,j] * where(B[i,f] > 0.5, C[i,f] / D[i,f], 0)", G, None),
        # Each one is computed once, or takes no longer than reading it.
        ("R[i,f] = A[i,j] * tanh(B[i,f])", G, None),
        ("R[i,f] = A[i,j] * max(B[j,f], 0)", G, None),
        ("R[i,f] = A[i,j] * B[j,f] ** 2", G, None),
    ],
)
def test_functions_are_computed_before_where_they_would_be_computed_again(text, graph, before):
    kernel = it.compile(text, formats={"A": "csr"})
    rng = np.random.default_rng(0)
    given = {name: rng.random((N, 16)) for name in "BCD"} | {"b": rng.random(16)}
    given = {name: array for name, array in given.items() if f"{name}[" in text}
    found = kernel(A=graph, **given)
    one = one_kernel(text, {"A": "csr"})(A=graph, **given)
    np.testing.assert_allclose(found, one, rtol=1e-12)
    assert kernels_of(kernel) == (2 if before else 1)
    if before:
        assert f"intermediate0[j, f] = {before}: dense, 256 kB" in kernel.explain()


def test_operators_of_the_user_are_found_in_parts():
    gated = it.operator("gated", lambda a, b: it.functions.where(a > 0.5, b / a, 0))
    rng = np.random.default_rng(0)
    B, C = rng.random((N, 16)), rng.random((N, 16))
    for text in ("R[i,f] = A[i,j] * @gated(B[j,f], C[j,f])", "R[i,f] = @gated(A[i,j], 1) * @gated(B[j,f], C[j,f])"):
        kernel = it.compile(text, formats={"A": "csr"}, operators=[gated])
        first = G.to_numpy() if "gated(A" not in text else np.where(G.to_numpy() > 0.5, 1 / G.to_numpy().clip(0.5), 0)
        np.testing.assert_allclose(kernel(A=G, B=B, C=C), first @ np.where(B > 0.5, C / B, 0))


ACROSS = ["csr", "csc", "dcsr", it.COO(2), it.ELL, it.BCSR(2, 2)]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("format", ACROSS, ids=str)
@pytest.mark.parametrize(
    "text",
    [
        "R[i,f] = max(sum(j, A[i,j] * H[f,j]), 0)",
        "R[i,f] = b[f] + A[i,j] * H[f,j]",
        "R[i,f] += A[i,j] * H[f,j]",
        "R[i,f] = A[i,j] * H[f,j] / b[f]",
    ],
)
def test_dense_matrices_across_their_rows(text, format):
    """They are transposed where the entries need each of their columns several times."""
    kernel = it.compile(text, formats={"A": format})
    rng = np.random.default_rng(0)
    A, R, H, b = G.to_format(format), rng.random((N, 32)), rng.random((32, N)), rng.random(32) + 1
    product = (G.to_numpy() @ H.T).reshape(N, 32)
    expected = {"max": np.maximum(product, 0), "= b": b + product, "+=": R + product, "/": product / b}
    given = {n: a for n, a in {"b": b, "R": R, "H": H}.items() if f"{n}[" in text and (n != "R" or "+=" in text)}
    np.testing.assert_allclose(kernel(A=A, **given), next(v for k, v in expected.items() if k in text))
    assert "intermediate0[j, f] = H[f, j]: dense, 512 kB" in kernel.explain()
    few = it.compile(text, formats={"A": format})
    few(A=FEW.to_format(format), **given)
    assert kernels_of(few) == 1


def test_dense_matrices_are_not_transposed_where_their_rows_are_outside():
    """The loops go along a row of X, and for each element along a row of entries."""
    kernel = it.compile("R[f,i] = max(sum(j, X[f,j] * A[j,i]), 0)", formats={"A": "csr"})
    X = np.random.default_rng(0).random((32, N))
    np.testing.assert_allclose(kernel(A=G, X=X), X @ G.to_numpy())
    assert kernels_of(kernel) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_products_along_other_indices_are_one(dtype, always):
    text = "Y[i,l] = exp(sum(j, A[i,j] * D[j,l]) - max(n, sum(j, A[i,j] * D[j,n])))"
    rng = np.random.default_rng(0)
    A, D = rng.random((5, 4)).astype(dtype), rng.random((4, 3)).astype(dtype)
    kernel = it.compile(text)
    found, product = kernel(A=A, D=D), A @ D
    assert found.dtype == dtype and kernels_of(kernel) == 2
    np.testing.assert_allclose(found, np.exp(product - product.max(1, keepdims=True)), rtol=1e-5)


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("text", "dtype", "kernels"),
    [
        # Tiles in registers take as long as BLAS, and BLAS has no integers; a factor at each element keeps them away.
        ("Y[i,l] = max(b[l] + sum(j, A[i,j] * D[j,l]), 0)", np.float64, 1),
        ("Y[i,l] = c[i] * A[i,j] * D[j,l]", np.float64, 1),
        ("Y[i,l] = X[i,l] * A[i,j] * D[j,l]", np.float64, 2),
        ("Y[i,l] = X[i,l] * A[i,j] * D[j,l]", np.int64, 1),
        ("Y[i,l] = max(sum(j, A[i,j] * D[j,l]), 0) - sum(j, A[i,j] * D[j,l])", np.float32, 1),
        ("y[i] = max(l, sum(j, A[i,j] * D[j,l])) - max(l, sum(j, D[j,i] * A[j,l]))", np.float32, 3),
        ("Y[i,l] min= X[i,l] + A[i,j] + D[j,l]", np.float64, 1),
        # What a matrix is computed from is computed in each tile again, and tiles of it are not transposed.
        ("Y[i,l] = sum(j, (A[i,j] + c[j]) * D[j,l])", np.float64, 2),
        ("Y[i,l] = sum(j, A[i,j] * max(D[j,l], 0))", np.float64, 1),
        ("Y[i,f] = sum(j, max(A[i,j], 0) * V[j,f])", np.float64, 1),
        ("Y[i,l] = X[i,l] + sum(j, max(A[i,j], 0) * D[j,l])", np.float64, 2),
        ("Y[i,l] = sum(j, max(0, sum(k, A[i,k] * B[k,j])) * D[j,l]) + X[i,l]", np.float64, 3),
        ("Y[l,i] = sum(j, (A[i,j] + c[j]) * D[j,l])", np.float64, 2),
        ("Y[i,l] = sum(j, (c[j] + A[i,j]) * D[l,j])", np.float64, 2),
        ("Y[i,l] = sum(j, A[i,j] * sqrt(D[j,l] * D[j,l]))", np.float64, 2),
        ("Y[i,l] = sum(k, sum(j, A[i,j] * (D[k,j] + c[k])) * X[l,k])", np.float64, 3),
        # Rows are summed up behind tiles, if nothing is behind that.
        ("y[i] = sum(l, max(sum(j, A[i,j] * D[j,l]), 0))", np.float64, 1),
        ("y[i] = c[i] * sum(l, max(sum(j, A[i,j] * D[j,l]), 0))", np.float64, 2),
        ("y[l] = abs(sum(i, max(sum(j, A[i,j] * D[j,l]), 0)))", np.float64, 2),
        ("y = max(i, sum(l, abs(sum(j, A[i,j] * D[j,l]))))", np.float64, 2),
        # Sums are equal whatever the names of their indices.
        ("Y[i,l] = (c[i] + sum(j, A[i,j] * D[j,l])) * abs(c[i] + sum(k, A[i,k] * D[k,l]))", np.float64, 2),
    ],
)
def test_which_products_blas_computes(text, dtype, kernels):
    extents = {**dict.fromkeys("ijkl", 256), "f": 16}
    statement, arrays = operands_of(text, dtype, extents)
    kernel, *_ = checked(text, arrays, statement, {}, extents)
    assert kernels_of(kernel) == kernels


@pytest.mark.parametrize(
    ("text", "summed", "leaves"),
    [
        ("Y[i,l] = 2 * A[i,j] * B[j,k] / d[i]", "j k", 4),
        ("Y[i] = c[i] * sum(j, A[i,j] * x[j])", "j", 3),
        ("y[i] = sum(j, A[i,j] * x[j]) * B[i,k] * z[k]", "j k", 4),
        ("Y[i,l] min= A[i,j] + B[j,l]", "j", 2),
        ("y[i] = b[i] + min(j, A[i,j] + x[j])", "j", 3),
        ("y[i] = sum(j, sum(k, A[i,j] * B[j,k] * x[k]))", "k j", 3),
        # Sums beside each other, sums over an index of the same name, and what is no product of sums.
        ("y[i] = sum(j, A[i,j] * x[j]) * sum(k, B[i,k] * z[k])", "", 2),
        ("y[i] = sum(j, A[i,j]) * sum(j, B[i,j])", "", 2),
        ("y[i] = b[i] * max(j, A[i,j])", "", 2),
        ("y[i] = b[i] * sum(j, A[i,j] + x[j])", "", 2),
    ],
)
def test_products(text, summed, leaves):
    expression = insert_reductions(parse_statement(text)).expression
    tree = tree_of(expression)
    assert tree is not None
    assert " ".join(tree.summed) == summed and len(tree.leaves) == leaves


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("y[i] = A[i,j] * x[j]", False),
        ("Y[i,l] = A[i,j] * B[l,j]", False),
        ("Y[i,l] = c[l] * A[i,j] * B[l,j]", True),
        ("Y[i,l] = max(sum(j, A[i,j] * B[j,l]), 0)", False),
        ("Y[i,l] = max(sum(j, A[i,j] * B[l,j]), 0)", True),
        ("y[i] = max(sum(j, A[i,j] * x[j]), 0)", False),
        ("Y[i,l] = c[i] * A[i,j] * B[j,l]", False),
        ("S[i,j] = A[i,j] * B[i,k] * C[k,j]", True),
        ("Y[i,l] = 2 * A[i,j] * B[j,l]", False),
        ("Y[i,l] = A[i,j] * B[j,l] + X[i,l]", False),
        ("Y[i,l] = A[i,j] * B[j,k] * C[k,l]", True),
        ("Y[i,l] = X[i,l] - 2 * A[i,j] * B[j,k] * C[k,l]", True),
        ("Y[i,l] = exp(sum(j, k, A[i,j] * B[j,k] * C[k,l]))", True),
        (LAYER, True),
        ("Y[i,l] = A[i,j] * (B[j,l] - C[j,l])", True),
        # Tiles would compute a matrix again.
        ("Y[i,l] = A[i,j] * max(B[j,l], 0)", True),
        ("Y[i,l] = max(A[i,j] * B[j,l], 0) * c[l]", False),
        ("y[i] = A[i,j] * (x[j] - b[j])", False),
        # What a vector holds is computed before in the kernel.
        ("R[i,j] = X[i,j] / sum(k, Y[k,j])", False),
    ],
)
def test_which_statements_have_a_choice(text, may):
    assert may_split(insert_reductions(parse_statement(text)), is_sparse=False) == may


@pytest.mark.parametrize(("i", "k", "l"), [(2, 50, 2), (2, 2, 50), (2, 3, 1), (1, 2, 50), (2, 1, 60)])
@pytest.mark.parametrize(
    "text",
    ["Y[i,l] = c[l] * A[i,j] * B[j,k] * C[k,l]", "Y[i,l] = where(sum(j, k, A[i,j] * B[j,k] * C[k,l]) > -1, c[l], 0)"],
)
def test_an_infinity_beside_an_absent_entry(text, i, k, l, always):
    """A dense intermediate of the sparse matrix has the number 0 in an empty row, and infinity times it is NaN."""
    A = np.zeros((i, 40))
    A[0, 0] = 1.0 if i > 1 else 0.0
    B, C = np.ones((40, k)), np.ones((k, l))
    C[0] = np.inf
    found, one = (make(text)(A=it.Tensor.from_numpy(A, it.CSR), B=B, C=C, c=np.ones(l)) for make in (in_parts, at_once))
    np.testing.assert_array_equal(found, one)


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        ("sum(k, A[i,k]) * sum(k, B[i,k])", "sum(k, A[i,k]) * sum(l, B[i,l])", True),
        ("sum(k, A[i,k]) * b[k]", "sum(l, A[j,l]) * b[k]", True),
        ("sum(k, A[i,k]) * b[i]", "sum(k, A[i,k]) * b[j]", False),
        ("sum(k, l, A[k,l])", "sum(k, l, A[l,k])", False),
    ],
)
def test_equal_up_to_names(one, two, equal):
    first, second = (in_numbers(parse_statement(f"y[i,j,k] = {text}").expression) for text in (one, two))
    assert (first == second) == equal


def in_parts(text):
    return it.compile(text, formats={"A": it.CSR})


def at_once(text):
    return one_kernel(text, {"A": it.CSR})


@pytest.mark.parametrize(("share", "kernels"), [(0.05, 1), (1.0, 3)])
def test_scores_are_computed_where_a_mask_has_entries(share, kernels):
    """In rows that are used along all features, so that no score is computed again; BLAS computes all scores."""
    N, width = 512, 64
    chance = "M[i,j] * exp(sum(e, Q[i,e] * K[j,e]))"
    text = f"O[i,d] = sum(j, {chance} * V[j,d]) / sum(j, {chance})"
    rng = np.random.default_rng(0)
    mask = (rng.random((N, N)) < share) + np.eye(N)
    Q, K, V = (rng.random((N, width)) / width for _ in range(3))
    kernel = it.compile(text, formats={"M": it.CSR})
    found = kernel(M=it.Tensor.from_numpy(mask, it.CSR), Q=Q, K=K, V=V)
    chances = mask * np.exp(Q @ K.T)
    np.testing.assert_allclose(found, chances @ V / chances.sum(1, keepdims=True))
    assert kernels_of(kernel) == kernels


def test_a_tensor_with_equal_indices_is_no_matrix():
    random = np.random.default_rng(0)
    A, B, C = random.integers(1, 4, (3, 3, 3)).astype("f8"), random.random(4), random.random((4, 3))
    found = it.compile("Z = A[c,c,b] * B[e] * C[e,b]")(A=A, B=B, C=C)
    np.testing.assert_allclose(found, np.einsum("ccb,e,eb->", A, B, C))
