"""What kernels say about themselves: explain(), the IR of stages and passes, LLVM IR and assembly; kernels from IR."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it
from irtensor.passes.pipelines import TARGETS, stages_to

MODULE = """
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @spmv(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}
"""
A: Any = sp.random(6, 4, 0.5, format="csr", random_state=1)
x = np.arange(4.0)


def test_explain_tells_formats_loops_lattices_and_times():
    text = it.compile("C[i,j] = A[i,j] + B[i,j]", formats={"A": it.CSR, "B": it.CSR, "C": it.CSR}).explain()
    for part in (
        "statement  C[i, j] = A[i, j] + B[i, j]",
        "C  float64     (i, j) -> (i : dense, j : compressed)",
        "i --> j   A has to be traversed in the order it is stored",
        "level 1 of A, B (compressed) is merged",
        "level 1 of C (compressed) is appended to",
        "   {A, B}\n  {A}   {B}\n  coordinates without any are skipped",
        "iteration_lattice  regroup-factors, tabulate-sums, tabulate-functions, merge-dense-dimensions, "
        "annihilate-by-value, fuse-definitions, lower-concrete-index-to-iteration-lattice",
        "native code",
    ):
        assert part in text


def test_what_was_compiled_is_not_compiled_again(monkeypatch):
    from irtensor.compiler.compilation import compile_kernel

    monkeypatch.setenv("IRTENSOR_DISK_CACHE", "0")
    it.clear_caches()
    kernel = it.compile("y[i] = A[i,j] * x[j] + 0.5", formats={"A": it.CSR})
    kernel(A=A, x=x)
    compiled = []
    compile_fresh = compile_kernel.compile_fresh

    def noted(*arguments):
        compiled.append(arguments)
        return compile_fresh(*arguments)

    monkeypatch.setattr(compile_kernel, "compile_fresh", noted)
    text = kernel.explain()
    assert compiled == [] and kernel.explain() == text
    it.clear_caches()
    assert "native code" in kernel.explain() and len(compiled) == 1


def test_the_lattice_follows_from_the_algebra():
    formats = {"A": it.CSR, "B": it.CSR, "C": it.CSR}
    product = it.compile("C[i,j] = A[i,j] * B[i,j]", formats=formats).explain()
    assert "  {A, B}\n  coordinates without any" in product
    difference = it.compile("C[i,j] = where(B[i,j] != 0, 0.0, A[i,j])", formats=formats).explain()
    assert "{A}" in difference


@pytest.mark.parametrize("target", [target for target in TARGETS if target != "cuda"])  # That takes a card.
def test_the_ir_of_every_stage_and_pass(target):
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR}, target=target)
    dialects: dict[str, str] = dict.fromkeys(("optimized", "parallel", "cpu", "spread", "device"), "loop")
    for stage in stages_to(TARGETS[target]):
        assert f"{dialects.get(stage, stage)}." in kernel.ir(stage)
    assert "concrete_index.forall" in kernel.ir("choose-loop-order")


def test_the_llvm_ir_and_the_assembly():
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR})
    assert "define i32 @kernel" in kernel.llvm_ir() and "define" in kernel.llvm_ir(optimized=True)
    assert "kernel:" in kernel.assembly()


def test_what_holds_in_the_stages_between_loop_and_llvm():
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR}, num_threads=2)
    ir = {stage: kernel.ir(stage) for stage in ("loop", "optimized", "parallel", "arith", "cpu", "llvm")}
    assert {stage for stage, text in ir.items() if "loop.parallel" in text} == {"parallel", "arith", "cpu"}
    assert {stage for stage, text in ir.items() if "algebra." in text} == {"loop", "optimized", "parallel"}
    assert {stage for stage, text in ir.items() if "poll =" in text} - {"llvm"} == {"cpu"}
    assert {stage for stage, text in ir.items() if "loop." not in text} == {"llvm"}
    # What the names meant before there were others between them.
    assert ir["loop"] == kernel.ir("note-repetitions") and ir["llvm"] == kernel.ir("lower-loop-to-llvm")


@pytest.mark.parametrize("stage", ["index_notation", "concrete_index"])
def test_kernels_from_ir(stage: str):
    text = MODULE if stage == "index_notation" else it.compile_module(MODULE).ir("concretize")
    kernel = it.compile_module(text, file="spmv.mlir")
    assert kernel.operand_names == ("A", "x")
    np.testing.assert_allclose(kernel(A=A, x=x), A @ x)
    np.testing.assert_allclose(kernel(A.toarray().astype(np.float32), x), A.astype(np.float32) @ x, rtol=1e-6)
    assert "function  @spmv of spmv.mlir" in kernel.explain()


@pytest.mark.parametrize(
    "slug, text",
    [
        ("syntax-error", "func.func @f( {"),
        ("unsupported-function", ""),
        ("unsupported-function", "func.func @f() { func.return }"),
        ("operand-returned", MODULE.replace("return %y : tensor<?xf64>", "return %x : tensor<?xf64>")),
        ("verify", MODULE.replace("%A[%i, %j]", "%A[%i]")),
    ],
)
def test_ir_that_is_no_kernel(slug: str, text: str):
    with pytest.raises(it.UserError, match=rf"\[{slug}\]"):
        it.compile_module(text, file="bad.mlir")


def test_operands_of_a_module_kernel_are_checked():
    kernel = it.compile_module(MODULE)
    with pytest.raises(it.UserError, match="operand-count"):
        kernel(A=A)
    with pytest.raises(it.UserError, match="rank-mismatch"):
        kernel(A=A, x=A)
    for extent in (2, 5):
        with pytest.raises(it.UserError, match="extent-mismatch"):
            kernel(A=A, x=np.ones(extent))


# Notation, format of all operands in capitals, format of the result, what is said of threads.
THREADS = [
    ("y[i] = A[i,j] * x[j]", it.CSR, None, "for i: in parts of about equal work, by the positions of entries"),
    ("y[i] = A[i,j] * x[j]", it.Format("dense, dense"), None, "for i: in parts of equal length"),
    ("s = A[i,j]", it.CSR, None, "; their results are combined in order"),
    ("C[i,j] = 2 * A[i,j]", it.CSR, it.CSR, "; entries go to their final positions"),
    (
        "C[i,j] = A[i,k] * B[k,j]",
        it.CSR,
        it.CSR,
        "; the first go into the result, the others into lists of their own, which are joined",
    ),
    ("C[i,j] = A[i,j] + B[i,j]", it.CSR, it.CSR, "for i: in parts of about equal work, by the positions"),
    ("C[i,j] = A[i,j] + B[i,j]", it.DCSR, it.DCSR, "for i: in windows of about equal work"),
]


@pytest.mark.parametrize(("notation", "format", "result", "expected"), THREADS)
def test_threads(notation, format, result, expected):
    formats = dict.fromkeys("AB", format) | ({} if result is None else {"C": result})
    used = {name: format for name, format in formats.items() if name + "[" in notation}
    kernel = it.compile(notation, formats=used, num_threads=2)
    assert expected in kernel.explain().partition("\nthreads\n")[2].partition("\n\n")[0]


def section(kernel, title):
    return kernel.explain().partition(f"\n{title}\n")[2].partition("\n\n")[0]


STRATEGIES = {
    "none": None,
    "temporary": "each part has a copy of 'y' of its own, and the copies are combined",
    "atomics": "iterations that meet in 'y' change it by atomic operations",
    "ignore": "iterations do not meet in 'y', as the schedule says",
}


@pytest.mark.parametrize("races", STRATEGIES)
def test_race_strategies(races):
    """What becomes of stores in which iterations meet; where none do, nothing is said."""
    division = "  for {}: in parts of about equal work, by the positions of entries"
    if (meeting := STRATEGIES[races]) is not None:
        schedule = it.schedule(f"reorder(i, j); parallelize(i, races={races})")
        kernel = it.compile("y[j] = A[i,j]", formats={"A": it.CSR}, schedule=schedule, num_threads=2)
        assert section(kernel, "threads") == f"{division.format('i')}; {meeting}"
    schedule = it.schedule(f"parallelize(i, races={races})")
    kernel = it.compile("y[i] = A[i,j]", formats={"A": it.CSR}, schedule=schedule, num_threads=2)
    assert section(kernel, "threads") == division.format("i")
    # By default, which is as with temporary.
    kernel = it.compile("y[j] = A[i,j]", formats={"A": it.CSR}, num_threads=2)
    assert section(kernel, "threads") == f"{division.format('i')}; {STRATEGIES['temporary']}"


ASSEMBLIES = [
    (
        "",
        "appended to lists, which grow where their length is not known before",
        "lists of their own, which are joined",
    ),
    (
        "assemble(A, append)",
        "appended to lists, which grow",
        "the first go into the result, the others into lists of their own, which are joined",
    ),
    (
        "assemble(A, insert)",
        "counted by a first run of the loops, without values; then",
        "each counts its entries first",
    ),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("step", "memory", "division"), ASSEMBLIES)
def test_assembly(step, memory, division):
    formats: dict[str, object] = dict.fromkeys("ABC", it.CSR)
    for notation in ("A[i,j] = B[i,j] + C[i,j]", "A[i,j] = B[i,k] * C[k,j]"):
        schedule = it.schedule(step) if step else None
        kernel = it.compile(notation, formats=formats, schedule=schedule, num_threads=2)
        assert f"\n  entries of A are {memory}" in section(kernel, "how the result is written")
        assert division in section(kernel, "threads")


def test_nothing_is_assembled_where_an_index_is_given():
    kernel = it.compile("C[i,j] = 2 * A[i,j]", formats={"A": it.CSR, "C": it.CSR})
    assert "entries of C are appended" in kernel.explain()
    kernel.compute(kernel.assemble(A=A), A=A)
    assert "purpose of kernel  compute" in kernel.explain()
    assert "entries of C" not in kernel.explain()


def test_threads_that_are_not_used():
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR}, num_threads=1)
    assert "\nthreads\n  one thread, as num_threads says\n" in kernel.explain()
    strict = it.compile("s = A[i,j]", formats={"A": it.CSR}, num_threads=2, strict_fp=True)
    reason = "i does not index 't', so that iterations store into the same component"
    more = "and floating-point sums keep their order (strict_fp)"
    assert f"for i: on one thread: {reason}, {more}\n" in strict.explain()


def test_workspaces_inside_of_the_loops_are_told():
    triangles = it.compile("s = L[i,j] * L[j,k] * L[i,k]", formats={"L": it.CSR})
    assert "entries of 'L' over k are the same for each j: they are put into a workspace first" in triangles.explain()
    terms = " + ".join(f"{name}[i,j]" for name in "ABCDEF")
    sums = it.compile(f"Z[i,j] = {terms}", formats=dict.fromkeys("ABCDEFZ", it.CSR))
    assert "6 lists of entries over j are added up in a workspace" in sums.explain()


def test_a_temporary_that_names_a_value_has_no_more_entries():
    formats: dict[str, object] = dict.fromkeys("ABC", it.CSR)
    kernel = it.compile("A[i,j] = B[i,j] + C[i,j]", formats, schedule=it.schedule("precompute(B[i,j], workspace=w)"))
    text = kernel.explain()
    assert "append: the loops reach its entries in order\n" in text
    assert "coordinates without any are skipped" in text


def test_why_an_operand_is_sorted():
    rows = it.Format("(i, j) -> (i : dense, j : compressed(nonordered))")
    looked_up = it.compile("y[i] = A[i,i] * x[i]", formats={"A": rows}).explain()
    assert f"'A', stored {rows}, is converted to {it.CSR}: it is searched for a single coordinate" in looked_up
    merged = it.compile("C[i,j] = A[i,j] + B[i,j]", formats={"A": rows, "B": it.CSR, "C": it.CSR}).explain()
    assert f"is converted to {it.CSR}: it is combined with others, or appended to, in order of coordinate" in merged


def test_loops_over_the_entries_of_an_operand():
    schedule = it.schedule().fuse("i", "j", "f").split("f", "a", "b", 4, tensor="A")
    text = it.compile("y[i] = A[i,j] * x[j]", {"A": it.CSR}, schedule=schedule).explain()
    loops = text.partition("\nloops\n")[2].partition("\n\n")[0]
    assert [line.strip() for line in loops.splitlines()[:3]] == [
        "for a from 0 to max((number of entries of A[:, :] + 3) // 4, 1)",
        "find entry a * 4 of A[:, :]",
        "find entry a * 4 + 4 of A[:, :]",
    ]


@pytest.mark.parametrize("format", [None, "hashed"])
def test_workspaces_that_are_asked_for(format):
    schedule = it.schedule().precompute("A[i,j] + B[i,j]", over="j", workspace="w", format=format)
    text = it.compile("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", it.CSR), schedule=schedule).explain()
    assert "level 1 of C (j : compressed)  workspace w: asked for, though the loops reach its entries in order" in text


@pytest.mark.parametrize(
    ("statement", "formats", "reason"),
    [
        ("C[i,j] = A[j,i]", dict.fromkeys("AC", it.CSR), "the loops reach its entries in the order j, i"),
        (
            "C[i,j,k] = A[i,j,k]",
            {"A": it.Format("(i, j, k) -> (i : dense, k : compressed, j : compressed)"), "C": it.CSF(3)},
            "the loops reach its entries in the order k, j",
        ),
        ("C[i,j] = A[i,k] * B[k,j]", dict.fromkeys("ABC", it.CSR), "the loop over k comes back to its entries"),
    ],
)
def test_why_a_result_is_collected_first(statement, formats, reason):
    assert f"workspace w: {reason}\n" in it.compile(statement, formats, convert=False).explain()


def test_warnings_are_no_conversions():
    """What is said of a full result is said when it is compiled."""
    formats = {"R": "(i) -> (i floordiv 2 : compressed, i mod 2 : dense)", "A": "bcsr(2,2)"}
    kernel = it.compile("R[j] = prod(i, A[i,j])", formats=formats)
    lines = kernel.explain().splitlines()
    assert lines[lines.index("conversions and workspaces") + 1].startswith("  'A', stored")
