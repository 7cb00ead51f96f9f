"""benchmarks/gpu.py, on an emulated card: it runs from end to end and compares results; its times mean nothing."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import stand_in_cupy
from cuda_assembler import assemble, needs_ptxas
from cuda_stub import run_on_card, run_with_stub

ROOT = Path(__file__).resolve().parents[3]
pytest.importorskip("rich")
pytest.importorskip("scipy")
BEGIN = f"""
sys.path.insert(0, {str(ROOT)!r})
from benchmarks import gpu, gpu_cases, gpu_timing
"""
KERNELS = ["spmv", "spmm32", "spmm128", "sddmm", "addition", "product", "spgemm", "mttkrp"]
# Times of a variant, in seconds.
FAST, SLOW = (dict(flushed=t, cached=t, call=t, host=t, runs=1) for t in (1e-3, 2e-3))


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch):
    # The folder is not installed; first on the path, because another distribution has one of its name.
    monkeypatch.syspath_prepend(str(ROOT))


def run_small(folder, *options, before=""):
    """What gpu.json says after a run with few entries, and the status of the program."""
    given = [*options, "--output", str(folder), "--flush", "1", "--copy", "1", "--warm-up", "1", "--runs", "10"]
    ran = run_on_card(
        f"""{BEGIN}
card.idle.add(gpu_timing.DELAY.encode())
{before}
show(gpu.main({given!r}))
""",
        to_the_end=True,
    )
    assert ran.kept() == set()
    return json.loads((folder / "gpu.json").read_text()), ran


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kernel", KERNELS)
def test_all_of_a_run(kernel, tmp_path):
    few = [] if kernel == "spmv" else ["--matrices", "skewed"]
    stored, ran = run_small(tmp_path, kernel, "--entries", "200", "--seconds", "0.1", *few)
    assert ran.shown == [0]
    assert (stored["status"], stored["machine"]["card"]) == ("measured", "Stub 0")
    assert stored["copy_bandwidth"] > 0
    assert [row["matrix"] for row in stored["rows"]] == (few[1:] or ["uniform", "rmat", "fem", "skewed"])
    for row in stored["rows"]:
        assert row["failed"] == {} and [*row["times"]] == ["irtensor"]
    assert all((name in stored["absent"]) != (name in stored["machine"]) for name in ("CuPy", "PyTorch"))
    # 1 MB before each of ten runs.
    flushes = [call for call in ran.named("cuMemsetD32Async") if call.split()[2] == str(1 << 18)]
    assert len(flushes) == sum(times["runs"] for row in stored["rows"] for times in row["times"].values())
    # In nanoseconds: 20 µs at least, 1 ms at most.
    waits = [int(call.split()[-1], 16) for call in ran.named("cuLaunchKernel") if call.split()[1] == "wait_for"]
    assert waits and 20_000 <= min(waits) <= max(waits) <= 1_000_000


def test_every_kernel_is_tested():
    assert [*import_module("benchmarks.gpu_cases").KERNELS] == KERNELS


def test_a_wrong_result_is_not_timed(tmp_path):
    """Kernels that do nothing: no time is given for them, and the program fails."""
    stored, ran = run_small(
        tmp_path, "spmv", "--entries", "200", before='ctypes.CDLL("libcuda.so.1").stub_runs_kernels_by(None)'
    )
    assert ran.shown == [1]
    assert all(row["times"] == {} for row in stored["rows"])
    assert all(row["failed"]["irtensor"].startswith("wrong by ") for row in stored["rows"])
    assert "FAILED" in (tmp_path / "gpu.md").read_text()


def test_float32(tmp_path):
    stored, _ = run_small(tmp_path, "spmv", "--entries", "200", "--dtype", "float32", "--matrices", "uniform")
    assert stored["rows"][0]["failed"] == {}


def test_no_card(tmp_path):
    command = [sys.executable, str(ROOT / "benchmarks" / "gpu.py"), "--output", str(tmp_path)]
    # A card that is there is hidden.
    ran = subprocess.run(command, capture_output=True, text=True, env={"CUDA_VISIBLE_DEVICES": "", "PATH": ""})
    assert ran.returncode == 2 and ran.stderr.startswith("error: [no-cuda] ") and ran.stdout == ""
    assert not [*tmp_path.iterdir()]


def test_no_card_behind_the_driver():
    ran = run_with_stub(f"{BEGIN}\nsys.stderr = sys.stdout\nshow(gpu.main(['spmv']))", devices=0)
    assert ran.shown == [2]


@needs_ptxas
@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_the_kernel_that_waits_is_assembled(arch, tmp_path):
    assert "0 bytes stack frame" in assemble(import_module("benchmarks.gpu_timing").DELAY, arch, tmp_path)


def test_the_page_has_what_was_measured():
    """Numbers in docs/ have their card and their date; without a run there are none."""
    results = import_module("benchmarks.gpu_report").Results.read(ROOT / "docs" / "benchmarks" / "gpu.json")
    if results.status == "not measured":
        assert results == type(results)()
    else:
        assert results.date and results.machine["card"] and results.rows and results.copy_bandwidth


@pytest.fixture
def results():
    report, times = import_module("benchmarks.gpu_report"), import_module("benchmarks.gpu_timing").Times
    rows = []
    for matrix, mine, cupy, torch in (("uniform", FAST, SLOW, FAST), ("rmat", SLOW, FAST, SLOW)):
        variants = {"irtensor": mine, "CuPy": SLOW, "CuPy CSR algorithm 1": cupy, "PyTorch COO": torch}
        timed = {name: times(**given) for name, given in variants.items()}
        rows.append(report.Row("SpMV", matrix, 10**6, 999_999, 10**6, timed, {"PyTorch CSR": "not right"}))
    machine = {"card": "a fast one", "driver for CUDA": "13.0"}
    return report.Results("measured", "2026-01-01", machine, {}, 2e9, {"CuPy": "not installed"}, rows)


def test_the_best_variant_counts(results):
    report = import_module("benchmarks.gpu_report")
    first, second = report.kernel_lines(results)
    assert first == ["SpMV", "uniform", "999,999", "1 ms", "50 %", "2.00×", "1.00×", "1 ms", "2.00×", "1.00×"]
    assert second[5:7] == ["0.50×", "1.00×"]
    # The faster of both: 1 and a half.
    assert [*report.mean_lines(results)] == [["SpMV", "1,000,000", "1.00×", "1.00×", "0.71×", "1× ✗"]]


def test_all_is_written_and_read(results, tmp_path):
    results.write(tmp_path / "gpu.json")
    assert type(results).read(tmp_path / "gpu.json") == results
    page = "\n".join(import_module("benchmarks.gpu_report").markdown(results))
    assert (
        "- CuPy is skipped: not installed" in page
        and "- SpMV, uniform, 999,999 entries: PyTorch CSR: not right" in page
    )
    assert "| date | 2026-01-01 |" in page and "2 GB/s" in page


def test_nothing_measured_has_no_table():
    report = import_module("benchmarks.gpu_report")
    assert [*report.markdown(report.Results())] == ["Not measured: nobody has run this on a card yet."]


@pytest.mark.parametrize("kernel", KERNELS)
def test_variants_of_pytorch_are_right(kernel, monkeypatch):
    """On the CPU, where PyTorch is installed."""
    torch = pytest.importorskip("torch")
    peers, variants = import_module("benchmarks.gpu_peers"), import_module("benchmarks.gpu_torch")
    monkeypatch.setattr(variants, "DEVICE", "cpu")
    monkeypatch.setattr(peers, "library", lambda name: torch if name == "PyTorch" else None)
    case = import_module("benchmarks.gpu_cases").KERNELS[kernel]("uniform", 2000, "float64")
    calls = {name: prepare for name, prepare in case.variants.items() if name.startswith("PyTorch")}
    assert calls and {name: case.problem(prepare()()) for name, prepare in calls.items()} == dict.fromkeys(calls, "")


@pytest.mark.parametrize("kernel", KERNELS)
def test_variants_of_cupy_are_right(kernel, monkeypatch):
    """With SciPy in place of CuPy: functions and arguments are those that it has."""
    modules = stand_in_cupy.modules()
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    peers, variants = import_module("benchmarks.gpu_peers"), import_module("benchmarks.gpu_cupy")
    for module in (peers, variants):
        monkeypatch.setattr(module, "library", lambda name: modules["cupy"] if name == "CuPy" else None)
    case = import_module("benchmarks.gpu_cases").KERNELS[kernel]("uniform", 2000, "float64")
    calls = {name: prepare for name, prepare in case.variants.items() if name.startswith("CuPy")}
    assert len(calls) == {"spmv": 5, "spmm32": 8, "spmm128": 8, "mttkrp": 2}.get(kernel, 1)
    assert {name: case.problem(prepare()()) for name, prepare in calls.items()} == dict.fromkeys(calls, "")


@pytest.mark.parametrize("name", ["uniform", "rmat", "fem", "skewed"])
def test_matrices(name):
    cases = import_module("benchmarks.gpu_cases")
    made = cases.matrix(name, 20_000, "float32")
    assert made.indices.dtype == made.indptr.dtype == np.int32 and made.dtype == np.float32
    assert 0.5 * 20_000 < made.nnz <= 20_000 * 1.1 and made.has_canonical_format
    longest, mean = np.diff(made.indptr).max(), made.nnz / made.shape[0]
    assert (longest > 5 * mean) == (name in ("rmat", "skewed"))
