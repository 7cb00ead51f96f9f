"""What is kept between calls: under one bound, shown by cache_info, given back by clear_caches."""

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it
from irtensor import memory_cache
from irtensor.compiler.compilation import compile_kernel
from irtensor.compiler.kernel import format_trial
from irtensor.memory_cache import MemoryCache
from irtensor.runtime import counting_sort, radix_sort, transpose_segments
from irtensor.runtime.native_function import NativeFunction

x = np.arange(4.0)


@pytest.fixture(autouse=True)
def nothing_is_held(tmp_path, monkeypatch):
    monkeypatch.setenv("IRTENSOR_CACHE_DIR", str(tmp_path))
    it.clear_caches()


def doors():
    """One call of each front door that keeps something."""
    A = it.Tensor.from_numpy(np.eye(4), "csr")
    i, j = it.indices("i j")
    y = it.tensor_variable("y", 1)
    y[i] = A[i, j] * 3
    it.einsum("ij,j->i", A, x)
    it.einsum("ij,jk,kl->il", A, A, A, optimize=True)
    y.evaluate()
    _ = A + A
    _ = np.sqrt(A)
    it.compile("y[i] = A[i,j] * x[j]", schedule="auto")(A=A, x=x)
    return A.sum()


def test_everything_is_given_back(monkeypatch):
    doors()
    array = sp.csr_array(np.eye(4))
    # What is tried last is the fastest.
    monkeypatch.setattr(format_trial, "in_turns", lambda best, other: (other.run() and 2.0, 1.0))
    it.einsum("ij->", array, tune="format")
    result = it.einsum("i,j->ij", np.ones(200), np.ones(200))
    del result
    used = it.cache_info()
    assert all(use.entries > 0 and use.bytes > 0 for use in used), used
    it.clear_caches()
    cleared = it.cache_info()
    assert cleared.disk == used.disk
    assert all((use.entries, use.bytes) == (0, 0) for use in cleared[:-1]), cleared
    assert doors() == 4
    it.clear_caches(disk=True)
    assert it.cache_info().disk.entries == 0


def living_code():
    gc.collect()
    return sum(isinstance(one, NativeFunction) for one in gc.get_objects())


@pytest.mark.parametrize(
    "function",
    [
        lambda: transpose_segments._functions(8, 8, 8),
        lambda: counting_sort._sort(8),
        lambda: counting_sort._move(8),
        lambda: radix_sort._functions(8),
    ],
)
def test_code_of_the_runtime_stays_for_who_is_running_it(function: Callable[[], Any]):
    """Another thread may clear the caches meanwhile."""
    it.clear_caches()
    before = living_code()
    running = function()
    it.clear_caches()
    assert living_code() == before + 1
    del running
    assert living_code() == before


def test_kernels_that_nobody_has_are_unloaded():
    doors()
    it.clear_caches()
    before = living_code()
    doors()
    assert living_code() > before
    it.clear_caches()
    assert living_code() == before


def test_a_kernel_survives_with_whoever_has_it():
    kernel = it.compile("y[i] = 2 * x[i]")
    module = it.compile_module(kernel.ir("concrete_index"))
    for _ in range(2):
        np.testing.assert_array_equal(kernel(x=x), 2 * x)
        np.testing.assert_array_equal(module(x), 2 * x)
        it.clear_caches()
        assert it.cache_info().kernels.entries == 0
        assert "2 * x[i]" in kernel.explain()


class Code:
    def __init__(self, size):
        self.size = size


def caches_of(count, monkeypatch, bound):
    monkeypatch.setattr(memory_cache, "BOUND", bound)
    memory_cache._turn()
    return [MemoryCache(lambda code: (code,), entry_bytes=0) for _ in range(count)]


def test_all_caches_have_one_bound(monkeypatch):
    caches = caches_of(3, monkeypatch, 1000)
    for number in range(500):
        caches[number % 3][number] = Code(10)
        assert sum(code.size for cache in caches for code in cache.entries()) <= 1010


def test_what_was_used_the_longest_ago_goes_first(monkeypatch):
    first, second = caches_of(2, monkeypatch, 1000)
    first["kept"], first["dropped"] = kept, _ = Code(10), Code(10)
    for number in range(500):
        second[number] = Code(10)
        assert first["kept"] is kept
    assert first["dropped"] is None
    assert next(number for number in range(500) if second[number] is not None) > 400


def test_what_is_dropped_is_freed(monkeypatch):
    (cache,) = caches_of(1, monkeypatch, 100)
    code = Code(10)
    cache["one"], gone = code, weakref.ref(code)
    del code
    for number in range(20):
        cache[number] = Code(10)
    assert gone() is None


def test_the_cache_of_something_goes_with_it():
    before = {id(cache) for cache in memory_cache.living_caches()}
    kernel = it.compile("y[i] = 2 * x[i]")
    kernel(x=x)
    own = [weakref.ref(cache) for cache in memory_cache.living_caches() if id(cache) not in before]
    assert own and all(cache() is not None for cache in own)
    del kernel
    it.clear_caches()
    gc.collect()
    assert not any(cache() is not None for cache in own)


def test_a_bound_of_nothing_is_slow_and_right(monkeypatch):
    monkeypatch.setattr(memory_cache, "BOUND", 1)
    for _ in range(2):
        assert doors() == 4
    assert it.cache_info().kernels.entries <= 2


@pytest.mark.parametrize("bound", [1, 1 << 18])
def test_threads_compile_call_and_clear_at_once(bound, monkeypatch):
    """A decision that another thread has just forgotten is still one for the kernel that it was made for."""
    monkeypatch.setattr(memory_cache, "BOUND", bound)
    wrong, done = [], threading.Event()
    A: Any = sp.random_array((20, 20), density=0.2, format="csr", random_state=1)
    vector = np.arange(20.0)

    def compute(seed):
        for number in range(8):
            factor = seed + number % 3
            try:
                kernel = it.compile(f"y[i] = {factor} * A[i,j] * x[j]")
                chain = it.einsum("ij,jk,k->i", A, A, vector)
                np.testing.assert_allclose(kernel(A=A, x=vector), factor * (A @ vector))
                np.testing.assert_allclose(chain, A @ (A @ vector))
            except Exception as error:
                wrong.append(error)

    def forget():
        while not done.wait(0.001):
            it.clear_caches()
            it.cache_info()

    threads = [threading.Thread(target=compute, args=(seed,)) for seed in (1, 2, 3)]
    clearing = threading.Thread(target=forget)
    for thread in (*threads, clearing):
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    clearing.join()
    assert not wrong, wrong[0]


def test_a_hit_costs_no_more_than_that_of_a_dictionary():
    """Reading has no method of the cache's own: calls are in a hurry."""
    for name in ("__getitem__", "get", "__contains__"):
        assert getattr(MemoryCache, name) is getattr(dict, name)


def test_kernels_keep_no_object_files():
    it.compile("y[i] = 2 * x[i]")(x=x)
    assert all(kernel.native.objects == () for kernel in compile_kernel._kernels.entries())


def test_a_table_for_people():
    doors()
    lines = str(it.cache_info()).splitlines()
    assert [line.split()[0] for line in lines] == [
        "cache",
        "kernels",
        "tables",
        "operands",
        "copies",
        "results",
        "disk",
    ]
    assert lines[1].endswith(" 128 MB") and lines[-1].endswith(" 256 MB")


def test_without_a_disk_cache(monkeypatch):
    monkeypatch.setenv("IRTENSOR_DISK_CACHE", "0")
    assert it.cache_info().disk.entries == 0
    it.clear_caches(disk=True)


def test_what_is_no_flag():
    with pytest.raises(it.UserError, match=r"\[bad-argument\] disk= is True or False"):
        it.clear_caches(disk="yes")  # pyrefly: ignore[bad-argument-type]
