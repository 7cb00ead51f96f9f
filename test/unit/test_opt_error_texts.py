"""Errors of irtensor-opt and of passes that are no part of a pipeline, with their whole text; compiling: test/errors."""

# ruff: noqa: E501 (messages are whole lines)

import re
from pathlib import Path
from typing import Any

import pytest
from row_sums import ROW_SUMS
from unknown_gaps import UNKNOWN_GAPS
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

import irtensor as it
from irtensor.levels.known_levels import LEVEL_PROPERTIES
from irtensor.tools import irtensor_opt, irtensor_run

COMPILE = Path(__file__).parents[1] / "errors" / "compile.mlir"

NOTHING = "func.func @f() {\n  func.return\n}\n"
RETURNED_TWICE = """func.func @f(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %n = storage.dim %x, 0 : tensor<?xf64>
  %y = storage.result : tensor<?xf64>
  func.return %y, %y : tensor<?xf64>, tensor<?xf64>
}
"""
COLUMNS_FIRST = """#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
algebra.operator @last(%a: f64, %b: f64) -> f64 attributes {associative, identity = 0.0 : f64} {
  algebra.yield %b : f64
}
func.func @f(%A: tensor<?x?xf64, #csr>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign @last %a into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}
"""
DIVIDED_ROWS = """#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @f(%A: tensor<?x?xf64, #csr>, %lo: index, %hi: index) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%r) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j from %lo to %hi attributes {fused = "f"} {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign %a into %r[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}
"""

APPENDS = """func.func @f(%n: index, %g: !loop.growable<f64>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n attributes {parallel = "none"} {
    loop.reserve %g, %i : f64
  }
  func.return
}
"""
TWO_SUMS = """func.func @f(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      %b = algebra.apply exp(%a) : (f64) -> f64
      concrete_index.assign add %b into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}
"""
TRANSPOSED_BLOCKS = """#blocks = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>
func.func @loop_order_cycle(%A: tensor<?x?xf64, #blocks>, %B: tensor<?x?xf64, #blocks>) -> tensor<?x?xf64> {
  %C = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #blocks>
    %b = index_notation.access %B[%j, %i] : tensor<?x?xf64, #blocks>
    %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
    index_notation.yield %p : f64
  }
  func.return %C : tensor<?x?xf64>
}
"""
# Slug, options, IR (None: there is no input file), what irtensor-opt prints to the error stream.
ROWS = [
    (
        "bad-format",
        [],
        "func.func @f(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : sparse)>>) {\n  func.return\n}\n",
        """k.mlir:1:76: error: [bad-format] unknown level format 'sparse'
  func.func @f(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : sparse)>>) {
                                                                             ^^^^^^
help: level formats are dense, compressed, singleton, bitmap, hashed, padded, range, offset, run_list, sparse_run_list, block_list, point, band, ragged, interval, triangle, strict_triangle""",
    ),
    (
        "bad-option",
        ["--remark"],
        NOTHING,
        """error: [bad-option] '--remark' is neither an option nor a pass
help: did you mean --remarks?""",
    ),
    (
        "bad-pass-option",
        ["-p", "reorder{loops=i,j}"],
        NOTHING,
        """error: [bad-pass-option] pass 'reorder': Provided arguments ["loops"] not found in expected arguments ["order"]
help: its options are order (tuple[str, ...])""",
    ),
    (
        "bad-pipeline",
        ["-p", "builtin.module(concretize,,dce)"],
        NOTHING,
        """error: [bad-pipeline] a pass name is missing between commas in pass pipeline 'concretize,,dce'
help: write 'builtin.module(pass-a,pass-b{option=1 other=2})' or 'pass-a,pass-b{option=1}'""",
    ),
    (
        "cannot-read",
        ["absent.mlir"],
        None,
        """error: [cannot-read] 'absent.mlir': No such file or directory
help: check the path and its permissions""",
    ),
    (
        "ambiguous-expression",
        ["-p", 'precompute{expression="x[i]"}'],
        TWO_SUMS,
        """k.mlir:5:7: error: [ambiguous-expression] precompute: 2 assignments compute 'x[i]'
        concrete_index.assign add %a into %out[] : tensor<f64>
        ^^^^^^^^^^^^^^^^^^^^^
k.mlir:5:7: note: out is computed as x[i]
        concrete_index.assign add %a into %out[] : tensor<f64>
        ^^^^^^^^^^^^^^^^^^^^^
k.mlir:10:7: note: out is computed as exp(x[i])
        concrete_index.assign add %b into %out[] : tensor<f64>
        ^^^^^^^^^^^^^^^^^^^^^
help: write a larger part of the one that is meant""",
    ),
    (
        "bad-expression",
        ["-p", 'precompute{expression="x[i"}'],
        TWO_SUMS,
        """<expression>:1:4: error: [bad-expression] expected ']', found the end
  x[i
     ^
help: write a part of the statement as it stands there, such as B[i,k] * C[k,j]""",
    ),
    (
        "cannot-write",
        ["-o", "absent/out.mlir"],
        NOTHING,
        """error: [cannot-write] 'absent/out.mlir': No such file or directory
help: check the path and its permissions""",
    ),
    (
        "discordant-access",
        ["-p", "lower-concrete-index-to-iteration-lattice"],
        COLUMNS_FIRST,
        """k.mlir:9:14: error: [discordant-access] level 1 (j : compressed) of 'A' is bound by the loop over j, before the levels above it
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
               ^^^^^^^^^^^^^^^^^^^^^
help: run concordize before, or order the loops as the tensor is stored""",
    ),
    (
        "does-not-dominate",
        [],
        "func.func @f() -> i64 {\n  %b = arith.addi %a, %a : i64\n  %a = arith.constant 1 : i64\n  func.return %b : i64\n}\n",
        """k.mlir:2:8: error: [does-not-dominate] operand #0 '%a' of 'arith.addi' does not dominate this use
    %b = arith.addi %a, %a : i64
         ^^^^^^^^^^
k.mlir:3:8: note: operand defined here (op in the same block)
    %a = arith.constant 1 : i64
         ^^^^^^^^^^^^^^
help: move the definition up to where it comes before every use, or the use below it""",
    ),
    (
        "expression-not-found",
        ["-p", 'precompute{expression="x[i]*x[i]"}'],
        TWO_SUMS,
        """k.mlir:1:1: error: [expression-not-found] precompute: no assignment computes 'x[i] * x[i]'
  func.func @f(%x: tensor<?xf64>) -> tensor<f64> {
  ^^^^^^^^^
k.mlir:5:7: note: out is computed as x[i]
        concrete_index.assign add %a into %out[] : tensor<f64>
        ^^^^^^^^^^^^^^^^^^^^^
k.mlir:10:7: note: out is computed as exp(x[i])
        concrete_index.assign add %b into %out[] : tensor<f64>
        ^^^^^^^^^^^^^^^^^^^^^
help: write a part of one of them, with the parentheses that it has there""",
    ),
    (
        "illegal-precompute",
        ["-p", 'precompute{expression="A[i,j]" variables=i workspace=A}'],
        COLUMNS_FIRST,
        """k.mlir:10:9: error: [illegal-precompute] precompute: there is a tensor 'A' already
          concrete_index.assign @last %a into %out[] : tensor<f64>
          ^^^^^^^^^^^^^^^^^^^^^
help: give the workspace another name, or none""",
    ),
    (
        "illegal-reuse",
        ["-p", 'precompute{expression="A[i,j]" variables=i,j reuse=true}'],
        COLUMNS_FIRST,
        """k.mlir:10:9: error: [illegal-reuse] precompute: 'out' cannot be its own workspace: the expression is the whole right-hand side
          concrete_index.assign @last %a into %out[] : tensor<f64>
          ^^^^^^^^^^^^^^^^^^^^^
help: omit reuse=: nothing is left to combine""",
    ),
    (
        "illegal-reorder",
        ["-p", "reorder{order=i,j}"],
        COLUMNS_FIRST,
        """k.mlir:10:9: error: [illegal-reorder] reorder: loops j, i both reduce with '@last', which is not associative and commutative
          concrete_index.assign @last %a into %out[] : tensor<f64>
          ^^^^^^^^^^^^^^^^^^^^^
note: the nearest order that is allowed is j, i
help: keep the order of these loops, or declare the traits of the operator""",
    ),
    (
        "loop-order-cycle",
        ["-p", "concretize,split-blocked-dimensions,choose-loop-order"],
        TRANSPOSED_BLOCKS,
        """k.mlir:5:10: error: [loop-order-cycle] 'B' needs loop j (blocks) before i (blocks), 'A' needs loop i (blocks) before j (blocks)
      %b = index_notation.access %B[%j, %i] : tensor<?x?xf64, #blocks>
           ^^^^^^^^^^^^^^^^^^^^^
k.mlir:5:10: note: 'B' is stored (i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)
      %b = index_notation.access %B[%j, %i] : tensor<?x?xf64, #blocks>
           ^^^^^^^^^^^^^^^^^^^^^
k.mlir:4:10: note: 'A' is stored (i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #blocks>
           ^^^^^^^^^^^^^^^^^^^^^
help: convert 'B' to (i, j) -> (j floordiv 2 : dense, i floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)""",
    ),
    (
        "no-such-loops",
        ["-p", "reorder{order=i,k}"],
        COLUMNS_FIRST,
        """k.mlir:7:5: error: [no-such-loops] reorder: no nest has loops over i, k
      concrete_index.forall %j {
      ^^^^^^^^^^^^^^^^^^^^^
help: nested are j, i: name some of one such nest""",
    ),
    (
        "parallel-dependence",
        ["--divide-parallel-loops"],
        APPENDS,
        """k.mlir:3:3: error: [parallel-dependence] the loop over i cannot be parallel: it appends to a result
    loop.for %i = %c0 to %n attributes {parallel = "none"} {
    ^^^^^^^^
help: parallelize another loop, or store the result in levels that are written in any order, such as dense ones""",
    ),
    (
        "illegal-replay",
        ["-p", "lower-concrete-index-to-iteration-lattice{purpose=compute}"],
        DIVIDED_ROWS,
        """k.mlir:7:9: error: [illegal-replay] blocks of the loops fused over j begin and end within the segments of level 1 (j : compressed) of 'r', which are traversed as a whole where values are computed for an index that exists
          concrete_index.assign %a into %r[%i, %j] : tensor<?x?xf64, #csr>
          ^^^^^^^^^^^^^^^^^^^^^
help: compute index and values in one call, or omit the step""",
    ),
    (
        "illegal-assemble",
        ["-p", "assemble{tensor=y strategy=insert}"],
        ROW_SUMS,
        """k.mlir:2:8: error: [illegal-assemble] assemble: nothing is appended to 'y', which is stored (i) -> (i : dense)
    %y = concrete_index.compute (%r) : tensor<?xf64> {
         ^^^^^^^^^^^^^^^^^^^^^^
help: omit the step: where a component goes follows from its coordinates""",
    ),
    (
        "no-asymptotic-cost",
        ["-p", "asymptotic-cost"],
        DIVIDED_ROWS,
        """k.mlir:5:7: error: [no-asymptotic-cost] the asymptotic cost is not known of a loop over a part of a range
        concrete_index.forall %j from %lo to %hi attributes {fused = "f"} {
        ^^^^^^^^^^^^^^^^^^^^^
help: it is of assignments in foralls and wheres: run the pass before loops are split or fused""",
    ),
    (
        "unsupported-protocol",
        ["-p", "lower-concrete-index-to-iteration-lattice"],
        ROW_SUMS.replace("%B[%i, %j]", "%B[locate %i, step %j]"),
        """k.mlir:5:14: error: [unsupported-protocol] level 1 (j : dense) of 'B' is to be accessed by 'step' over j, but it has no list of the coordinates that it stores
          %b = concrete_index.access %B[locate %i, step %j] : tensor<?x?xf64>
               ^^^^^^^^^^^^^^^^^^^^^
help: locate instead, or store them in a compressed level""",
    ),
    (
        "parallel-nest",
        ["-p", "parallelize{variable=j}"],
        ROW_SUMS.replace("forall %i {", 'forall %i attributes {parallel = "none"} {'),
        """k.mlir:4:7: error: [parallel-nest] the loops over i and j cannot both be parallel
        concrete_index.forall %j {
        ^^^^^^^^^^^^^^^^^^^^^
help: threads are divided once: parallelize i, which is around j, or j alone; on a GPU, team= lets threads share loops inside of it""",
    ),
    (
        "parallel-race",
        ["-p", "parallelize{variable=j}"],
        ROW_SUMS,
        """k.mlir:6:9: error: [parallel-race] the loop over j cannot be parallel: j does not index 'r', so that iterations store into the same component
          concrete_index.assign add %b into %r[%i] : tensor<?xf64>
          ^^^^^^^^^^^^^^^^^^^^^
help: parallelize i, or say races=temporary or races=atomics""",
    ),
    (
        "target-failed",
        ["--target=riscv-asm"],
        NOTHING,
        """error: [target-failed] target 'riscv-asm': AssertionError: FuncOp( func.func @f() { func.return } )
help: lower the module to the dialects of the target first""",
    ),
    (
        "too-many-cases",
        ["-p", "lower-stepper"],
        UNKNOWN_GAPS,
        """k.mlir:94:3: error: [too-many-cases] loop i visits the entries of 9 operands, and each combination of them that is stored at a coordinate needs code of its own: more than 256
    iteration_lattice.coiterate %n to %n over %n0, %n1, %n2, %n3, %n4, %n5, %n6, %n7, %n8 : !nest, !nest, !nest, !nest, !nest, !nest, !nest, !nest, !nest {
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^
help: compute the statement in parts""",
    ),
    (
        "unknown-pass",
        ["-p", "concretise"],
        NOTHING,
        """error: [unknown-pass] 'concretise' is neither a pass nor a named pipeline
help: did you mean concretize or concordize?""",
    ),
    (
        "unsupported-function",
        ["-p", "lower-storage"],
        RETURNED_TWICE,
        """k.mlir:4:3: error: [unsupported-function] the function returns 'y' twice, and a tensor is stored once
    func.return %y, %y : tensor<?xf64>, tensor<?xf64>
    ^^^^^^^^^^^
help: return it once""",
    ),
    (
        "pass-order",
        ["-p", "builtin.module(concretize, concordize,\n  choose-loop-order)"],
        NOTHING,
        """<pipeline>:2:3: error: [pass-order] 'choose-loop-order' has to run before 'concordize', not after it: accesses are fixed to the order of the loops
    choose-loop-order)
    ^^^^^^^^^^^^^^^^^
help: move 'choose-loop-order' before 'concordize'""",
    ),
    (
        "wrong-stage",
        ["-p", "lower-storage"],
        COLUMNS_FIRST,
        """k.mlir:6:8: error: [wrong-stage] lower-storage cannot lower 'concrete_index.compute'
    %y = concrete_index.compute (%out) : tensor<f64> {
         ^^^^^^^^^^^^^^^^^^^^^^
help: run lower-concrete-index-to-iteration-lattice before lower-storage""",
    ),
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Messages name files as the user did."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("slug, options, text, expected", ROWS, ids=[row[0] for row in ROWS])
def test_command_line(slug, options, text, expected, capsys):
    if text is not None:
        Path("k.mlir").write_text(text)
        options = ["k.mlir", *options]
    assert irtensor_opt.main(options) == 1
    captured = capsys.readouterr()
    assert captured.err.rstrip("\n") == expected
    assert f"error: [{slug}]" in expected
    assert not captured.out


class RefusingPass(ModulePass):
    """Stands for a pass of xDSL that does not like its input."""

    name = "refusing"

    def apply(self, ctx, op):
        raise PassFailedException("cannot work on\n  this module")


def test_a_pass_of_others(capsys, monkeypatch):
    register = irtensor_opt.IrtensorOpt.register_all_passes

    def register_more(tool):
        register(tool)
        tool.available_passes["refusing"] = lambda: RefusingPass

    monkeypatch.setattr(irtensor_opt.IrtensorOpt, "register_all_passes", register_more)
    Path("k.mlir").write_text(NOTHING)
    assert irtensor_opt.main(["k.mlir", "-p", "refusing"]) == 1
    assert capsys.readouterr().err == "error: [pass-failed] pass 'refusing': cannot work on this module\n"


def test_a_level_from_outside_without_code(capsys, monkeypatch):
    monkeypatch.setitem(LEVEL_PROPERTIES, "loose", LEVEL_PROPERTIES["compressed"])
    Path("k.mlir").write_text(COLUMNS_FIRST.replace("[%i, %j]", "[%j, %i]").replace("compressed", "loose"))
    text = """error: [level-has-no-code] no code is known for level format 'loose', which was added from outside
help: pass its code to register_level: register_level('loose', properties, code, store)"""
    assert (irtensor_opt.main(["k.mlir", "--concrete-index-to-loop"]), capsys.readouterr().err) == (1, text + "\n")


def pieces() -> list[Any]:
    """The functions of test/errors/compile.mlir, whose texts lit compares."""
    found = []
    for piece in re.split(r"(?m)^// -----$", COMPILE.read_text(encoding="utf-8")):
        slug = re.search(r"error: \[([a-z-]+)\]", piece)
        code = "".join(line for line in piece.splitlines(True) if line[:2] != "//")
        found.append(pytest.param(code, id=slug and slug[1]))
    return found


@pytest.mark.one_in(4)
@pytest.mark.parametrize("text", pieces())
def test_python_and_irtensor_run_say_what_irtensor_opt_says(text, capsys):
    Path("k.mlir").write_text(text)
    assert irtensor_opt.main(["k.mlir", "-p", "index-notation-to-llvm"]) == 1
    printed = capsys.readouterr().err
    assert irtensor_run.main(["k.mlir", "--ir", "llvm"]) == 1
    assert capsys.readouterr().err == printed
    with pytest.raises(it.UserError) as caught:
        it.compile_module(text, file="k.mlir").llvm_ir()
    assert f"{caught.value}\n" == printed
