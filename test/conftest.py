"""Settings of every Python test."""

import gc
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import HealthCheck, settings

# Hundreds of programs that tests start import irtensor, and each worker all tests. Without bytecode, as some containers
# have it, each compiles every module anew, and pytest rewrites every assertion.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# No test fails because the machine is busy. A run that decides whether a change lands draws the same examples each
# time; other runs look further.
settings.register_profile(
    "irtensor",
    derandomize=bool(os.environ.get("CI")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("irtensor")
pytest_plugins = ["sampling", "case_times"]


@pytest.fixture(autouse=True)
def little_effort(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled with little effort, but with --thorough as for users."""
    import effort

    from irtensor.runtime import cpu_engine

    if not request.config.getoption("--thorough"):
        monkeypatch.setattr(cpu_engine, "compile_llvm_text", effort.compile_llvm_text)


@pytest.fixture(autouse=True, scope="module")
def lean_process() -> Iterator[None]:
    """What the tests of one file leave behind does not slow down those of the next one."""
    from forget_registered import forget_registered

    yield
    forget_registered()
    if (memory_cache := sys.modules.get("irtensor.memory_cache")) is not None:
        for cache in memory_cache.living_caches():
            cache.clear()
    gc.collect()
    gc.freeze()


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


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Several kernels are taken wherever they may be, so that small operands are computed by them."""
    from irtensor.caches import clear_caches

    monkeypatch.setattr("irtensor.frontend.einsum.contraction_choice._CLEARLY", 1e9)
    clear_caches()
    yield
    clear_caches()


@pytest.fixture(scope="session")
def damaged() -> Callable[[str, random.Random, Sequence[str], Sequence[int]], str]:
    """Damages a text: words or signs put in, taken out, exchanged or replaced by `pieces`, so many `times`."""

    def damage(text: str, rng: random.Random, pieces: Sequence[str], times: Sequence[int]) -> str:
        for _ in range(rng.choice(times)):
            words = [*re.findall(r"\w+|\s+|.", text, re.DOTALL), ""]
            at, other = rng.randrange(len(words)), rng.randrange(len(words))
            match rng.randrange(4):
                case 0:
                    words.insert(at, rng.choice(pieces))
                case 1:
                    del words[at]
                case 2:
                    words[at] = rng.choice(pieces)
                case _:
                    words[at], words[other] = words[other], words[at]
            text = "".join(words)
        return text

    return damage


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("soak", "random cases without end: pytest -m soak")
    group.addoption("--soak-seed", type=int, default=0, metavar="N", help="which cases are drawn")
    group.addoption("--soak-minutes", type=float, default=1, metavar="M", help="for how long each test draws cases")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        # Workers and programs that tests start share compiled code, which is not for users.
        folder = tempfile.TemporaryDirectory(prefix="irtensor-test-")
        config.add_cleanup(folder.cleanup)
        os.environ["IRTENSOR_CACHE_DIR"] = folder.name
        # Memory that the C library gives to workers is full of this, not of zeros: what reads ahead of writing is seen.
        os.environ.setdefault("MALLOC_PERTURB_", "165")


def pytest_collection_finish(session: pytest.Session) -> None:
    """IR is full of cycles: looking through all that is imported again and again takes a third of the time.

    That of a few kernels is given back while processors have it at hand; of many, it takes twice as long.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 20, 100)


@pytest.fixture
def soak_seeds(request: pytest.FixtureRequest) -> Iterator[int]:
    """Seeds of pieces of work, for as long as the command line says: the same seed draws the same pieces."""
    seed, minutes = (request.config.getoption(name) for name in ("--soak-seed", "--soak-minutes"))
    assert seed is not None and minutes is not None
    first, end = seed << 20, time.monotonic() + 60 * minutes
    return (first + number for number in range(1 << 20) if number == 0 or time.monotonic() < end)
