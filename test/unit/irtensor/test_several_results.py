"""Kernels of functions that return several tensors."""

import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it
from irtensor.compiler.compilation.kernel_signature import KernelSignature
from irtensor.tools import irtensor_run

HEAD = """#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
"""
ROWS = """  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
"""
SQUARES = """  %C = index_notation.assign (%i, %j) : tensor<?x?xf64, #csc> {
    %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
    %p = algebra.apply mul(%a, %a) : (f64, f64) -> f64
    index_notation.yield %p : f64
  }
"""
NORM = """  %n = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%i) : f64 {
      %b = index_notation.access %y[%i] : tensor<?xf64>
      %p = algebra.apply mul(%b, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
"""
TYPES = {
    "A": "tensor<?x?xf64, #csr>",
    "x": "tensor<?xf64>",
    "y": "tensor<?xf64>",
    "C": "tensor<?x?xf64, #csc>",
    "n": "tensor<f64>",
}


def function(definitions, *results):
    types = [TYPES[name] for name in results]
    names = ", ".join(f"%{name}" for name in results)
    start = f"func.func @f(%A: {TYPES['A']}, %x: {TYPES['x']}) -> ({', '.join(types)}) {{\n"
    returned = f"  func.return {names} : {', '.join(types)}\n" if results else "  func.return\n"
    return f"{HEAD}{start}{definitions}{returned}}}\n"


def operands(rows=50, columns=40, density=0.2, seed=1):
    rng = np.random.default_rng(seed)
    matrix = sp.random(rows, columns, density, rng=rng).tocsr()
    return matrix, rng.integers(1, 5, columns).astype(float)


def assert_right(results, names, matrix, x):
    dense = matrix.toarray()
    expected = {"y": dense @ x, "C": dense**2, "n": (dense @ x) @ (dense @ x)}
    assert type(results) is tuple and len(results) == len(names)
    for name, result in zip(names, results, strict=True):
        if name == "C":
            result.check()
            assert result.format == it.CSC
            result = result.to_numpy()
        np.testing.assert_allclose(result, expected[name], err_msg=name)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("names", ["yC", "Cy", "yn", "nCy", "Cny"])
def test_results_come_in_the_order_of_the_return(names, threads):
    definitions = ROWS + SQUARES * ("C" in names) + NORM * ("n" in names)
    kernel = it.compile_module(function(definitions, *names), num_threads=threads)
    # Small, large, without entries and without rows, and memory of earlier results used again.
    for rows, columns, density in [
        (50, 40, 0.2),
        (50, 40, 0.2),
        (2000, 300, 0.1),
        (7, 5, 0.0),
        (0, 4, 0.0),
        (3, 9, 1.0),
    ]:
        matrix, x = operands(rows, columns, density)
        first, second = kernel(matrix, x), kernel(A=matrix, x=2 * x)
        assert_right(first, names, matrix, x)
        assert_right(second, names, matrix, 2 * x)


def test_results_have_types_of_their_own():
    mixed = """func.func @f(%x: tensor<?xf32>) -> (tensor<?xi1>, tensor<?xf32>) {
  %p = index_notation.assign (%i) : tensor<?xi1> {
    %a = index_notation.access %x[%i] : tensor<?xf32>
    %b = algebra.apply gt(%a, %a) : (f32, f32) -> i1
    index_notation.yield %b : i1
  }
  %d = index_notation.assign (%i) : tensor<?xf32> {
    %a = index_notation.access %x[%i] : tensor<?xf32>
    %b = algebra.apply add(%a, %a) : (f32, f32) -> f32
    index_notation.yield %b : f32
  }
  func.return %p, %d : tensor<?xi1>, tensor<?xf32>
}
"""
    positive, doubled = it.compile_module(mixed)(np.arange(3, dtype=np.float32))
    assert positive.dtype == bool and doubled.dtype == np.float32
    assert positive.tolist() == [False] * 3 and doubled.tolist() == [0, 2, 4]


def test_signatures_travel():
    signature = it.compile_module(function(ROWS + SQUARES, "C", "y"))._last.kernel.signature
    assert len(signature.results) == 2
    assert KernelSignature.from_json(json.loads(json.dumps(signature.to_json()))) == signature


def test_extents_of_what_is_read_again_are_those_of_operands():
    kernel = it.compile_module(function(ROWS + NORM, "n", "y"))
    matrix, x = operands()
    with pytest.raises(it.UserError, match=r"extent-mismatch.*dimension 0 of x has extent 39"):
        kernel(matrix, x[:-1])


@pytest.mark.parametrize("which", [0, 1])
def test_a_result_that_does_not_fit_leaves_no_memory_behind(which, monkeypatch):
    kernel = it.compile_module(function(ROWS + SQUARES, "C", "y"))
    matrix, x = operands()
    kernel(matrix, x)

    def refused(*_):
        raise MemoryError("too much")

    with monkeypatch.context() as patch:
        patch.setattr(kernel._last.kernel._layouts[which], "allocate", refused)
        with pytest.raises(MemoryError, match="too much"):
            kernel(matrix, x)
    assert_right(kernel(matrix, x), "Cy", matrix, x)


def test_what_is_explained():
    text = it.compile_module(function(ROWS + SQUARES, "C", "y")).explain()
    for part in (
        "  result C  tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>",
        "  result y  tensor<?xf64>\n",
        "  y: {ij | A_ij} U {i}\n     no program does less",
        "level 0 of y (i : dense)  insert",
        "level 1 of C (i : compressed)  append",
    ):
        assert part in text, text


@pytest.mark.parametrize(
    "definitions, results, slug, message",
    [
        ("", "", "unsupported-function", "@f returns no tensor"),
        (ROWS, "yy", "unsupported-function", "the function returns 'y' twice, and a tensor is stored once"),
        (ROWS, "yx", "operand-returned", "the function returns 'x', which it does not compute"),
        (
            SQUARES + NORM.replace("%y[%i] : tensor<?xf64>", "%C[%i, %i] : tensor<?x?xf64, #csc>"),
            "Cn",
            "unsupported-workspace",
            "'C' is read in the function that computes it, and stored",
        ),
    ],
)
def test_functions_that_are_no_kernels(definitions, results, slug, message):
    with pytest.raises(it.UserError) as raised:
        it.compile_module(function(definitions, *results), file="k.mlir")
    assert raised.value.slug == slug and message in str(raised.value)


def test_on_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matrix, x = operands()
    (tmp_path / "k.mlir").write_text(function(ROWS + SQUARES + NORM, "y", "C", "n"))
    it.write("a.mtx", it.Tensor.from_numpy(matrix.toarray(), it.CSR))
    np.save("x.npy", x)
    call = ["k.mlir", "A=a.mtx", "x=x.npy"]
    assert irtensor_run.main(call) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("[") and "Tensor" in printed
    assert irtensor_run.main([*call, "-o", "y.npy", "-o", "c.mtx", "-o", "n.npy"]) == 0
    results = np.load("y.npy"), it.read("c.mtx", format=it.CSC), np.load("n.npy")
    assert_right(results, "yCn", matrix, x)
    assert irtensor_run.main([*call, "-o", "y.npy"]) == 1
    assert capsys.readouterr().err == (
        "error: [bad-option] -o names 1 file for 3 results\n"
        "help: give -o once for each result, in the order of func.return\n"
    )


def test_kernels_of_many_definitions_are_pickled():
    """As the text of their function: IR in memory is nested too deeply for it."""
    names, vector = [f"%y{number}" for number in range(60)], "tensor<?xf64>"
    body = "index_notation.access %x[%i] : tensor<?xf64> %b = algebra.apply mul(%a, %a) : (f64, f64) -> f64"
    lines = [
        f"{name} = index_notation.assign (%i) : {vector} {{ %a = {body} index_notation.yield %b : f64 }}"
        for name in names
    ]
    types = ", ".join([vector] * len(names))
    returned = f"func.return {', '.join(names)} : {types}"
    kernel = it.compile_module(f"func.func @f(%x: {vector}) -> ({types}) {{\n{chr(10).join(lines)}\n{returned} }}")
    x = np.arange(4.0)
    for one in (kernel, pickle.loads(pickle.dumps(kernel))):
        results = one(x)
        assert len(results) == 60
        np.testing.assert_array_equal(results, np.tile(x * x, (60, 1)))
