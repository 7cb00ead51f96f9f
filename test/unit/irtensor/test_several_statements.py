"""Several statements in one text: what is returned, read again, given, named, and computed in one traversal."""

import pickle
from typing import Any

import numpy as np
import pytest

import irtensor as it

A = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, -3.0]])
x, b = np.array([1.0, 2.0, 3.0]), np.array([5.0, 7.0])


def assert_equal(results, *expected):
    assert type(results) is tuple and len(results) == len(expected)
    for result, one in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, one)


def test_what_is_returned():
    text = "T[i] = A[i,j] * x[j]\n s = T[i] * T[i]; n[i] = T[i] + b[i]"
    kernel = it.compile(text)
    assert kernel.operand_names == ("A", "x", "b") and kernel.result_names == ("s", "n")
    y = A @ x
    assert_equal(kernel(A, x, b), y @ y, y + b)
    for results in ("T", ["T"], ("n", "T")):
        assert_equal(it.compile(text, results=results)(A, x, b), y, y @ y, y + b)
    assert it.compile("T[i] = A[i,j]; s = T[i]")(A) == 0.0


def test_operators_that_add_up():
    kernel = it.compile("y[i] += A[i,j]; y[i] += b[i]; n = y[i] * y[i]", results=["y"])
    assert kernel.operand_names == ("A", "b")
    y = A.sum(1) + b
    assert_equal(kernel(A, b), y, y @ y)
    assert_equal(kernel(A, b, y=b), y + b, (y + b) @ (y + b))
    np.testing.assert_array_equal(it.compile("y[i] = A[i,j]; y[i] max= b[i]")(A, b), [5, 7])


def test_old_values_of_an_operand():
    np.testing.assert_array_equal(
        it.compile("y[i] = max(y[i], b[i]); y[i] += b[i]")(y=np.array([9.0, 1.0]), b=b), [14, 14]
    )


def test_one_result_into_an_array():
    out = np.zeros(2)
    assert it.compile("T[i] = A[i,j]; y[i] = T[i] + b[i]")(A, b, out=out) is out
    np.testing.assert_array_equal(out, A.sum(1) + b)
    assert it.compile("y[i] += A[i,j]; y[i] += b[i]")(A, b, out=out) is out
    np.testing.assert_array_equal(out, A.sum(1) + b)


def test_formats_types_and_schedules_by_name():
    kernel = it.compile(
        "T[i,j] = A[i,j] * 2; y[j] = T[i,j]",
        {"A": "csr", "T": "csc"},
        {"T": np.float32},
        results=["T"],
        schedule={"y": it.schedule().reorder("j", "i")},
    )
    T, y = kernel(A)
    assert T.format == it.CSC and T.dtype == np.float32 and y.dtype == np.float32
    np.testing.assert_array_equal(T.to_numpy(), 2 * A)
    np.testing.assert_array_equal(y, 2 * A.sum(0))
    assert "reorder(j, i)" in kernel.explain()


def test_extents_of_statements():
    kernel = it.compile("h[I[k]] += 1; y[i] = 2 * h[2]", extents={"h": (4,), "i": 2}, results=["h"])
    assert_equal(kernel(I=np.array([2, 2, 0])), [1, 0, 2, 0], [4, 4])


@pytest.mark.parametrize(
    "text",
    [
        "let c = A[i,j] * x[j]; y[i] = c; s = c * c",
        "let a = A[i,j]; let c = a * x[j]; y[i] = c; s = c * c",
        "let c = A[i,j]\nlet k = x[j]\ny[i] = c * k\ns = (c * k) * (c * k)",
    ],
)
def test_named_expressions(text):
    assert_equal(it.compile(text)(A, x), A @ x, np.sum((A * x) ** 2))


def test_names_in_indices():
    np.testing.assert_array_equal(it.compile("let n = i + 1; y[i] = x[n] + x[n - 1]")(x), [3, 5])
    # A tensor may be called so.
    np.testing.assert_array_equal(it.compile("let[i] = 2 * x[i]")(x), 2 * x)
    assert it.compile("let = x[i]")(x) == 6


ONE_TRAVERSAL = [
    "m[i] = max(j, A[i,j]); s[i] = sum(j, A[i,j])",
    "m[i] = max(j, A[i,j]); q = max(i, m[i]); s[i] = sum(j, A[i,j])",
    "m[i] = max(j, A[i,j]); p[i] = A[i,j] * x[j]; q = A[i,j]",
    "m[i] = max(j, A[i,j]); at[i] = argmax(j, A[i,j])",
    "d[j] min= A[i,j] if b[i] > 5; e[j] |= (A[i,j] < x[j]) if b[i] > 5",
]


@pytest.mark.parametrize("text", ONE_TRAVERSAL)
@pytest.mark.parametrize("format", [None, "csr"])
def test_one_traversal(text, format):
    kernel = it.compile(text, {} if format is None else {"A": format}, num_threads=1)
    known = {"A": A, "x": x, "b": b}
    results = kernel(*[known[name] for name in kernel.operand_names])
    for one in map(it.compile, text.split("; ")):
        known[one.result_name] = one(*[known[operand] for operand in one.operand_names])
    assert_equal(results, *[known[name] for name in kernel.result_names])
    assert "are computed in one traversal" in kernel.explain()


def test_statistics_are_one_loop():
    kernel = it.compile(
        "s = sum(i, x[i]); q = sum(i, x[i] * x[i]); lo = min(i, x[i]); hi = max(i, x[i])", num_threads=1
    )
    assert_equal(kernel(x), 6, 14, 1, 3)
    assert kernel.ir("loop").count("loop.for") == 1


def test_sums_of_one_traversal_are_as_exact_as_apart():
    many = np.full(1 << 24, 0.1, np.float32)
    s, hi = it.compile("s = sum(i, x[i]); hi = max(i, x[i])", num_threads=1)(many)
    assert abs(s / (0.1 * many.size) - 1) < 1e-4 and hi == np.float32(0.1)


def test_why_others_are_not():
    explained = it.compile("y[i] = A[i,j]; z[i] = y[i] * A[i,j]; w[k] = x[k]").explain()
    assert "not in one traversal: it needs y, which is computed before" in explained
    assert "not in one traversal: no operand that both traverse has all of their index variables" in explained


def test_calls_that_are_computed_apart():
    kernel = it.compile("s[i] += A[i,j]; m[i] = max(j, A[i,j])")
    assert_equal(kernel(A, s=b), A.sum(1) + b, A.max(1))
    assert "one traversal" not in kernel.explain()
    assert_equal(kernel(np.zeros((2, 0))), [0, 0], [-np.inf] * 2)
    assert "one traversal" not in kernel.explain()
    assert_equal(kernel(A), A.sum(1), A.max(1))
    assert "s and m are computed in one traversal" in kernel.explain()
    with pytest.raises(it.UserError, match="rank-mismatch"):
        kernel(x)


def test_operators_of_statements():
    """Each has the operators that it declares: two of one name are the same, or the statements are computed apart."""
    B = np.array([[np.inf, 2.0, 3.0], [np.inf, np.inf, 5.0]])
    C = np.array([[7.0, 7.0, 1.0], [4.0, 7.0, 7.0]])
    b, c = (it.Tensor.from_numpy(one, f"dense, compressed, fill = {f}") for one, f in ((B, "inf"), (C, "7.0")))
    same = it.compile("y[i] = choose(j, B[i,j]); z[i] = choose(j, B[i,j]); n[i] = sum(j, B[i,j] == 5)")
    assert_equal(same(B=b), [2, 5], [2, 5], [0, 1])
    assert "are computed in one traversal" in same.explain()
    others = it.compile("y[i] = choose(j, B[i,j] if A[i,j] > 0); z[i] = choose(j, C[i,j] if A[i,j] > 0)")
    assert_equal(others(B=b, C=c, A=np.ones((2, 3))), [2, 5], [1, 4])


def test_copies_and_equal_kernels():
    kernel = it.compile(ONE_TRAVERSAL[1])
    assert_equal(pickle.loads(pickle.dumps(kernel))(A), 2, A.sum(1))
    again = it.compile(ONE_TRAVERSAL[1])
    assert again is not kernel
    assert_equal(again(A), 2, A.sum(1))
    assert repr(again).startswith("<kernel m[i] = max(j, A[i, j]); q = ")
    again.prepare(A)
    assert again.read_formats == {}


def test_code_of_several():
    kernel = it.compile("y[i] = A[i,j]; z = y[i]", {"A": "csr"})
    for text in (kernel.ir("loop"), kernel.llvm_ir(), kernel.assembly(), kernel.ptx(), kernel.explain()):
        assert "// statement 1 of 2: y[i] = A[i, j]\n" in text and "// statement 2 of 2: z = y[i]\n" in text
    kernel(A)
    assert kernel.read_formats == {"A": it.CSR}


def test_evaluate_all():
    i, j = it.indices("i j")
    matrix = it.Tensor.from_numpy(A, "csr")
    low, high, spread, T = (it.tensor_variable(*one) for one in (("low", 1), ("high", 1), ("spread", 1), ("T", 2)))
    low[i], high[i] = it.functions.min(j, matrix[i, j]), it.functions.max(j, matrix[i, j])
    spread[i] = high[i] - low[i]
    T[i, j] = matrix[i, j] * it.as_tensor(x)[j]
    assert_equal(it.evaluate_all([spread, low]), A.max(1) - A.min(1), A.min(1))
    found = it.evaluate_all({"d": spread, "t": T}, {"high": np.zeros(2)}, formats={"T": "csr"})
    assert [*found] == ["d", "t"] and found["t"].format == it.CSR
    np.testing.assert_array_equal(found["d"], -A.min(1))
    np.testing.assert_array_equal(found["t"].to_numpy(), A * x)
    assert it.evaluate_all([]) == ()


def test_what_evaluate_all_refuses():
    i, (u, v, w) = it.indices("i"), (it.tensor_variable(name, 1) for name in "uvw")
    u[i], v[i] = v[i] * 2, u[i] + 1
    other = it.tensor_variable("u", 1)
    other[i] = v[i] + 1
    y = it.tensor_variable("y", 1)
    y[i] = w[i]
    refused: list[tuple[Any, str]] = [
        (
            u,
            "error: [bad-argument] evaluate_all takes tensor variables, in a list or by name; got TensorVariable\n"
            "help: write evaluate_all([y, z])",
        ),
        (
            [x],
            "error: [bad-argument] evaluate_all takes tensor variables; got ndarray\n"
            'help: define one: y = irtensor.tensor_variable("y", 1); y[i] = ...',
        ),
        ([w], "error: [undefined-variable] w has no definition\nhelp: assign to it first: w[i, j] = ..."),
        (
            [u],
            "error: [undefined-variable] u is defined by itself, through u, v\n"
            "help: give data for one of them: evaluate_all(..., operands={'u': array})",
        ),
        (
            [other],
            "error: [name-conflict] two different tensor variables are called u\n"
            "help: give each variable a name of its own",
        ),
        (
            [y],
            "error: [missing-operand] tensor variable w has no data\n"
            "help: give it by name: evaluate_all(..., operands={'w': array})",
        ),
    ]
    for given, expected in refused:
        with pytest.raises(it.UserError) as error:
            it.evaluate_all(given)
        assert str(error.value) == expected
    assert_equal(it.evaluate_all([u], {"v": x}), 2 * x)
