"""PTX of small modules: version and processor, what memory is where, and functions of libdevice."""

import subprocess
import sys
import textwrap
from types import SimpleNamespace

import pytest
from cuda_assembler import assemble, needs_ptxas
from llvm_modules import parse_llvm

import irtensor as it
from irtensor.errors import InternalError
from irtensor.runtime import libdevice, nvptx_engine
from irtensor.runtime.emit_nvvm import emit_nvvm
from irtensor.runtime.emit_ptx import emit_ptx
from irtensor.runtime.libdevice import libdevice_path
from irtensor.runtime.llvm_modules import load_llvm
from irtensor.runtime.nvptx_engine import compile_ptx
from irtensor.runtime.nvptx_targets import PROCESSORS, Processor, processor_named

ARCHITECTURES = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]
EMPTY = "define ptx_kernel void @k() {\n  ret void\n}\n"
# Each thread adds its element to a sum of the block, through memory of the block.
BLOCK_SUM = """
llvm.mlir.global internal @near() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x f64>
llvm.func @block_sum(%from: !llvm.ptr {llvm.noalias, llvm.readonly}, %to: !llvm.ptr {llvm.noalias}) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>, nvvm.minctasm = 2 : i32} {
  %thread = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  %near3 = llvm.mlir.addressof @near : !llvm.ptr<3>
  %near = llvm.addrspacecast %near3 : !llvm.ptr<3> to !llvm.ptr
  %i = llvm.zext %thread : i32 to i64
  %a = llvm.getelementptr inbounds %from[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %v = llvm.load %a : !llvm.ptr -> f64
  %b = llvm.getelementptr inbounds %near[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %v, %b : f64, !llvm.ptr
  nvvm.barrier0
  %w = llvm.load %near : !llvm.ptr -> f64
  %old = llvm.atomicrmw fadd %to, %w syncscope("device") monotonic : !llvm.ptr, f64
  llvm.return
}
"""  # noqa: E501
# The same by pointers that say what memory is theirs; what is added to is read before.
OWN_MEMORY = """
llvm.mlir.global internal @near() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x f64>
llvm.func @block_sum(%from: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %to: !llvm.ptr<1> {llvm.noalias}) attributes {nvvm.kernel} {
  %thread = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  %near = llvm.mlir.addressof @near : !llvm.ptr<3>
  %i = llvm.zext %thread : i32 to i64
  %a = llvm.getelementptr inbounds %from[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f64
  %v = llvm.load %a : !llvm.ptr<1> -> f64
  %u = llvm.load %to : !llvm.ptr<1> -> f64
  %s = llvm.fadd %u, %v : f64
  %b = llvm.getelementptr inbounds %near[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f64
  llvm.store %s, %b : f64, !llvm.ptr<3>
  nvvm.barrier0
  %w = llvm.load %near : !llvm.ptr<3> -> f64
  %old = llvm.atomicrmw fadd %to, %w syncscope("device") monotonic : !llvm.ptr<1>, f64
  llvm.return
}
"""  # noqa: E501
# What lanes ask each other.
LANES = """
llvm.func @lanes(%p: !llvm.ptr, %x: f32) attributes {nvvm.kernel} {
  %m = llvm.mlir.constant(-1 : i32) : i32
  %d = llvm.mlir.constant(16 : i32) : i32
  %c = llvm.mlir.constant(31 : i32) : i32
  %lane = nvvm.read.ptx.sreg.laneid range <i32, 0, 32> : i32
  %y = nvvm.shfl.sync bfly %m, %x, %d, %c : f32 -> f32
  llvm.store %y, %p : f32, !llvm.ptr
  nvvm.bar.warp.sync %m : i32
  %odd = llvm.trunc %lane : i32 to i1
  %votes = nvvm.vote.sync ballot %m, %odd -> i32
  %same = nvvm.match.sync any %m, %votes : i32 -> i32
  %pair = nvvm.match.sync all %m, %same : i32 -> !llvm.struct<(i32, i1)>
  %all = llvm.extractvalue %pair[0] : !llvm.struct<(i32, i1)>
  llvm.store %all, %p : i32, !llvm.ptr
  llvm.return
}
"""
SINE = """
llvm.func @k(%p: !llvm.ptr) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr -> f64
  %y = llvm.call @__nv_sin(%x) : (f64) -> f64
  llvm.store %y, %p : f64, !llvm.ptr
  llvm.return
}
llvm.func @__nv_sin(f64) -> f64
"""
needs_libdevice = pytest.mark.skipif(libdevice_path() is None, reason="there is no libdevice")


@pytest.mark.parametrize("arch", PROCESSORS)
def test_ptx_says_what_it_is_for(arch):
    processor = processor_named(arch)
    if load_llvm().llvm_version_info < (processor.llvm,):
        pytest.skip("this LLVM does not know it")
    lines = compile_ptx(EMPTY, processor).splitlines()
    assert {f".version {processor.version}", f".target {arch}", ".address_size 64"} <= set(lines)


@needs_ptxas
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_the_assembler_accepts_it(arch, tmp_path):
    for text in (BLOCK_SUM, LANES):
        assert "0 bytes stack frame" in assemble(emit_ptx(parse_llvm(text), arch), arch, tmp_path)


def test_memory_is_where_it_was_meant_to_be():
    """Pointers are generic in the text; LLVM finds out what they point into."""
    ptx = emit_ptx(parse_llvm(BLOCK_SUM), "sm_90")
    for wanted in (
        ".visible .entry block_sum(",
        ".maxntid 128",
        ".minnctapersm 2",
        ".shared .align 16 .b8 near[1024];",
        "ld.global.nc.",
        "st.shared.",
        "bar.sync",
        "atom.global.add.f64",
    ):
        assert wanted in ptx


def test_pointers_may_say_what_they_point_into():
    """Without one that does not, LLVM is not asked to find out."""
    ptx = emit_ptx(parse_llvm(OWN_MEMORY), "sm_90")
    for wanted in ("ld.global.nc.", "ld.global.", "st.shared.", "ld.shared.", "atom.global.add.f64"):
        assert wanted in ptx
    assert "cvta" not in ptx


def test_loops_are_left_as_they_are_where_kernels_say_so():
    """Others are unrolled."""
    text = """define ptx_kernel void @k(ptr addrspace(1) %p, i64 %n) "irtensor-effort"="light" {
start:
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %next, %loop ]
  %place = getelementptr i64, ptr addrspace(1) %p, i64 %i
  store i64 %i, ptr addrspace(1) %place, align 8
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""
    other = text.replace('"light"', '"full"')
    stores = [compile_ptx(one, processor_named("sm_90")).count("st.global") for one in (text, other)]
    assert stores[0] == 1 < stores[1]


def test_lanes_ask_each_other():
    ptx = emit_ptx(parse_llvm(LANES), "sm_75")
    for wanted in ("shfl.sync.bfly.b32", "bar.warp.sync", "vote.sync.ballot.b32", "match.any.sync.b32", "match.all"):
        assert wanted in ptx


def test_a_processor_that_llvm_does_not_know_is_an_error():
    with pytest.raises(it.UserError, match="does not know sm_999") as error:
        compile_ptx(EMPTY, Processor("sm_999", 999, "99.9", 99))
    assert error.value.slug == "cuda-arch"


def test_what_llvm_rejects_is_a_defect():
    text = EMPTY.replace("ret void", "store i64 1, ptr %nowhere\n  ret void")
    with pytest.raises(InternalError, match="LLVM rejected the code for sm_90") as error:
        compile_ptx(text, processor_named("sm_90"))
    assert error.value.reproducer == text


def test_older_versions_of_llvm_spell_some_things_otherwise(monkeypatch):
    class Old:
        llvm_version_info = (20, 1, 8)

    monkeypatch.setattr(nvptx_engine, "load_llvm", lambda: Old)
    text = nvptx_engine._adapted(emit_nvvm(parse_llvm(BLOCK_SUM)) + "!0 = !{}\n")
    assert "call void @llvm.nvvm.barrier0()" in text
    assert text.splitlines()[-3:] == [
        '!1 = !{ptr @block_sum, !"maxntidx", i32 128}',
        '!2 = !{ptr @block_sum, !"minctasm", i32 2}',
        "!nvvm.annotations = !{!1, !2}",
    ]
    assert nvptx_engine._adapted(EMPTY) == EMPTY
    flat = nvptx_engine._adapted('define ptx_kernel void @k() "nvvm.maxntid"="32,4" {')
    assert flat.splitlines()[1:3] == ['!0 = !{ptr @k, !"maxntidx", i32 32}', '!1 = !{ptr @k, !"maxntidy", i32 4}']


@needs_libdevice
def test_functions_of_libdevice_are_linked(tmp_path):
    ptx = emit_ptx(parse_llvm(SINE), "sm_80")
    assert "__nv_sin" not in ptx.replace("__nv_sin_param", "")
    assert "reflect" not in ptx


@pytest.mark.one_in(4)
@needs_libdevice
@needs_ptxas
@pytest.mark.parametrize("name", "sin cos exp expm1 log log1p tanh cbrt erf asinh tan".split())
def test_the_assembler_accepts_mathematics(name, tmp_path):
    for suffix, type in (("", "f64"), ("f", "f32")):
        text = SINE.replace("__nv_sin", f"__nv_{name}{suffix}").replace("f64", type)
        assemble(emit_ptx(parse_llvm(text), "sm_90"), "sm_90", tmp_path)


@needs_libdevice
def test_a_function_that_libdevice_lacks_is_named():
    with pytest.raises(it.UserError, match="libdevice has no function '__nv_nothing'") as error:
        emit_ptx(parse_llvm(SINE.replace("__nv_sin", "__nv_nothing")), "sm_80")
    assert error.value.slug == "no-libdevice"


def test_a_file_that_llvm_cannot_read_is_named(monkeypatch, tmp_path):
    file = tmp_path / "libdevice.10.bc"
    file.write_bytes(b"no bitcode")
    monkeypatch.setattr(libdevice, "libdevice_path", lambda: file)
    with pytest.raises(it.UserError, match=f"LLVM cannot read '{file}'") as error:
        emit_ptx(parse_llvm(SINE), "sm_80")
    assert error.value.slug == "no-libdevice"


@needs_libdevice
def test_linked_functions_are_kept_on_disk(monkeypatch, tmp_path):
    monkeypatch.setenv("IRTENSOR_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(libdevice, "_reduced", {})
    first = emit_ptx(parse_llvm(SINE), "sm_80")
    monkeypatch.setattr(libdevice, "_reduced", {})
    monkeypatch.setattr(libdevice, "_reduce", None)
    assert emit_ptx(parse_llvm(SINE), "sm_80") == first


def test_triton_has_libdevice_too(monkeypatch, tmp_path):
    file = tmp_path / "triton" / "backends" / "nvidia" / "lib" / "libdevice.10.bc"
    file.parent.mkdir(parents=True)
    file.touch()
    (tmp_path / "triton" / "__init__.py").write_text("raise ImportError('triton is not to be loaded')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setattr(libdevice, "_found_by_cuda", lambda: None)
    monkeypatch.setattr(libdevice, "_TOOLKIT", "")
    assert libdevice_path() == file


def test_nvidias_own_search_comes_first(monkeypatch, tmp_path):
    file = tmp_path / "found.bc"
    file.touch()
    finder = SimpleNamespace(find_bitcode_lib=lambda name: str(file))
    monkeypatch.setitem(sys.modules, "cuda", SimpleNamespace(pathfinder=finder))
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", finder)
    assert libdevice_path() == file


def test_no_kernel_needs_libdevice_unless_it_calls_it(monkeypatch):
    monkeypatch.setattr(libdevice, "libdevice_path", lambda: None)
    assert ".entry block_sum" in emit_ptx(parse_llvm(BLOCK_SUM), "sm_90")
    with pytest.raises(it.UserError, match="'__nv_sin' is a function of libdevice, which is not installed"):
        emit_ptx(parse_llvm(SINE), "sm_90")


@pytest.mark.parametrize("variable", ["CUDA_HOME", "CUDA_PATH"])
def test_libdevice_is_found_in_the_toolkit(variable, monkeypatch, tmp_path):
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setattr(libdevice, "_found_by_cuda", lambda: None)
    monkeypatch.setattr(libdevice, "_TOOLKIT", "")
    before = libdevice_path()
    file = tmp_path / "nvvm" / "libdevice" / "libdevice.10.bc"
    file.parent.mkdir(parents=True)
    file.touch()
    monkeypatch.setenv(variable, str(tmp_path))
    assert libdevice_path() == file != before


def test_importing_irtensor_loads_nothing_of_this():
    code = """
        import sys
        import irtensor
        for num_threads in (1, 2):
            for convert in (True, False):
                options = dict(num_threads=num_threads, convert=convert)
                irtensor.compile("y[i] = A[i,j] * x[j]", dtypes=dict(A="float64", x="float64"), **options).llvm_ir()
        words = ("nvvm", "ptx", "cuda", "libdevice")
        assert not [name for name in sys.modules if any(word in name for word in words)]
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)


@needs_libdevice
def test_one_text_becomes_the_same_ptx_each_time():
    """LLVM numbers the calls of functions that are not inlined over all modules of a process."""
    assert emit_ptx(parse_llvm(SINE), "sm_90") == emit_ptx(parse_llvm(SINE), "sm_90")
