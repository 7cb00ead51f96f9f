"""Settings of every Python test."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# A run that decides whether a change lands draws the same examples each time; other runs look further.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture
def small_parts() -> Iterator[None]:
    """Kernels divide work among threads however little it is. Contexts stay: cached kernels have their addresses."""
    from irtensor.runtime import thread_pool

    def set_grain(grain: int) -> None:
        thread_pool.GRAIN = grain
        for context in thread_pool._state.contexts.values():
            context.grain = grain

    before = thread_pool.GRAIN
    set_grain(1)
    yield
    set_grain(before)
