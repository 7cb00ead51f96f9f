"""Errors about GPUs, with their whole text."""

# ruff: noqa: E501 (messages are whole lines)

from pathlib import Path

import pytest

import irtensor as it
from irtensor.runtime import libdevice
from irtensor.tools import irtensor_opt

CALL = """llvm.func @k(%x: f64, %p: !llvm.ptr) attributes {nvvm.kernel} {
  %y = llvm.call @FUNCTION(%x) : (f64) -> f64
  llvm.store %y, %p : f64, !llvm.ptr
  llvm.return
}
llvm.func @FUNCTION(f64) -> f64
"""
INTRINSIC = """llvm.func @k(%x: f64, %p: !llvm.ptr) attributes {nvvm.kernel} {
  %y = llvm.call_intrinsic "llvm.exp.f64"(%x) : (f64) -> f64
  llvm.store %y, %p : f64, !llvm.ptr
  llvm.return
}
"""
REDUCTION = """llvm.func @k(%x: i32, %p: !llvm.ptr) attributes {nvvm.kernel} {
  %y = nvvm.redux.sync add %x, %x : i32 -> i32
  llvm.store %y, %p : i32, !llvm.ptr
  llvm.return
}
"""
WIDE = """llvm.func @k(%x: i64, %p: !llvm.ptr) attributes {nvvm.kernel} {
  %y = llvm.sext %x : i64 to i128
  llvm.store %y, %p : i128, !llvm.ptr
  llvm.return
}
"""
SHARED = """llvm.mlir.global internal @near() {addr_space = 3 : i32} : !llvm.array<12289 x f32>
llvm.func @k(%x: f32) attributes {nvvm.kernel} {
  %p = llvm.mlir.addressof @near : !llvm.ptr<3>
  llvm.store %x, %p : f32, !llvm.ptr<3>
  llvm.return
}
"""
FAR = """llvm.func @k(%p: !llvm.ptr) attributes {nvvm.kernel} {
  %x = llvm.mlir.constant(18446744073709551616 : index) : i64
  llvm.store %x, %p : i64, !llvm.ptr
  llvm.return
}
"""
KNOWN = "help: processors are sm_75, sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120, sm_121; a newer one runs code for any of those before it"
# Options beside the target, IR, what irtensor-opt prints to the error stream.
ROWS = [
    (["--cuda-arch=sm_999"], REDUCTION, f"error: [cuda-arch] unknown processor 'sm_999'\n{KNOWN}"),
    (
        ["--cuda-arch=sm_60"],
        REDUCTION,
        f"error: [cuda-arch] processor sm_60 is too old: the oldest one is sm_75\n{KNOWN}",
    ),
    (
        ["--cuda-arch=sm_90a"],
        REDUCTION,
        """error: [cuda-arch] code for sm_90a runs on no later processor, and irtensor makes none
help: write sm_90""",
    ),
    (
        [],
        REDUCTION,
        """k.mlir:2:8: error: [cuda-arch] sm_75 has no 'llvm.nvvm.redux.sync.add'
    %y = nvvm.redux.sync add %x, %x : i32 -> i32
         ^^^^^^^^^^^^^^^
help: compile for sm_80 or a later one""",
    ),
    (
        [],
        CALL.replace("FUNCTION", "__nv_sin"),
        """error: [no-libdevice] '__nv_sin' is a function of libdevice, which is not installed
help: libdevice.10.bc comes with the packages nvidia-nvvm, which is found if cuda-pathfinder is installed too, and triton, and with the CUDA toolkit, which CUDA_HOME names""",
    ),
    (
        [],
        CALL.replace("FUNCTION", "malloc"),
        """k.mlir:2:8: error: [wrong-stage] a GPU has no function 'malloc'
    %y = llvm.call @malloc(%x) : (f64) -> f64
         ^^^^^^^^^
help: remove it, or lower it by other means""",
    ),
    (
        [],
        INTRINSIC,
        """k.mlir:2:8: error: [wrong-stage] a GPU has no function 'llvm.exp.f64'
    %y = llvm.call_intrinsic "llvm.exp.f64"(%x) : (f64) -> f64
         ^^^^^^^^^^^^^^^^^^^
help: functions of libdevice compute what intrinsics do not, such as '__nv_exp'""",
    ),
    (
        [],
        WIDE,
        """k.mlir:2:8: error: [wrong-stage] type 'i128' has no code on a GPU
    %y = llvm.sext %x : i64 to i128
         ^^^^^^^^^
help: remove it, or lower it by other means""",
    ),
    (
        [],
        WIDE.replace("i64", "i7").replace("i128", "i64"),
        """k.mlir:2:8: error: [wrong-stage] type 'i7' has no code on a GPU
    %y = llvm.sext %x : i7 to i64
         ^^^^^^^^^
help: remove it, or lower it by other means""",
    ),
    (
        [],
        FAR,
        """k.mlir:2:8: error: [number-too-large] constant 18446744073709551616 does not fit in 64 bits
    %x = llvm.mlir.constant(18446744073709551616 : index) : i64
         ^^^^^^^^^^^^^^^^^^
help: write a number from -2^63 to 2^64 - 1""",
    ),
    (
        [],
        SHARED,
        """k.mlir:1:1: error: [wrong-stage] 'near' has 49156 bytes, and a block shares at most 49152
  llvm.mlir.global internal @near() {addr_space = 3 : i32} : !llvm.array<12289 x f32>
  ^^^^^^^^^^^^^^^^
help: share fewer elements, or use the same memory again""",
    ),
]


@pytest.mark.parametrize(("options", "text", "printed"), ROWS)
def test_what_cannot_be_compiled(options, text, printed, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(libdevice, "libdevice_path", lambda: None)
    Path("k.mlir").write_text(text)
    assert irtensor_opt.main(["k.mlir", "-t", "ptx", *options]) == 1
    assert capsys.readouterr().err == printed + "\n"


def test_constants_of_the_host_too(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("k.mlir").write_text(FAR)
    assert irtensor_opt.main(["k.mlir", "-t", "llvm"]) == 1
    text = "k.mlir:2:8: error: [number-too-large] constant 18446744073709551616 does not fit in 64 bits"
    assert capsys.readouterr().err.splitlines()[0] == text


def test_a_processor_without_its_target(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("k.mlir").write_text(REDUCTION)
    assert irtensor_opt.main(["k.mlir", "--cuda-arch=sm_90"]) == 1
    text = """error: [bad-option] --cuda-arch says nothing about target 'mlir'
help: write -t ptx, or omit --cuda-arch"""
    assert capsys.readouterr().err == text + "\n"


@pytest.mark.parametrize("target", ["cuda", "cuda-emulated"])
@pytest.mark.parametrize(("written", "name"), [("exp(x[i])", "exp"), ("x[i] ** 2.5", "pow"), ("cosh(x[i])", "cos")])
def test_functions_of_complex_numbers(written: str, name: str, target: str):
    kernel = it.compile(f"y[i] = {written}", dtypes={"x": "complex128"}, target=target)
    with pytest.raises(it.UserError) as raised:
        kernel.ptx("sm_90")
    assert str(raised.value) == (
        f"<notation>:1:1: error: [unsupported-operator] function {name} of complex numbers does not exist on a GPU\n"
        f"  y[i] = {written}\n  ^\n"
        'help: compute it from the real and the imaginary part of a number, or compile for target="cpu"'
    )
