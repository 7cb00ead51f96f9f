"""What the lists of device_text allow becomes PTX, on the oldest and on the newest processor that LLVM knows."""

import json
import subprocess
import sys
import textwrap

import pytest

from irtensor.runtime.llvm_modules import load_llvm
from irtensor.runtime.nvptx_targets import OLDEST, PROCESSORS

FLOATS = {"f64": "double", "f32": "float"}
INTEGERS = {f"i{width}": f"i{width}" for width in (1, 8, 16, 32, 64)}
LANES = (2, 3, 4, 8)
NEWEST = [processor.name for processor in PROCESSORS.values() if (processor.llvm,) <= load_llvm().llvm_version_info][-1]


def vectors(types):
    """Suffix and text of each type, of its vectors, and of an element of it."""
    for suffix, type in types.items():
        yield suffix, type, type
        for count in LANES:
            yield f"v{count}{suffix}", f"<{count} x {type}>", type


def kernel(lines):
    body = "\n".join(f"  {line}" for line in lines)
    return f"define ptx_kernel void @k(ptr %a, ptr %b, i64 %n) {{\n{body}\n  ret void\n}}\n"


def instruction(number, text, result, operands):
    """Load operands, compute, and store, all with names of their own."""
    loads = [f"%x{number}.{place} = load {type}, ptr %a" for place, type in enumerate(operands)]
    names = [f"%x{number}.{place}" for place in range(len(operands))]
    return [*loads, f"%r{number} = {text(names)}", f"store {result} %r{number}, ptr %b"]


def calls(name, variants):
    """A kernel that calls an intrinsic: for each type its suffix, the types of result and operands, what follows."""
    lines = []
    for number, (suffix, result, operands, more) in enumerate(variants):

        def call(names, suffix=suffix, result=result, operands=operands, more=more):
            arguments = ", ".join([f"{type} {x}" for type, x in zip(operands, names, strict=True)] + more)
            return f"call {result} @llvm.{name}.{suffix}({arguments})"

        lines += instruction(number, call, result, operands)
    return kernel(lines)


def elementwise(name, types, count, *more):
    return name, calls(name, [(suffix, type, [type] * count, [*more]) for suffix, type, _ in vectors(types)])


def reductions(name, types, *, start=False):
    found = [row for row in vectors(types) if row[0].startswith("v")]
    name = f"vector.reduce.{name}"
    return name, calls(name, [(suffix, one, [one, type] if start else [type], []) for suffix, type, one in found])


def atomics(type, operations, scope):
    """Atomic operations on an element, of which the result is used."""
    lines = []
    for number, operation in enumerate(operations):
        text = f"atomicrmw {operation} ptr %a, {type} {{}} {scope}monotonic"
        lines += instruction(number, lambda names, text=text: text.format(*names), type, [type])
    return kernel(lines)


def kernels():
    rounding = "sqrt fabs floor ceil trunc rint nearbyint roundeven round"
    yield from (elementwise(name, FLOATS, 1) for name in rounding.split())
    yield from (elementwise(name, FLOATS, 2) for name in "copysign minnum maxnum minimum maximum".split())
    yield from (elementwise(name, FLOATS, 3) for name in "fma fmuladd".split())
    yield "exp2", calls("exp2", [("f32", "float", ["float"], [])])
    yield from (elementwise(name, INTEGERS, 2) for name in "smax smin umax umin".split())
    yield from (elementwise(name, INTEGERS, 1) for name in "ctpop bitreverse".split())
    yield from (elementwise(name, INTEGERS, 1, "i1 false") for name in "abs ctlz cttz".split())
    yield from (elementwise(name, INTEGERS, 3) for name in "fshl fshr".split())
    yield from (reductions(name, INTEGERS) for name in "add mul and or xor smax smin umax umin".split())
    yield from (reductions(name, FLOATS) for name in "fmax fmin fmaximum fminimum".split())
    yield from (reductions(name, FLOATS, start=True) for name in ("fadd", "fmul"))
    for name in "sadd uadd ssub usub smul umul".split():
        name += ".with.overflow"
        yield name, calls(name, [(suffix, f"{{{type}, i1}}", [type] * 2, []) for suffix, type in INTEGERS.items()])
    for scope in ("", 'syncscope("block") ', 'syncscope("device") '):
        for type in ("i8", "i16", "i32", "i64"):
            yield f"{scope}{type}", atomics(type, "add sub and or xor max min umax umin xchg".split(), scope)
            exchange = f"cmpxchg ptr %a, {type} 0, {type} 1 {scope}"
            yield (
                f"cmpxchg {scope}{type}",
                kernel([f"%r = {exchange}monotonic monotonic", f"%s = {exchange}seq_cst seq_cst"]),
            )
        for type in FLOATS.values():
            yield f"{scope}{type}", atomics(type, "fadd fsub fmax fmin xchg".split(), scope)
        yield f"fence {scope}", kernel(f"fence {scope}{order}" for order in "acquire release acq_rel seq_cst".split())
    some = "<4 x double>"
    yield (
        "masked",
        kernel(
            [
                "%m = load <4 x i1>, ptr %b",
                f"%r = call {some} @llvm.masked.load.v4f64.p0(ptr %a, i32 8, <4 x i1> %m, {some} zeroinitializer)",
                f"call void @llvm.masked.store.v4f64.p0({some} %r, ptr %b, i32 8, <4 x i1> %m)",
                "%p = getelementptr double, ptr %a, <4 x i64> <i64 0, i64 1, i64 2, i64 3>",
                f"%s = call {some} @llvm.masked.gather.v4f64.v4p0(<4 x ptr> %p, i32 8, <4 x i1> %m, {some} %r)",
                f"call void @llvm.masked.scatter.v4f64.v4p0({some} %s, <4 x ptr> %p, i32 8, <4 x i1> %m)",
            ]
        ),
    )
    yield (
        "memory",
        kernel(
            [
                "call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 %n, i1 false)",
                "call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 false)",
                "call void @llvm.memmove.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 false)",
                "call void @llvm.prefetch.p0(ptr %a, i32 0, i32 3, i32 1)",
                "%c = icmp sgt i64 %n, 0",
                "call void @llvm.assume(i1 %c)",
                "call void @llvm.trap()",
            ]
        ),
    )


@pytest.mark.parametrize("arch", [OLDEST.name, NEWEST])
def test_what_is_allowed_becomes_ptx(arch):
    """In a child, which says what it was at if LLVM ends it."""
    code = """
        import json, sys
        from irtensor.runtime.nvptx_engine import compile_ptx
        from irtensor.runtime.nvptx_targets import processor_named
        for name, text in json.load(sys.stdin):
            print(name, flush=True)
            compile_ptx(text, processor_named(sys.argv[1]))
    """
    cases = [*kernels()]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), arch], input=json.dumps(cases), capture_output=True, text=True
    )
    assert (done.stdout.splitlines()[-1:], done.returncode, done.stderr) == ([cases[-1][0]], 0, "")
