"""Gather instructions are given up where they are slower than single reads; no time of this machine is asserted."""

import ctypes
from array import array
from time import sleep
from typing import Any

import pytest

from irtensor.runtime import cpu_engine
from irtensor.runtime.gather_speed import gathers_pay, measuring_text

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)


def sleeping(seconds):
    def function(elements, numbers):
        sleep(seconds)
        return 0.0

    return FUNCTION(function)


def address(function: Any) -> int:
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found is not None
    return found


@pytest.mark.parametrize("gathered, single, pays", [(0.001, 0.004, True), (0.004, 0.001, False)])
def test_the_faster_way_is_chosen(gathered, single, pays):
    functions = sleeping(gathered), sleeping(single)
    assert gathers_pay(*map(address, functions)) is pays


def test_what_is_compared_reads_the_same_elements():
    native = cpu_engine.compile_llvm_text(measuring_text(), "gathered", effort="light", exports=("single",))
    elements = array("d", (float(place) for place in range(1024)))
    numbers = array("i", (7 * place % 1024 for place in range(4096)))
    pointers = elements.buffer_info()[0], numbers.buffer_info()[0]
    # Each returns the sum of the first of four lanes.
    expected = sum(elements[number] for number in numbers[::4])
    for entry in (native.address, native.address_of("single")):
        assert FUNCTION(entry)(*pointers) == expected


def new_engine(monkeypatch, tmp_path, pays, disk_cache=True):
    """An engine in a process that has none yet, and how often it was timed."""
    timed = []

    def answer(gathered, single):
        timed.append((gathered, single))
        return pays

    monkeypatch.setattr("irtensor.runtime.gather_speed.gathers_pay", answer)
    monkeypatch.setenv("IRTENSOR_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("IRTENSOR_DISK_CACHE", str(int(disk_cache)))
    return cpu_engine._Engine(), timed


def test_it_is_timed_once_per_cache(monkeypatch, tmp_path):
    first, timed = new_engine(monkeypatch, tmp_path, False)
    if not timed:
        pytest.skip("no gather instruction here")
    assert len(timed) == 1
    second, timed = new_engine(monkeypatch, tmp_path, True)
    assert not timed
    assert first.features == second.features
    assert "+prefer-no-gather" in first.features
    assert not second.has_masks


def test_without_a_cache_each_engine_is_timed(monkeypatch, tmp_path):
    _, timed = new_engine(monkeypatch, tmp_path, False)
    if not timed:
        pytest.skip("no gather instruction here")
    kept = sorted(tmp_path.rglob("*"))
    for pays in (True, False):
        engine, timed = new_engine(monkeypatch, tmp_path, pays, disk_cache=False)
        assert len(timed) == 1
        assert ("+prefer-no-gather" in engine.features) is not pays
    assert sorted(tmp_path.rglob("*")) == kept


def test_code_without_gathers_has_none(monkeypatch, tmp_path):
    from irtensor import CSR, compile

    engine, timed = new_engine(monkeypatch, tmp_path, False)
    if not timed:
        pytest.skip("no gather instruction here")
    monkeypatch.setattr(cpu_engine, "_engine", engine)
    assert "vgather" not in compile("y[i] = A[i,j] * x[j]", formats={"A": CSR}, num_threads=1).assembly()


@pytest.mark.parametrize(("features", "gathers"), [("+avx2", True), ("+avx2" + cpu_engine._WITHOUT_GATHERS, False)])
def test_features_give_up_gathers(features, gathers):
    """For a processor on which LLVM takes them: on others it reads single elements whatever the features say."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(cpu="skylake", features=features)
    assert ("vgather" in machine.emit_assembly(llvm.parse_assembly(measuring_text()))) is gathers
