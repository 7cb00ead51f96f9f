"""`irtensor.cuda.selftest`, on an emulated card."""

from __future__ import annotations

from cuda_stub import run_on_card, run_with_stub

# Few statements: test_cuda_kernels runs all of them.
FEW = """
from irtensor import cuda_selftest
cuda_selftest.GROUPS = ((cuda_selftest.GROUPS[0][1],),)
"""


def test_what_passes_and_with_which_card():
    ran = run_on_card(
        FEW
        + """
found = it.cuda.selftest()
show(found.card, found.processor, found.driver, [outcome.problem for outcome in found.outcomes], found.failed)
show(str(found).splitlines()[0], str(found).splitlines()[-1].split(",")[0])
del found
""",
        to_the_end=True,
    )
    assert ran.shown[:3] == ["GPU 0 (Stub 0)", "sm_90", "13.0"]
    assert len(ran.shown[3]) > 5 and not any(ran.shown[3]) and ran.shown[4] == []
    count = len(ran.shown[3])
    assert ran.shown[5:] == ["GPU 0 (Stub 0), sm_90, driver for CUDA 13.0", f"{count} of {count} passed"]
    assert ran.kept() == set()


def test_what_fails():
    """Kernels that do nothing: all that they should have written is missing, and that is said."""
    ran = run_on_card(
        FEW
        + """
ctypes.CDLL("libcuda.so.1").stub_runs_kernels_by(None)
found = it.cuda.selftest()
show([outcome.what for outcome in found.outcomes if not outcome.problem])
show(found.failed[-1].problem)
"""
    )
    assert ran.shown[0][0] == "copies there and back"
    assert "wrong storage is seen" not in ran.shown[0]
    assert "elements differ" in ran.shown[1]


def test_error_after_which_nothing_runs():
    """What comes after it was not tried."""
    ran = run_on_card(
        FEW
        + """
found = it.cuda.selftest()
show(len(found.outcomes), found.outcomes[-1].problem.split(":")[0], str(found).splitlines()[-1].split(",")[0])
""",
        fail="cuEventSynchronize=700",
    )
    assert ran.shown == [2, "UserError", "1 of 2 passed"]


def test_no_card():
    (said,) = run_with_stub("show(raised(it.cuda.selftest))", devices=0).shown
    assert said.startswith("UserError: error: [no-cuda] NVIDIA's driver finds no card on this machine")
