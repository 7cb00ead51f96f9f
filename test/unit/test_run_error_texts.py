"""Errors of notations, files and operands: irtensor-run prints what the library raises, and this is the whole text."""

# ruff: noqa: E501 (messages are whole lines)

import sys
from pathlib import Path

import numpy as np
import pytest

import irtensor as it
from irtensor.runtime.disk_cache import DiskCache
from irtensor.tools import irtensor_autoschedule, irtensor_cache, irtensor_run

BANNER = "%%MatrixMarket matrix coordinate real general\n"
NO_RESULT = "func.func @f() {\n  func.return\n}\n"
WINDOW = """func.func @f(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%o) : tensor<f64> {
    %lo = arith.constant 1 : index
    %hi = arith.constant 9 : index
    concrete_index.forall %i from %lo to %hi {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign add %a into %o[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}
"""
FILES = {
    "a.mtx": BANNER + "2 3 2\n1 1 1.5\n2 3 -2\n",
    "beyond.mtx": BANNER + "2 3 2\n1 1 1.5\n2 4 -2\n",
    "wide.mtx": f"{BANNER}2 {2**62} 1\n1 {2**62} 1\n",
    "whole.mtx": BANNER.replace("real", "integer") + "1 1 1\n1 1 1\n",
    "k.mlir": NO_RESULT,
    "window.mlir": WINDOW,
}
NARROW = "(i, j) -> (i : dense, j : compressed), crd = i32"
ONES = "dense, compressed, fill = 1"
SPMV = "y[i] = A[i,j] * x[j]"

# Slug, arguments of irtensor-run, its message. With `--ir loop` the notation alone is wrong, which `compile` says too.
NOTATIONS = [
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
help: write the sum out: sum(j, x[i] * (A[i, j] + b[i])) sums all of it, x[i] * (sum(j, A[i, j]) + b[i]) only what has j""",
    ),
    (
        "index-as-value",
        ["y[i] = A[i,j] * j[i]", "--ir", "loop"],
        """<notation>:1:17: error: [index-as-value] j is an index variable and cannot be used as a tensor
  y[i] = A[i,j] * j[i]
                  ^^^^
help: rename the tensor or the index variable j""",
    ),
    (
        "not-a-reduction",
        ["y[i] -= A[i,j]", "--ir", "loop"],
        """<notation>:1:1: error: [not-a-reduction] 'sub' cannot be used in a compound assignment: it is not associative
  y[i] -= A[i,j]
  ^^^^
help: read the old values: y[i] = y[i] - sum(j, A[i, j]); reductions are add, mul, min, max, choose, and, or, xor""",
    ),
    (
        "notation-too-deep",
        ["y[i] = " + "(" * 999 + "x[i]", "--ir", "loop"],
        """<notation>:1:108: error: [notation-too-deep] parentheses, functions and signs nest deeper than 100
  ... (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((( ...
                                                                  ^
help: compute it in several statements""",
    ),
    (
        "number-too-large",
        ["y[i] = x[i] * 99999999999999999999", "--ir", "loop"],
        """<notation>:1:15: error: [number-too-large] 99999999999999999999 does not fit in int64
  y[i] = x[i] * 99999999999999999999
                ^^^^^^^^^^^^^^^^^^^^
help: write it as a float: 1e+20""",
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
help: declare it, extents={'i': ...}, give the result as out=, or multiply by a tensor that has i""",
    ),
    (
        "unknown-function",
        ["y[i] = tanhh(x[i])", "--ir", "loop"],
        """<notation>:1:8: error: [unknown-function] unknown function tanhh
  y[i] = tanhh(x[i])
         ^^^^^
help: did you mean tanh? functions are abs, absolute, acos, acosh, add, all, and, angle, any, arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh, argmax, argmin, asin, asinh, atan, atan2, atanh, bfloat16, bitreverse, bool, cbrt, ceil, choose, clip, complex, complex128, complex64, conj, conjugate, copysign, cos, cosh, cube, div, eq, erf, exp, expit, expm1, first, float16, float32, float64, floor, floordiv, ge, gt, heaviside, identity, imag, int16, int32, int64, int8, isfinite, isinf, isnan, last, le, left_shift, log, log10, log1p, log2, lt, max, maxby, maximum, min, minby, minimum, mod, mul, ne, neg, negative, not, or, popcount, positive, pow, power, prod, real, reciprocal, remainder, right_shift, rint, round, second, shl, shr, sigmoid, sign, sin, sinh, sqrt, square, stored, sub, sum, tan, tanh, trunc, uint16, uint32, uint64, uint8, where, xor; declare others with irtensor.operator""",
    ),
    (
        "unknown-operator",
        ["y[i] = @blend(x[i], 2)", "--ir", "loop"],
        """<notation>:1:8: error: [unknown-operator] operator @blend is not declared
  y[i] = @blend(x[i], 2)
         ^^^^^^
help: declare it with irtensor.operator, and pass operators=[...]""",
    ),
    (
        "unsupported-index",
        ["y[i] = x[i*i]", "--ir", "loop"],
        """<notation>:1:10: error: [unsupported-index] i and i are multiplied, and neither is an integer
  y[i] = x[i*i]
           ^^^
help: an index is a sum of variables, integers and elements of integer tensors, with integer factors: 2 * i + k - 1""",
    ),
    (
        "wrong-arity",
        ["y[i] = max(x[i])", "--ir", "loop"],
        """<notation>:1:8: error: [wrong-arity] max takes 2 or more arguments, got 1
  y[i] = max(x[i])
         ^^^^^^^^^
help: write max(A[i], B[i])""",
    ),
]

# Slug, arguments of irtensor-run, the same in Python (None: it has no such thing), the message of both.
CALLS = [
    (
        "bad-binding",
        ["y[i] = x[i]", "x"],
        None,
        """error: [bad-binding] an operand expects NAME=VALUE, got 'x'
help: write for example A=matrix.mtx, x='ones(1000)' or alpha=2.5; --format A=CSR""",
    ),
    (
        "bound-not-met",
        ["y[i] = x[i]", "x=ones(5)", "--schedule", "bound(i, 4)"],
        lambda: it.compile("y[i] = x[i]", schedule=it.schedule("bound(i, 4)"))(x=np.ones(5)),
        """error: [bound-not-met] the schedule says that i has exactly 4 coordinates, and for these operands it has 5, dimension 0 of x
help: remove the step bound(i, 4), write bound(i, 5), or pass operands that satisfy it""",
    ),
    (
        "bad-file",
        [SPMV, "A=beyond.mtx", "x=ones(3)"],
        lambda: it.read("beyond.mtx"),
        """beyond.mtx:4:3: error: [bad-file] column 4 is outside 1..3
  2 4 -2
    ^
help: Matrix Market counts from 1; line 2 has the sizes""",
    ),
    (
        "bad-fill",
        [SPMV, "A=whole.mtx", "--format", "A=dense, compressed, fill = 0.5"],
        lambda: it.read("whole.mtx", format="dense, compressed, fill = 0.5"),
        """error: [bad-fill] fill value 0.5 is not a value of dtype int64
help: give a fill of the element type, or convert the values with .astype""",
    ),
    (
        "bad-format",
        [SPMV, "--format", "A=dense, sparse"],
        lambda: it.Format("dense, sparse"),
        """<format>:1:8: error: [bad-format] unknown level format 'sparse'
  dense, sparse
         ^^^^^^
help: level formats are dense, compressed, singleton, bitmap, hashed, padded, range, offset, run_list, sparse_run_list, block_list, point, band, ragged, interval, triangle, strict_triangle""",
    ),
    (
        "bad-option",
        ["y[i] = x[i]", "--fast"],
        None,
        """error: [bad-option] unrecognized arguments: --fast
help: irtensor-run --help lists the options""",
    ),
    (
        "cannot-read",
        [SPMV, "A=absent.mtx"],
        lambda: it.read("absent.mtx"),
        """error: [cannot-read] 'absent.mtx': No such file or directory
help: check the path and its permissions""",
    ),
    (
        "cannot-write",
        ["y[i,j] = A[i,j]", "A=a.mtx", "-o", "absent/b.mtx"],
        lambda: it.write("absent/b.mtx", it.read("a.mtx")),
        """error: [cannot-write] 'absent/b.mtx': No such file or directory
help: check the path and its permissions""",
    ),
    (
        "extent-mismatch",
        [SPMV, "A=a.mtx", "x=four.npy"],
        lambda: it.compile(SPMV)(A=it.read("a.mtx"), x=np.ones(4)),
        """<notation>:1:17: error: [extent-mismatch] index j has extent 4 in dimension 0 of x[j], but 3 in A[i, j]
  y[i] = A[i,j] * x[j]
                  ^^^^
<notation>:1:8: note: A has shape (2, 3)
  y[i] = A[i,j] * x[j]
         ^^^^^^""",
    ),
    (
        "index-out-of-range",
        ["window.mlir", "x=ones(3)"],
        lambda: it.compile_module(WINDOW, "window.mlir")(np.ones(3)),
        """window.mlir:6:12: error: [index-out-of-range] i is 8 in x[i], where dimension 0 has extent 3
        %a = concrete_index.access %x[%i] : tensor<?xf64>
             ^^^^^^^^^^^^^^^^^^^^^
help: let the range end where the dimension does, which concrete_index.extent gives""",
    ),
    (
        "fill-mismatch",
        ["B[i,j] = A[i,j]", "A=a.mtx", "--format", f"A={ONES}", "--format", f"B={ONES}", "-o", "b.mtx"],
        lambda: it.write("b.mtx", it.read("a.mtx", format=ONES)),
        """error: [fill-mismatch] a .mtx file has no fill value, the tensor's is 1.0
help: convert to a dense format first""",
    ),
    (
        "index-overflow",
        [SPMV, "A=wide.mtx", "--format", f"A={NARROW}"],
        lambda: it.read("wide.mtx", format=NARROW),
        """error: [index-overflow] level 1 (j : compressed) has extent 4611686018427387904, beyond 32-bit coordinates
help: use crd = i64""",
    ),
    (
        "missing-operand",
        ["y[i] = x[i] + z[i]", "x=ones(3)"],
        lambda: it.compile("y[i] = x[i] + z[i]")(x=np.ones(3)),
        """<notation>:1:15: error: [missing-operand] no operand is given for z
  y[i] = x[i] + z[i]
                ^^^^
help: give each by name: x=..., z=...""",
    ),
    (
        "rank-mismatch",
        [SPMV, "A=ones(3)", "x=ones(3)"],
        lambda: it.compile(SPMV)(A=np.ones(3), x=np.ones(3)),
        """<notation>:1:8: error: [rank-mismatch] A has 1 dimensions, but A[i, j] has 2
  y[i] = A[i,j] * x[j]
         ^^^^^^""",
    ),
    (
        "storage-too-large",
        [SPMV, "A=wide.mtx", "--format", "A=dense, dense"],
        lambda: it.read("wide.mtx", format="dense, dense"),
        """error: [storage-too-large] format (i, j) -> (i : dense, j : dense) does not fit into memory for this shape: 9223372036854775808 positions of float64
help: store the large dimensions in compressed levels""",
    ),
    (
        "unknown-file-format",
        ["y[i,j] = A[i,j]", "A=a.mtx", "-o", "b.csv"],
        lambda: it.write("b.csv", np.eye(2)),
        """error: [unknown-file-format] 'b.csv' is not the name of a known kind of tensor file
help: known are .mtx and .ttx (Matrix Market) and .tns (FROSTT), also .gz, and .npz (SciPy)""",
    ),
    (
        "unknown-operand",
        [SPMV, "A=a.mtx", "x=ones(3)", "z=ones(3)"],
        lambda: it.compile(SPMV)(A=it.read("a.mtx"), x=np.ones(3), z=np.ones(3)),
        """error: [unknown-operand] the statement reads no operand z
help: its operands are A, x""",
    ),
    (
        "unsupported-dtype",
        ["y[i] = x[i]", "x=words.npy"],
        lambda: it.compile("y[i] = x[i]")(x=np.array(["a", "b"])),
        """error: [unsupported-dtype] operand x has dtype <U1
help: convert it with .astype; supported are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128""",
    ),
    (
        "unsupported-function",
        ["k.mlir"],
        lambda: it.compile_module(NO_RESULT, file="k.mlir"),
        """k.mlir:1:1: error: [unsupported-function] @f returns no tensor
  func.func @f() {
  ^^^^^^^^^
help: a kernel takes tensors and returns tensors computed by index_notation.assign or concrete_index.compute""",
    ),
    (
        "unsupported-operator",
        ["y = floor(x)", "x=1j"],
        lambda: it.compile("y = floor(x)")(x=1j),
        """<notation>:1:5: error: [unsupported-operator] operator 'floor' is not defined for complex128
  y = floor(x)
      ^^^^^^^^
help: take real(...), imag(...) or abs(...) of complex numbers first""",
    ),
]

# Slug, where irtensor-autoschedule is to draw, whether matplotlib is there, its message.
PICTURES = [
    (
        "cannot-write",
        "absent/costs.svg",
        True,
        """error: [cannot-write] 'absent/costs.svg': No such file or directory
help: check the path and its permissions""",
    ),
    (
        "missing-library",
        "costs.svg",
        False,
        """error: [missing-library] a picture is drawn with matplotlib, which is not installed
help: install it: pip install matplotlib""",
    ),
    (
        "unknown-file-format",
        "costs.jpeg",
        False,
        """error: [unknown-file-format] 'costs.jpeg' is not the name of a known kind of picture
help: known are .png, .svg, .pdf""",
    ),
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Messages name files as the user did."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    np.save("four.npy", np.ones(4))
    np.save("words.npy", np.array(["a", "b"]))


def printed(arguments, capsys):
    assert irtensor_run.main(arguments) == 1
    captured = capsys.readouterr()
    assert not captured.out
    return captured.err.rstrip("\n")


@pytest.mark.parametrize("slug, arguments, text", NOTATIONS, ids=[row[0] for row in NOTATIONS])
def test_notation(slug, arguments, text, capsys):
    assert printed(arguments, capsys) == text
    assert f"error: [{slug}]" in text
    with pytest.raises(it.UserError) as caught:
        it.compile(arguments[0]).ir("loop")
    assert str(caught.value) == text


@pytest.mark.parametrize("slug, arguments, call, text", CALLS, ids=[row[0] for row in CALLS])
def test_call(slug, arguments, call, text, capsys):
    assert printed(arguments, capsys) == text
    assert f"error: [{slug}]" in text
    if call is not None:
        with pytest.raises(it.UserError) as caught:
            call()
        assert str(caught.value) == text


@pytest.mark.parametrize("slug, file, drawn, text", PICTURES, ids=[row[0] for row in PICTURES])
def test_picture(slug, file, drawn, text, capsys, monkeypatch):
    if drawn:
        pytest.importorskip("matplotlib")
    else:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert irtensor_autoschedule.main(["y[i] = A[i,j] * x[j]", "--picture", file]) == 1
    assert capsys.readouterr().err.rstrip("\n") == text
    assert f"error: [{slug}]" in text


CACHES = [
    (
        "cache-damaged",
        0o700,
        """error: [cache-damaged] 1 of 2 files cannot be used: 'cache/objects/ab/{damaged}.object'
help: they count as absent and are compiled again; delete them, or all files with irtensor-cache clear""",
    ),
    (
        "cache-refused",
        0o777,
        """error: [cache-refused] no kernels are loaded from the disk: '{folder}/cache' may be written to by other users (its mode is 0777)
help: set IRTENSOR_CACHE_DIR to a folder that only you may write to""",
    ),
]


@pytest.mark.parametrize("slug, rights, text", CACHES, ids=[row[0] for row in CACHES])
def test_cache(slug, rights, text, capsys):
    whole, damaged = "ab" * 32, "abcd" * 16
    cache = DiskCache(Path("cache"))
    assert cache.store(whole, (b"code",))
    Path(f"cache/objects/ab/{damaged}.object").write_text("")
    Path("cache").chmod(rights)
    assert irtensor_cache.main(["verify", "--cache-dir", "cache"]) == 1
    assert capsys.readouterr().err.rstrip("\n") == text.replace("{damaged}", damaged).replace(
        "{folder}", str(Path.cwd())
    )
    assert f"error: [{slug}]" in text
