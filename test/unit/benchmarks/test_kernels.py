"""The benchmarked kernels run and are right on small inputs; no time is looked at."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def benchmarks(monkeypatch):
    # The folder is not installed; first on the path, because another distribution has one of its name.
    monkeypatch.syspath_prepend(str(ROOT))
    return pytest.importorskip("benchmarks.kernels")


CASES = ("spmv", "spmm", "sddmm", "sddmm_strided", "mttkrp", "product", "addition", "ttv", "ttm")


@pytest.mark.parametrize("name", CASES)
def test_result(benchmarks, name):
    case = benchmarks.CASES[name](0.002)
    assert case.check(case.competitors[benchmarks.OURS](), case.competitors[case.reference]())
    for competitor in case.competitors.values():
        competitor()


def test_ratio_is_the_median_over_rounds(benchmarks):
    from benchmarks.interleave import Timing, ratio

    timings = {"a": Timing("a", (1.0, 2.0, 1.0)), "b": Timing("b", (3.0, 8.0, 1.0))}
    assert ratio(timings, "a", "b") == 3.0
