"""Too little memory for the compiler is a MemoryError, however little it is, and the next call with enough is right."""

import subprocess
import sys

import pytest

from irtensor.runtime import room

PROGRAM = """
import resource, sys
import numpy as np
import irtensor as it

def limit(more):
    now = int(open("/proc/self/statm").read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (now + more, -1))

def call(notation):
    return it.compile(notation, disk_cache=False)(a=np.arange(3.0))

steps = eval(sys.argv[1])
refused = 0
for number, more in enumerate(steps):
    limit(more)
    try:
        result = call(f"y[i] = a[i] * {number}.125")
    except MemoryError as error:
        refused += 1
        result = None
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    if result is None:
        result = call(f"y[i] = a[i] * {number}.125")
    np.testing.assert_array_equal(result, np.arange(3.0) * (number + 0.125))
print(refused)
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")


def refused(steps, before=""):
    program = PROGRAM.replace("steps =", f"{before}\nsteps =")
    ran = subprocess.run([sys.executable, "-c", program, steps], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return int(ran.stdout)


@linux
def test_where_the_compiler_has_run_before():
    pages = 40
    assert refused(f"range(0, 4096 * {pages}, 4096)", before='call("y[i] = a[i]")') == pages


@linux
def test_between_nothing_and_enough():
    found = refused("[number << 20 for number in range(25)]", before='call("y[i] = a[i]")')
    assert room.ROOM >> 20 <= found < 25


@pytest.mark.one_in(12)
@linux
@pytest.mark.parametrize("megabytes", [0, 3, 5, 20, 100, 170, 250])
def test_where_the_compiler_is_not_loaded(megabytes):
    assert refused(f"[{megabytes} << 20]") == 1


def test_what_is_said(monkeypatch):
    assert room.has_room(1 << 20)
    with pytest.raises(MemoryError, match=r"^less than 1099511627776 MB of memory are left for LLVM$"):
        room.need_room(1 << 60, "LLVM")
