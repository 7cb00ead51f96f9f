"""Errors that a caller of the library alone can cause, with their whole text; see also test_run_error_texts.py."""

# ruff: noqa: E501 (messages are whole lines)

import numpy as np
import pytest
from check_error import check_error

import irtensor as it
from irtensor.passes.pipelines import passes_between

A = np.eye(3)
V = np.ones(3)
BLOCKS = it.BCSR(2, 2)
THIN = it.Tensor.from_coo([[0], [0]], [1.0], shape=(1000, 2))
WIDE = it.Tensor.from_coo([[0], [0]], [1.0], shape=(1000, 40_000))


def sparse(fill=0.0):
    return it.Tensor.from_numpy(np.eye(3), it.Format("dense, compressed, fill = 1.0") if fill else it.CSR)


def parallel(loop, statement, **formats):
    return it.compile(statement, formats, schedule=it.schedule().parallelize(loop), num_threads=2)


def apply_to_integers(operator):
    return it.compile(f"y[i] = @{operator.name}(a[i], a[i])", operators=[operator])(a=np.arange(3))


TURN = it.operator("turn", lambda a, b: a + b * 1j, identity=0, associative=True)
COPY = """func.func @f(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %a = index_notation.access %x[%i] : tensor<?xf64>
    index_notation.yield %a : f64
  }
  func.return %y : tensor<?xf64>
}

"""
ASSEMBLY = """llvm.func @g() {
  %u = llvm.inline_asm "nop", "" : () -> i64
  llvm.return
}
"""

# Slug, what the caller does, the text of the exception.
CALLS = [
    (
        "bad-argument",
        lambda: it.compile("y[i] = x[i]")(x=V, out=np.ones(4)),
        """error: [bad-argument] out must be a NumPy array of shape (3,) and dtype float64, got shape (4,) and dtype float64
help: omit out= to get a new array""",
    ),
    (
        "index-mismatch",
        lambda: it.compile("C[i,j] = 2 * A[i,j]", formats={"A": it.CSR, "C": it.CSR}).compute(THIN, sparse()),
        """error: [index-mismatch] the index is for shape (1000, 2), stored (i, j) -> (i : compressed(nonunique), j : singleton); the result has shape (3, 3), stored (i, j) -> (i : dense, j : compressed)
help: make it with assemble() of the same kernel""",
    ),
    (
        "unordered-merge",
        lambda: it.compile(
            "c[i] = a[i] + b[i]", formats={"a": "hashed", "b": "compressed", "c": "compressed"}, convert=False
        )(a=it.Tensor.from_numpy(V, "hashed"), b=it.Tensor.from_numpy(V, "compressed")),
        """<notation>:1:8: error: [unordered-merge] level 0 (i : hashed) of 'a', which is not ordered, is combined with others, or appended to, in order of coordinate
  c[i] = a[i] + b[i]
         ^
help: convert the operand to a format with a compressed level instead""",
    ),
    (
        "bad-cast",
        lambda: it.compile("y[i] = x[i]", dtypes={"x": "int32"})(x=V),
        """error: [bad-cast] operand x has dtype float64, which is not converted to int32
help: convert it yourself with .astype, or change dtypes=""",
    ),
    (
        "unsupported-dtype",
        lambda: it.einsum("i->i", V, dtype="f99"),
        """error: [unsupported-dtype] dtype='f99' is not a dtype (data type 'f99' not understood)
help: name one of NumPy's, such as 'float32'""",
    ),
    (
        "unsupported-dtype",
        lambda: it.einsum("i,i->i", V, np.zeros(3, "M8[s]")),
        """error: [unsupported-dtype] float64, datetime64[s] have no type in common
help: convert the operands to numbers with .astype""",
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
help: level formats are dense, compressed, singleton, bitmap, hashed, padded, range, offset, run_list, sparse_run_list, block_list, point, band, ragged, interval, triangle, strict_triangle""",
    ),
    (
        "no-asymptotic-cost",
        lambda: it.compile("y[i] = A[i,j] * x[j]", formats={"A": BLOCKS}).explain("forall ij: y[i] += A[i,j] * x[j]"),
        """error: [no-asymptotic-cost] the asymptotic cost of this kernel is not known, so that it is not compared with a program
help: omit instead=""",
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
        """error: [bad-name] '2x' is not a name for a tensor
help: a name has letters, digits and underscores, and starts with no digit""",
    ),
    (
        "bad-operator",
        lambda: it.operator("blend", lambda a, b: a + b, identity="0"),  # pyrefly: ignore[bad-argument-type]
        """error: [bad-operator] the identity of @blend must be a number, got '0'
help: give one, or omit identity= if there is none""",
    ),
    (
        "bad-operator",
        lambda: it.operator("times", lambda a, b: a * b, distributes_over=("least",)),
        """error: [bad-operator] @times cannot distribute over 'least', which is not a reduction
help: name add, mul, min, max, choose, and, or, xor, or an operator that is declared: itself, or as '@name'""",
    ),
    (
        "bad-operator",
        lambda: it.operator("times", lambda a, b: a * b, distributes_over=it.operator("twice", lambda a: a + a)),
        """error: [bad-operator] @times cannot distribute over @twice, which takes 1 argument
help: an operator that reduces takes two arguments""",
    ),
    (
        "bad-operator",
        lambda: apply_to_integers(it.operator("mean", lambda a, b: (a + b) / 2, idempotent=True)),
        """<notation>:1:8: error: [bad-operator] @mean is idempotent, so it gives the dtype that it takes, but its body gives float64 for int64
  y[i] = @mean(a[i], a[i])
         ^^^^^^^^^^^^^^^^^
help: convert the operands to float64, or keep the body in int64, as // does instead of /""",
    ),
    (
        "bad-operator",
        lambda: it.compile("s @turn= a[i]", operators=[TURN])(a=V),
        """<notation>:1:10: error: [bad-operator] @turn is associative, so it gives the dtype that it takes, but its body gives complex128 for float64
  s @turn= a[i]
           ^^^^
help: convert the operands to complex128, or keep the body in float64""",
    ),
    (
        "bad-operator",
        lambda: apply_to_integers(it.operator("ratio", lambda a, b: a / b, identity=1)),
        """<notation>:1:8: error: [bad-operator] @ratio has the identity 1, beside which it gives the other argument, but it gives float64 for int64
  y[i] = @ratio(a[i], a[i])
         ^^^^^^^^^^^^^^^^^^
help: omit identity=, or convert the operands to float64""",
    ),
    (
        "bad-operator",
        lambda: apply_to_integers(it.operator("near", lambda a, b: abs(a - b) < 2, annihilator=5)),
        """<notation>:1:8: error: [bad-operator] the annihilator 5 of @near is not a value of bool, which it gives for int64
  y[i] = @near(a[i], a[i])
         ^^^^^^^^^^^^^^^^^
help: omit annihilator=""",
    ),
    (
        "bad-operator",
        lambda: apply_to_integers(it.operator("ratio", lambda a, b: a / b, annihilator=2**53 + 1)),
        """<notation>:1:8: error: [bad-operator] the annihilator 9007199254740993 of @ratio is not a value of float64, which it gives for int64
  y[i] = @ratio(a[i], a[i])
         ^^^^^^^^^^^^^^^^^^
help: omit annihilator=, or convert the operands to float64""",
    ),
    (
        "bad-operator",
        lambda: it.compile("y[i] = @f(a[i])", operators=[it.operator("f", lambda a: a, annihilator=0.5)])(a=[1]),
        """<notation>:1:8: error: [bad-operator] the annihilator 0.5 of @f is not a value of int64
  y[i] = @f(a[i])
         ^^^^^^^^
help: declare another operator for this dtype""",
    ),
    (
        "bad-operator",
        lambda: it.einsum("i,i->", np.arange(3), np.ones(3, int), semiring=it.Semiring("min", "div")),
        """error: [bad-operator] the multiplication div of a semiring gives float64 for int64, and what the addition min has for a missing entry differs: inf is not 9223372036854775807
help: compute in one dtype: give the semiring dtype="float64\"""",
    ),
    (
        "bad-path",
        lambda: it.einsum("ij,jk,kl->il", A, A, A, optimize="fast"),
        """error: [bad-path] optimize='fast' is not a strategy of opt_einsum
help: give True, False, 'auto', 'greedy', 'optimal' or another strategy of opt_einsum, (strategy, limit) with a number of elements, or a path as einsum_path gives it""",
    ),
    (
        "bad-schedule",
        lambda: it.schedule("reorder(i, j)").precompute("A[i,j]", over="i, i"),
        """error: [bad-schedule] step 2, precompute: i is given twice
help: name every index variable once""",
    ),
    (
        "bad-schedule",
        lambda: it.compile("y[i] = a[i]", tune="fast"),  # pyrefly: ignore[bad-argument-type]
        """error: [bad-schedule] tune= is 'operands', 'samples' or 'format', not 'fast'
help: 'operands' measures schedules on those of the first call, 'samples' on small ones like them, 'format' the formats of operands""",
    ),
    (
        "bad-schedule",
        lambda: it.compile("y[i] = a[i]", tune="samples", schedule=it.schedule().unroll("i", 2)),
        """error: [bad-schedule] tune= chooses a schedule by measurement, but schedule= gives one
help: omit one of them""",
    ),
    (
        "bad-shape",
        lambda: it.Tensor.from_coo([[0]], [1.0], shape=(-1,)),
        """error: [bad-shape] shape (-1,): extent -1 of dimension 0 is out of range 0..2^63-1
help: an extent is the number of coordinates: at least one more than the largest""",
    ),
    (
        "bad-storage",
        lambda: it.Tensor.from_buffers(
            (2, 2), it.CSR, [(None, None), (np.array([0, 2, 1]), np.array([0, 1]))], np.ones(2)
        ),
        """error: [bad-storage] 'tensor' level 1 (j : compressed): positions decrease from 2 to 1 at entries 1, 2
help: build the tensor with Tensor.from_coo, which sorts and checks""",
    ),
    (
        "bad-subscripts",
        lambda: it.einsum("i1,j->i", A, V),
        """<notation>:1:2: error: [bad-subscripts] invalid subscript '1': subscripts are letters
  i1,j->i
   ^""",
    ),
    (
        "dense-intermediate",
        lambda: it.einsum("ij,kj,ik->", THIN, np.eye(40_000, 2), WIDE, optimize=[(0, 1), (0, 1)]),
        """error: [dense-intermediate] step 0 of the contraction path would make a dense intermediate of 320000000 bytes, more than 256 MB and than the 640088 bytes of operands and result
help: omit optimize=, or use optimize=False for one kernel""",
    ),
    (
        "duplicate-coordinates",
        lambda: it.Tensor.from_coo([[1, 1]], [1.0, 2.0], shape=(3,), duplicates="error"),
        """error: [duplicate-coordinates] the element at (1) is given more than once
help: pass duplicates='sum' to add the values, 'last' to take one, or 'keep' with a nonunique format""",
    ),
    (
        "empty-reduction",
        lambda: it.compile("y[i] = max(k, B[i,k])", formats={"B": it.CSR, "y": "compressed"})(B=np.ones((3, 0))),
        """<notation>:1:8: error: [empty-reduction] max over index k has nothing to reduce: dimension 1 of B has extent 0. That is -inf at every coordinate, but where a sparse result stores nothing, it is 0.0
  y[i] = max(k, B[i,k])
         ^^^^^^^^^^^^^^
help: ask for a dense result, or for a format with fill = -inf""",
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
        "loop-order-cycle",
        lambda: it.compile("C[i,j] = A[i,j] * B[j,i]", formats={"A": BLOCKS, "B": BLOCKS}, convert=False).ir("loop"),
        """<notation>:1:19: error: [loop-order-cycle] 'B' needs loop j (blocks) before i (blocks), 'A' needs loop i (blocks) before j (blocks)
  C[i,j] = A[i,j] * B[j,i]
                    ^
<notation>:1:19: note: 'B' is stored (i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)
  C[i,j] = A[i,j] * B[j,i]
                    ^
<notation>:1:10: note: 'A' is stored (i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)
  C[i,j] = A[i,j] * B[j,i]
           ^
help: convert 'B' to (i, j) -> (j floordiv 2 : dense, i floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)""",
    ),
    (
        "missing-operand",
        lambda: it.compile("y[i] = x[i] + z[i]")(x=V),
        """<notation>:1:15: error: [missing-operand] no operand is given for z
  y[i] = x[i] + z[i]
                ^^^^
help: give each by name: x=..., z=...""",
    ),
    (
        "missing-operands",
        lambda: it.einsum(),
        """error: [missing-operands] einsum needs subscripts and at least one operand""",
    ),
    (
        "name-conflict",
        lambda: it.tensor_variable("x", 1)[it.indices("i")] + it.tensor_variable("x", 1)[it.indices("i")],
        """error: [name-conflict] two different tensor variables are called x
help: give each variable a name of its own""",
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
help: known are .mtx and .ttx (Matrix Market), .tns (FROSTT), .rb and .hb (Rutherford-Boeing), also .gz, and .npz (SciPy)""",
    ),
    (
        "bound-not-met",
        lambda: it.compile("y[i] = x[i]", schedule=it.schedule().bound("i", 4))(x=np.ones(5)),
        """error: [bound-not-met] the schedule says that i has exactly 4 coordinates, and for these operands it has 5, dimension 0 of x
help: remove the step bound(i, 4), write bound(i, 5), or pass operands that satisfy it""",
    ),
    (
        "parallel-dependence",
        lambda: parallel("i", "y[i] = x[i] + z[i]", x="padded", y="hashed").prepare(x=V, z=V),
        """<notation>:1:1: error: [parallel-dependence] the loop over i cannot be parallel: an iteration goes on where the iteration before has stopped in level 0 of 'x'
  y[i] = x[i] + z[i]
  ^
note: this is step 1: parallelize(i, none)
help: parallelize another loop, or divide this one first and parallelize the loop over the parts""",
    ),
    (
        "parallel-dependence",
        lambda: parallel("j", "C[i,j] = A[i,j] + B[i,j]", A=it.CSR, B=it.CSR, C=it.CSR).prepare(A=A, B=A),
        """<notation>:1:1: error: [parallel-dependence] the loop over j cannot be parallel: it appends to level 1 of 'C'
  C[i,j] = A[i,j] + B[i,j]
  ^
note: this is step 1: parallelize(j, none)
help: parallelize another loop, or store the result in levels that are written in any order, such as dense ones""",
    ),
    (
        "bound-not-met",
        lambda: it.compile("y[i] = x[i]", schedule=it.schedule("bound(i, 4, multiple); split(i, i0, i1, 4)"))(x=V),
        """error: [bound-not-met] the schedule says that i has a multiple of 4 coordinates, and for these operands it has 3, dimension 0 of x
help: remove the step bound(i, 4, multiple), state a bound that they meet, or pass operands that satisfy it""",
    ),
    (
        "bound-not-met",
        lambda: it.compile("y[i] = x[i]", schedule=it.schedule("split(i, i0, i1, 2); bound(i0, 3)"))(x=V),
        """error: [bound-not-met] the schedule says that i0 has exactly 3 coordinates, and for these operands it has 2
help: remove the step bound(i0, 3), write bound(i0, 2), or pass operands that satisfy it""",
    ),
    (
        "unknown-operand",
        lambda: it.compile("y[i] = x[i]", formats={"z": it.CSR}),
        """error: [unknown-operand] formats names 'z', which is not in the statement y[i] = x[i]
help: its tensors are x, y""",
    ),
    (
        "unsupported-dtype",
        lambda: it.Tensor.from_numpy(np.array(["a"])),
        """error: [unsupported-dtype] array has dtype <U1
help: convert it with .astype; supported are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128""",
    ),
    (
        "unsupported-function",
        lambda: it.compile_module("func.func @f(%x: index) {\n  %c = loop.cell %x : index\n  func.return\n}"),
        """error: [unsupported-function] @f is neither index_notation nor concrete_index: the module holds loop
help: other stages are lowered by irtensor-opt""",
    ),
    (
        "wrong-stage",
        lambda: it.compile_module(COPY + "llvm.mlir.global internal @g(1 : i64) : i64\n", "k.mlir").llvm_ir(),
        """k.mlir:9:1: error: [wrong-stage] no LLVM IR is written for the value that a global has at the start
  llvm.mlir.global internal @g(1 : i64) : i64
  ^^^^^^^^^^^^^^^^
help: remove it from the module""",
    ),
    (
        "wrong-stage",
        lambda: it.compile_module(COPY + ASSEMBLY, "k.mlir", function="f").llvm_ir(),
        """k.mlir:10:8: error: [wrong-stage] no LLVM IR is written for 'llvm.inline_asm'
    %u = llvm.inline_asm "nop", "" : () -> i64
         ^^^^^^^^^^^^^^^
help: remove it from the module""",
    ),
]


@pytest.mark.parametrize("slug, call, text", CALLS, ids=[row[0] for row in CALLS])
def test_exception(slug, call, text):
    check_error(call, slug, text)


def test_unknown_stage(monkeypatch):
    monkeypatch.setattr("irtensor.compiler.compilation.pipeline_choices.gathers_pay", lambda: False)
    with pytest.raises(it.UserError) as caught:
        it.compile("y[i] = x[i]", num_threads=2).ir("machine")
    passes = ", ".join(passes_between("index_notation", "llvm", ["parallelize-outermost", "poll-interrupts"]))
    passes = passes.replace("sum-in-masked-lanes, sum-pieces-in-lanes, ", "")
    expected = f"""error: [unknown-stage] stage or pass 'machine' does not exist
help: stages are index_notation, concrete_index, iteration_lattice, loop, optimized, parallel, arith, cpu, llvm; passes are {passes}"""
    assert str(caught.value) == expected
