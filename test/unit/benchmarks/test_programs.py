"""The whole programs are right on small inputs, and their page says what was measured; no time is looked at."""

import json
from importlib import import_module
from pathlib import Path
from time import sleep

import numpy as np
import pytest
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[3]
pytest.importorskip("rich")
FOLDER = ROOT / "benchmarks" / "programs"
# What is no program.
MACHINERY = {"__init__", "graphs", "measure", "program", "report", "run"}
NAMES = sorted({path.stem for path in FOLDER.glob("*.py")} - MACHINERY)


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch):
    # The folder is not installed; first on the path, because another distribution has one of its name.
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", NAMES)
def test_every_way_gives_the_expected_result(name):
    module = import_module(f"benchmarks.programs.{name}")
    program = module.make(**module.SMALL)
    competitors = program.competitors()
    assert next(iter(competitors)) == "irtensor"
    assert {"SciPy", "NumPy"} & set(competitors)
    assert program.wrong(competitors) == []
    assert not set(program.absent()) & set(competitors)


def test_every_file_is_a_program_of_the_run():
    from benchmarks.programs import PROGRAMS

    assert sorted(name for names in PROGRAMS.values() for name in names) == NAMES
    assert len(NAMES) >= 20


def test_a_wrong_way_is_named_and_what_is_not_installed_too(monkeypatch):
    from benchmarks.programs import program

    monkeypatch.setattr(program, "library", {"PyTorch": np, "GraphBLAS": None}.get)
    right = np.array([1.0, np.inf])
    calls = {"irtensor": lambda: right, "SciPy": lambda: right * 1.001}
    makers = {"PyTorch": lambda module: lambda: module.ones(2), "GraphBLAS": lambda _: lambda: right}
    made = program.Program("", calls, lambda: right, makers)
    assert [*made.competitors()] == ["irtensor", "SciPy", "PyTorch"]
    assert made.wrong(made.competitors()) == ["SciPy", "PyTorch"]
    assert made.absent() == ["GraphBLAS"]


@pytest.mark.parametrize(
    "mine, theirs, same",
    [
        (np.array([1.0, np.inf]), np.array([1.0 + 1e-12, np.inf]), True),
        (np.array([1.0, 2.0]), np.array([1.0, np.inf]), False),
        (np.ones(2), np.ones((2, 1)), False),
        (sp.csr_array(np.eye(2)), sp.csr_array(np.eye(2)), True),
        (sp.csr_array(np.eye(2)), sp.csr_array(np.ones((2, 2))), False),
        ((np.ones(1), np.ones(1)), (np.ones(1), np.zeros(1)), False),
        ((np.ones(1),), (np.ones(1), np.ones(1)), False),
        (np.ones(2), np.full(2, np.nan), False),
    ],
)
def test_what_is_close(mine, theirs, same):
    from benchmarks.programs.program import close

    assert close(mine, theirs, 1e-9) == same


def test_calls_are_timed_by_the_clock_that_is_given():
    from benchmarks.interleave import interleaved

    ticks = iter(range(1000))
    timings = interleaved({"slow": lambda: sleep(0.002)}, seconds=0.0, fewest=3, clock=lambda: 5.0 * next(ticks))
    assert timings["slow"].rounds == (5.0, 5.0, 5.0)


# fmt: off
def rows():
    from benchmarks.programs.program import FEW
    from benchmarks.programs.report import Row

    won = Row("g", "page_rank", "PageRank", {"irtensor": 1e-3, FEW: 1.2e-3, "SciPy": 4e-3, "GraphBLAS": 5e-3},
              {FEW: 1.2, "SciPy": 4.0, "GraphBLAS": 5.0}, {"irtensor": 1.0, FEW: 2.0, "SciPy": 0.01}, [], [])
    lost = Row("h", "tucker", "Tucker", {"irtensor": 2e-3, "NumPy": 1e-3}, {"NumPy": 0.5},
               {"irtensor": 1.0, "NumPy": 1e-3}, ["NumPy"], ["PyTorch"])
    return [won, lost]
# fmt: on


def test_summary_names_wins_and_losses_alike():
    from benchmarks.programs.report import Results, summary

    first, above, few, parts, missing, wrong = summary(Results({}, rows()))
    # The root of 1/4 and 2.
    assert "over 2 programs: 0.71 in the geometric mean" in first and "Faster: 1, slower: 1." in first
    assert above == "- **Above 1.1**: tucker 2.00."
    assert "1 programs: 0.30 of" in few and few.endswith("Above 1.1: none.")
    assert parts == "- **Few statements over many**, above 1.05: page rank 1.20."
    assert missing.startswith("- **Not measured yet**: breadth first, bellman ford") and "tucker" not in missing
    assert wrong == "- **Wrong results**: tucker: NumPy."


def test_tables_have_all_times_and_what_is_not_installed():
    from benchmarks.programs.report import Results, first_table, steady_table

    names, _, won, lost = steady_table(Results({}, rows()))
    assert names == (
        "| program | irtensor | few statements | SciPy | NumPy | PyTorch | GraphBLAS | irtensor / fastest "
        "| few / irtensor |"
    )
    assert won == "| PageRank | 1 ms | 1.2 ms | **4 ms** |  |  | 5 ms | 0.25 | **1.20** |"
    assert lost == "| Tucker | 2 ms |  |  | **1 ms** | not installed |  | **2.00** |  |"
    assert [*first_table(Results({}, rows()))][2:] == [
        "| PageRank | 1 s | 2 s | 10 ms SciPy |",
        "| Tucker | 1 s |  | 1 ms NumPy |",
    ]


def test_results_are_read_as_they_were_written(tmp_path):
    from benchmarks.programs.report import Results

    Results({"processor": "a fast one"}, rows()).write(tmp_path / "programs.json")
    assert Results.read(tmp_path / "programs.json") == Results({"processor": "a fast one"}, rows())


def test_a_run_measures_draws_and_writes(tmp_path, capfd, monkeypatch):
    pytest.importorskip("matplotlib")
    from benchmarks.programs import measure, run

    # In this process: to start others takes most of the time.
    monkeypatch.setattr(run, "measured", lambda *arguments: measure.answer(list(arguments)))
    assert run.main(["--small", "--seconds", "0.01", "--output", str(tmp_path), "contingency_table"]) == 0
    (row,) = json.loads((tmp_path / "programs.json").read_text())["rows"]
    assert row["name"] == "contingency_table" and row["wrong"] == []
    # SciPy is faster than NumPy here or not: of the others the fastest is asked for a first call.
    assert {"irtensor", "NumPy", "SciPy"} <= set(row["seconds"]) and "irtensor" in row["first"]
    assert (tmp_path / "programs.png").read_bytes().startswith(b"\x89PNG")
    assert "| Contingency table" in (tmp_path / "programs.md").read_text()
    assert "Contingency table, 200 observations" in capfd.readouterr().out


def test_the_page_shows_every_program_or_says_that_it_is_not_measured():
    from benchmarks.programs import PROGRAMS
    from benchmarks.programs.report import Results, steady_table, summary

    results = Results.read(ROOT / "docs" / "benchmarks" / "programs.json")
    shown = {row.name for row in results.rows}
    (missing,) = [line for line in summary(results) if "Not measured" in line] or [""]
    for name in (name for names in PROGRAMS.values() for name in names):
        assert (name in shown) != (name.replace("_", " ") in missing)
    page = (ROOT / "docs" / "benchmarks" / "programs.md").read_text(encoding="utf-8")
    assert all(line in page for line in (*summary(results), *steady_table(results)))


def test_what_the_command_refuses(capsys):
    from benchmarks.programs.run import main

    for arguments, text in (
        (["pagerank"], "no such program: pagerank"),
        (["--docs", "--small"], "--docs is for full size"),
    ):
        with pytest.raises(SystemExit):
            main(arguments)
        assert text in capsys.readouterr().err
