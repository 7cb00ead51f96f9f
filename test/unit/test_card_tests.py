"""The tests of test/gpu, which need a card, run here on an emulated one: they compile, call, compare, and can fail."""

from pathlib import Path
from typing import Any

import pytest
from cuda_stub import Ran, run_on_card

ROOT = Path(__file__).resolve().parents[2]
# Shows how many tests passed, and those that did not with their errors.
RUN = f"""
import os, pytest
os.chdir({str(ROOT)!r})

class Reports:
    def __init__(self):
        self.passed, self.others = 0, []

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.passed += 1
        elif not report.passed:
            self.others.append([report.nodeid, report.longreprtext])

def run_tests(*options):
    reports = Reports()
    status = pytest.main(["-q", "-p", "no:cacheprovider", *options], plugins=[reports])
    show(int(status), reports.passed, reports.others)
"""


def run_tests(*options: str, before: str = "", **settings: Any) -> Ran:
    return run_on_card(f"{RUN}\n{before}\nrun_tests(*{options!r})", **settings)


# Which tests, and how many there are at least.
@pytest.mark.parametrize(
    "tests, least",
    [
        ("test_dense_results or test_elements_of_any_type", 10),
        ("test_sparse_results", 5),
        ("test_counts_of_many_rows", 1),
        ("test_random_statements", 2),
        ("test_formats_by_operators", 2),
    ],
)
def test_statements(tests: str, least: int):
    status, passed, others = run_tests("test/gpu/test_statements.py", "-k", tests, IRTENSOR_CUDA="1").shown
    assert (status, others) == (0, []) and passed >= least


def test_wrong_results_are_seen():
    """Kernels that do nothing."""
    before = 'ctypes.CDLL("libcuda.so.1").stub_runs_kernels_by(None)'
    tests = "test_elements_of_any_type and int64 or test_counts_of_many_rows"
    ran = run_tests("test/gpu/test_statements.py", "-k", tests, before=before, IRTENSOR_CUDA="1")
    assert ran.shown[:2] == [1, 0] and len(ran.shown[2]) == 2


def test_nothing_runs_after_the_error_of_a_kernel():
    tests = "test/gpu/test_statements.py", "-k", "test_elements_of_any_type"
    ran = run_tests(*tests, IRTENSOR_CUDA="1", fail="cuLaunchKernel#1=700")
    assert ran.shown[1] == 0 and len(ran.shown[2]) == 1 and "[cuda-launch]" in ran.shown[2][0][1]


def test_kernels_with_many_arguments():
    """The driver of the tests has room for the arguments of any kernel."""
    names = [f"A{number}" for number in range(60)]
    ran = run_on_card(
        f"""
kernel = it.compile("y[i] = " + " + ".join(f"{{name}}[i]" for name in {names}), target="cuda")
show(kernel(**{{name: X for name in {names}}}).to_numpy().tolist())
"""
    )
    assert ran.shown == [[60.0, 120.0, 240.0]]
    assert max(len(call.split("arguments")[1].split()) for call in ran.named("cuLaunchKernel")) > 60


def test_without_being_asked_for():
    status, passed, others = run_tests("test/gpu/test_selftest.py", IRTENSOR_CUDA="0").shown
    assert (status, passed) == (0, 0) and "needs a card of NVIDIA: IRTENSOR_CUDA=1 runs it" in others[0][1]
