"""Gather instructions are given up where they are slower than single reads; no time of this machine is asserted."""

import ctypes
from itertools import cycle
from time import sleep
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from summed_segments import FILES, text_of_sums

from irtensor.runtime import cpu_engine, gather_speed
from irtensor.runtime.disk_cache import DiskCache
from irtensor.runtime.gather_speed import gathers_win

# (rows, columns, positions, coordinates, values, elements, vector, rows, result)
NUMBER, POINTER = ctypes.c_int64, ctypes.c_void_p
KERNEL = ctypes.CFUNCTYPE(ctypes.c_int32, NUMBER, NUMBER, POINTER, POINTER, POINTER, NUMBER, POINTER, NUMBER, POINTER)


def sleeping(seconds):
    def function(*_):
        sleep(seconds)
        return 0

    return KERNEL(function)


def address(function: Any) -> int:
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found is not None
    return found


@pytest.mark.parametrize("gathered, single, pays", [(0.001, 0.004, True), (0.004, 0.001, False)])
def test_the_faster_way_is_chosen(gathered, single, pays):
    functions = sleeping(gathered), sleeping(single)
    assert gathers_win(*map(address, functions)) is pays


def test_gathers_have_to_win():
    function = address(sleeping(0.001))
    assert not gathers_win(function, function)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_timed_is_what_the_compiler_makes(path):
    assert path.read_text() == text_of_sums(gathers=FILES[path]), "run python test/support/summed_segments.py"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("rows", gather_speed._ROWS)
def test_what_is_timed_multiplies(path, rows):
    arguments = gather_speed._arguments(*rows)
    _, columns, positions, coordinates, values, _, elements, _, result = arguments
    assert isinstance(columns, int)
    assert isinstance(elements, np.ndarray) and isinstance(result, np.ndarray)
    assert isinstance(positions, np.ndarray) and isinstance(coordinates, np.ndarray) and isinstance(values, np.ndarray)
    elements[:] = np.arange(columns)
    matrix = sp.csr_array((values, coordinates, positions), shape=(len(result), columns))
    lengths = np.diff(positions)
    assert (lengths.min(), lengths.max()) == (rows[0], sum(rows))
    native = cpu_engine.compile_llvm_text(path.read_text(), "kernel", effort="light")
    pointers = [one.ctypes.data if isinstance(one, np.ndarray) else one for one in arguments]
    assert KERNEL(native.address)(*pointers) == 0
    np.testing.assert_array_equal(result, matrix @ elements)


def new_engine(monkeypatch, tmp_path, pays, disk_cache=True):
    """An engine in a process that has none yet, and how often it was timed."""
    timed = []

    def answer(gathered, single):
        timed.append((gathered, single))
        return pays

    monkeypatch.setattr("irtensor.runtime.gather_speed.gathers_win", answer)
    monkeypatch.setenv("IRTENSOR_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("IRTENSOR_DISK_CACHE", str(int(disk_cache)))
    return cpu_engine._Engine(), timed


def test_it_is_timed_once_per_cache(monkeypatch, tmp_path):
    first, timed = new_engine(monkeypatch, tmp_path, False)
    assert len(timed) == 1
    second, timed = new_engine(monkeypatch, tmp_path, True)
    assert not timed
    assert first.features == second.features
    assert first.description() == second.description()
    assert not (first.gathers_pay or second.gathers_pay or second.has_masks)


def test_without_a_cache_each_engine_is_timed(monkeypatch, tmp_path):
    new_engine(monkeypatch, tmp_path, False)
    kept = sorted(tmp_path.rglob("*"))
    for pays in (True, False):
        engine, timed = new_engine(monkeypatch, tmp_path, pays, disk_cache=False)
        assert len(timed) == 1
        assert engine.gathers_pay is pays
    assert sorted(tmp_path.rglob("*")) == kept


@pytest.mark.parametrize("ratios, pays", [((0.7, 0.7, 0.7, 1.2), True), ((0.7, 1.2, 1.2, 1.2), False)])
def test_one_disturbed_measurement_decides_nothing(monkeypatch, ratios, pays):
    measured = cycle(ratios)
    monkeypatch.setattr("irtensor.runtime.gather_speed._ratio", lambda *_: next(measured))
    assert gathers_win(0, 0) is pays


@pytest.mark.parametrize("pays", [True, False])
def test_kernels_read_in_the_way_that_was_found(monkeypatch, tmp_path, pays):
    from irtensor import CSR, compile

    engine, _ = new_engine(monkeypatch, tmp_path, pays)
    monkeypatch.setattr(cpu_engine, "_engine", engine)
    monkeypatch.setattr(cpu_engine, "_description", None)
    kernel = compile("y[i] = A[i,j] * x[j]", formats={"A": CSR}, num_threads=1)
    code = kernel.ir("cpu")
    assert ("loop.gather" in code, "vector<8xf64>" in code, "vector<4xf64>" in code) == (pays, pays, not pays)
    if "+avx512vl" in engine.features:
        assert ("vgather" in kernel.assembly()) is pays


def test_what_was_found_is_known_without_the_engine(monkeypatch, tmp_path):
    cache = DiskCache(tmp_path)
    for pays in (True, False):
        engine, _ = new_engine(monkeypatch, tmp_path, pays, disk_cache=False)
        monkeypatch.setattr(cpu_engine, "_engine", engine)
        monkeypatch.setattr(cpu_engine, "_description", None)
        cpu_engine.target_description(cache)
        monkeypatch.setattr(cpu_engine, "_engine", None)
        assert cpu_engine.gathers_pay() is pays
        assert cpu_engine._engine is None


GATHER = """declare <4 x double> @llvm.masked.gather.v4f64.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x double>)
define <4 x double> @gathered(<4 x ptr> %x) {
  %read = call <4 x double> @llvm.masked.gather.v4f64.v4p0(<4 x ptr> %x, i32 8, <4 x i1> splat (i1 true), <4 x double> poison)
  ret <4 x double> %read
}
"""  # noqa: E501


@pytest.mark.parametrize(("features", "gathers"), [("+avx2", True), ("+avx2" + cpu_engine._WITHOUT_GATHERS, False)])
def test_features_give_up_gathers(features, gathers):
    """For a processor on which LLVM takes them: on others it reads single elements whatever the features say."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(cpu="skylake", features=features)
    assert ("vgather" in machine.emit_assembly(llvm.parse_assembly(GATHER))) is gathers
