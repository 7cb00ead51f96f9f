"""Fibers of the emulator: the switch of each machine, their stacks, and what a fork leaves of them."""

import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from emulated_kernels import EXCHANGE, SUMS, compiled, exchange_is_right, in_all_orders, sums_are_right

import irtensor as it
from irtensor.runtime import emulated_threads, emulator, fiber_code
from irtensor.runtime.fiber_stacks import FiberStacks, fiber_stacks

ROOT = Path(it.__file__).parents[1]


def test_the_switch_of_the_library(monkeypatch):
    """Fibers of a machine that the emulator has no instructions for."""
    assert "swapcontext" in fiber_code.fiber_code("riscv64").text
    functions = emulated_threads.EmulatorFunctions("riscv64")
    monkeypatch.setattr(emulator, "emulator_functions", lambda: functions)
    compiled.cache_clear()
    assert all(in_all_orders(lambda: sums_are_right(SUMS) and exchange_is_right(EXCHANGE), monkeypatch))
    assert compiled(SUMS)._grids[0]._functions is functions
    compiled.cache_clear()


def test_the_switch_of_aarch64():
    """Each pair of registers comes back from where it went to; the context has the stack in between."""
    lines = fiber_code._AARCH64.replace(";", "\n").split("\n")
    lines = [line.strip() for line in lines if line.strip()]
    middle = lines.index("mov x9, sp")
    assert lines[middle : middle + 4] == ["mov x9, sp", "str x9, [x0]", "ldr x9, [x1]", "mov sp, x9"]
    kept, back = lines[1:middle], lines[middle + 4 : -2]
    assert [line.replace("stp", "ldp") for line in kept] == back
    assert (lines[0], lines[-2:]) == ("stp x29, x30, [sp, #-160]!", ["ldp x29, x30, [sp], #160", "ret"])
    registers = [f"x{number}" for number in range(19, 29)] + [f"d{number}" for number in range(8, 16)]
    assert re.findall(r"[xd]\d+", " ".join(kept)) == registers
    assert [int(place) for place in re.findall(r"#(\d+)", " ".join(kept))] == [*range(16, 160, 16)]


def test_stacks_for_which_there_is_no_memory():
    for size in (1 << 50, 1 << 62):
        with pytest.raises(MemoryError, match=f"no memory for 1024 stacks of {size} bytes"):
            FiberStacks(1024, size)


def test_stacks_are_kept():
    small = fiber_stacks(2, 1000)
    assert fiber_stacks(small.count, small.size) is small
    large = fiber_stacks(1, small.size + 1)
    assert large.count == small.count
    assert large.size > small.size
    assert fiber_stacks(2, 1000) is large


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_runs_kernels():
    """Also where another thread of its parent was running one."""
    code = """
        import os, signal, sys
        from irtensor.runtime import emulated_threads
        import emulated_kernels as tests, threading
        assert tests.sums_are_right(tests.SUMS)
        held, done = threading.Event(), threading.Event()
        def hold():
            with emulated_threads._lock:
                held.set()
                done.wait()
        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(40)
            os._exit(0 if tests.sums_are_right(tests.SUMS) else 3)
        print(os.waitpid(child, 0)[1])
        done.set()
    """
    assert in_process(code) == (0, "0\n")


def test_a_stack_that_overflows_ends_the_process():
    """Rather than what other threads have there is overwritten: the larger array would end in the middle of a stack."""
    code = """
        import emulated_kernels as tests
        text = tests.kernel("%many: i64", tests.access('''
          %most = llvm.sub %size, %one : i32
          %is_last = llvm.icmp "eq" %t, %most : i32
          llvm.cond_br %is_last, ^take, ^end
        ^take:
          %own = llvm.alloca %many x i32 : (i64) -> !llvm.ptr
          store i32 %thread, %own[%zero]
          llvm.br ^end
        ^end:
          nvvm.barrier0
        '''))
        for many in (1000, 25000):
            tests.run(text, many)
            print("fine", flush=True)
    """
    status, shown = in_process(code)
    assert -status in (signal.SIGSEGV, signal.SIGBUS)
    assert shown == "fine\n"


def in_process(code):
    """The status of a program, and what it prints."""
    folders = [ROOT, ROOT / "test" / "support"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    program = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(code)]
    ran = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=60)
    return ran.returncode, ran.stdout
