"""Runs joined by compiled code, and by the interpreter, against a search for them in dense rows."""

from itertools import groupby
from typing import Any

import numpy as np
import pytest
from loop_machine import parse
from reference.interpret_loop import interpret_loop

from irtensor.runtime import join_runs
from irtensor.runtime.loop_text import text_of_loops

EXTENT = 9
Row = list[tuple[int, int, Any]]


def rows_of_runs(seed: int, dtype: str, has_gaps: bool) -> tuple[np.ndarray[Any, Any], list[Row]]:
    """Rows, and runs that make each of them, some of which could be one; the fill value is 2."""
    rng = np.random.default_rng(seed)
    rows, runs = np.full((7, EXTENT), 2).astype(dtype), list[Row]()
    for row in rows:
        ends = np.unique(np.append(rng.integers(1, EXTENT, rng.integers(0, 8)), EXTENT))
        found = []
        for begin, end in zip([0, *ends[:-1]], ends, strict=True):
            if not has_gaps or rng.random() < 0.6:
                row[begin:end] = rng.integers(0, 3)
                found.append((int(begin), int(end), row[begin]))
        runs.append(found)
    if has_gaps:
        rows[2], runs[2] = 2, []
    return rows, runs


def runs_in(row: np.ndarray[Any, Any], covers: bool) -> Row:
    """The longest runs of equal values; without those of the fill value where there are gaps."""
    found, begin = [], 0
    for value, equal in groupby(row):
        end = begin + len(list(equal))
        if covers or value != 2:
            found.append((begin, end, value))
        begin = end
    return found


@pytest.mark.parametrize("covers", [False, True])
@pytest.mark.parametrize("has_gaps", [False, True])
@pytest.mark.parametrize(("dtype", "width"), [("f8", "i4"), ("i1", "i2"), ("f4", "i8"), ("i2", "i1")])
def test_runs_are_as_long_as_they_can_be(dtype, width, has_gaps, covers, monkeypatch):
    monkeypatch.setattr(join_runs, "_STRIP", 10)
    for seed in range(5):
        rows, runs = rows_of_runs(seed, dtype, has_gaps)
        listed = [run for row in runs for run in row]
        positions = np.cumsum([0, *map(len, runs)]).astype(width)
        begins, ends = (np.array([run[place] for run in listed], width) for place in (0, 1))
        values = np.array([run[2] for run in listed], dtype)
        expected = [runs_in(row, covers) for row in rows]
        given = begins if has_gaps else None
        found = join_runs.join_runs(positions, given, ends, values, 2, EXTENT, covers)
        assert found is not None
        joined = [*zip(found.begins, found.ends, found.values, strict=True)]
        assert [joined[a:b] for a, b in zip(found.positions, found.positions[1:], strict=False)] == expected
        assert (found.ends.dtype, found.values.dtype) == (ends.dtype, values.dtype)


@pytest.mark.parametrize("covers", [0, 1])
def test_nothing_outside_of_arrays_is_touched(covers):
    """The interpreter checks each access; room is for all runs, the gaps, and one run more."""
    rows, runs = rows_of_runs(1, "i8", has_gaps=True)
    listed = [run for row in runs for run in row]
    positions, number = np.cumsum([0, *map(len, runs)]), len(listed)
    begins, ends, values = (np.array([run[place] for run in listed]) for place in range(3))
    room = number + 1 + covers * (number + len(rows))
    new, to = [np.zeros(room, np.int64) for _ in range(3)], np.zeros(len(rows) + 1, np.int64)
    module = parse(text_of_loops("join_runs", position=8, coordinate=8, element=8))

    def call(positions: Any, first: int, last: int) -> int:
        numbers = map(np.int64, (1, covers, EXTENT, number, first, last))
        return interpret_loop(module, "join", [positions, begins, ends, values, np.array([2]), to, *new, *numbers])

    assert call(positions, 0, 3) == 0 and call(positions, 3, len(rows)) == 0
    assert to[-1] == sum(len(runs_in(row, bool(covers))) for row in rows)
    begins[0] = -1
    assert call(positions, 0, len(rows)) == 0
    for wrong in (np.where(positions == number, number + 1, positions), positions[::-1].copy(), positions - 1):
        assert call(wrong, 0, len(rows)) == 2
