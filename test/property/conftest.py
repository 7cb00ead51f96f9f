"""Kernels of property tests are compiled with little optimisation, which is what most of their time would go to."""

from functools import partial

import pytest

from irtensor.runtime import cpu_engine


@pytest.fixture(autouse=True)
def light_effort(monkeypatch):
    compile_llvm_text = partial(cpu_engine.compile_llvm_text, effort="light")
    monkeypatch.setattr(cpu_engine, "compile_llvm_text", compile_llvm_text)
