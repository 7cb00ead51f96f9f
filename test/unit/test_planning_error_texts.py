"""The whole text of the error of a planner that fails; see test_error_texts.py for those of the library."""

# ruff: noqa: E501 (messages are whole lines)

import numpy as np
import pytest
from check_error import check_error

import irtensor as it
from irtensor.planning.planner import planner_of


class Faulty:
    def plan(self, request, settings, operands=None, by=None, load=None):
        raise StopIteration("no more levels")


def test_planning_failed():
    def call():
        with planner_of(Faulty()):
            it.compile("y[i] = A[i,j] * x[j]", {"A": it.CSR}, schedule="auto")(A=np.eye(3), x=np.ones(3))

    check_error(
        call,
        "planning-failed",
        """error: [planning-failed] the search for a schedule ended in StopIteration (no more levels) in 'plan' of test_planning_error_texts.py
help: omit schedule='auto' and tune= to compile without a search; this is a fault of the planner: please report it with it.compile('y[i] = sum(j, A[i, j] * x[j])', {'A': '(i, j) -> (i : dense, j : compressed)'}, dtypes={'A': 'float64', 'x': 'float64'})""",
    )


REFUSED = [
    (
        lambda: it.compile("y[i] = a[i]", tune="format", schedule="auto"),
        """error: [bad-schedule] tune='format' measures kernels without a schedule, but schedule= gives one
help: omit one of them""",
    ),
    (
        lambda: it.compile("y[i] = a[i]", tune="format", convert=False),
        """error: [bad-schedule] tune='format' keeps operands converted, and convert=False allows no conversion
help: omit one of them""",
    ),
    (
        lambda: it.compile("y[i] = a[i]", tune="format", target="cuda"),
        """error: [bad-schedule] tune='format' measures on the CPU, and target='cuda' runs elsewhere
help: omit tune=, and store operands in other formats: .to_format(...)""",
    ),
    (
        lambda: it.compile_module("func.func @f() {}", tune="format"),  # pyrefly: ignore[bad-argument-type]
        """error: [bad-schedule] tune='format' is for compile and einsum, with operands that are not on a GPU
help: here operands have one format: convert them with .to_format, or give tune='operands' or 'samples'""",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_formats_that_are_not_measured(call, text):
    check_error(call, "bad-schedule", text)
