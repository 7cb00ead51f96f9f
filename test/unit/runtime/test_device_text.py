"""What LLVM is not shown, because it would end the process, or make of it what nobody means."""

import json
import subprocess
import sys
import textwrap

import pytest

from irtensor.runtime.device_text import libdevice_functions, problem_of
from irtensor.runtime.nvptx_targets import processor_named

NEAR = "@near = internal addrspace(3) global [4 x i32] undef, align 16"


def kernel(*lines, outside=""):
    """A module with a kernel of some instructions."""
    arguments = "ptr %a, ptr %b, i64 %n, double %d, float %f"
    body = "\n".join(f"  {line}" for line in lines)
    return f"{outside}\ndefine ptx_kernel void @k({arguments}) {{\n{body}\n  ret void\n}}\n"


def of_one(name, type="double", more="", result=None):
    """A kernel that calls an intrinsic with a float, and stores what it gives."""
    value, result = "%d" if type == "double" else "%f", result or type
    return kernel(f"%r = call {result} @llvm.{name}({type} {value}{more})", f"store {result} %r, ptr %a")


def of_type(type, instruction):
    return kernel(f"%x = load {type}, ptr %a", f"%r = {instruction}", f"store {type} %r, ptr %b")


# Each ends the process if LLVM sees it, in this version or an earlier one.
KILLERS = {
    **{
        f"{name} of {suffix}": of_one(f"{name}.{suffix}", type)
        for type, suffix in (("double", "f64"), ("float", "f32"))
        for name in "exp exp10 log log2 log10 sin cos tan asin acos atan sinh cosh tanh".split()
    },
    **{f"{name}": of_one(f"{name}.f64", more=", double %d") for name in ("pow", "atan2")},
    "exp2 of f64": of_one("exp2.f64"),
    "pow of f32": of_one("pow.f32", "float", ", float %f"),
    "powi": kernel(
        "%m = trunc i64 %n to i32", "%r = call double @llvm.powi.f64.i32(double %d, i32 %m)", "store double %r, ptr %a"
    ),
    "lrint": of_one("lrint.i64.f64", result="i64"),
    "modf": of_one("modf.f64", result="{double, double}"),
    "quadruple precision": of_type("fp128", "fadd fp128 %x, %x"),
    "80 bits": of_type("x86_fp80", "fadd x86_fp80 %x, %x"),
    "pairs of doubles": of_type("ppc_fp128", "fadd ppc_fp128 %x, %x"),
    "scalable vectors": of_type("<vscale x 2 x i64>", "add <vscale x 2 x i64> %x, %x"),
    "wide integers to floats": kernel("%x = load i128, ptr %a", "%r = sitofp i128 %x to double"),
    "wide atomics": kernel("%x = load i128, ptr %a", "%r = atomicrmw add ptr %a, i128 %x monotonic"),
    "unknown scope": kernel('fence syncscope("foo") acq_rel'),
    "scope of one thread": kernel('fence syncscope("singlethread") acq_rel'),
    "scope of a cluster": kernel('fence syncscope("cluster") acq_rel'),
    "intrinsic of another processor": kernel("call void @llvm.x86.sse2.pause()"),
    "alias": kernel("%v = load i32, ptr @z", outside="@z = alias i32, ptr @g\n@g = global i32 0"),
    "reduction of lanes": kernel("%r = call i32 @llvm.nvvm.redux.sync.add(i32 1, i32 -1)", "store i32 %r, ptr %a"),
    "copies in the background": kernel(
        "%g = addrspacecast ptr %a to ptr addrspace(1)",
        "call void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3) @near, ptr addrspace(1) %g)",
        outside=NEAR,
    ),
}
# These become PTX that means something else, or that is refused later.
OTHERS = {
    "malloc": kernel("%m = call ptr @malloc(i64 %n)", outside="declare ptr @malloc(i64)"),
    "free": kernel("call void @free(ptr %a)", outside="declare void @free(ptr)"),
    "a function of the host": kernel("%r = call double @sin(double %d)", outside="declare double @sin(double)"),
    "a dotted name": kernel("call void @irtensor.grow()", outside="declare void @irtensor.grow()"),
    "a dotted kernel": kernel().replace("@k", "@k.0"),
    "a dotted function": kernel(outside="define void @g.0() {\n  ret void\n}"),
    "a name in quotes": kernel('call void @"irtensor grow"()', outside='declare void @"irtensor grow"()'),
    "a value in quotes": kernel('%"add fp128" = add i64 %n, 1'),
    "a result of a kernel": "define ptx_kernel i32 @k() {\n  ret i32 0\n}\n",
    "shared memory with a value": kernel(outside="@near = internal addrspace(3) global [4 x i32] zeroinitializer"),
    "memory of a cluster": kernel("%r = load i64, ptr addrspace(7) null"),
    "memory of a thread of a host": kernel(outside="@g = thread_local global i32 0"),
    "code before the kernel": kernel(
        outside="@llvm.global_ctors = appending global [1 x {i32, ptr, ptr}] [{i32, ptr, ptr} {i32 0, ptr @c, ptr "
        "null}]\ndefine internal void @c() {\n  ret void\n}"
    ),
    "assembler": kernel('%r = call i32 asm "mov.u32 $0, %clock;", "=r"()'),
    "exceptions": kernel("invoke void @g() to label %x unwind label %x", "x:", outside="declare void @g()"),
    "an unknown intrinsic": kernel("call void @llvm.nvvm.does.not.exist()"),
    "halves": of_type("half", "fadd half %x, %x"),
}
CASES = {**KILLERS, **OTHERS}


def test_what_ends_the_process_is_refused_before():
    """All of it in one child, which is to live."""
    code = """
        import json, sys
        from irtensor.errors import InternalError
        from irtensor.runtime.nvptx_engine import compile_ptx
        from irtensor.runtime.nvptx_targets import processor_named
        for name, text in json.load(sys.stdin).items():
            try:
                compile_ptx(text, processor_named("sm_75"))
            except InternalError as error:
                assert error.message.startswith("no PTX is made: "), error
                print(name, flush=True)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], input=json.dumps(CASES), capture_output=True, text=True
    )
    assert (done.stdout.splitlines(), done.returncode, done.stderr) == ([*CASES], 0, "")


@pytest.mark.parametrize(("arch", "is_refused"), [("sm_75", True), ("sm_80", False), ("sm_120", False)])
def test_lists_depend_on_the_processor(arch, is_refused):
    problem = problem_of(KILLERS["reduction of lanes"], processor_named(arch))
    assert (problem is not None) == is_refused
    if problem is not None:
        assert problem.needs == 80


def test_texts_and_comments_are_no_code():
    text = kernel("fence acq_rel ; invoke fp128", outside='; @z = alias i32\nattributes #0 = { "alias fp128"="i128" }')
    assert problem_of(text, processor_named("sm_75")) is None


def test_names_of_values_are_no_types():
    text = kernel("%i128 = add i64 %n, 1", "%fp128.half = add i64 %i128, 1")
    assert problem_of(text, processor_named("sm_75")) is None


def test_a_function_of_the_text_is_not_looked_for_elsewhere():
    text = kernel("call void @__nv_own()", outside="define internal void @__nv_own() {\n  ret void\n}")
    assert libdevice_functions(text) == []


def test_functions_of_libdevice_are_found_where_they_are_called():
    text = kernel("%r = call double @__nv_sin(double %d)", outside="declare double @__nv_sin(double)")
    assert libdevice_functions(text) == ["__nv_sin"]
    assert problem_of(text, processor_named("sm_90")) is None
