"""How many cases a test has: few in each run, all of them with --thorough."""

import random
from collections import defaultdict
from collections.abc import Sequence
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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # Who names a case wants to see it run.
    if not _thorough and not any("::" in argument for argument in config.args):
        kept = {item for item in sample_of_cases(items) if item.get_closest_marker("thorough") is None}
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]


def sample_of_cases(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """Of tests with the mark `one_in`, cases in which every parameter occurs, or as many as can in one case of n."""
    kept = {item for item in items if item.get_closest_marker("one_in") is None}
    of_function = defaultdict[str, list[pytest.Function]](list)
    for item in items:
        if item not in kept and isinstance(item, pytest.Function):
            of_function[item.nodeid.partition("[")[0]].append(item)
    for name, cases in of_function.items():
        mark = cases[0].get_closest_marker("one_in")
        assert mark is not None
        random.Random(name).shuffle(cases)
        kept.update(_covering(cases, -(-len(cases) // mark.args[0])))
    return kept


def _covering(cases: Sequence[pytest.Function], most: int) -> list[pytest.Function]:
    """At most so many cases: each has a parameter that none before has, and those with most of them come first."""
    # By identity: all cases share the values, which need not have a hash. pytest counts `indices` by case.
    parameters = [{(name, id(value)) for name, value in case.callspec.params.items()} for case in cases]
    occurred: set[tuple[str, int]] = set()
    chosen: list[pytest.Function] = []
    for new in range(max(map(len, parameters)), 0, -1):
        for case, own in zip(cases, parameters, strict=True):
            if len(own - occurred) >= new and len(chosen) < most:
                chosen.append(case)
                occurred |= own
    return chosen
