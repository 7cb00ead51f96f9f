"""Object files loaded without LLVM: what it links runs as LLVM's own loading does, and the rest is left to LLVM."""

import ctypes
import gc
import os
import struct
import subprocess
import sys

import pytest

from irtensor.errors import InternalError
from irtensor.runtime import link_objects
from irtensor.runtime.cpu_engine import compile_llvm_text, load_objects
from irtensor.runtime.processor_identity import processor_identity

pytestmark = pytest.mark.skipif(not link_objects._SYSTEM_IS_KNOWN, reason="only LLVM loads code here")

# A constant in memory, a call of a function of its own, one of the process, one that is given.
CALLS = """
declare double @floor(double)
declare i32 @given(i32)
@count = private global i32 5

define private double @half(double %x) noinline nounwind {
  %y = fmul double %x, 0x3FE0000000000001
  ret double %y
}
define i32 @entry(i32 %a) nounwind {
  %before = load i32, ptr @count
  %after = add i32 %before, %a
  store i32 %after, ptr @count
  %wide = sitofp i32 %after to double
  %half = call double @half(double %wide)
  %whole = call double @floor(double %half)
  %int = fptosi double %whole to i32
  %result = call i32 @given(i32 %int)
  ret i32 %result
}
"""
GIVEN = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)(lambda x: 100 + x)
IMPORTS = {"given": ctypes.cast(GIVEN, ctypes.c_void_p).value or 0}


@pytest.fixture
def objects():
    return compile_llvm_text(CALLS, "entry", imports=IMPORTS).objects


def linked(objects):
    """The function as loaded here; a failure if it was left to LLVM."""
    native = load_objects(objects, "entry", imports=IMPORTS)
    assert isinstance(native._library, link_objects.LinkedCode)
    return native


def test_calls_constants_and_variables(objects):
    call = linked(objects).as_ctypes(ctypes.c_int32)
    # 5 + 4, halved, rounded down; then 9 + 2, as the variable keeps its value.
    assert [call(4), call(2)] == [104, 105]


def test_each_load_has_variables_of_its_own(objects):
    first, second = (linked(objects).as_ctypes(ctypes.c_int32) for _ in range(2))
    assert [first(4), second(4)] == [104, 104]


def test_code_stays_while_it_can_be_called(objects):
    call = linked(objects).as_ctypes(ctypes.c_int32)
    gc.collect()
    assert call(4) == 104


def test_code_goes_with_its_function(objects):
    gone = linked(objects).address
    assert permissions(gone) is None


def test_code_cannot_be_written_to(objects):
    native = linked(objects)
    assert permissions(native.address) == "r-xp"


def permissions(address):
    """What this process may do at an address."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            first, last = (int(end, 16) for end in line.split()[0].split("-"))
            if first <= address < last:
                return line.split()[1]
    return None


def test_functions_of_several_objects_call_each_other():
    text = "declare i32 @other()\ndefine i32 @entry() nounwind {\n  %a = call i32 @other()\n  ret i32 %a\n}"
    caller = compile_llvm_text(text, "entry", imports={"other": 1})
    other = compile_llvm_text("define i32 @other() nounwind {\n  ret i32 7\n}", "other")
    assert linked((*caller.objects, *other.objects)).as_ctypes()() == 7


def relocations(content):
    """Where each relocation of an object file is."""
    header = link_objects._HEADER.unpack_from(content)
    for number in range(header[12]):
        section = link_objects._Section(*link_objects._SECTION.unpack_from(content, header[6] + 64 * number))
        if section.type == 4:
            yield from range(section.start, section.start + section.size, 24)


def test_an_unknown_relocation_is_left_to_llvm(objects):
    content = bytearray(objects[0])
    place = next(relocations(content))
    (kind,) = struct.unpack_from("<I", content, place + 8)
    assert kind in (2, 4)
    # R_X86_64_64: an absolute address.
    struct.pack_into("<I", content, place + 8, 1)
    assert link_objects.link_objects((bytes(content),), lambda name: 1) is None


@pytest.mark.parametrize("place", [0, 16, 18])
def test_another_kind_of_file_is_left_to_llvm(objects, place):
    content = bytearray(objects[0])
    content[place] ^= 3
    assert link_objects.link_objects((bytes(content),), lambda name: 1) is None


@pytest.mark.parametrize("length", [0, 10, 64, 300])
def test_a_short_file_is_refused(objects, length):
    with pytest.raises(InternalError, match="cannot load"):
        load_objects((objects[0][:length],), "entry", imports=IMPORTS)


def test_a_missing_function_is_llvms_to_report(objects):
    with pytest.raises(InternalError, match="cannot load the object code of 'entry'"):
        load_objects(objects, "entry")


def test_kernels_are_loaded_without_llvm(tmp_path):
    """Kernels that append, that use threads, and that call mathematics, in a process that finds them in the cache."""
    program = """
import sys
import numpy as np
import irtensor as it
A = it.Tensor.from_numpy(np.array([[1.0, 0, 2], [0, 0, 3], [4, 0, 0]]), "dense, compressed")
x = np.array([1.0, 2, 3])
print(it.einsum("ij,j->i", A, x).tolist())
print(it.einsum("ij,jk->ik", A, A, format=it.CSR).to_numpy().tolist())
kernel = it.compile("C[i,j] = sin(A[i,j]) + B[i,j]", formats=dict.fromkeys("ABC", A.format))
print(kernel(A=A, B=A).values.tolist())
print("llvmlite.binding" in sys.modules, "xdsl" in sys.modules)
"""
    environment = {
        **os.environ,
        "IRTENSOR_CACHE_DIR": str(tmp_path),
        "IRTENSOR_DISK_CACHE": "1",
        "IRTENSOR_NUM_THREADS": "2",
    }
    environment.pop("IRTENSOR_VERIFY", None)
    first, second = (
        subprocess.run(
            [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
        ).stdout.splitlines()
        for _ in range(2)
    )
    assert first[:3] == second[:3]
    assert (first[3], second[3]) == ("True True", "False False")


def test_a_processor_is_known_by_its_first_core(tmp_path):
    path = tmp_path / "cpuinfo"
    lines = [
        "vendor_id : V",
        "cpu family : 6",
        "model : 85",
        "model name : N",
        "stepping : 7",
        "cpu MHz : 1",
        "flags : a b",
    ]
    path.write_text("\n".join([*lines, "", "flags : c"]))
    assert processor_identity(str(path)) == "V\n6\n85\nN\n7\na b"
    path.write_text("\n".join(lines[:4]))
    assert processor_identity(str(path)) is None
    assert processor_identity(str(tmp_path / "absent")) is None
