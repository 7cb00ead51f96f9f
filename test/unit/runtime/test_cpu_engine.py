"""The native engine: errors, lifetime, threads, library functions, hints and what becomes of reductions."""

import ctypes
import gc
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from xdsl.context import Context

from irtensor.errors import InternalError
from irtensor.passes.keep_order_of_sums import KeepOrderOfSumsPass
from irtensor.passes.llvm.lower_loop_to_llvm import LowerLoopToLlvmPass
from irtensor.runtime import cpu_engine
from irtensor.runtime.cpu_engine import compile_llvm_text, optimized_text
from irtensor.runtime.emit_llvm import emit_llvm

ADD = "define i32 @add(i32 %a) {\n  %b = add i32 %a, CONSTANT\n  ret i32 %b\n}\n"


def test_rejected_text_is_an_internal_error_with_reproducer():
    with pytest.raises(InternalError) as caught:
        compile_llvm_text("define i32 @f() { ret i64 0 }", "f")
    assert caught.value.reproducer == "define i32 @f() { ret i64 0 }"


def test_a_module_gets_the_greatest_effort_that_a_function_asks_for():
    function = 'define void @f{n}() "irtensor-effort"="{effort}" {{ ret void }}'
    for efforts, expected in (("light",), "light"), (("light", "scalar"), "scalar"), (("full", "light"), "full"):
        text = "\n".join(function.format(n=n, effort=effort) for n, effort in enumerate(efforts))
        assert cpu_engine._effort_of(text) == expected
    assert cpu_engine._effort_of("define void @f() { ret void }") == "full"


def test_missing_symbol_is_an_internal_error():
    text = "declare i32 @irtensor_no_such_function()\n" + ADD.replace(
        "add i32 %a, CONSTANT", "call i32 @irtensor_no_such_function()"
    )
    with pytest.raises(InternalError, match="irtensor_no_such_function"):
        compile_llvm_text(text, "add")


def test_code_lives_as_long_as_its_callable():
    functions = [compile_llvm_text(ADD.replace("CONSTANT", str(n)), "add").as_ctypes(ctypes.c_int32) for n in range(20)]
    gc.collect()
    assert [function(100) for function in functions] == list(range(100, 120))


def test_a_function_shows_its_entry_and_where_it_is():
    native = compile_llvm_text(ADD.replace("CONSTANT", "1"), "add")
    assert repr(native) == f"<NativeFunction add at {hex(native.address)}>"


@pytest.mark.filterwarnings("ignore:This process")
def test_a_child_forked_while_another_thread_compiles_can_compile():
    entered = threading.Event()

    def compile_slowly():
        with cpu_engine._lock:
            entered.set()
            time.sleep(0.2)

    thread = threading.Thread(target=compile_slowly)
    thread.start()
    entered.wait()
    if (child := os.fork()) == 0:
        signal.alarm(20)  # ends a child that waits for ever
        function = compile_llvm_text(ADD.replace("CONSTANT", "5"), "add").as_ctypes(ctypes.c_int32)
        os._exit(function(37))
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42


def test_threads_compile_and_call():
    results = {}

    def work(number):
        function = compile_llvm_text(ADD.replace("CONSTANT", str(number)), "add").as_ctypes(ctypes.c_int32)
        results[number] = [function(k) for k in range(50)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: [k + number for k in range(50)] for number in range(8)}


DOT = """
func.func @kernel(%n: index, %crd: !loop.buffer<i32>, %a: !loop.buffer<f64>, %x: !loop.buffer<f64>,
                  %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f64
  %s = loop.cell %z : f64
  loop.for %p = %c0 to %n HINTS {
    %j32 = loop.load %crd[%p] : i32
    %j = arith.index_cast %j32 : i32 to index
    %u = loop.load %a[%p] : f64
    %v = loop.load %x[%j] : f64
    %m = arith.mulf %u, %v fastmath<reassoc,contract> : f64
    %old = loop.get %s : f64
    %new = arith.addf %old, %m fastmath<reassoc,contract> : f64
    loop.set %new, %s : f64
  }
  %r = loop.get %s : f64
  loop.store %r, %y[%c0] : f64
  func.return
}
"""


def llvm_of(machine, text, strict=False):
    module = machine.parse(text)
    if strict:
        KeepOrderOfSumsPass().apply(Context(), module)
    LowerLoopToLlvmPass().apply(Context(), module)
    return emit_llvm(module)


def test_blocks_may_stand_before_those_that_dominate_them(machine):
    text = """
llvm.func @f(%n: i64) -> i64 {
  llvm.br ^bb2
^bb1:
  llvm.br ^bb3(%a : i64)
^bb2:
  %one = llvm.mlir.constant(1 : i64) : i64
  %a = llvm.add %n, %one : i64
  llvm.br ^bb1
^bb3(%r: i64):
  llvm.return %r : i64
}
"""
    assert "phi i64 [ %a." in emit_llvm(machine.parse(text))


def test_pointers_keep_their_address_space(machine):
    text = """
llvm.func @f(%p: !llvm.ptr<3>, %q: !llvm.ptr, %n: i64) -> f64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %a = "llvm.alloca"(%n) <{elem_type = f64}> : (i64) -> !llvm.ptr<5>
  %b = "llvm.alloca"(%one) <{elem_type = f64}> : (i64) -> !llvm.ptr
  %v = "llvm.load"(%p) <{ordering = 0 : i64}> : (!llvm.ptr<3>) -> f64
  llvm.return %v : f64
}
"""
    lines = [re.sub(r"%\w+\.", "%", line.strip()) for line in emit_llvm(machine.parse(text)).splitlines()]
    assert lines[0] == "define double @f(ptr addrspace(3) %0, ptr %1, i64 %2) {"
    assert lines[2:5] == [
        "%3 = alloca double, i64 %2, addrspace(5)",
        "%4 = alloca double",
        "%5 = load double, ptr addrspace(3) %0",
    ]


def test_reduction_becomes_vectors(machine):
    text = llvm_of(machine, DOT.replace("HINTS", ""))
    assert "fadd contract reassoc" in text
    optimized = optimized_text(text)
    assert "llvm.vector.reduce.fadd" in optimized
    assert "alloca" not in optimized


def test_strict_reduction_keeps_its_order(machine):
    hints = "attributes {mask = 8 : i64, vectorize = 4 : i64, interleave = 2 : i64, unroll = 2 : i64}"
    text = llvm_of(machine, DOT.replace("HINTS", hints), strict=True)
    assert "llvm.loop.unroll.count" in text
    assert "llvm.loop.vectorize" not in text
    assert "reassoc" not in text
    assert "vector.reduce" not in optimized_text(text)


@pytest.mark.parametrize(
    ("hint", "metadata"),
    [
        ("unroll = 4 : i64", 'llvm.loop.unroll.count", i32 4'),
        ("unroll = 1 : i64", "llvm.loop.unroll.disable"),
        ("vectorize = 4 : i64", 'llvm.loop.vectorize.width", i32 4'),
        ("mask = 8 : i64", 'llvm.loop.vectorize.predicate.enable", i1 true'),
        ("vectorize = 1 : i64", 'llvm.loop.vectorize.enable", i1 false'),
        ("interleave = 2 : i64", 'llvm.loop.interleave.count", i32 2'),
    ],
)
def test_hints_reach_llvm(machine, capfd, hint, metadata):
    text = llvm_of(machine, DOT.replace("HINTS", f"attributes {{{hint}}}"))
    assert metadata in text
    optimized_text(text)
    assert capfd.readouterr().err == ""


def test_masks_only_where_the_processor_has_them(machine, monkeypatch):
    text = llvm_of(machine, DOT.replace("HINTS", "attributes {mask = 8 : i64}"))
    engine = cpu_engine._get_engine()
    monkeypatch.setattr(engine, "has_masks", True)
    assert "predicate.enable" in str(engine.parse(text))
    monkeypatch.setattr(engine, "has_masks", False)
    assert "predicate.enable" not in str(engine.parse(text))
    assert "masked" not in optimized_text(text)


def test_plain_vectorize_hint_is_quiet(machine, capfd):
    text = llvm_of(machine, DOT.replace("HINTS", "attributes {vectorize}").replace("fastmath<reassoc,contract>", ""))
    optimized_text(text)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("function", ["expm1", "log1p", "cbrt", "atanh", "sinh", "log10", "exp2"])
def test_library_functions(run, function):
    text = f"""
func.func @kernel(%a: !loop.buffer<f64>) {{
  %c0 = arith.constant 0 : index
  %x = loop.load %a[%c0] : f64
  %y = math.{function} %x : f64
  loop.store %y, %a[%c0] : f64
  func.return
}}
"""
    run(text, np.array([0.3]), exact=False)


def test_a_module_is_disposed_of_before_its_context():
    """In whichever order the garbage collector takes what was left in a cycle, as by an exception's traceback."""
    code = """
        import gc
        from irtensor.runtime import cpu_engine
        engine = cpu_engine._get_engine()
        for order in (1, -1):
            module = engine.parse("define i32 @f() { ret i32 1 }")
            cycle = [module, module._context][::order]
            cycle.append(cycle)
            del module, cycle
            gc.collect()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux how much memory the process has")
def test_compiled_code_that_is_forgotten_leaves_little():
    """Pass managers, modules and contexts are given back: 100 KB for each kernel would show."""
    code = """
        import gc, sys
        from irtensor.runtime import cpu_engine
        text = sys.argv[1]
        def compile_some(count):
            for number in range(count):
                cpu_engine.compile_llvm_text(text.replace("CONSTANT", str(number)), "add")
            gc.collect()
            return int(open("/proc/self/statm").read().split()[1]) * 4096
        before = compile_some(50)
        print((compile_some(200) - before) // 200)
    """
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), ADD], check=True, capture_output=True, text=True
    )
    assert int(found.stdout) <= 10_000
