"""Each cost by which programs and the division of loops are chosen can be measured again; no time is looked at."""

import io
import json
import math
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import pytest

from irtensor.passes.support.step_costs import ITERATIONS, STEPS

ROOT = Path(__file__).resolve().parents[3]
NAMES = [field.name for costs in (STEPS, ITERATIONS) for field in fields(costs)]
pytest.importorskip("rich")


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch):
    # The folder is not installed; first on the path, because another distribution has one of its name.
    monkeypatch.syspath_prepend(str(ROOT))


def test_each_cost_has_a_measurement_and_each_measurement_a_cost():
    from benchmarks.step_kernels import StepKernels

    measured = {name for name in vars(StepKernels) if not name.startswith("_")} - {"step", "iteration"}
    assert measured == {*NAMES} and len({*NAMES}) == len(NAMES)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NAMES)
def test_a_cost_is_measured(name):
    from benchmarks.step_costs import measure
    from benchmarks.step_kernels import StepKernels

    row = measure(name, StepKernels(0.01, 0.0), 1e-9)
    costs = STEPS if row.unit == "step" else ITERATIONS
    assert (row.name, row.stored) == (name, getattr(costs, name))
    assert math.isfinite(row.measured) and row.meaning


def test_each_cost_is_used():
    """What nothing reads needs no measurement."""
    texts = [
        path.read_text(encoding="utf-8") for folder in ("passes", "irtensor") for path in (ROOT / folder).rglob("*.py")
    ]
    used = {name for text in texts for name in re.findall(r"\b(?:STEPS|ITERATIONS)\.(\w+)", text)}
    assert used == {*NAMES}


class Kernels:
    """Everything takes 4 ns, a step 2 ns and an iteration 1 ns."""

    step, iteration = 2e-9, 1e-9

    def __getattr__(self, name):
        return lambda: 4e-9


def test_costs_are_in_their_own_units():
    from benchmarks.step_costs import PARTS, fitting_step, measure

    rows = [measure(name, cast(Any, Kernels()), 2e-9) for name in ("leave", "merge", "outer", *PARTS)]
    assert [row.measured for row in rows] == pytest.approx([2.0, 2.0, 4.0, 0.25, 0.25])
    assert [row.ratio for row in rows[:3]] == pytest.approx([1.0, 2.0, 2.0])
    # Costs of 2 and 1 steps, each of 4 ns.
    assert fitting_step(rows) == pytest.approx(3e-9)
    assert fitting_step(rows[2:]) is None


def test_the_table_shows_what_is_stored_and_what_is_measured():
    from rich.console import Console

    from benchmarks.step_costs import measure, table

    screen = io.StringIO()
    rows = [measure(name, cast(Any, Kernels()), 2e-9) for name in ("update", "lanes")]
    Console(file=screen, width=200).print(table(rows, 2e-9, 1e-9))
    title, *lines = screen.getvalue().splitlines()
    assert "one step is 2.00 ns, one iteration 1.00 ns" in title and "fit steps of 0.20 ns" in title
    shown = {cells[0]: cells[1:] for line in lines if len(cells := re.findall(r"[^│\s]+", line)) > 4}
    assert shown["update"][:5] == ["20", "2", "0.10×", "4.00", "ns"]
    assert shown["lanes"][:5] == ["4", "0.25", "0.06×", "4.00", "ns"]


def test_what_is_measured_is_printed_and_kept_as_json(monkeypatch, capsys, tmp_path):
    from benchmarks import step_costs

    monkeypatch.setattr(step_costs, "StepKernels", lambda scale, seconds: Kernels())
    command = ["step_costs", "leave", "fills", "--json", "--step", "8", "--output", str(tmp_path)]
    monkeypatch.setattr("sys.argv", command)
    assert step_costs.main() == 0
    found = json.loads(capsys.readouterr().out)
    assert found == json.loads((tmp_path / "step_costs.json").read_text(encoding="utf-8"))
    assert found["units"] == {"step": 8e-9, "iteration": 1e-9}
    assert [(row["name"], row["measured"]) for row in found["costs"]] == [("leave", 0.5), ("fills", 0.25)]


def test_a_cost_that_does_not_exist_is_refused(monkeypatch, capsys):
    from benchmarks import step_costs

    monkeypatch.setattr("sys.argv", ["step_costs", "nothing"])
    with pytest.raises(SystemExit):
        step_costs.main()
    assert "no such cost: nothing" in capsys.readouterr().err
