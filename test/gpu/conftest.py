"""Tests here run on a card, where IRTENSOR_CUDA=1 asks for it; `make test-gpu` does."""

import os
from collections.abc import Generator

import pytest

from irtensor.errors import UserError


@pytest.fixture(autouse=True)
def asked_for() -> None:
    if os.environ.get("IRTENSOR_CUDA") != "1":
        pytest.skip("needs a card of NVIDIA: IRTENSOR_CUDA=1 runs it")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    error = None if call.excinfo is None else call.excinfo.value
    if isinstance(error, UserError) and error.slug in ("no-cuda", "cuda-launch"):
        item.session.shouldstop = f"no other test of this process can run on a GPU: {error}"
    return report
