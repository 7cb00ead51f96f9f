"""Which cases of a test run by default, and when all of them do: see test/support/sampling.py."""

import os
import subprocess
import sys
from collections.abc import Collection
from itertools import product
from pathlib import Path

import pytest
from sampling import sample_of_cases

SUPPORT = Path(__file__).parents[1] / "support"
# A test of each kind: `test_few` has more values than cases, and `test_lists` values without a hash.
TESTS = """
import pytest

A, B, C = range(8), "xyz", [[], [1], {}]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("a", A)
@pytest.mark.parametrize("b", B)
def test_pairs(a, b): pass


@pytest.mark.one_in(2)
@pytest.mark.parametrize("c", C, ids=["none", "one", "map"])
@pytest.mark.parametrize("d", C, ids=["none", "one", "map"])
@pytest.mark.parametrize("e", C, ids=["none", "one", "map"])
def test_lists(c, d, e): pass


@pytest.mark.one_in(4)
@pytest.mark.parametrize("a", range(10))
def test_few(a): pass


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("a", "b"), [(a, b) for a in A for b in B if a % 3 == B.index(b)])
def test_together(a, b): pass


class TestGroup:
    @pytest.mark.one_in(2)
    @pytest.mark.parametrize("a", A)
    @pytest.mark.parametrize("b", B)
    def test_pairs(self, a, b): pass


@pytest.mark.parametrize("a", A)
def test_every(a): pass


@pytest.mark.thorough
def test_long(): pass
"""
# Values that are equal, and one without a hash: cases share them by identity.
FIRST, SECOND = [0, 0.0, True, 1, [2]], ["a", "b", "c"]
CASES = [{"first": first, "second": second} for first, second in product(FIRST, SECOND)]
ALL = {"test_pairs": 24, "test_lists": 27, "test_few": 10, "test_together": 8, "TestGroup::test_pairs": 24}
WHOLE = {"test_every": 8, "test_long": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sampled")
    (folder / "test_it.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  one_in\n  thorough\n")
    return folder


def collected(folder: Path, *arguments: str) -> dict[str, list[list[str]]]:
    """The cases that pytest would run, as the ids of their parameters, by the name of the test."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "sampling", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(SUPPORT)}
    ran = subprocess.run([*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found: dict[str, list[list[str]]] = {}
    for line in ran.stdout.splitlines():
        if line.startswith("test_it.py::"):
            name, _, case = line.removeprefix("test_it.py::").removesuffix("]").partition("[")
            found.setdefault(name, []).append(case.split("-"))
    return found


@pytest.fixture(scope="module")
def sample(folder: Path) -> dict[str, list[list[str]]]:
    return collected(folder)


def values(cases: Collection[list[str]]) -> list[set[str]]:
    """The values of each parameter."""
    return [set(column) for column in zip(*cases, strict=True)]


def test_every_value_occurs(sample: dict[str, list[list[str]]]):
    whole = {"none", "one", "map"}
    assert values(sample["test_lists"]) == [whole, whole, whole]
    # There is room for as many cases as the longest parameter has values, so that each has to have a new one.
    assert values(sample["test_pairs"]) == values(sample["TestGroup::test_pairs"]) == [{*"xyz"}, {*"01234567"}]
    assert len(sample["test_pairs"]) == len(sample["TestGroup::test_pairs"]) == 8
    assert len(sample["test_lists"]) < 9


def test_no_more_than_one_case_of_so_many(sample: dict[str, list[list[str]]]):
    assert len(sample["test_few"]) == 3 and len(sample["test_together"]) == 2
    assert len({*map(tuple, sample["test_few"])}) == 3


def test_other_tests_run_as_they_are(sample: dict[str, list[list[str]]]):
    assert len(sample["test_every"]) == 8 and "test_long" not in sample


def test_each_run_has_the_same_sample(
    folder: Path, sample: dict[str, list[list[str]]], monkeypatch: pytest.MonkeyPatch
):
    for seed in ("1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        assert collected(folder) == sample
    # A test alone has the sample that it has among others.
    assert collected(folder, "-k", "test_lists") == {"test_lists": sample["test_lists"]}


def test_thorough_runs_have_all(folder: Path):
    assert {name: len(cases) for name, cases in collected(folder, "--thorough").items()} == ALL | WHOLE


def test_who_names_a_test_gets_all_of_it(folder: Path):
    for name in ("test_lists", "test_long", "TestGroup"):
        cases = collected(folder, f"test_it.py::{name}")
        assert {one: len(found) for one, found in cases.items()} == {
            one: count for one, count in (ALL | WHOLE).items() if one.startswith(name)
        }
    assert collected(folder, "test_it.py::test_few[7]") == {"test_few": [["7"]]}


@pytest.mark.parametrize("name", ["test_a", "test_b", "test_c"])
def test_every_value_of_every_parameter_occurs(name):
    kept = [CASES[number] for number in sample_of_cases(name, CASES, 2)]
    assert len(kept) <= 8
    for parameter, values in (("first", FIRST), ("second", SECOND)):
        assert {id(case[parameter]) for case in kept} == {id(value) for value in values}


@pytest.mark.parametrize(("one_in", "most"), [(1, 15), (4, 4), (7, 3), (15, 1), (100, 1)])
def test_there_is_at_most_one_case_in_so_many(one_in, most):
    kept = sample_of_cases("test_a", CASES, one_in)
    assert len(kept) == len(set(kept)) <= most and set(kept) <= set(range(15))


def test_a_test_draws_the_same_cases_in_each_run_and_others_draw_others():
    draws = {tuple(sample_of_cases(f"test_{number}", CASES, 4)) for number in range(20)}
    assert sample_of_cases("test_1", CASES, 4) == sample_of_cases("test_1", CASES, 4)
    assert len(draws) > 10


def test_no_case_is_left_out_that_is_the_only_one_with_a_value():
    assert sorted(sample_of_cases("test_a", [{"first": number} for number in range(5)], 1)) == [0, 1, 2, 3, 4]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("second", [0, 1, 2])
def test_what_runs_of_this_one_is_a_sample(request: pytest.FixtureRequest, first: int, second: int) -> None:
    cases = [item for item in request.session.items if item.nodeid.startswith(request.node.nodeid.partition("[")[0])]
    named = any("::" in argument for argument in request.config.args)
    assert len(cases) == 9 if request.config.getoption("--thorough") else named or len(cases) <= 3
