"""Errors about kernels that ask for more than a GPU has, with their whole first line and help."""

from pathlib import Path

import pytest

from irtensor.tools import irtensor_opt

NAMES = "help: give it a name of letters, digits, '_' and '$' that begins with no digit"
BLOCKS = "help: blocks have 1 to 1024 threads"
ARRAY = "help: write nvvm.maxntid = array<i32: 128>"
RESIDENT = "help: write a number of 1 or more, such as nvvm.minctasm = 2 : i32"
KNOWN = "help: remove it: PTX is written for nvvm.maxntid and nvvm.minctasm"
KERNEL = """llvm.func @NAME(%x: i64, %p: !llvm.ptr) attributes {nvvm.kernelATTRIBUTE} {
  llvm.store %x, %p : i64, !llvm.ptr
  llvm.return
}
"""
SHARED = """llvm.mlir.global internal @a() {addr_space = 3 : i32} : !llvm.array<8000 x f32>
llvm.mlir.global internal @b() {addr_space = 3 : i32} : !llvm.array<1000 x !llvm.struct<(f64, vector<2xi32>)>>
llvm.mlir.global internal @c() {addr_space = 3 : i32} : !llvm.array<200 x f64>
llvm.func internal @inner(%x: f32) {
  %p = llvm.mlir.addressof @a : !llvm.ptr<3>
  llvm.store %x, %p : f32, !llvm.ptr<3>
  llvm.return
}
llvm.func @two(%x: f32) attributes {nvvm.kernel} {
  llvm.call @inner(%x) : (f32) -> ()
  %p = llvm.mlir.addressof @b : !llvm.ptr<3>
  llvm.store %x, %p : f32, !llvm.ptr<3>
  llvm.return
}
llvm.func @three(%x: f32) attributes {nvvm.kernel} {
  llvm.call @inner(%x) : (f32) -> ()
  %p = llvm.mlir.addressof @b : !llvm.ptr<3>
  llvm.store %x, %p : f32, !llvm.ptr<3>
  %q = llvm.mlir.addressof @c : !llvm.ptr<3>
  llvm.store %x, %q : f32, !llvm.ptr<3>
  llvm.return
}
"""


def kernel(name="k", attribute=""):
    return KERNEL.replace("NAME", name).replace("ATTRIBUTE", attribute and f", nvvm.{attribute}")


def taking(type, count):
    return taking_all([type] * count)


def taking_all(types):
    parameters = ", ".join(f"%x{number}: {type}" for number, type in enumerate(types))
    return f"llvm.func @k({parameters}) attributes {{nvvm.kernel}} {{\n  llvm.return\n}}\n"


NAMED = {"a b": "a b", "x.y": "x.y", "\\C3\\A9": "é", "%": "%", "a%d": "a%d", "1": "1", "": "", "_": "_"}
ATTRIBUTES = {
    "maxntid = array<i32: 0>": ("a block of 'k' has 0 threads", BLOCKS),
    "maxntid = array<i32: -5>": ("a block of 'k' has -5 threads", BLOCKS),
    "maxntid = array<i32: -2, -2>": ("a block of 'k' has -2 x -2 threads", BLOCKS),
    "maxntid = array<i32: 1025>": ("a block of 'k' has 1025 threads", BLOCKS),
    "maxntid = array<i32: 64, 8, 4>": ("a block of 'k' has 64 x 8 x 4 threads", BLOCKS),
    "maxntid = array<i32>": ("'k' has nvvm.maxntid = array<i32>, which is not an array of 1 to 3 numbers", ARRAY),
    "maxntid = array<f32: 2.5>": (
        "'k' has nvvm.maxntid = array<f32: 2.500000e+00>, which is not an array of 1 to 3 numbers",
        ARRAY,
    ),
    "maxntid = 5 : i32": ("'k' has nvvm.maxntid = 5 : i32, which is not an array of 1 to 3 numbers", ARRAY),
    "minctasm = 0 : i32": ("'k' has nvvm.minctasm = 0 : i32, which is not a number of blocks", RESIDENT),
    "minctasm = -3 : i32": ("'k' has nvvm.minctasm = -3 : i32, which is not a number of blocks", RESIDENT),
    "minctasm": ("'k' has nvvm.minctasm = unit, which is not a number of blocks", RESIDENT),
    "reqntid = array<i32: 128>": ("no PTX is written for the attribute 'nvvm.reqntid' = array<i32: 128>", KNOWN),
    "maxnreg = 32 : i32": ("no PTX is written for the attribute 'nvvm.maxnreg' = 32 : i32", KNOWN),
}
FEWER = "help: pass fewer, or the address of memory that has them"
SHARE = "help: share fewer elements, or use the same memory again"
ROWS = [
    *((kernel(f'"{text}"'), 1, f"'{name}' is not a valid PTX name", NAMES) for text, name in NAMED.items()),
    *((kernel("k", text), 1, message, help) for text, (message, help) in ATTRIBUTES.items()),
    (taking("i64", 545), 1, "the 545 parameters of 'k' have 4360 bytes, and a kernel takes at most 4352", FEWER),
    (
        taking_all(["i32", "!llvm.array<544 x i64>"]),
        1,
        "the 2 parameters of 'k' have 4360 bytes, and a kernel takes at most 4352",
        FEWER,
    ),
    (
        SHARED,
        15,
        "'three' uses 'a' of 32000, 'b' of 16000 and 'c' of 1600 bytes, 49600 together, "
        "and a block shares at most 49152",
        SHARE,
    ),
]


def printed(tmp_path, capsys, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    Path("k.mlir").write_text(text)
    status = irtensor_opt.main(["k.mlir", "-t", "ptx"])
    return status, capsys.readouterr()


@pytest.mark.parametrize(("text", "line", "message", "help"), ROWS, ids=[row[2] for row in ROWS])
def test_what_is_more_than_a_gpu_has(text, line, message, help, tmp_path, capsys, monkeypatch):
    status, found = printed(tmp_path, capsys, monkeypatch, text)
    first, *_, last = found.err.splitlines()
    assert (status, last) == (1, help)
    assert first.startswith(f"k.mlir:{line}:1: error: [wrong-stage] ") and first.endswith(message)


@pytest.mark.parametrize(
    "text",
    [
        kernel("_k$1"),
        kernel("k", "maxntid = array<i32: 64, 8, 2>"),
        taking("i64", 544),
        SHARED.partition("llvm.func @three")[0],
        KERNEL.replace("ATTRIBUTE", "").replace("NAME", "k") + "llvm.func internal @x.y() {\n  llvm.return\n}\n",
    ],
)
def test_what_each_gpu_has(text, tmp_path, capsys, monkeypatch):
    status, found = printed(tmp_path, capsys, monkeypatch, text)
    assert (status, found.err) == (0, "") and ".visible .entry" in found.out
