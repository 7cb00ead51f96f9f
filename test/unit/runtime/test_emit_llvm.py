"""LLVM IR text of what kernels of a GPU consist of beside what those of a CPU do."""

import re

import pytest
from llvm_modules import parse_llvm

import irtensor as it
from irtensor.runtime.emit_llvm import emit_llvm


def lines_of(text):
    """The lines of a module, names of values without their hints."""
    return [re.sub(r"%(\w+\.|v)(?=\d)", "%", line.strip()) for line in emit_llvm(parse_llvm(text)).splitlines()]


def test_atomic_operations_keep_their_scopes():
    text = """
llvm.func @f(%p: !llvm.ptr<3>, %v: i64) {
  %q = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr
  %a = llvm.atomicrmw add %q, %v syncscope("device") monotonic : !llvm.ptr, i64
  %b = llvm.atomicrmw add %q, %v monotonic : !llvm.ptr, i64
  %c = llvm.cmpxchg %q, %v, %v syncscope("block") acq_rel monotonic : !llvm.ptr, i64
  llvm.fence syncscope("device") release
  llvm.fence seq_cst
  llvm.return
}
"""
    assert lines_of(text)[2:8] == [
        "%2 = addrspacecast ptr addrspace(3) %0 to ptr",
        '%3 = atomicrmw add ptr %2, i64 %1 syncscope("device") monotonic',
        "%4 = atomicrmw add ptr %2, i64 %1 monotonic",
        '%5 = cmpxchg ptr %2, i64 %1, i64 %1 syncscope("block") acq_rel monotonic',
        'fence syncscope("device") release',
        "fence seq_cst",
    ]


def test_globals_have_no_value_at_the_start():
    text = """
llvm.mlir.global internal @near() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x f64>
llvm.mlir.global external @sized_later() {addr_space = 3 : i32} : !llvm.array<0 x f64>
llvm.mlir.global private constant @plain() : i64
llvm.func @f() {
  %p = llvm.mlir.addressof @near : !llvm.ptr<3>
  %q = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr
  llvm.return
}
"""
    lines = lines_of(text)
    assert lines[:3] == [
        "@near = internal addrspace(3) global [256 x double] undef, align 16",
        "@sized_later = external addrspace(3) global [0 x double]",
        "@plain = private constant i64 undef",
    ]
    assert lines[5] == "%0 = addrspacecast ptr addrspace(3) @near to ptr"


@pytest.mark.parametrize(
    "text, message",
    [
        ("llvm.mlir.global internal @g(1 : i64) : i64", "no LLVM IR is written for the value that a global has"),
        ("llvm.mlir.global common @g() : i64", "no LLVM IR is written for a global that is 'common'"),
        ("llvm.func @f(%a: i32 {llvm.zeroext}) {\n  llvm.return\n}", "for the attribute 'llvm.zeroext' of an argument"),
        ("llvm.func @f(i32, ...)", "no LLVM IR is written for a function of any number of arguments"),
        ("llvm.func @f() {\n  nvvm.barrier0\n  llvm.return\n}", "no LLVM IR is written for 'nvvm.barrier0'"),
    ],
)
def test_what_has_no_text_is_refused(text, message):
    with pytest.raises(it.UserError, match=message) as error:
        emit_llvm(parse_llvm(text))
    assert error.value.slug == "wrong-stage"
    assert error.value.location is not None


def test_arguments_keep_their_alignment():
    text = "llvm.func @f(%p: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}) {\n  llvm.return\n}"
    assert lines_of(text)[0] == "define void @f(ptr align 16 noalias %0) {"
