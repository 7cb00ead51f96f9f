"""Kernels of property tests are compiled with little optimisation, which is what most of their time would go to."""

from functools import partial

import pytest

from irtensor.runtime import cpu_engine


@pytest.fixture(autouse=True)
def light_effort(monkeypatch):
    compile_llvm_text = partial(cpu_engine.compile_llvm_text, effort="light")
    monkeypatch.setattr(cpu_engine, "compile_llvm_text", compile_llvm_text)
    # Kernels of so little effort are not for others.
    monkeypatch.setenv("IRTENSOR_DISK_CACHE", "0")


@pytest.fixture
def hardly_any_effort(light_effort, monkeypatch):
    """Machine code as it comes, in a tenth of the time; every sixteenth kernel is optimised as usual.

    What only optimisation brings to light, such as a wrong promise about aliases, does not depend on the formats.
    """
    engine = cpu_engine._get_engine()
    target = engine.llvm.Target.from_default_triple()
    machine = target.create_target_machine(cpu=engine.cpu, features=engine.features, opt=0, reloc="pic")
    full = partial(cpu_engine.compile_llvm_text, effort="full")
    numbers = iter(range(1 << 32))

    def compile_llvm_text(text, entry, *, imports={}, exports=(), **options):
        if next(numbers) % 16 == 0:
            return full(text, entry, imports=imports, exports=exports, **options)
        return engine.link((machine.emit_object(engine.parse(text)),), entry, imports, exports)

    monkeypatch.setattr(cpu_engine, "compile_llvm_text", compile_llvm_text)
