"""Runs a text of the loop dialect natively and in the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from loop_machine import call_native, compile_module, duplicate, parse
from reference.interpret_loop import interpret_loop
from reference.loop_memory import Growable

from irtensor.runtime import emulator

Run = Callable[..., list[Any]]


@pytest.fixture
def run() -> Run:
    """Run a text natively and interpreted, check that both agree, and return the arguments afterwards."""

    def run(
        text: str,
        *arguments: Any,
        entry: str = "kernel",
        exact: bool = True,
        threads: int | None = None,
        **options: Any,
    ) -> list[Any]:
        module = parse(text)
        native, interpreted = ([duplicate(argument) for argument in arguments] for _ in range(2))
        assert call_native(compile_module(module, entry, **options), native, threads) == 0
        assert interpret_loop(module, entry, interpreted) == 0
        for a, b in zip(native, interpreted, strict=True):
            if isinstance(a, Growable):
                a, b = a.contents, b.contents
            if isinstance(a, np.ndarray):
                compare = np.testing.assert_array_equal if exact else np.testing.assert_allclose
                compare(a, b)
        return native

    return run


@pytest.fixture
def machine() -> SimpleNamespace:
    """The steps of `run`, for tests that need them one by one."""
    return SimpleNamespace(parse=parse, compile_module=compile_module, call_native=call_native)


@pytest.fixture(params=["forward", "backward", "shuffled"])
def order(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """In which order the emulator runs threads."""
    shuffled = request.param == "shuffled"
    monkeypatch.setattr(emulator, "order", np.random.default_rng(0) if shuffled else request.param)
    return request.param
