"""Kernels of a module, each as a module of its own, and their PTX as that of one."""

import pytest

import irtensor as it
from irtensor.runtime import nvptx_engine
from irtensor.runtime.kernel_pieces import NAME, joined, pieces_of
from irtensor.runtime.nvptx_engine import compile_ptx
from irtensor.runtime.nvptx_targets import processor_named

ATTRIBUTES = 'nounwind "nvvm.maxntid"="128" "nvvm.minctasm"="8"'
APART = f"""define ptx_kernel void @f_1(ptr %p) {ATTRIBUTES} {{
  %v = load i64, ptr %p, !unpredictable !0
  store i64 %v, ptr addrspace(3) @f_1_shared
  ret void
}}
"""
# Its name begins as that of the first does.
OTHER = APART.replace("@f_1", "@f_10")
CALLS = f"""define ptx_kernel void @f_2(ptr %p) {ATTRIBUTES} {{
  call void @helper(ptr %p)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}}
define internal void @helper(ptr %p) alwaysinline {{
  store i64 1, ptr %p
  ret void
}}
"""
REST = """@f_1_shared = internal addrspace(3) global i64 undef, align 16
@f_10_shared = internal addrspace(3) global i64 undef, align 16
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
!0 = !{}
"""


def test_kernels_that_call_no_functions_are_pieces():
    pieces, others = pieces_of(APART + CALLS + OTHER + REST)
    assert [piece.name for piece in pieces] == ["f_1", "f_10"]
    assert pieces[0].text == pieces[1].text
    assert f"@{NAME}_shared = internal" in pieces[0].text and "!0 = !{}" in pieces[0].text
    assert "f_1" not in pieces[0].text and others == CALLS + REST


def test_nothing_is_left_of_kernels_alone():
    assert pieces_of(APART + REST)[1] == ""


def test_memory_of_another_kernel_is_no_piece():
    pieces, others = pieces_of(APART.replace("f_1_shared", "f_10_shared") + REST)
    assert not pieces and "@f_1(" in others


def test_one_head_is_left():
    head = "//\n.version 7.8\n.target sm_90\n.address_size 64\n"
    assert joined([head + "a\n", head + "b\n"]) == head + "a\nb\n"


def test_ptx_has_all_kernels_by_their_names():
    ptx = compile_ptx(APART + CALLS + OTHER + REST, processor_named("sm_90"))
    assert [ptx.count(f".entry {name}(") for name in ("f_1", "f_10", "f_2")] == [1, 1, 1]
    assert ptx.count(".address_size") == 1 and NAME not in ptx and "helper" not in ptx


def test_a_kernel_of_several_statements_is_compiled_once(monkeypatch: pytest.MonkeyPatch):
    made: list[str] = []
    assembly = nvptx_engine._assembly
    monkeypatch.setattr(nvptx_engine, "_assembly", lambda text, *given: made.append(text) or assembly(text, *given))
    nvptx_engine._kernel_assembly.cache_clear()
    formats: dict[str, object] = dict.fromkeys("ABC", it.CSR)
    sums = it.compile("C[i,j] = A[i,j] + B[i,j]", formats=formats).ptx("sm_90")
    assert len(made) == sums.count(".entry")
    products = it.compile("C[i,j] = A[i,j] * B[i,j]", formats=formats).ptx("sm_90")
    # Those that add up how many entries there are have been compiled for the first one.
    assert len(made) == sums.count(".entry") + products.count(".entry") - 2
    it.compile("C[i,j] = A[i,j] * B[i,j]", formats=formats).ptx("sm_80")
    assert len(made) == sums.count(".entry") + 2 * products.count(".entry") - 2
