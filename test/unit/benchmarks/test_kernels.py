"""The benchmarked cases run and are right on small inputs, and reports say what was measured; no time is looked at."""

import io
import itertools
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[3]
pytest.importorskip("rich")


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch):
    # The folder is not installed; first on the path, because another distribution has one of its name.
    monkeypatch.syspath_prepend(str(ROOT))


KERNELS = {
    "matrices": (
        "spmv", "spmv_mesh", "spmv_hypersparse", "small_spmv", "spmm", "sddmm", "sddmm_strided", "product", "addition",
        "addition_of_four",
    ),
    "matrix_vector": (
        "spmv_fem", "spmv_banded", "spmv_laplacian", "spmv_coo", "spmv_csc", "spmv_bcsr", "transposed", "residual",
    ),
    "sparse_results": (
        "product_uniform", "product_power_law", "product_mesh", "product_of_short_rows", "product_unsorted",
        "addition_of_five", "addition_of_eight", "masked_product", "triangles", "triangles_mesh",
    ),
    "tensors": (
        "mttkrp", "mttkrp_sparse", "mttkrp_sparser", "mttkrp_sparse_rows", "mttkrp_sparse_fibers", "ttv", "ttm",
        "csf_addition", "csf_addition_short",
    ),
    "data": ("csr_to_csc", "csr_to_coo", "csr_to_bcsr", "coo_to_csr", "read_mtx"),
}  # fmt: skip


@pytest.mark.one_in(8)
@pytest.mark.parametrize("module, name", [(module, name) for module, names in KERNELS.items() for name in names])
def test_all_competitors_agree(module, name):
    case = import_module(f"benchmarks.{module}").CASES[name](0.002)
    assert next(iter(case.calls)) == "irtensor"
    assert case.reference in ("SciPy", "NumPy")
    assert case.wrong() == []


@pytest.mark.parametrize("module", KERNELS)
def test_every_case_is_tested(module):
    cases = import_module(f"benchmarks.{module}")
    # Those of PyAMG are there if it is installed.
    assert set(cases.CASES) - set(getattr(cases, "GALLERY", ())) == set(KERNELS[module])


def test_small_real_matrices(monkeypatch):
    from benchmarks import matrix_vector

    def small(name):
        return sp.csr_array(sp.random_array((20, 20), density=0.2, rng=0))

    monkeypatch.setattr(matrix_vector, "gallery", small)
    for make in matrix_vector.GALLERY.values():
        assert make(1.0).wrong() == []


def test_a_wrong_result_is_named():
    from benchmarks.case import Case

    right = sp.eye_array(3, format="csr")
    case = Case("", None, {"irtensor": lambda: right, "SciPy": lambda: right, "other": lambda: 1.001 * right})
    assert case.wrong() == ["other"]


def test_results_of_other_shape_do_not_agree():
    from benchmarks.case import agree

    assert agree(np.ones((2, 0)), np.ones((2, 0)))
    assert not agree(np.ones((2, 1)), np.ones((2, 2)))


def test_ratio_is_the_median_over_rounds():
    from benchmarks.interleave import Timing, ratio

    timings = {"a": Timing("a", (1.0, 2.0, 1.0)), "b": Timing("b", (3.0, 8.0, 1.0))}
    assert ratio(timings, "a", "b") == 3.0


@pytest.fixture
def results():
    from benchmarks.report import Results, Row

    rows = [
        Row("g", "spmv", "SpMV", 1.25e-3, {"SciPy": 2e-3, "MKL": 1e-3}, {"SciPy": 1.6, "MKL": 0.8}, 1.4, []),
        Row("h", "mttkrp", "MTTKRP", 2.0, {"NumPy": 4.0}, {"NumPy": 2.0}, 5.0, ["NumPy"]),
    ]
    return Results({"processor": "a fast one"}, 1.0, rows, {"SpMV": {"loop": 0.01, "total": 0.02}}, {"einsum": 1e-5})


def test_results_survive_a_file(results, tmp_path):
    results.write(tmp_path / "results.json")
    assert type(results).read(tmp_path / "results.json") == results


def test_markdown_marks_the_fastest_peer_and_the_goal(results):
    from benchmarks.report import markdown

    assert list(markdown(results)) == [
        "| kernel | irtensor | SciPy or NumPy | MKL | goal |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| SpMV | 1.25 ms | 1.60× SciPy | **0.80×** | 1.4× ✓ |",
        "| MTTKRP | 2 s | **2.00× NumPy** |  | 5× ✗ |",
    ]


def test_compiling_is_measured_by_the_stages_of_the_pipelines(monkeypatch):
    """Nothing that a compilation takes is left out, and the table in docs/ has the stages that there are."""
    from benchmarks import latency
    from benchmarks.report import Results
    from irtensor.passes.pipelines import TARGETS, stages_to

    # Every number is of this clock: differences of whole numbers.
    ticks = map(float, itertools.count())
    monkeypatch.setattr(latency, "process_time", lambda: next(ticks))
    kernels = []
    compile_fresh = latency.compile_fresh
    monkeypatch.setattr(latency, "compile_fresh", lambda *args: kernels.append(compile_fresh(*args)) or kernels[-1])
    stored = Results.read(ROOT / "docs" / "benchmarks" / "results.json").compile_seconds
    stages = stages_to(TARGETS["cpu"])
    assert [*stored] == [title for title, *_ in latency.STATEMENTS]
    assert latency.COLUMNS[: len(stages)] == stages
    for title, notation, formats, result in latency.STATEMENTS:
        times = latency.stage_times(notation, formats, result)
        assert kernels[-1].seconds == times
        assert all(seconds.is_integer() and seconds > 0 for name, seconds in times.items() if name != "planning")
        assert [*stored[title]] == [*times] == [*latency.COLUMNS]


def test_compiling_is_the_least_of_the_rounds_without_the_first(monkeypatch):
    from benchmarks import latency

    made = iter([1.0, *([2.0] * 10), *map(float, range(33, 0, -1))])
    monkeypatch.setattr(latency, "stage_times", lambda *_: dict.fromkeys(latency.COLUMNS, next(made)))
    table = latency.compile_latency(rounds=3)
    assert [times["total"] for times in table.values()] == [float(n) for n in range(11, 0, -1)]


def test_a_table_of_another_machine_says_so(results):
    from benchmarks.report import compile_table

    results.compile_seconds = {"SpMV": {"llvm": 0.0021, "total": 0.0421}}
    alone = list(compile_table(results))
    assert alone[0] == "| statement | llvm | total | budget |" and alone[2:] == ["| SpMV | 2.1 | 42.1 | 40 ms ✗ |"]
    results.compile_machine = dict(results.machine)
    assert list(compile_table(results)) == alone
    results.compile_machine["processor"] = "another"
    assert list(compile_table(results))[4:] == [
        "This table alone was measured on another [machine](#the-machine) than the others: processor another."
    ]


def test_budgets():
    from benchmarks.report import budget

    assert budget("SpMV", 0.0399) == "40 ms ✓"
    assert budget("import irtensor", 0.031) == "30 ms ✗"
    assert budget("numpy.einsum", 1.0) == ""


def test_absent_libraries_are_left_out(monkeypatch):
    from benchmarks import eigen, mlir_sparsifier, peers

    monkeypatch.setattr(eigen, "_library", lambda: None)
    monkeypatch.setattr(mlir_sparsifier, "tools", lambda: None)
    monkeypatch.setattr(peers, "LIBRARIES", [(name, "absent_module", "absent") for name, *_ in peers.LIBRARIES])
    peers.library.cache_clear()
    try:
        matrix = sp.eye_array(3, format="csr")
        assert peers.product_with_dense(matrix, np.ones(3)) == peers.addition(matrix, matrix) == {}
        assert peers.product_with_stored(matrix, np.ones(3)) == peers.sparse_product(matrix, matrix, True) == {}
        assert mlir_sparsifier.calls("y(i) = A(i,j) * x(j)", "ij", A=matrix, x=np.ones(3)) == {}
        assert set(peers.versions().values()) == {None}
    finally:
        peers.library.cache_clear()


def test_the_terminal_shows_wrong_results(results):
    from rich.console import Console

    from benchmarks.report import show

    screen = io.StringIO()
    show(Console(file=screen, width=150), results)
    assert "MTTKRP  WRONG: NumPy" in screen.getvalue()
    assert "SpMV  WRONG" not in screen.getvalue()


def test_chart(results, tmp_path):
    pytest.importorskip("matplotlib")
    from benchmarks.chart import plot

    assert plot(results.rows, "a note", tmp_path / "ratios.png")
    assert (tmp_path / "ratios.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("seconds, shown", [(-1.16e-3, "< 1 ms"), (0.0009, "< 1 ms"), (0.0012, "1.2 ms")])
def test_a_difference_within_noise_is_shown_as_a_bound(seconds, shown):
    report = import_module("benchmarks.report")
    table = "\n".join(report.seconds_table("a new process", {"import irtensor": seconds}, report.START_RESOLUTION))
    assert f"| import irtensor | {shown} | 30 ms ✓ |" in table
    results = report.Results({}, 1.0, start_seconds={"import irtensor": seconds})
    console = import_module("rich.console").Console(file=io.StringIO(), width=120)
    report.show(console, results)
    assert f" {shown} " in console.file.getvalue()


def test_our_call_on_one_thread_has_a_process_of_its_own():
    import multiprocessing

    from benchmarks.matrices import CASES
    from benchmarks.on_one_thread import on_one_thread

    with on_one_thread(CASES["spmv"], 0.002) as call:
        call()
        call()
        (process,) = multiprocessing.active_children()
    assert process.exitcode == 0
