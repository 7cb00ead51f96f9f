"""A bar that follows work which takes long, on a terminal only."""

import io
import sys

import pytest

from irtensor.io import progress
from irtensor.io.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def seconds(monkeypatch):
    """Time that is told: the last number of a list."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[-1])
    return now


def _shown(stream, seconds, monkeypatch, **options):
    monkeypatch.setattr(sys, "stderr", stream)
    bar = Progress("reading a file", 2000, **options)
    bar.update(10)
    early = stream.getvalue()
    seconds.append(5.0)
    bar.update(1000)
    bar.update(2000)
    bar.close()
    return early, stream.getvalue()


def test_a_bar_appears_after_a_second(seconds, monkeypatch):
    pytest.importorskip("rich")
    early, late = _shown(Terminal(), seconds, monkeypatch)
    assert early == "" and "reading a file" in late and "2000/2000" in late


def test_bytes_are_told_in_larger_units(seconds, monkeypatch):
    pytest.importorskip("rich")
    assert "2.0/2.0 kB" in _shown(Terminal(), seconds, monkeypatch, in_bytes=True)[1]


def test_scripts_see_nothing(seconds, monkeypatch):
    assert _shown(io.StringIO(), seconds, monkeypatch) == ("", "")


def test_nothing_is_shown_without_rich(seconds, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert _shown(Terminal(), seconds, monkeypatch) == ("", "")
