"""Every error a caller of the library or of irtensor-run can cause, with its whole text; compiling is in test/errors."""

# ruff: noqa: E501 (messages are whole lines)

import numpy as np
import pytest

import irtensor as it
from irtensor.tools import irtensor_run

A = np.eye(3)
V = np.ones(3)


def sparse(fill=0.0):
    return it.Tensor.from_numpy(np.eye(3), it.Format("dense, compressed, fill = 1.0") if fill else it.CSR)


# Slug, what the caller does, the text of the exception.
CALLS = [
    (
        "bad-argument",
        lambda: it.compile("y[i] = x[i]")(x=V, out=np.ones(4)),
        """error: [bad-argument] out must be a NumPy array of shape (3,) and dtype float64""",
    ),
    (
        "bad-cast",
        lambda: it.compile("y[i] = x[i]", dtypes={"x": "int32"})(x=V),
        """error: [bad-cast] operand x has dtype float64, which is not converted to int32
help: convert it yourself with .astype, or change dtypes=""",
    ),
    (
        "bad-coordinates",
        lambda: it.Tensor.from_coo([[0, 5], [0, 1]], [1.0, 2.0], shape=(3, 3)),
        """error: [bad-coordinates] entry 1 has coordinate 5 in dimension 0, outside 0..2
help: coordinates count from 0; give a larger shape= if it is too small""",
    ),
    (
        "bad-fill",
        lambda: it.Tensor.from_numpy(np.eye(2, dtype=int), it.Format("dense, compressed, fill = 0.5")),
        """error: [bad-fill] fill value 0.5 is not a value of dtype int64
help: give a fill of the element type, or convert the values with .astype""",
    ),
    (
        "bad-format",
        lambda: it.Format("dense, sparse"),
        """<format>:1:8: error: [bad-format] unknown level format 'sparse'
  dense, sparse
         ^^^^^^
help: level formats are dense, compressed, singleton""",
    ),
    (
        "bad-index",
        lambda: it.indices(""),
        """error: [bad-index] indices needs at least one name
help: write i, j = indices("i j")""",
    ),
    (
        "bad-name",
        lambda: it.tensor_variable("2x", 1),
        """error: [bad-name] '2x' is not a name for a tensor""",
    ),
    (
        "bad-path",
        lambda: it.einsum("ij,jk,kl->il", A, A, A, optimize="fast"),
        """error: [bad-path] optimize='fast' is not a strategy of opt_einsum
help: use True, 'greedy', 'optimal' or 'auto'""",
    ),
    (
        "bad-shape",
        lambda: it.Tensor.from_coo([[0]], [1.0], shape=(-1,)),
        """error: [bad-shape] shape (-1,): extent -1 of dimension 0 is out of range""",
    ),
    (
        "bad-storage",
        lambda: it.Tensor.from_buffers(
            (2, 2), it.CSR, [(None, None), (np.array([0, 2, 1]), np.array([0, 1]))], np.ones(2)
        ),
        """error: [bad-storage] 'tensor' level 1 (j : compressed): positions decreases from 2 to 1 at entries 1, 2""",
    ),
    (
        "bad-subscripts",
        lambda: it.einsum("i1,j->i", A, V),
        """<notation>:1:2: error: [bad-subscripts] invalid subscript '1': subscripts are letters
  i1,j->i
   ^""",
    ),
    (
        "duplicate-coordinates",
        lambda: it.Tensor.from_coo([[1, 1]], [1.0, 2.0], shape=(3,), duplicates="error"),
        """error: [duplicate-coordinates] the element at (1) is given more than once
help: pass duplicates='sum' to add the values, or duplicates='keep' with a nonunique format""",
    ),
    (
        "expression-as-value",
        lambda: bool(it.tensor_variable("x", 1)[it.indices("i")]),
        """error: [expression-as-value] an expression has no truth value: nothing is computed yet
help: combine conditions with &, | and ~, or use where(...)""",
    ),
    (
        "extent-mismatch",
        lambda: it.einsum("ij,j->i", A, np.ones(4)),
        """error: [extent-mismatch] index 'j' has extent 3 in operand 0 and 4 in operand 1; only extent 1 broadcasts""",
    ),
    (
        "fill-mismatch",
        lambda: sparse(fill=1.0).to_scipy(),
        """error: [fill-mismatch] scipy.sparse has no fill value, but the tensor's is 1.0
help: use to_coo() for the stored entries, or to_numpy() for all""",
    ),
    (
        "format-mismatch",
        lambda: it.compile("y[i] = A[i,j]", formats={"A": it.CSR}, convert=False)(A=it.Tensor.from_numpy(A, it.CSC)),
        """error: [format-mismatch] operand A is not stored as promised: operand A, stored (i, j) -> (j : dense, i : compressed)
help: convert it once with .to_format('(i, j) -> (i : dense, j : compressed)'), or allow convert=True""",
    ),
    (
        "missing-operand",
        lambda: it.compile("y[i] = x[i] + z[i]")(x=V),
        """<notation>:1:15: error: [missing-operand] no operand is given for z
  y[i] = x[i] + z[i]
                ^^^^""",
    ),
    (
        "missing-operands",
        lambda: it.einsum(),
        """error: [missing-operands] einsum needs subscripts and at least one operand""",
    ),
    (
        "operand-count",
        lambda: it.einsum("i,j->i", V),
        """<notation>:1:1: error: [operand-count] fewer operands than subscripts: 1 for 2 terms
  i,j->i
  ^^^^^^""",
    ),
    (
        "rank-mismatch",
        lambda: it.compile("y[i] = x[i]")(x=A),
        """<notation>:1:8: error: [rank-mismatch] x has 2 dimensions, but x[i] has 1
  y[i] = x[i]
         ^^^^""",
    ),
    (
        "silent-densification",
        lambda: np.asarray(sparse()),
        """error: [silent-densification] a sparse tensor of shape (3, 3) with format (i, j) -> (i : dense, j : compressed) is not turned into an array silently
help: call .to_numpy() to make a dense array, or use irtensor.einsum""",
    ),
    (
        "storage-too-large",
        lambda: it.Tensor.from_coo([[0], [0]], [1.0], shape=(2**30, 2**30), format=it.Dense(2)),
        """error: [storage-too-large] format (i, j) -> (i : dense, j : dense) does not fit into memory for this shape: 1152921504606846976 positions of float64
help: store the large dimensions in compressed levels""",
    ),
    (
        "undefined-variable",
        lambda: it.tensor_variable("y", 1).evaluate(),
        """error: [undefined-variable] y has no definition
help: assign to it first: y[i, j] = ...""",
    ),
    (
        "unknown-file-format",
        lambda: it.read("data.csv"),
        """error: [unknown-file-format] 'data.csv' is not the name of a known kind of tensor file
help: known are .mtx (Matrix Market) and .tns (FROSTT), also .gz""",
    ),
    (
        "unknown-operand",
        lambda: it.compile("y[i] = x[i]", formats={"z": it.CSR}),
        """error: [unknown-operand] formats names 'z', which is not in the statement y[i] = x[i]
help: its tensors are x, y""",
    ),
    (
        "unknown-stage",
        lambda: it.compile("y[i] = x[i]").ir("machine"),
        """error: [unknown-stage] there is no stage or pass 'machine'
help: stages are index_notation, concrete_index, iteration_lattice, loop, llvm; passes are concretize, split-blocked-dimensions, insert-conversions, choose-loop-order, scalarize-reductions, concordize, lower-concrete-index-to-iteration-lattice, lower-looplets, lower-iteration-lattice-to-loop, lower-storage, simplify-loops, lower-algebra-to-arith, split-long-sums, hoist-invariants, append-without-branch, accumulate-in-registers, prefetch-gathers, hint-loops, lower-loop-to-llvm""",
    ),
    (
        "unsupported-dtype",
        lambda: it.Tensor.from_numpy(np.array(["a"])),
        """error: [unsupported-dtype] array has dtype <U1
help: convert it with .astype; supported are bool, int8, int16, int32, int64, float32, float64, complex64, complex128""",
    ),
    (
        "unsupported-function",
        lambda: it.compile_module("func.func @f() {\n  func.return\n}"),
        """error: [unsupported-function] @f is neither index_notation nor concrete_index: the module holds nothing
help: other stages are lowered by irtensor-opt""",
    ),
]

# Slug, arguments of irtensor-run, what it prints to the error stream.
RUNS = [
    (
        "ambiguous-sum",
        ["y[i] = x[i] * (A[i,j] + b[i])", "--ir", "loop"],
        """<notation>:1:15: error: [ambiguous-sum] which part of x[i] * (A[i, j] + b[i]) is summed over j? The sum A[i, j] + b[i] stands below another operator and not all of it has j
  y[i] = x[i] * (A[i,j] + b[i])
                ^^^^^^^^^^^^^^^
<notation>:1:16: note: A[i, j] has j
  y[i] = x[i] * (A[i,j] + b[i])
                 ^^^^^^
<notation>:1:25: note: b[i] does not have j
  y[i] = x[i] * (A[i,j] + b[i])
                          ^^^^
help: write the sum out, for example sum(j, x[i] * (A[i, j] + b[i]))""",
    ),
    (
        "bad-binding",
        ["y[i] = x[i]", "x"],
        """error: [bad-binding] an operand expects NAME=VALUE, got 'x'""",
    ),
    (
        "bad-option",
        ["y[i] = x[i]", "--fast"],
        """error: [bad-option] unrecognized arguments: --fast
help: irtensor-run --help lists the options""",
    ),
    (
        "cannot-read",
        ["y[i] = x[i]", "x=absent.mtx"],
        """error: [cannot-read] operand 'x': there is no file 'absent.mtx'""",
    ),
    (
        "index-as-value",
        ["y[i] = A[i,j] * j", "--ir", "loop"],
        """<notation>:1:17: error: [index-as-value] j is an index variable and cannot be used as a tensor
  y[i] = A[i,j] * j
                  ^
help: rename the tensor or the index variable j""",
    ),
    (
        "missing-operand",
        ["y[i] = x[i] + z[i]", "x=ones(3)"],
        """<notation>:1:15: error: [missing-operand] no operand is given for z
  y[i] = x[i] + z[i]
                ^^^^""",
    ),
    (
        "notation-too-deep",
        ["y[i] = " + "(" * 999 + "x[i]", "--ir", "loop"],
        """error: [notation-too-deep] the notation nests too deeply""",
    ),
    (
        "number-too-large",
        ["y[i] = x[i] * 99999999999999999999", "--ir", "loop"],
        """<notation>:1:15: error: [number-too-large] 99999999999999999999 does not fit in int64
  y[i] = x[i] * 99999999999999999999
                ^^^^^^^^^^^^^^^^^^^^""",
    ),
    (
        "repeated-result-index",
        ["A[i,i] = x[i]", "--ir", "loop"],
        """<notation>:1:1: error: [repeated-result-index] index i appears more than once in the result A[i, i]
  A[i,i] = x[i]
  ^^^^^^
help: give each dimension of the result its own index variable""",
    ),
    (
        "shadowed-index",
        ["y[i] = sum(j, sum(j, A[i,j]))", "--ir", "loop"],
        """<notation>:1:15: error: [shadowed-index] index j is already bound where sum(j, A[i, j]) reduces over it
  y[i] = sum(j, sum(j, A[i,j]))
                ^^^^^^^^^^^^^^
help: use another name for the inner j""",
    ),
    (
        "syntax-error",
        ["y[i] = A[i,j] *", "--ir", "loop"],
        """<notation>:1:16: error: [syntax-error] expected a tensor, a number, a function or '(', found the end of the notation
  y[i] = A[i,j] *
                 ^""",
    ),
    (
        "unexpected-character",
        ["y[i] = x[i] $ 2", "--ir", "loop"],
        """<notation>:1:13: error: [unexpected-character] '$' is not part of the notation
  y[i] = x[i] $ 2
              ^""",
    ),
    (
        "unknown-extent",
        ["y[i] = 2", "--ir", "loop"],
        """<notation>:1:1: error: [unknown-extent] index i of the result y[i] is in no operand, so its extent is unknown
  y[i] = 2
  ^^^^
help: multiply by a tensor of ones that has i, or drop i from the result""",
    ),
    (
        "unsupported-index",
        ["y[i] = x[i+1]", "--ir", "loop"],
        """<notation>:1:11: error: [unsupported-index] an index of x must be an index variable, found '+'
  y[i] = x[i+1]
            ^
help: index arithmetic and constant coordinates are not supported yet""",
    ),
    (
        "wrong-arity",
        ["y[i] = max(x[i])", "--ir", "loop"],
        """<notation>:1:8: error: [wrong-arity] max takes 2 or more arguments, got 1
  y[i] = max(x[i])
         ^^^^^^^^^""",
    ),
]


@pytest.mark.parametrize("slug, call, text", CALLS, ids=[row[0] for row in CALLS])
def test_exception(slug, call, text):
    with pytest.raises(it.UserError) as caught:
        call()
    assert caught.value.slug == slug
    assert str(caught.value) == text


@pytest.mark.parametrize("slug, arguments, text", RUNS, ids=[row[0] for row in RUNS])
def test_command_line(slug, arguments, text, capsys):
    assert irtensor_run.main(arguments) == 1
    captured = capsys.readouterr()
    assert captured.err.rstrip("\n") == text
    assert f"[{slug}]" in text
    assert not captured.out
