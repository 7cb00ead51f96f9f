"""What cases take: the slowest ones are printed, and a run can be told when to end."""

import itertools
import json
import random
import time
from collections import defaultdict
from collections.abc import Sequence

import pytest

# A case that takes longer, in seconds, is remarked upon.
_LONG = 5
_STARTED = pytest.StashKey[float]()
_SESSION = pytest.StashKey[pytest.Session]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("time", "what there is time for")
    group.addoption("--groups", type=json.loads, metavar="JSON", help="lists of files: cases of a list take turns")
    group.addoption("--seconds", type=float, metavar="S", help="start no test later than this; print what was left")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_STARTED] = time.monotonic()


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.stash[_SESSION] = session


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    groups: Sequence[Sequence[str]] | None = config.getoption("--groups")
    if groups is not None:
        items[:] = in_turn(config, items, groups)


def in_turn(config: pytest.Config, items: Sequence[pytest.Item], groups: Sequence[Sequence[str]]) -> list[pytest.Item]:
    """Files of a group take turns, each with its cases in any order, so that those that there is time for differ."""
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        cases[item.path.relative_to(config.rootpath).as_posix()].append(item)
    for its in cases.values():
        random.Random(0).shuffle(its)
    rounds = (itertools.zip_longest(*(cases.get(file, []) for file in group)) for group in groups)
    return [case for group in rounds for round in group for case in round if case is not None]


def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    seconds = item.config.getoption("--seconds")
    is_late = seconds is not None and time.monotonic() > item.config.stash[_STARTED] + seconds
    return True if is_late else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The slowest cases, and those that there was no time for."""
    seconds = defaultdict[str, float](float)
    for report in itertools.chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid] += report.duration
    terminalreporter.section("slowest cases")
    for case, taken in sorted(seconds.items(), key=lambda item: -item[1])[:20]:
        remark = f"  more than {_LONG:g} s: split it" if taken > _LONG else ""
        terminalreporter.line(f"{taken:6.2f} s  {case}{remark}")
    collected = config.stash[_SESSION].testscollected
    if config.getoption("--seconds") is not None and len(seconds) < collected:
        left = collected - len(seconds)
        terminalreporter.line(f"{left} of {collected} cases did not run: the time was up", yellow=True)
