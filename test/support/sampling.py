"""How many cases a test has: few in each run, all of them with --thorough."""

import random
from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

import pytest

_Case = TypeVar("_Case")
_thorough = False


def few_or_many(few: _Case, many: _Case) -> _Case:
    """The first by default, the second with --thorough: numbers of examples, or lists of cases."""
    return many if _thorough else few


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="all cases, and LLVM optimises every kernel")


def pytest_configure(config: pytest.Config) -> None:
    global _thorough
    _thorough = config.getoption("--thorough")


def _takes_samples(config: pytest.Config) -> bool:
    # Who names a case wants to see it run.
    return not _thorough and not any("::" in argument for argument in config.args)


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Leave the cases of a test with the mark `one_in` that are not in the sample out before they are made.

    Each worker would make an item of all of them, of which there are four times as many as run.
    """
    mark = metafunc.definition.get_closest_marker("one_in")
    if mark is not None and _takes_samples(metafunc.config):
        calls = metafunc._calls
        kept = sample_of_cases(metafunc.definition.nodeid, [call.params for call in calls], mark.args[0])
        calls[:] = [calls[number] for number in sorted(kept)]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if _takes_samples(config):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("thorough") is not None])
        items[:] = [item for item in items if item.get_closest_marker("thorough") is None]


def sample_of_cases(name: str, cases: Sequence[Mapping[str, object]], one_in: int) -> list[int]:
    """Numbers of cases in which every parameter occurs, or as many as can in one case of `one_in`.

    A test draws the same cases in each run, by its name.
    """
    numbers = list(range(len(cases)))
    random.Random(name).shuffle(numbers)
    # By identity: all cases share the values, which need not have a hash.
    parameters = {number: {(one, id(value)) for one, value in cases[number].items()} for number in numbers}
    return _covering(parameters, -(-len(cases) // one_in))


def _covering(parameters: Mapping[int, Collection[tuple[str, int]]], most: int) -> list[int]:
    """At most so many cases: each has a parameter that none before has, and those with most of them come first."""
    occurred: set[tuple[str, int]] = set()
    chosen: list[int] = []
    for new in range(max(map(len, parameters.values()), default=0), 0, -1):
        for number, own in parameters.items():
            if len({*own} - occurred) >= new and len(chosen) < most:
                chosen.append(number)
                occurred.update(own)
    return chosen
