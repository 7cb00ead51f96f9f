"""LLVM IR text of kernels: how they are declared, and the intrinsics that operations of `nvvm` are."""

import re

import pytest
from llvm_modules import parse_llvm

import irtensor as it
from irtensor.runtime.emit_llvm import emit_llvm
from irtensor.runtime.emit_nvvm import emit_nvvm


def lines_of(text):
    """The lines of a module, names of values without their hints."""
    return [re.sub(r"%(\w+\.|v)(?=\d)", "%", line.strip()) for line in emit_nvvm(parse_llvm(text)).splitlines()]


KERNEL = """
llvm.func @k(%p: !llvm.ptr {llvm.noalias}) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>, nvvm.minctasm = 2 : i32} {
  llvm.call @g() : () -> ()
  llvm.return
}
llvm.func internal @g() {
  llvm.return
}
"""  # noqa: E501


def test_kernels_say_how_they_are_launched():
    lines = lines_of(KERNEL)
    assert lines[0] == 'define ptx_kernel void @k(ptr noalias %0) "nvvm.maxntid"="128" "nvvm.minctasm"="2" {'
    assert "define internal void @g() alwaysinline {" in lines


def test_a_processor_without_kernels_gets_functions():
    """LLVM for a CPU ends the process where it meets a kernel."""
    assert emit_llvm(parse_llvm(KERNEL)).startswith("define void @k(ptr noalias %p.0) {")


def test_loads_of_memory_that_nobody_changes_say_so():
    text = """
llvm.func @k(%p: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %q: !llvm.ptr<1> {llvm.noalias}, %i: i64) attributes {nvvm.kernel} {
  %a = llvm.getelementptr inbounds %p[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
  %b = llvm.getelementptr inbounds %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
  %x = llvm.load %b : !llvm.ptr<1> -> i64
  %y = llvm.load %q : !llvm.ptr<1> -> i64
  llvm.store %x, %q : i64, !llvm.ptr<1>
  llvm.return
}
"""  # noqa: E501
    loads = [line for line in lines_of(text) if "= load" in line]
    assert loads == ["%5 = load i64, ptr addrspace(1) %4, !invariant.load !0", "%6 = load i64, ptr addrspace(1) %1"]


def test_blocks_have_up_to_three_dimensions():
    text = "llvm.func @k() attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32, 4, 1>} {\n  llvm.return\n}"
    assert lines_of(text)[0] == 'define ptx_kernel void @k() "nvvm.maxntid"="32,4,1" {'


def test_a_kernel_has_no_result():
    text = """llvm.func @k(%a: i32) -> i32 attributes {nvvm.kernel} {
  llvm.return %a : i32
}"""
    with pytest.raises(it.UserError, match="kernel 'k' returns i32") as error:
        emit_nvvm(parse_llvm(text))
    assert error.value.slug == "wrong-stage"
    assert error.value.location is not None


def test_operations_are_intrinsics():
    text = """
llvm.func @f(%m: i32, %v: i32, %w: i64, %x: f32, %c: i1) {
  %0 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  %1 = nvvm.read.ptx.sreg.ntid.x : i32
  %2 = nvvm.read.ptx.sreg.ctaid.x : i32
  %3 = nvvm.read.ptx.sreg.nctaid.x : i32
  %4 = nvvm.read.ptx.sreg.laneid range <i32, 0, 32> : i32
  nvvm.barrier0
  nvvm.bar.warp.sync %m : i32
  %5 = nvvm.shfl.sync bfly %m, %x, %v, %v : f32 -> f32
  %6 = nvvm.shfl.sync idx %m, %v, %v, %v : i32 -> i32
  %7 = nvvm.vote.sync ballot %m, %c -> i32
  %8 = nvvm.vote.sync any %m, %c -> i1
  %9 = nvvm.redux.sync umax %v, %m : i32 -> i32
  %10 = nvvm.match.sync any %m, %w : i64 -> i32
  %11 = nvvm.match.sync all %m, %v : i32 -> !llvm.struct<(i32, i1)>
  llvm.return
}
"""
    assert lines_of(text)[2:-2] == [
        "%5 = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
        "%6 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()",
        "%7 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()",
        "%8 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()",
        "%9 = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.laneid()",
        "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
        "call void @llvm.nvvm.bar.warp.sync(i32 %0)",
        "%10 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 %0, float %3, i32 %1, i32 %1)",
        "%11 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %0, i32 %1, i32 %1, i32 %1)",
        "%12 = call i32 @llvm.nvvm.vote.ballot.sync(i32 %0, i1 %4)",
        "%13 = call i1 @llvm.nvvm.vote.any.sync(i32 %0, i1 %4)",
        "%14 = call i32 @llvm.nvvm.redux.sync.umax(i32 %1, i32 %0)",
        "%15 = call i32 @llvm.nvvm.match.any.sync.i64(i32 %0, i64 %2)",
        "%16 = call { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32 %0, i32 %1)",
    ]
